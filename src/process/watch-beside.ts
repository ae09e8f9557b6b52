// The child of a run that outlives it: a shell of a megabyte that waits for one word. The run says it when it ends,
// however it ends, and when a person stops it; where the pipe closes without it, the run was killed, and only then the
// program is loaded, to go on with the one project. Nothing of it is left once either has happened.
import { spawn } from "node:child_process";
import type { ProjectId } from "../core/ids.ts";

/** The program and its arguments come as arguments: no shell takes them apart. */
const SCRIPT = 'IFS= read -r word; [ "$word" = over ] || exec "$@"';

/** @returns how to say that the run is over; may be called again */
export function watchBeside(program: string, id: ProjectId, hasTerminal: boolean): () => void {
  const words = [process.execPath, program, "watchdog", "tick", id, "--wait"];
  // What it says belongs on the terminal where the run was; a pipe it would only keep open.
  const said = hasTerminal ? "inherit" : "ignore";
  const child = spawn("/bin/sh", ["-c", SCRIPT, "stint-watchdog", ...words], {
    cwd: "/",
    detached: true,
    stdio: ["pipe", said, said],
  });
  // A machine that can start nothing more has other worries, and the run goes on without it.
  child.on("error", () => {});
  // It has no streams then.
  if (child.pid === undefined) return () => {};
  child.stdin.on("error", () => {});
  child.unref();
  unrefPipe(child.stdin);
  return () => child.stdin.end("over\n");
}

/** The pipe alone keeps no run alive. */
function unrefPipe(pipe: NodeJS.WritableStream): void {
  if ("unref" in pipe && typeof pipe.unref === "function") pipe.unref();
}
