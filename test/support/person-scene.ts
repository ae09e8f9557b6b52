// A repository that a person works in, an agent that does harm, the built executable, and the promises
// that hold whatever the agent does: nothing is called Done that a clone does not hold, nothing of the
// person's is another, nothing stays alive, nothing is left in the temporary folder.
import { execFile, execFileSync } from "node:child_process";
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { type IsolationKind } from "../../src/process/namespace/isolation.ts";
import { availableKinds } from "./available-kinds.ts";
import { STINT } from "./built-stint.ts";
import { git, gitInit } from "./git.ts";
import { COMMITTED, liveIn, OWN_PATHS, removeWhole } from "./lived-in.ts";
import {
  type Allowed,
  describeDifferences,
  type PersonState,
  recordPerson,
} from "./person-state.ts";
import { temporaryFolder } from "./temporary-folder.ts";

export const CHECK = "grep -q Hello hello.txt";

export const MANIFEST_OF_PERSON = manifestWith(CHECK);

export function manifestWith(check: string): string {
  return `## Goal\n\nSay hello.\n\n## Steps\n\n- [ ] english - Write hello.txt\n  - check: \`${check}\`\n`;
}

const WORDS: Record<IsolationKind, readonly string[]> = {
  bwrap: ["--isolation", "on"],
  unshare: ["--isolation", "on"],
  group: ["--isolation", "off"],
};

/** The kinds that work on this machine, best first. */
export const ISOLATIONS = availableKinds();

export interface Ran {
  readonly code: number | null;
  readonly signal: string | null;
  readonly out: string;
  readonly err: string;
}

export interface Verdict {
  readonly status: string;
  /** Every promise that was broken, in words. */
  readonly broken: readonly string[];
}

export class PersonScene {
  /** The checkout. */
  readonly root: string;
  /** Around it: the home folder, the state folder, the agent. */
  readonly outside: string;
  readonly #folder = temporaryFolder();
  readonly #isolation: IsolationKind;
  #before: PersonState;
  #own = OWN_PATHS;

