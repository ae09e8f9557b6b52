// A person's repository, a manifest, an agent that misbehaves, the built executable, and the promises
// that hold however the run ends: nothing false is called done, nothing is lost, nothing is left alive.
import { decodeRevision } from "../../src/store/revision-codec.ts";
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from "node:fs";
import { userInfo } from "node:os";
import { dirname, join } from "node:path";
import type { Readable } from "node:stream";
import type { ProjectState } from "../../src/core/schema/project.ts";
import type { Task } from "../../src/core/schema/task.ts";
import { writtenTasks } from "../../src/engine/people/manifest-texts.ts";
import { procTable } from "../../src/process/process-table.ts";
import { STINT } from "./built-stint.ts";
import { git, gitInit } from "./git.ts";
import { temporaryFolder } from "./temporary-folder.ts";

/** An act of the scripted agent: docs/scripted-agent.md. */
export type Act = Readonly<Record<string, unknown>> & { readonly act: string };

/** What each task's sessions do: one list for all attempts, or one for each. */
export type Script = Readonly<Record<string, readonly Act[] | readonly (readonly Act[])[]>>;

export const TWO_TASKS = `## Goal

Say hello in two languages.

## Steps

- [ ] english - Write hello.txt
  - check: \`grep -q Hello hello.txt\`
- [ ] german - Write hallo.txt
  - check: \`grep -q Hallo hallo.txt\`
`;

export const english: Act = { act: "write", path: "hello.txt", text: "Hello\n" };
export const german: Act = { act: "write", path: "hallo.txt", text: "Hallo\n" };

export interface Setup {
  readonly manifest?: string;
  readonly config?: string;
  /** Tracked files beside the ones that every repository has. */
  readonly files?: Readonly<Record<string, string>>;
}

export interface Said {
  readonly code: number | null;
  readonly signal: string | null;
  readonly out: string;
  readonly err: string;
}

export interface RunResult extends Said {
  readonly state: ProjectState;
}

interface Ending {
  readonly code: number | null;
  readonly status: ProjectState["status"];
  /** Names of the tasks that are done. */
  readonly done: readonly string[];
}

/** The promises, kept. */
export const KEPT = {
  falseBoxes: [] as readonly string[],
  lost: [] as readonly string[],
  restaged: [] as readonly string[],
  alive: [] as readonly number[],
  missingWords: [] as readonly string[],
  marker: "consumed",
  manifest: "committed",
};

/** What was there before: every commit, every file, what the person staged. */
interface Before {
  readonly commits: readonly string[];
  readonly files: ReadonlyMap<string, string>;
  readonly staged: readonly string[];
  readonly branch: string;
}

export class Scenario {
  readonly #folder = temporaryFolder();
  readonly path = this.#folder.path;
  readonly root = join(this.path, "repo");
  /** The name under which answers are recorded. */
  readonly person = userInfo().username;
  readonly #token = randomUUID();
  #before: Before | undefined;

  constructor({ manifest = TWO_TASKS, config, files = {} }: Setup = {}) {
    mkdirSync(this.root);
    gitInit(this.root);
    git(this.root, "config", "user.name", "Ada");
    git(this.root, "config", "user.email", "ada@example.com");
    const tracked = {
      "one.txt": "one\n",
      ".gitignore": "*.log\n",
      "prompt.md": manifest,
      ...(config === undefined ? {} : { "stint.config.yaml": config }),
      ...files,
    };
    for (const [path, text] of Object.entries(tracked)) this.write(path, text);
    this.commit("the first commit");
    this.write("two.txt", "two\n");
    this.commit("the second commit");
    this.write("mine.txt", "not tracked, and mine\n");
    this.write("drafts/idea.txt", "not tracked either\n");
  }

  close(): void {
    this.#folder.remove();
  }

