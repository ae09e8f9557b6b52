// A point in an agent's work at which it waits, so that a person can act meanwhile. No time is involved:
// the agent says that it is there by one pipe and goes on when it is told so by another.
import { execFile, execFileSync } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";

export class Meeting {
  /** What the agent runs to wait. */
  readonly script: string;
  readonly #here: string;
  readonly #go: string;

  constructor(folder: string) {
    this.#here = join(folder, "here");
    this.#go = join(folder, "go");
    execFileSync("mkfifo", [this.#here, this.#go]);
    this.script = `echo > '${this.#here}'; read -r _ < '${this.#go}'`;
  }

  /** Acts while the agent waits, unless what it runs in ended before; then on to the end of it. */
  async during<T>(run: Promise<T>, act: () => void): Promise<T> {
    await this.meet(run, act);
    return await run;
  }

  /** The same, once; the agent may come here again. */
  async meet(run: Promise<unknown>, act: () => void): Promise<void> {
    const ended = new AbortController();
    void run.finally(() => ended.abort());
    const ask = async (...words: string[]): Promise<unknown> =>
      await promisify(execFile)("sh", ["-c", ...words], { signal: ended.signal });
    await ask('cat "$0"', this.#here);
    try {
      act();
    } finally {
      await ask('echo go > "$0"', this.#go);
    }
  }
}