  constructor(isolation: IsolationKind, manifest = MANIFEST_OF_PERSON) {
    this.#isolation = isolation;
    this.outside = this.#folder.path;
    this.root = join(this.outside, "repo");
    for (const name of ["repo", "home", "tmp"]) mkdirSync(join(this.outside, name));
    writeFileSync(this.#settings(), "[user]\n\tname = Ada\n\temail = ada@example.com\n");
    writeFileSync(this.#marker(), "in HOME, and mine\n");
    gitInit(this.root);
    const files = {
      ...COMMITTED,
      "prompt.md": this.#placed(manifest),
      "stint.config.yaml": "attempts_per_task: 1\n",
    };
    for (const [path, text] of Object.entries(files)) this.put(path, text);
    git(this.root, "add", "-A");
    git(this.root, "commit", "-q", "-m", "the first commit");
    liveIn(this.root, this.outside);
    if (isolation === "unshare") linkProgramsBut("bwrap", this.#bin());
    this.#before = this.record();
  }

  close(): void {
    removeWhole(this.outside);
  }

  put(path: string, text: string): void {
    const file = join(this.root, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }

  git(...words: string[]): string {
    return git(this.root, ...words);
  }

  record(): PersonState {
    return recordPerson(this.root, [this.#settings(), this.#marker()]);
  }

  /**
   * From here on, what the person has is what they have now.
   * @param own more paths that hold something of theirs
   */
  personActed(own: readonly string[]): void {
    this.#before = this.record();
    this.#own = [...this.#own, ...own];
  }

  /** A program that plays the agent. It says that it came to its end by a file outside. */
  agent(script: string): string {
    const file = join(this.outside, "agent.sh");
    const known = {
      ROOT: this.root,
      OUTSIDE: this.outside,
      STATE: join(this.outside, "state/stint"),
      NODE: process.execPath,
      STINT,
    };
    const variables = Object.entries(known).map(([name, value]) => `${name}='${value}'`);
    const lines = ["#!/bin/sh", "set -eu", ...variables, script, 'echo > "$OUTSIDE/acted"', ""];
    writeFileSync(file, lines.join("\n"));
    chmodSync(file, 0o755);
    return file;
  }

  /** @param before words to put before the command; its folders are where they are in the scene */
  async run(agent: string, before: readonly string[] = []): Promise<Ran> {
    const words = [
      "run",
      "prompt.md",

      "--agent",
      `command:${agent}`,
      ...WORDS[this.#isolation],
    ];
    return await this.#start([...before, process.execPath, STINT, ...words]);
  }

  /** How it stands, and every promise that does not hold. */
  async judge(check = CHECK): Promise<Verdict> {
    const { status, slug } = await this.#status();
    const after = this.record();
    return {
      status,
      broken: [
        ...(status === "Done" ? this.#falseDone(slug, check) : []),
        ...this.#changed(after, slug),
        ...this.#alive().map((process) => `left alive: ${process}`),
        ...this.#litter().map((path) => `left behind: ${path}`),
      ],
    };
  }

  env(): NodeJS.ProcessEnv {
    const { NO_COLOR: _no, FORCE_COLOR: _force, ...env } = process.env;
    return {
      ...env,
      ...(this.#isolation === "unshare" ? { PATH: this.#bin() } : {}),
      HOME: join(this.outside, "home"),
      TMPDIR: join(this.outside, "tmp"),
      XDG_STATE_HOME: join(this.outside, "state"),
      GIT_CONFIG_GLOBAL: this.#settings(),
      GIT_CONFIG_SYSTEM: "/dev/null",
    };
  }

  async #start([program = "", ...args]: readonly string[]): Promise<Ran> {
    const options = { cwd: this.root, env: this.env(), maxBuffer: 1 << 28 };
    return await new Promise((resolve) => {
      const child = execFile(program, args, options, (error, out, err) => {
        const code = typeof error?.code === "number" ? error.code : null;
        resolve({ code: error === null ? 0 : code, signal: error?.signal ?? null, out, err });
      });
      child.stdin?.end();
    });
  }

  async #status(): Promise<{ readonly status: string; readonly slug: string }> {
    const { out, err } = await this.#start([process.execPath, STINT, "status", "--all", "--json"]);
    try {
      const { status, project } = JSON.parse(out) as {
        status: string;
        project: { folder: string };
      };
      return { status, slug: basename(project.folder) };
    } catch {
      return { status: `no status: ${err}`, slug: "none" };
    }
  }

  /** What a clone of the verified work does not hold. */
  #falseDone(slug: string, check: string): string[] {
    const clone = join(this.outside, "clone");
    try {
      const own = this.git("for-each-ref", "--format=%(refname:short)", `refs/heads/stint/${slug}`);
      const branch = own.trim() || this.git("symbolic-ref", "--short", "HEAD").trim();
      git(this.outside, "clone", "-q", "--no-local", "--branch", branch, this.root, clone);
      execFileSync("sh", ["-c", this.#placed(check)], { cwd: clone, stdio: "pipe" });
      return [];
    } catch (error) {
      return [`False Done: ${(error as Error).message}`];
    } finally {
      removeWhole(clone);
    }
  }

  #changed(after: PersonState, slug: string): string[] {
    const { paths = [], ...branch } = this.#delivered(after);
    const differences = describeDifferences(this.#before, after, { slug, paths, ...branch });
    return [...differences, ...this.#deliveredOtherwise(branch, paths)];
  }

  /** The branch that the person was on may move on to later commits, with the files that they change. */
  #delivered(after: PersonState): Allowed {
    const ref = this.#before.get("HEAD")?.slice("ref: ".length) ?? "";
    const [was, commit] = [this.#before.get(`ref ${ref}`), after.get(`ref ${ref}`)];
    if (was === undefined || commit === undefined || was === commit) return {};
    if (!this.#holds(commit, was)) return {};
    const changed = this.#paths("diff", "--no-renames", was, commit);
    const isOwn = (path: string): boolean =>
      this.#own.some((own) => path === own || path.startsWith(`${own}/`));
    return { paths: changed.filter((path) => !isOwn(path)), branch: { ref, commit } };
  }

  /** Delivered files that are others than their commit holds. */
  #deliveredOtherwise({ branch }: Allowed, paths: readonly string[]): string[] {
    if (branch === undefined) return [];
    const others = this.#paths("diff", "--no-renames", branch.commit);
    return others
      .filter((path) => paths.includes(path))
      .map((path) => `delivered ${path} is another file than its commit holds`);
  }

  #holds(commit: string, earlier: string): boolean {
    try {
      this.git("merge-base", "--is-ancestor", earlier, commit);
      return true;
    } catch {
      return false;
    }
  }

  #paths(verb: string, ...words: string[]): string[] {
    const all = [verb, "-z", "--name-only", ...words];
    const said = execFileSync("git", all, {
      cwd: this.root,
      encoding: "latin1",
      maxBuffer: 1 << 28,
    });
    return said.split("\0").filter((path) => path !== "");
  }

  /** By their environment, or by their words where they cleared it. */
  #alive(): string[] {
    return readdirSync("/proc")
      .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
      .flatMap((pid) => {
        try {
          const words = readFileSync(`/proc/${pid}/cmdline`, "latin1").replaceAll("\0", " ");
          // By its environment: the words of another program's walls may name every socket of this machine.
          const isOurs = readFileSync(`/proc/${pid}/environ`, "latin1").includes(this.outside);
          return isOurs ? [`${pid} ${words}`] : [];
        } catch {
          return [];
        }
      });
  }

  /** In the temporary folder, and workspaces that were never finished. */
  #litter(): string[] {
    const workspaces = namesBelow(join(this.outside, "state/stint/workspaces"), 2);
    return [
      ...namesBelow(join(this.outside, "tmp"), 1),
      ...workspaces.filter((name) => name.endsWith(".tmp")),
    ];
  }

  #placed(text: string): string {
    return text.replaceAll("$OUTSIDE", this.outside);
  }

  #settings(): string {
    return join(this.outside, "home/.gitconfig");
  }

  #marker(): string {
    return join(this.outside, "home/mine.txt");
  }

  #bin(): string {
    return join(this.outside, "bin");
  }
}

function namesBelow(folder: string, depth: number): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
      const path = join(folder, entry.name);
      return depth > 1 && entry.isDirectory() ? [path, ...namesBelow(path, depth - 1)] : [path];
    });
  } catch {
    return [];
  }
}

/** A folder with every program of the PATH but one. */
function linkProgramsBut(left: string, bin: string): void {
  mkdirSync(bin);
  const seen = new Set([left]);
  for (const folder of (process.env["PATH"] ?? "").split(":")) {
    for (const path of namesBelow(folder, 1)) {
      if (seen.has(basename(path))) continue;
      seen.add(basename(path));
      symlinkSync(path, join(bin, basename(path)));
    }
  }
}