  write(path: string, text: string, mode?: number): void {
    const file = join(this.root, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    if (mode !== undefined) chmodSync(file, mode);
  }

  read(path: string): string {
    return readFileSync(join(this.root, path), "utf8");
  }

  exists(path: string): boolean {
    return existsSync(join(this.root, path));
  }

  git(...words: string[]): string {
    return git(this.root, ...words);
  }

  /** All of the work tree, as a person commits it. */
  commit(message: string): void {
    this.git("add", "-A");
    this.git("commit", "-q", "-m", message);
  }

  /** A file of the unfinished work that was kept after an attempt. */
  kept(task: string, attempt: number, path: string): string {
    const { project_id } = this.state();
    const folder = join(this.path, "state/stint/workspaces", project_id, "1/git");
    const { id } = this.task(task);
    return this.git(
      `--git-dir=${folder}`,
      "show",
      `refs/stint/${project_id}/${id}/${attempt}:${path}`,
    );
  }

  /** A program outside the repository that plays the agent. */
  program(name: string, text: string): string {
    const file = join(this.path, name);
    writeFileSync(file, text);
    chmodSync(file, 0o755);
    return file;
  }

  async play(script: Script, ...words: string[]): Promise<RunResult> {
    const file = join(this.path, "script.json");
    writeFileSync(file, JSON.stringify({ manifest: "prompt.md", tasks: script }));
    return await this.run("--agent", `scripted:${file}`, ...words);
  }

  async run(...words: string[]): Promise<RunResult> {
    return await this.runWith({}, ...words);
  }

  async runWith(
    options: { readonly env?: Record<string, string>; readonly limit?: string },
    ...words: string[]
  ): Promise<RunResult> {
    this.#before ??= this.#look();
    const command = [process.execPath, STINT, "run", "prompt.md", ...words];
    const [program = "", ...args] =
      options.limit === undefined
        ? command
        : ["sh", "-c", `${options.limit}; exec "$@"`, "sh", ...command];
    const child = spawn(program, args, {
      cwd: this.root,
      env: this.env(options.env),
      stdio: ["ignore", "pipe", "pipe"],
    });
    const said = await ended(child);
    return { ...said, state: this.state() };
  }

  /** Any verb of the built executable, as a person types it in the repository. */
  async say(...words: string[]): Promise<Said> {
    return await this.sayIn({}, ...words);
  }

  async sayIn(
    options: {
      readonly cwd?: string;
      readonly env?: Record<string, string>;
      /** Words for node itself. */
      readonly node?: readonly string[];
    },
    ...words: string[]
  ): Promise<Said> {
    this.#before ??= this.#look();
    const child = spawn(process.execPath, [...(options.node ?? []), STINT, ...words], {
      cwd: options.cwd ?? this.root,
      env: this.env(options.env),
      stdio: ["ignore", "pipe", "pipe"],
    });
    return await ended(child);
  }

  /** A verb that goes on while the test goes on. */
  start(...words: string[]): LiveRun {
    this.#before ??= this.#look();
    const child = spawn(process.execPath, [STINT, ...words], {
      cwd: this.root,
      env: this.env(),
      stdio: ["ignore", "pipe", "pipe"],
    });
    return new LiveRun(child);
  }

  /** Nothing of the person's own settings; a variable by which everything started here is found. */
  env(extra: Record<string, string> = {}): NodeJS.ProcessEnv {
    const { NO_COLOR: _no, FORCE_COLOR: _force, ...env } = process.env;
    return {
      ...env,
      HOME: join(this.path, "home"),
      XDG_STATE_HOME: join(this.path, "state"),
      GIT_CONFIG_GLOBAL: "/dev/null",
      GIT_CONFIG_SYSTEM: "/dev/null",
      SCENARIO: this.#token,
      ...extra,
    };
  }

  /** The last durable revision. */
  state(): ProjectState {
    const folder = join(this.shadow(), "state");
    const revisions = readdirSync(folder).filter((name) => /^\d+\.json$/.test(name));
    const newest = revisions.toSorted((a, b) => Number.parseInt(b, 10) - Number.parseInt(a, 10))[0];
    const decoded = decodeRevision(readFileSync(join(folder, newest ?? "")));
    if (!decoded.ok) throw new Error(decoded.reason);
    return decoded.state;
  }

  shadow(): string {
    const shadows = join(this.path, "state/stint/shadows");
    const [only = "", ...others] = readdirSync(shadows);
    if (others.length > 0) throw new Error("a second project came to be");
    return join(shadows, only);
  }

  journal(): string {
    return readFileSync(join(this.shadow(), "journal.jsonl"), "utf8");
  }

  task(name: string): Task {
    const found = this.state().tasks.find((task) => task.name === name);
    if (found === undefined) throw new Error(`there is no task ${name}`);
    return found;
  }

  /** How it ended, and every promise that was broken: equal to KEPT where none was. */
  judge(result: RunResult, touched: readonly string[] = []): typeof KEPT & Ending {
    const { state, out, err } = result;
    const isCommitHeld = `${out}${err}`.includes("verified but not committed");
    const isClean = this.git("status", "--porcelain", "prompt.md") === "";
    return {
      code: result.code,
      status: state.status,
      done: state.tasks.filter((task) => task.status === "done").map((task) => task.name),
      falseBoxes: this.#falseBoxes(),
      lost: this.#lost(result, touched),
      restaged: this.#restaged(touched),
      alive: this.#alive(),
      missingWords: missingWords(result),
      marker: this.exists(".agent_iteration_done") ? "left" : "consumed",
      // Where a person is asked about a commit, the manifest waits with the rest.
      manifest: isClean || isCommitHeld ? "committed" : "not committed",
    };
  }

  #falseBoxes(): string[] {
    const { tasks } = this.state();
    const { byId } = writtenTasks(this.#manifest(), tasks);
    return (
      tasks
        .filter(({ status, chunk_of }) => status !== "superseded" && chunk_of === undefined)
        // What waits for its commit has its box in no file yet.
        .filter((task) => task.status !== "done" || task.commit !== undefined)
        .filter(({ id, status }) => byId.get(id)?.item.box.checked !== (status === "done"))
        .map(({ name, status }) => `${name} is ${status}`)
    );
  }

  /** The person's, or where delivery waits the one of the branch that the work waits on. */
  #manifest(): string {
    const waiting = this.git("for-each-ref", "--no-merged=HEAD", "refs/heads/stint/prompt");
    return waiting === "" ? this.read("prompt.md") : this.git("show", "stint/prompt:prompt.md");
  }

