// Starts a person's own signing tool (ssh-keygen, gpg or what their git settings name): no shell, no terminal,
// nobody is asked anything, bounded time. What it cannot do without a question it does not do.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { untilRead } from "../process/until-read.ts";

export interface ToolCall {
  readonly program: string;
  readonly args: readonly string[];
  readonly input: Uint8Array;
  readonly cwd: string;
}

export interface ToolEnd {
  /** Null where it could not be started, or took too long. */
  readonly code: number | null;
  readonly stdout: Buffer;
  /** What it said, or why it did not. */
  readonly stderr: string;
}

/** A key that waits to be touched is given this long. */
const LONGEST_MS = 30_000;
const MOST_BYTES = 1024 * 1024;
const DRAIN_MS = 250;

export async function runSigningTool({ program, args, input, cwd }: ToolCall): Promise<ToolEnd> {
  return await new Promise((resolve) => {
    // A session of its own has no terminal that could be asked on.
    const child = spawn(program, args, {
      cwd,
      env: { ...process.env, SSH_ASKPASS_REQUIRE: "never", GPG_TTY: "", LC_ALL: "C" },
      stdio: ["pipe", "pipe", "pipe"],
      detached: true,
    });
    const { pid } = child;
    const notStarted = ({ message }: Error): void =>
      resolve({
        code: null,
        stdout: Buffer.alloc(0),
        stderr: `${program} cannot be started: ${message}`,
      });
    child.on("error", notStarted);
    // It has no streams where no descriptor is free, and no group to end.
    if (pid === undefined) return;
    const out: Buffer[] = [];
    const err: Buffer[] = [];
    let bytes = 0;
    let why = "";
    const stop = (reason: string): void => {
      why ||= reason;
      try {
        process.kill(-pid, "SIGKILL");
      } catch {
        child.kill("SIGKILL");
      }
    };
    const collect = (into: Buffer[]) => (data: Buffer) => {
      bytes += data.length;
      if (bytes > MOST_BYTES) stop("it printed too much");
      else into.push(data);
    };
    const timer = setTimeout(() => stop(`no answer after ${LONGEST_MS / 1000} s`), LONGEST_MS);
    child.stdout.on("data", collect(out));
    child.stderr.on("data", collect(err));
    child.stdin.on("error", () => {});
    child.stdin.end(input);
    const end = (code: number | null, said: string): void => {
      clearTimeout(timer);
      resolve({ code, stdout: Buffer.concat(out), stderr: said });
    };
    const ended = (code: number | null): void => {
      const said = Buffer.concat(err).toString("utf8").trim();
      end(why === "" ? code : null, why === "" ? said : why);
    };
    // What it left in the background may hold the pipes for as long as it likes.
    child.on("exit", (code) => {
      const pipes = [child.stdout, child.stderr];
      setTimeout(() => void untilRead(pipes).then(() => ended(code)), DRAIN_MS).unref();
    });
    child.on("close", ended);
  });
}

/** With a folder of its own for what has to be a file; it goes afterwards. Where none can be made, `otherwise`. */
export async function inScratchFolder<T>(
  act: (folder: string) => Promise<T>,
  otherwise: (why: string) => T,
): Promise<T> {
  let folder = "";
  try {
    folder = mkdtempSync(join(tmpdir(), "stint-sign-"));
    return await act(folder);
  } catch (error) {
    // A temporary folder that is missing or full: nothing stands still for a signature.
    if (!(error instanceof Error && "syscall" in error)) throw error;
    return otherwise(error.message);
  } finally {
    if (folder !== "") rmSync(folder, { recursive: true, force: true });
  }
}
