// A child process as tests need it: its output so far, its end, and facts to wait for.
import { type ChildProcess, spawn } from "node:child_process";

export interface Ending {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export class Child {
  readonly process: ChildProcess;
  readonly ended: Promise<Ending>;
  #stdout = "";
  #stderr = "";
  #heard: (() => void)[] = [];

  constructor(command: string, args: readonly string[], env: NodeJS.ProcessEnv, cwd?: string) {
    this.process = spawn(command, args, {
      // Loading more certificates slows every start, and nobody here speaks TLS.
      env: { ...process.env, NODE_EXTRA_CA_CERTS: undefined, ...env },
      stdio: ["ignore", "pipe", "pipe"],
      ...(cwd === undefined ? {} : { cwd }),
    });
    this.process.stdout?.setEncoding("utf8").on("data", (text: string) => {
      this.#stdout += text;
      for (const heard of this.#heard.splice(0)) heard();
    });
    this.process.stderr?.setEncoding("utf8").on("data", (text: string) => {
      this.#stderr += text;
      for (const heard of this.#heard.splice(0)) heard();
    });
    this.ended = new Promise((resolve, reject) => {
      this.process.on("error", reject);
      this.process.on("close", (code, signal) => {
        resolve({ code, signal, stdout: this.#stdout, stderr: this.#stderr });
        for (const heard of this.#heard.splice(0)) heard();
      });
    });
  }

  /** Waits until the child has said `text`, or has ended. @throws when it ended without */
  async says(text: string): Promise<void> {
    await this.#hears(text, () => this.#stdout);
  }

  /** The same of what goes where errors go. */
  async saysAside(text: string): Promise<void> {
    await this.#hears(text, () => this.#stderr);
  }

  async #hears(text: string, said: () => string): Promise<void> {
    while (!said().includes(text)) {
      if (this.process.exitCode !== null || this.process.signalCode !== null) {
        throw new Error(`the child ended without saying ${text}: ${this.#stdout}${this.#stderr}`);
      }
      await new Promise<void>((resolve) => this.#heard.push(resolve));
    }
  }
}

/** Runs jobs, at most `width` at a time, in order of start. */
export async function inParallel<T>(
  jobs: readonly T[],
  width: number,
  run: (job: T) => Promise<void>,
): Promise<void> {
  const waiting = [...jobs];
  const lane = async (): Promise<void> => {
    for (let job = waiting.shift(); job !== undefined; job = waiting.shift()) await run(job);
  };
  await Promise.all(Array.from({ length: width }, lane));
}