  /** By the variable of this scenario and by the ids of its runs. */
  #alive(): number[] {
    const runs = new Set([...this.journal().matchAll(/\br-[0-9a-z]{10}\b/g)].map(([id]) => id));
    const marks = [...runs].map((id) => `STINT_RUN_ID=${id}`);
    const alive = new Set(procTable.list().flatMap(({ pid, zombie }) => (zombie ? [] : [pid])));
    const left = [...procTable.carriers([`SCENARIO=${this.#token}`, ...marks])];
    return left.filter((pid) => alive.has(pid));
  }

  /** Commits on no branch and under no ref that was named; files that are gone or another. */
  #lost({ out }: RunResult, touched: readonly string[]): string[] {
    const { commits, files, branch } = this.#known();
    const now = this.git("branch", "--show-current").trim();
    const isShown = (ref: string) => !ref.startsWith("refs/stint/") || out.includes(ref);
    const holders = (commit: string) =>
      this.git("for-each-ref", "--format=%(refname)", "--contains", commit).trim().split("\n");
    return [
      ...(now === branch ? [] : [`branch ${branch}: on ${now}`]),
      ...commits.filter((commit) => !holders(commit).some(isShown)),
      ...[...files]
        .filter(([path]) => !touched.includes(path) && path !== "prompt.md")
        .filter(([path, text]) => this.#now(path) !== text)
        .map(([path]) => path),
    ];
  }

  /** What the index holds of paths that nobody was to touch, where that is another than before. */
  #restaged(touched: readonly string[]): string[] {
    const isOther = (line: string) => !touched.some((path) => line.endsWith(`\t${path}`));
    const before = new Set(this.#known().staged.filter(isOther));
    const now = new Set(this.#staged().filter(isOther));
    return [
      ...[...before].filter((line) => !now.has(line)),
      ...[...now].filter((line) => !before.has(line)),
    ];
  }

  #known(): Before {
    if (this.#before === undefined) throw new Error("nothing was run yet");
    return this.#before;
  }

  #look(): Before {
    const paths = this.git("ls-files", "-z", "--cached", "--others", "--exclude-standard");
    // A submodule is a folder, and has files of its own.
    const files = paths.split("\0").filter((path) => this.#now(path) !== undefined);
    return {
      commits: this.git("rev-list", "--all").trim().split("\n"),
      files: new Map(files.map((path) => [path, this.read(path)])),
      staged: this.#staged(),
      branch: this.git("branch", "--show-current").trim(),
    };
  }

  #now(path: string): string | undefined {
    const found = lstatSync(join(this.root, path), { throwIfNoEntry: false });
    return found?.isFile() === true ? this.read(path) : undefined;
  }

  #staged(): string[] {
    const diff = this.git("diff", "--cached", "--no-renames", "--raw", "--abbrev=40");
    return diff.split("\n").filter((line) => line !== "" && !line.endsWith("prompt.md"));
  }
}

