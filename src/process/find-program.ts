// What to start, and its file, found before anything is started, so that a missing program is a clear
// refusal and not an exit code of some wrapper.
import { accessSync, constants, statSync } from "node:fs";
import { delimiter, join, resolve } from "node:path";
import { StintError } from "../core/stint-error.ts";
import { lookThrough } from "./look-at.ts";

/** A program and its words, never a line for a shell to take apart. */
export interface ChildCommand {
  /** A name to look up on the child's PATH, or a path; a relative path starts at `cwd`. */
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Absent: the child reads nothing. */
  readonly stdin?: string;
}

const DEFAULT_PATH = "/usr/local/bin:/usr/bin:/bin";

/** The absolute path of a program, or undefined when nothing of that name can be run. */
export function whichProgram(name: string, path: string | undefined): string | undefined {
  return candidates(name, path ?? DEFAULT_PATH).find((file) => judge(file) === "runs");
}

/** Where the files are that a child sees at a path; undefined where it sees none. */
type PlaceOf = (path: string) => string | undefined;

const asItIs: PlaceOf = (path) => path;

/** The absolute path of what the command starts, as the child sees it. */
export function findProgram(command: ChildCommand, placeOf: PlaceOf = asItIs): string {
  const { program, cwd } = command;
  if (program.includes("/")) return findByPath(program, resolve(cwd, program), placeOf);
  const path = command.env["PATH"] ?? DEFAULT_PATH;
  const files = candidates(program, path);
  const file = files.find((each) => judge(placeOf(each)) === "runs");
  if (file !== undefined) return file;
  const blocked = files.find((each) => judge(placeOf(each)) === "not executable");
  if (blocked !== undefined) throw notExecutable(blocked);
  throw new StintError(
    "bad-input",
    `the program "${program}" was not found on PATH (${path})`,
    "install it, or name it by its path",
  );
}

/** A working folder that is there and can be entered by a child that sees it. */
export function checkFolder(cwd: string, placeOf: PlaceOf): void {
  const hint = "create it, or start from a folder that exists";
  const place = placeOf(cwd);
  const stat = place === undefined ? undefined : lookThrough(place);
  if (place === undefined || stat === undefined) {
    throw new StintError("bad-input", `the working folder ${cwd} does not exist`, hint);
  }
  if (!stat.isDirectory()) throw new StintError("bad-input", `${cwd} is not a folder`, hint);
  try {
    accessSync(place, constants.X_OK);
  } catch (cause) {
    const message = `the working folder ${cwd} cannot be entered`;
    throw new StintError("bad-input", message, `check its permissions: ls -ld '${place}'`, {
      cause,
    });
  }
}

function findByPath(program: string, file: string, placeOf: PlaceOf): string {
  const verdict = judge(placeOf(file));
  if (verdict === "runs") return file;
  if (verdict === "not executable") throw notExecutable(file);
  throw new StintError(
    "bad-input",
    `the program ${program} ${verdict === "missing" ? "does not exist" : "is a folder"}${file === program ? "" : ` (${file})`}`,
    "check the path; a relative one starts at the working folder",
  );
}

function candidates(name: string, path: string): string[] {
  if (name === "") return [];
  return path.split(delimiter).map((folder) => join(folder === "" ? "." : folder, name));
}

function judge(file: string | undefined): "runs" | "missing" | "folder" | "not executable" {
  if (file === undefined) return "missing";
  try {
    if (!statSync(file).isFile()) return "folder";
  } catch {
    return "missing";
  }
  try {
    accessSync(file, constants.X_OK);
    return "runs";
  } catch {
    return "not executable";
  }
}

function notExecutable(file: string): StintError {
  return new StintError("bad-input", `${file} is not executable`, `run: chmod +x '${file}'`);
}
