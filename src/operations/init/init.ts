// `init`: writes a manifest to start from, with the checks and the setup that this repository has. Never writes over
// a file, executes nothing, makes no project.
import {
  closeSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import type { InitView } from "../../core/schema/views.ts";
import { StintError } from "../../core/stint-error.ts";
import { shellWord } from "../../core/written/commands.ts";
import { manifestTemplate } from "../../manifest/manifest-template.ts";
import { findRepository } from "../../store/repository.ts";
import { assertNotInGitFolder, USUAL_MANIFEST } from "../manifest-file.ts";
import type { System } from "../system.ts";
import {
  foundCommands,
  type FoundCommands,
  type LeftOut,
  LOOKED_FOR,
  type LookedAt,
} from "./found-commands.ts";

export interface InitInput {
  /** A path, a goal, or both; a goal may stand alone. */
  readonly words: readonly string[];
  /** Show the text and write nothing. */
  readonly print: boolean;
}

export function init(system: System, input: InitInput): InitView {
  const { path, goal, isFolder } = pathAndGoal(system.cwd, input.words);
  const above = dirname(resolve(system.cwd, path));
  assertNotInGitFolder(path, above);
  const { root, dir } = workTreeFor(system.cwd, path);
  if (dir !== null && isFolder && above !== resolve(system.cwd)) throw outsideGit(path, above);
  const { folder, found } = lookAround(root, system.cwd);
  const text = manifestTemplate({
    goal,
    setup: found.commands.filter(({ kind }) => kind === "setup").map(({ command }) => command),
    checks: found.commands.filter(({ kind }) => kind !== "setup").map(({ command }) => command),
    dir: folder,
    lookedFor: LOOKED_FOR,
    leftOut: found.leftOut,
  });
  if (!input.print) writeNew(resolve(system.cwd, path), path, text);
  const named = shellWord(path);
  const placed = dir === null ? named : `${named} --dir ${shellWord(dir)}`;
  return {
    repository: root,
    manifest: path,
    written: !input.print,
    goal,
    found: [...found.commands],
    left_out: [...found.leftOut],
    text,
    next: input.print
      ? [`stint init ${named}`]
      : [`stint lint ${placed}`, `stint plan ${placed}`, `stint run ${placed}`],
  };
}

/**
 * The work tree that the manifest is about. A manifest in no repository is about the one where the person is, or about
 * its own folder if there is none; then `dir` names it.
 */
function workTreeFor(
  cwd: string,
  path: string,
): { readonly root: string; readonly dir: string | null } {
  const around = findRepository(dirname(resolve(cwd, path)));
  if (around.gitFolder !== null) return { root: around.root, dir: null };
  const here = findRepository(cwd);
  if (here.gitFolder === null) return { root: around.root, dir: dirname(path) };
  return { root: here.root, dir: relative(cwd, here.root).split(sep).join("/") || "." };
}

/** Whatever ends as Markdown does, or is a folder, is the path; anything else is the goal. */
function pathAndGoal(
  cwd: string,
  words: readonly string[],
): { readonly path: string; readonly goal: string | null; readonly isFolder: boolean } {
  const isFolder = (word: string): boolean => isFolderAt(resolve(cwd, word));
  const isPath = (word: string): boolean => /\.(?:md|markdown)$/i.test(word) || isFolder(word);
  const folder = words.find((word) => isFolderName(word) && !isFolder(word));
  if (folder !== undefined) throw noFolder(join(folder, USUAL_MANIFEST), resolve(cwd, folder));
  const file = words.find((word) => FILE_NAME.test(word) && !isPath(word));
  if (file !== undefined) throw notMarkdown(file);
  const path = words.find(isPath);
  const others = words.filter((word) => word !== path && word.trim() !== "");
  if (others.length > 1) {
    throw new StintError(
      "bad-input",
      `"${others[0]}" and "${others[1]}": one goal is enough, and a path ends with .md`,
      `Put the goal in quotes: stint init ${shellWord(others.join(" "))}`,
    );
  }
  const inFolder = path !== undefined && isFolder(path);
  const named = path === undefined ? USUAL_MANIFEST : inFolder ? join(path, USUAL_MANIFEST) : path;
  return {
    path: named.split(sep).join("/"),
    goal: others[0]?.trim() ?? null,
    isFolder: inFolder,
  };
}

/** One word, as only the name of a file has it; a goal has several. */
const FILE_NAME = /^(?:[\w@+.-]*\/)*[\w@+-][\w@+.-]*\.[a-z][a-z\d]{0,9}$/i;

function isFolderName(word: string): boolean {
  return /^[^\s]+[\\/]$/.test(word);
}

/** A goal of one word may be the name of a folder somewhere. */
function outsideGit(named: string, folder: string): StintError {
  return new StintError(
    "bad-input",
    `${folder} is in no git repository, so a manifest in it would be about no repository; nothing was written`,
    `For the repository you are in: stint init\nTo keep the manifest there, name the file: stint init ${shellWord(named)}\nTo work in that folder without git: cd ${shellWord(folder)}, then stint init`,
  );
}

function noFolder(named: string, folder: string, cause?: Error): StintError {
  return new StintError(
    "bad-input",
    `${named} cannot be written: there is no folder ${folder}`,
    `Create it: mkdir -p ${shellWord(folder)}`,
    { cause },
  );
}

function notMarkdown(file: string): StintError {
  const name = file.replace(/\.[^.]*$/, ".md");
  return new StintError(
    "bad-input",
    `${file} is not the name of a manifest: a path ends with .md`,
    `For example: stint init ${shellWord(name)}; a goal is a sentence: stint init "Say what is true at the end"`,
  );
}

/** A long sentence is no path that a system would take. */
function isFolderAt(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

/** From where the person stands up to the root: the first folder that has something decides. */
function lookAround(
  root: string,
  cwd: string,
): { readonly folder: string; readonly found: FoundCommands } {
  const below = relative(root, cwd).split(sep).join("/");
  const top = lookedAt(root, "", null);
  // A folder that a manifest cannot name is not looked into.
  const isNameable = below !== "" && /^(?!\.\.)[\w@+.][\w@+./ -]*$/.test(below);
  const folders = [top];
  if (isNameable) {
    let path = "";
    for (const part of below.split("/")) {
      path = path === "" ? part : `${path}/${part}`;
      folders.unshift(lookedAt(join(root, path), path, folders[0] ?? null));
    }
  }
  const passed: LeftOut[] = [];
  for (const folder of folders) {
    const { commands, leftOut } = foundCommands(folder);
    const hasCheck = commands.some(({ kind }) => kind !== "setup");
    if (hasCheck || folder === top) {
      return { folder: folder.path, found: { commands, leftOut: [...leftOut, ...passed] } };
    }
    passed.push(...leftOut);
  }
  return { folder: "", found: { commands: [], leftOut: passed } };
}

const LARGEST_BYTES = 1024 * 1024;
/** Some editors begin a file with it; the programs that read these files pass over it. */
const BYTE_ORDER_MARK = /^\uFEFF/;

function lookedAt(absolute: string, path: string, parent: LookedAt | null): LookedAt {
  return {
    path,
    parent,
    ...namesIn(absolute),
    text(name) {
      const file = join(absolute, name);
      try {
        const facts = statSync(file);
        if (!facts.isFile() || facts.size > LARGEST_BYTES) return "";
        return readFileSync(file, "utf8").replace(BYTE_ORDER_MARK, "");
      } catch {
        // What cannot be read says nothing.
        return "";
      }
    },
  };
}

/** A folder named Cargo.toml says nothing. */
function namesIn(folder: string): Pick<LookedAt, "names" | "folders"> {
  const names = new Set<string>();
  const folders = new Set<string>();
  try {
    for (const name of readdirSync(folder)) {
      (isFolderAt(join(folder, name)) ? folders : names).add(name);
    }
  } catch {
    // What cannot be read says nothing.
  }
  return { names, folders };
}

/** Whole or not at all; what is there, a link included, stays. */
function writeNew(absolute: string, named: string, text: string): void {
  if (lstatSync(absolute, { throwIfNoEntry: false }) !== undefined) throw isThere(named);
  let fd: number;
  try {
    fd = openSync(absolute, "wx");
  } catch (error) {
    throw cannotWrite(absolute, named, error as NodeJS.ErrnoException);
  }
  try {
    const bytes = Buffer.from(text, "utf8");
    for (let at = 0; at < bytes.length;) at += writeSync(fd, bytes, at);
  } catch (error) {
    rmSync(absolute, { force: true });
    throw cannotWrite(absolute, named, error as NodeJS.ErrnoException);
  } finally {
    closeSync(fd);
  }
}

function isThere(named: string): StintError {
  return new StintError(
    "bad-input",
    `${named} exists already; nothing was written`,
    `Name another file: stint init other.md; or see what would be written: stint init --print`,
  );
}

function cannotWrite(absolute: string, named: string, cause: NodeJS.ErrnoException): StintError {
  if (cause.code === "EEXIST") return isThere(named);
  const folder = dirname(absolute);
  if (cause.code === "ENOENT" || cause.code === "ENOTDIR") {
    return noFolder(named, folder, cause);
  }
  return new StintError(
    "state-unwritable",
    `${named} cannot be written (${cause.code}); nothing was created`,
    `Look at the folder and at the space on its disk: ls -ld ${shellWord(folder)}; df -h ${shellWord(folder)}. Or only print it: stint init --print`,
    { cause },
  );
}