/** What the end must say and does not: what happened, and what to do next. */
function missingWords({ code, out, err, state }: RunResult): string[] {
  const hasFailed = /^stint: /m.test(err);
  const last = (hasFailed ? err : out).trimEnd().split("\n\n").at(-1) ?? "";
  const wanted = hasFailed ? [/stint: .+\n {2}\S/] : [new RegExp(state.status), /Next: \S/];
  const missing = wanted.filter((words) => !words.test(last)).map(String);
  return code !== 0 && last.includes("every task is done") ? ["it says done", ...missing] : missing;
}

export class LiveRun {
  readonly #child: Child;
  readonly ended: Promise<Said>;
  #out = "";

  constructor(child: Child) {
    this.#child = child;
    child.stdout.on("data", (bytes: Buffer) => {
      this.#out += bytes.toString("utf8");
    });
    this.ended = ended(child);
  }

  /** Resolves once it has said so. */
  async until(text: string): Promise<void> {
    while (!this.#out.includes(text)) {
      // oxlint-disable-next-line no-await-in-loop -- each piece of output is looked at as it comes
      const isMore = await Promise.race([
        new Promise<true>((resolve) => this.#child.stdout.once("data", () => resolve(true))),
        this.ended.then(() => false as const),
      ]);
      if (!isMore && !this.#out.includes(text)) {
        throw new Error(
          `it ended without saying "${text}":\n${this.#out}${(await this.ended).err}`,
        );
      }
    }
  }

  kill(signal: NodeJS.Signals = "SIGKILL"): void {
    this.#child.kill(signal);
  }
}

type Child = ChildProcessByStdio<null, Readable, Readable>;

async function ended(child: Child): Promise<Said> {
  const out: Buffer[] = [];
  const err: Buffer[] = [];
  child.stdout.on("data", (bytes: Buffer) => out.push(bytes));
  child.stderr.on("data", (bytes: Buffer) => err.push(bytes));
  const [code, signal] = await new Promise<[number | null, string | null]>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (exit, by) => resolve([exit, by]));
  });
  return {
    code,
    signal,
    out: Buffer.concat(out).toString("utf8"),
    err: Buffer.concat(err).toString("utf8"),
  };
}
