// The built executable in a temporary repository: real processes, real files, a state folder of its own.
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { TWO_TASKS } from "./command-line.ts";
import { REPOSITORY } from "./generated-files.ts";
import { git, gitInit } from "./git.ts";
import { temporaryFolder } from "./temporary-folder.ts";

export const STINT = join(REPOSITORY, "dist/main.cjs");

export interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

type Env = Record<string, string | undefined>;

export class BuiltStint {
  readonly #folder = temporaryFolder();
  readonly path = this.#folder.path;
  readonly root = join(this.path, "repo");
  readonly stateHome = join(this.path, "state");

  constructor() {
    mkdirSync(this.root);
    gitInit(this.root);
    // Who runs something there commits.
    git(this.root, "config", "user.name", "Ada");
    git(this.root, "config", "user.email", "ada@example.com");
  }

  close(): void {
    this.#folder.remove();
  }

  write(path: string, content: string | Buffer = TWO_TASKS): void {
    const file = join(this.root, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
  }

  run(...words: string[]): Ended {
    return this.runWith({}, ...words);
  }

  runWith(options: { cwd?: string; env?: Env }, ...words: string[]): Ended {
    const { status, stdout, stderr } = spawnSync(process.execPath, [STINT, ...words], {
      cwd: options.cwd ?? this.root,
      env: this.env(options.env),
      encoding: "utf8",
    });
    return { code: status, out: stdout, err: stderr };
  }

  start(...words: string[]): ChildProcess {
    return spawn(process.execPath, [STINT, ...words], { cwd: this.root, env: this.env() });
  }

  /** Runs the same words in several processes at once. */
  async runAtOnce(count: number, ...words: string[]): Promise<Ended[]> {
    return Promise.all(Array.from({ length: count }, async () => ended(this.start(...words))));
  }

  env(change: Env = {}): NodeJS.ProcessEnv {
    const { NO_COLOR: _no, FORCE_COLOR: _force, ...env } = process.env;
    return { ...env, HOME: join(this.path, "home"), XDG_STATE_HOME: this.stateHome, ...change };
  }
}

export async function ended(child: ChildProcess): Promise<Ended> {
  const said = { out: "", err: "" };
  child.stdout?.on("data", (text: Buffer) => (said.out += text.toString("utf8")));
  child.stderr?.on("data", (text: Buffer) => (said.err += text.toString("utf8")));
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", resolve);
  });
  return { code, ...said };
}
