// The command line in process: a temporary repository, a state folder of its own, and a terminal that
// records.
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createColors } from "picocolors";
import type { Screen } from "../../src/cli/live-view.ts";
import { runCommandLine } from "../../src/cli/program.ts";
import { newRunId, parseProjectId } from "../../src/core/ids.ts";
import type { System } from "../../src/operations/system.ts";
import { PLAIN } from "./plain-paint.ts";
import type { Holder } from "../../src/store/store.ts";
import { openSystem } from "../../src/wire.ts";
import { REPOSITORY } from "./generated-files.ts";
import { gitInit } from "./git.ts";
import { required } from "./project-fixture.ts";
import { temporaryFolder } from "./temporary-folder.ts";

export interface Said {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

export const TWO_TASKS = `# Hello

## Goal
Say hello in two languages.

## Steps
- [ ] english - Write hello.txt
  - check: file hello.txt
- [ ] german - Write hallo.txt
  - check: file hallo.txt
`;

export class CommandLineBench {
  readonly #folder = temporaryFolder();
  readonly path = this.#folder.path;
  readonly root = join(this.path, "repo");
  readonly stateHome = join(this.path, "state");
  /** Searched before the machine's own programs. */
  readonly bin = join(this.path, "bin");

  constructor() {
    mkdirSync(this.root);
    gitInit(this.root);
  }

  close(): void {
    this.#folder.remove();
  }

  write(path: string, text: string = TWO_TASKS): string {
    const file = join(this.root, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    return file;
  }

  /** A program on the PATH that is this shell script. */
  program(name: string, script: string): string {
    const file = join(this.bin, name);
    mkdirSync(this.bin, { recursive: true });
    writeFileSync(file, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    return file;
  }

  system(cwd = this.root, env: NodeJS.ProcessEnv = {}): System {
    return openSystem({
      cwd,
      env: {
        XDG_STATE_HOME: this.stateHome,
        PATH: `${this.bin}:${process.env["PATH"]}`,
        ...env,
      },
      scriptedProgram: join(REPOSITORY, "dist/scripted-agent.cjs"),
      acpProgram: join(REPOSITORY, "dist/acp-client.cjs"),
      browserProgram: join(REPOSITORY, "dist/browser-check.cjs"),
      program: join(REPOSITORY, "dist/main.cjs"),
      examples: join(REPOSITORY, "examples"),
      skills: join(REPOSITORY, "skills"),
    });
  }

  /** As a run that is at work holds it. */
  hold(id: string): Holder {
    const system = this.system();
    const run_id = newRunId((count) => system.host.randomBytes(count));
    return system.store.acquire(required(parseProjectId(id)), { owner: "stint", run_id });
  }

  /** Everything in the work tree and the state folder, to show that nothing was made. */
  everything(): string[] {
    return readdirSync(this.path, { recursive: true, encoding: "utf8" }).toSorted();
  }

  async run(...words: string[]): Promise<Said> {
    return this.runWith({}, ...words);
  }

  async runWith(
    options: {
      cwd?: string;
      env?: NodeJS.ProcessEnv;
      width?: number;
      colours?: boolean;
      screen?: Screen;
      leave?: (exitCode: number) => void;
    },
    ...words: string[]
  ): Promise<Said> {
    const out: string[] = [];
    const err: string[] = [];
    const code = await runCommandLine({
      words,
      version: "1.2.3",
      terminal: {
        out: (text) => void out.push(text),
        err: (text) => void err.push(text),
        paint: options.colours === true ? createColors(true) : PLAIN,
        width: options.width,
        errorWidth: options.width,
        screen: options.screen,
        ...(options.leave !== undefined && { leave: options.leave }),
      },
      openSystem: () => this.system(options.cwd, options.env),
    });
    return { code, out: out.join("\n"), err: err.join("\n") };
  }

  /** Creates the project of a manifest and tells its id. */
  async create(path = "prompt.md"): Promise<string> {
    const { out, code, err } = await this.run("new", path, "--json");
    if (code !== 0) throw new Error(err + out);
    return (JSON.parse(out) as { project: { id: string } }).project.id;
  }
}
