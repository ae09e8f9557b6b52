// Standard streams that a child can open again by name. Node connects children by sockets, with
// which `echo … > /dev/stderr` and `cat /dev/stdin` fail, and people write these in scripts and
// checks. So output goes through named pipes and input comes from a file; both are removed as soon
// as they are open.
import { spawnSync } from "node:child_process";
import { closeSync, constants, mkdtempSync, openSync, rmSync, writeFileSync } from "node:fs";
import { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface Pipe {
  /** The child's end; to be closed here once the child has it. */
  readonly theirs: number;
  readonly ours: Socket;
}

/** So many pipes from the child to us, or undefined where named pipes cannot be made. */
export function openPipes(count: number): Pipe[] | undefined {
  return inTemporaryFolder((folder, opened) => {
    const paths = Array.from({ length: count }, (_, index) => join(folder, String(index)));
    const made = spawnSync("mkfifo", ["-m", "600", ...paths], { stdio: "ignore" });
    if (made.status !== 0) return undefined;
    const ends = paths.map((path) => {
      // Only our end may be non-blocking: a program does not expect EAGAIN on its output.
      const ours = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
      opened.push(ours);
      const theirs = openSync(path, constants.O_WRONLY);
      opened.push(theirs);
      return { ours, theirs };
    });
    return ends.map(({ ours, theirs }) => ({
      theirs,
      ours: new Socket({ fd: ours, readable: true, writable: false }),
    }));
  });
}

/** A descriptor to read this text from, or undefined where no file can be written. */
export function openInput(text: string): number | undefined {
  // A named pipe would not do: opened again after everything was written, it waits for ever.
  return inTemporaryFolder((folder, opened) => {
    const path = join(folder, "input");
    writeFileSync(path, text, { mode: 0o600 });
    const fd = openSync(path, "r");
    opened.push(fd);
    return fd;
  });
}

function inTemporaryFolder<T>(make: (folder: string, opened: number[]) => T): T | undefined {
  const opened: number[] = [];
  let folder: string | undefined;
  try {
    folder = mkdtempSync(join(tmpdir(), "stint-pipe-"));
    return make(folder, opened);
  } catch {
    // No place for temporary files, or no descriptor free: the caller has another way.
    for (const fd of opened) closeSync(fd);
    return undefined;
  } finally {
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  }
}
