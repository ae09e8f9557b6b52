// The migration of the examples in a repository of its own, driven session by session with the built
// executable.
import { cpSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { ProjectState } from "../../src/core/schema/project.ts";
import { BuiltStint, type Ended } from "./built-stint.ts";
import { REPOSITORY } from "./generated-files.ts";
import { git } from "./git.ts";

const EXAMPLES = join(REPOSITORY, "examples");

export class Migration {
  readonly #built = new BuiltStint();
  readonly path = this.#built.path;
  readonly root = this.#built.root;
  readonly script = join(EXAMPLES, "migration.script.json");
  readonly folder = join(this.root, "agents/stint/projects/migration");

  constructor() {
    cpSync(join(EXAMPLES, "migration"), this.root, { recursive: true });
    cpSync(join(EXAMPLES, "migration.md"), join(this.root, "migration.md"));
    git(this.root, "config", "user.name", "Ada");
    git(this.root, "config", "user.email", "ada@example.com");
    git(this.root, "add", ".");
    git(this.root, "commit", "--quiet", "-m", "before");
  }

  close(): void {
    this.#built.close();
  }

  stint(...words: string[]): Ended {
    return this.#built.run(...words);
  }

  /** Session 1: one task, then the end. */
  first(): Ended {
    const all = ["run", "migration.md", "--agent", `scripted:${this.script}`, "--sessions", "1"];
    return this.stint(...all, "--report", "sessions");
  }

  /** Session 2: given nothing but the id. */
  resume(cwd = this.root, ...words: string[]): Ended {
    const agent = `scripted:${this.script}`;
    const all = ["resume", this.id, "--agent", agent, "--report", "sessions", ...words];
    return this.#built.runWith({ cwd }, ...all);
  }

  resumeWith(script: string, ...words: string[]): Ended {
    const agent = `scripted:${script}`;
    return this.stint("resume", this.id, "--agent", agent, "--report", "sessions", ...words);
  }

  get id(): string {
    return this.state().project_id;
  }

  get shadow(): string {
    return join(this.#built.stateHome, "stint/shadows", this.id);
  }

  get registry(): string {
    return join(this.#built.stateHome, "stint/registry");
  }

  state(): ProjectState {
    return JSON.parse(readFileSync(join(this.folder, "state.json"), "utf8")) as ProjectState;
  }

  /** Both copies of the record that makes a task done. */
  evidence(id: string): { kept: string; copy: string } {
    const task = this.state().tasks.find((each) => each.id === id);
    const evidence = task?.status === "done" ? task.evidence[0] : undefined;
    if (evidence?.kind !== "check") throw new Error(`${id} has no record of a check`);
    return {
      kept: join(this.shadow, "kept", evidence.path),
      copy: join(this.folder, evidence.path),
    };
  }
}
