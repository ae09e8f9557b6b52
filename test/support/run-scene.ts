// A repository with a manifest and a script for the scripted agent, in which the built `stint run` can
// be killed and taken up again, and everything that must come out the same however often it was.
// Agent and logistical command write a line outside the repository for each execution.
import { tellsOf } from "../../src/core/evidence/evidence-statement.ts";
import { readNote } from "../../src/core/evidence/note-lines.ts";
import { evidenceEnvelope, evidenceStatement } from "../../src/core/schema/evidence-note.ts";
import { execFileSync, spawnSync } from "node:child_process";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import type { ProjectId } from "../../src/core/ids.ts";
import type { ProjectState } from "../../src/core/schema/project.ts";
import { MARKER_NAME } from "../../src/core/marker.ts";
import { FileStore } from "../../src/store/file-store.ts";
import { Doctor } from "../../src/store/doctor/doctor.ts";
import { realFiles } from "../../src/store/files.ts";
import { keptPath } from "../../src/store/store.ts";
import { thisHost } from "../../src/store/host.ts";
import { projectPages } from "../../src/report/pages/pages.ts";
import { STINT } from "./built-stint.ts";
import { Child, type Ending } from "./child.ts";

/** Acts of the scripted agent, by name of the task; see docs/scripted-agent.md. */
const NOTE = { envelope: evidenceEnvelope, statement: evidenceStatement };

export type Script = Readonly<Record<string, readonly unknown[]>>;

export interface Story {
  readonly manifest: string;
  /** What the agent does, given where it notes that it did. */
  readonly script: (ledger: string) => Script;
  readonly words: readonly string[];
}

/** Everything of a finished project that no kill may change. */
export interface Outcome {
  readonly status: string;
  readonly files: Readonly<Record<string, string>>;
  readonly commits: readonly string[];
  readonly uncommitted: string;
  readonly tasks: readonly string[];
  readonly executed: readonly string[];
  readonly problems: readonly string[];
}

const WORKSPACE = new Set([
  "1",
  "git",
  "tree",
  "record.json",
  "brought.json",
  "brought-before.json",
  "lanes",
  "state-folder",
  "tags-before-act",
  "session-began",
]);
const IDENTITY = { name: "test", email: "test@example.com" };

export class RunScene {
  readonly base: string;
  readonly root: string;
  readonly ledger: string;
  readonly words: readonly string[];
  readonly env: NodeJS.ProcessEnv;

  constructor(folder: string, story: Story) {
    this.base = mkdtempSync(join(folder, "scene-"));
    this.root = join(this.base, "repo");
    this.ledger = join(this.base, "ledger");
    this.words = story.words;
    this.env = {
      // Not the folder that agents write to: a session cannot write to the home.
      HOME: join(this.base, "home"),
      XDG_STATE_HOME: join(this.base, "state"),
      LEDGER: this.ledger,
      GIT_CONFIG_SYSTEM: "/dev/null",
      GIT_CONFIG_GLOBAL: join(this.base, "gitconfig"),
    };
    mkdirSync(this.root);
    mkdirSync(join(this.base, "home"));
    writeFileSync(this.ledger, "");
    writeFileSync(
      join(this.base, "gitconfig"),
      `[user]\nname = ${IDENTITY.name}\nemail = ${IDENTITY.email}\n[init]\ndefaultBranch = main\n`,
    );
    const script = { tasks: story.script(this.ledger) };
    writeFileSync(join(this.base, "script.json"), JSON.stringify(script));
    writeFileSync(join(this.root, "prompt.md"), story.manifest);
    writeFileSync(join(this.root, "list.txt"), "first\n");
    this.git("init", "-q");
    this.git("add", ".");
    this.git("commit", "-q", "-m", "Begin");
  }

  remove(): void {
    rmSync(this.base, { recursive: true, force: true });
  }

  git(...words: string[]): string {
    return execFileSync("git", words, {
      cwd: this.root,
      encoding: "utf8",
      env: { ...process.env, ...this.env },
      stdio: ["ignore", "pipe", "pipe"],
    });
  }

  /** Starts the built executable; `node` goes before it, `env` is for the kill. */
  start(words: readonly string[], kill: Kill = {}): Child {
    const env = { ...this.env, ...kill.env };
    return new Child(process.execPath, [...(kill.node ?? []), STINT, ...words], env, this.root);
  }

  /** The first run, as a person starts it. */
  run(kill: Kill = {}, ...more: string[]): Child {
    return this.start(["run", "prompt.md", ...this.#agent(), ...this.words, ...more], kill);
  }

  /** Goes on until nothing more can be done without a person; by its id alone once that says enough. */
  async resume(): Promise<Ending> {
    const id = this.projectId();
    const isKnown =
      id !== undefined && this.store.kept(id, keptPath("logs", "choices.json")) !== undefined;
    return isKnown ? await this.start(["resume", id]).ended : await this.run().ended;
  }

  #agent(): string[] {
    return ["--agent", `scripted:${join(this.base, "script.json")}`];
  }

  get store(): FileStore {
    return new FileStore(this.#storeOptions());
  }

  #storeOptions() {
    const stateHome = join(this.base, "state", "stint");
    return { files: realFiles, host: thisHost(), stateHome, pages: projectPages };
  }

  projectId(): ProjectId | undefined {
    const [entry] = this.store.list();
    if (entry === undefined) return undefined;
    try {
      this.store.read(entry.project_id);
      return entry.project_id;
    } catch {
      // Registered, but killed before its first state: running the manifest creates it.
      return undefined;
    }
  }

  /** The run that holds or held the lease last. */
  runId(): string | undefined {
    const id = this.projectId();
    return id === undefined ? undefined : this.store.read(id).lease.lease?.run_id;
  }

  state(): ProjectState {
    const id = this.projectId();
    if (id === undefined) throw new Error("there is no project");
    return this.store.read(id).state;
  }

  write(path: string, text: string): void {
    writeFileSync(join(this.root, path), text);
  }

  read(path: string): string {
    return readFileSync(join(this.root, path), "utf8");
  }

  executed(): string[] {
    return readFileSync(this.ledger, "utf8").split("\n").slice(0, -1);
  }

  outcome(): Outcome {
    const state = this.state();
    return {
      status: state.status,
      files: this.#files(),
      commits: this.#commits(state.project_id),
      uncommitted: this.git("status", "--porcelain"),
      tasks: state.tasks.map((task) => `${task.name} ${task.status}`),
      executed: this.executed(),
      problems: this.problems(),
    };
  }

  #files(): Record<string, string> {
    const names = readdirSync(this.root, { recursive: true, encoding: "utf8" }).filter(
      (name) => !/^(?:\.git|agents)(?:\/|$)/.test(name) && statSync(join(this.root, name)).isFile(),
    );
    return Object.fromEntries(names.toSorted().map((name) => [name, this.read(name)]));
  }

  /** Subject, tree and trailers. The attempt is left out: a killed session costs a number. */
  #commits(id: ProjectId): string[] {
    const format = "--format=%s%x09%T%x09%(trailers:only,unfold,separator=%x2c )%x00";
    return this.git("log", "--reverse", format)
      .split("\0")
      .map((line) => line.trim().replaceAll(id, "<id>"))
      .map((line) => line.replaceAll(/Stint-Attempt: \d+/g, "Stint-Attempt: <n>"))
      .filter((line) => line !== "");
  }

  /** What contradicts itself or was left behind; empty where all is well. */
  problems(): string[] {
    const state = this.state();
    const found: string[] = [];
    const options = this.#storeOptions();
    const doctor = new Doctor(options, new FileStore(options));
    for (const finding of doctor.examine(state.project_id).findings) {
      if (finding.severity === "problem") found.push(`doctor: ${JSON.stringify(finding)}`);
    }
    const journal = this.store.journal(state.project_id);
    if (journal.at(-1)?.revision !== state.revision) found.push("journal and state disagree");
    if (existsSync(join(this.root, MARKER_NAME))) found.push("a marker is left");
    for (const name of readdirSync(this.root)) {
      if (name.startsWith(".stint")) found.push(`${name} is left`);
    }
    found.push(...this.#untrueBoxes(state), ...this.#missingEvidence(state));
    found.push(...this.#unnoted(state));
    if (this.git("fsck", "--no-dangling", "--no-progress") !== "") found.push("git fsck complains");
    return [...found, ...this.#leftBehind(state)];
  }

  /** A commit that is recorded has a note by then that tells of its task, once. */
  #unnoted({ tasks, project_id }: ProjectState): string[] {
    const notes = this.git("log", "--all", "--notes=stint", "--format=%H%n%N%x00").split("\0");
    const lines = new Map(
      notes.map((note) => {
        const [commit = "", ...text] = note.trim().split("\n");
        return [commit, readNote(text.join("\n"), NOTE).said];
      }),
    );
    return tasks.flatMap((task) => {
      const said = task.status === "done" && task.commit ? lines.get(task.commit) : undefined;
      if (task.status !== "done" || said === undefined) return [];
      const told = said.filter(({ statement }) => tellsOf(statement, project_id, task)).length;
      return told === 1 ? [] : [`${task.id} is told of ${told} times on its commit`];
    });
  }

  /** Locks and what a delivery keeps aside in the repository, and what a workspace is made of. */
  #leftBehind({ project_id }: ProjectState): string[] {
    const inGit = readdirSync(join(this.root, ".git")).filter((name) =>
      /\.lock$|^stint/.test(name),
    );
    const home = join(this.base, "state", "stint", "workspaces", project_id);
    const names = existsSync(home)
      ? readdirSync(home).flatMap((name) => [name, ...readdirSync(join(home, name))])
      : [];
    return [...inGit, ...names.filter((name) => !WORKSPACE.has(name))].map(
      (name) => `${name} is left`,
    );
  }

  #untrueBoxes(state: ProjectState): string[] {
    const text = this.read("prompt.md");
    return state.tasks.flatMap((task) => {
      // The box comes with the commit: before that is recorded, it may be there or not.
      if (task.status === "done" && task.commit === undefined) return [];
      const box = new RegExp(`\\[([ x])\\] ${task.name} `).exec(text)?.[1];
      return (box === "x") === (task.status === "done")
        ? []
        : [`the box of ${task.name} is "${box}"`];
    });
  }

  #missingEvidence(state: ProjectState): string[] {
    return state.tasks.flatMap((task) => {
      if (task.status !== "done") return [];
      // What a person says to be done has their word, and no commit.
      if (task.evidence.every(({ kind }) => kind === "person")) return [];
      if (task.commit === undefined) return [`${task.name} has no commit recorded`];
      return task.evidence.flatMap((evidence) => {
        if (evidence.kind !== "check") return [];
        const kept = this.store.kept(state.project_id, evidence.path as never);
        return kept === undefined ? [`${evidence.path} is missing`] : [];
      });
    });
  }

  /** Puts the counting git before the real one, for `run` only. */
  killingGit(kill: { before?: number; after?: number }): Kill & { readonly counted: string } {
    const bin = join(this.base, "bin");
    const counted = join(this.base, "git-commands");
    mkdirSync(bin);
    mkdirSync(counted);
    copyFileSync(new URL("killing-git.sh", import.meta.url), join(bin, "git"));
    const real = spawnSync("sh", ["-c", "command -v git"], { encoding: "utf8" }).stdout.trim();
    return {
      counted,
      env: {
        PATH: `${bin}:${process.env["PATH"]}`,
        REAL_GIT: real,
        KILL_COUNT: counted,
        KILL_ONLY: "main.cjs run ",
        ...(kill.before === undefined ? {} : { KILL_BEFORE: String(kill.before) }),
        ...(kill.after === undefined ? {} : { KILL_AFTER: String(kill.after) }),
      },
    };
  }
}

export interface Kill {
  readonly node?: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
}

/** The living processes that carry the mark of a run. */
export function processesOfRun(runId: string): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => environmentOf(pid).includes(`STINT_RUN_ID=${runId}\0`))
    .map(Number);
}

/** Empty for one that is gone, a zombie, or somebody else's. */
function environmentOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, "utf8");
  } catch {
    return "";
  }
}

export function killQuietly(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It is gone already.
  }
}
