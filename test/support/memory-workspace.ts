// A workspace of a few strings. Every act that leaves something behind is an effect, after which the
// world may die; what it left is what the next run finds.
import { sha256Of } from "../../src/store/digest.ts";
import type { TreeFiles } from "../../src/engine/tree-files.ts";
import type { Workspace } from "../../src/workspace/workspace.ts";
import type { Change } from "../../src/git/changed-paths.ts";
import { PLAIN_VIEW } from "../../src/process/view.ts";
import { required } from "./project-fixture.ts";

type Files = ReadonlyMap<string, string>;

export interface MemoryCommit {
  readonly id: string;
  readonly subject: string;
  readonly tasks: readonly string[];
  readonly files: string;
  /** What it changed. */
  readonly paths: readonly string[];
}

export interface Hooks {
  /** A hook removes the output of this task as it is committed. */
  readonly hookBreaks?: string | undefined;
  /** A hook rewrites the output of this task as it is committed; its check still passes. */
  readonly hookRewrites?: string | undefined;
}

export class MemoryWorkspace {
  readonly commits: MemoryCommit[] = [];
  readonly #trees = new Map<string, Files>();
  readonly #kept = new Map<string, { tree: string; base: string; ref: string }>();
  readonly #hooks: Hooks;
  readonly #folder: string;
  readonly #effect: () => void;
  files = new Map<string, string>();
  marker: Buffer | undefined;
  manifest: string | undefined;
  #tip: string;

  constructor(folder: string, hooks: Hooks, effect: () => void) {
    this.#folder = folder;
    this.#hooks = hooks;
    this.#effect = effect;
    this.#tip = this.#treeOf(new Map());
  }

  /** All verified work. */
  get verified(): Record<string, string> {
    return Object.fromEntries([...this.#at(this.#tip)].toSorted(([a], [b]) => (a < b ? -1 : 1)));
  }

  /** A person commits a change of their own, which the workspace follows. */
  person(path: string, text: string | null): void {
    const files = new Map(this.#at(this.#tip));
    if (text === null) files.delete(path);
    else files.set(path, text);
    this.#tip = this.#treeOf(files);
  }

  treeNow(): string {
    return this.#treeOf(this.files);
  }

  copy(): TreeFiles {
    return {
      readManifest: () => this.manifest,
      manifestBytes: () => (this.manifest === undefined ? undefined : Buffer.from(this.manifest)),
      writeManifest: (expected, text) => {
        if (this.manifest !== expected) return false;
        if (this.manifest !== text) this.#does(() => (this.manifest = text));
        return true;
      },
      readMarker: () => this.marker,
      removeMarker: () => this.#does(() => (this.marker = undefined)),
      textNow: (path) => this.files.get(path),
      contentNow: (path) => {
        const text = this.files.get(path);
        return text === undefined ? "absent" : `file:${sha256Of(text)}`;
      },
    };
  }

  port(): Workspace {
    return {
      kind: "own-copy",
      folder: this.#folder,
      at: this.#folder,
      view: PLAIN_VIEW,
      open: async () => [],
      tip: async () => ({ commit: this.commits.at(-1)?.id ?? null, tree: this.#tip }),
      deliversTo: () => "main",
      include: async () => ({ kind: "nothing", left: [] }),
      lay: async (tree) => {
        const wanted = this.#at(tree);
        const touched = this.#changes(this.treeNow(), tree);
        for (const { path } of touched) {
          this.#does(() => {
            const text = wanted.get(path);
            if (text === undefined) this.files.delete(path);
            else this.files.set(path, text);
          });
        }
        return touched.map(({ path }) => path);
      },
      freshGit: async () => {},
      capture: async () => ({ kind: "captured", tree: this.treeNow() }),
      sessionMessages: async () => [],
      keep: async ({ task, attempt }, tree, base) => {
        const ref = `refs/stint/${task}/${attempt}`;
        this.#does(() => this.#kept.set(ref, { tree, base, ref }));
        return { tree, base, ref };
      },
      kept: async ({ task, attempt }) => this.#kept.get(`refs/stint/${task}/${attempt}`) ?? null,
      changes: async (before, after) => this.#changes(before, after),
      entries: async () => new Map(),
      texts: async (tree, paths) => {
        const files = this.#at(tree);
        return new Map(paths.flatMap((path) => entryOf(path, files.get(path))));
      },
      combine: async (base, ours, theirs) => {
        const result = new Map(this.#at(ours));
        const conflicts: string[] = [];
        for (const { path } of this.#changes(base, theirs)) {
          const [was, mine, its] = [base, ours, theirs].map((tree) => this.#at(tree).get(path));
          if (mine === its) continue;
          if (mine !== was) conflicts.push(path);
          else if (its === undefined) result.delete(path);
          else result.set(path, its);
        }
        return { tree: this.#treeOf(result), conflicts };
      },
      diff: async () => "",
      commit: async ({ tree, message, trailers, hooksRan }) => {
        const tasks = trailers.filter(([name]) => name === "Stint-Task").map(([, value]) => value);
        const last = this.commits.at(-1);
        if (last !== undefined && last.tasks.join() === tasks.join()) {
          return { kind: "committed", commit: last.id };
        }
        if (tree === this.#tip) return { kind: "nothing", commit: last?.id ?? null };
        const altered = hooksRan === true ? tree : this.#afterHooks(message, tree);
        if (altered !== tree) return { kind: "altered", tree: altered, message };
        const paths = this.#changes(this.#tip, tree).map(({ path }) => path);
        const subject = message.split("\n")[0] ?? "";
        const files = JSON.stringify([...this.#at(tree)].toSorted());
        const id = `c${this.commits.length + 1}`;
        this.#does(() => {
          this.commits.push({ id, subject, tasks, files, paths });
          this.#tip = tree;
        });
        return { kind: "committed", commit: id };
      },
      deliver: async () => ({ kind: "delivered", branch: "main" }),
      remove: async () => {},
    };
  }

  #afterHooks(message: string, tree: string): string {
    const files = new Map(this.#at(tree));
    const { hookBreaks, hookRewrites } = this.#hooks;
    if (hookBreaks !== undefined && message.startsWith(`${hookBreaks}:`)) {
      files.delete(`${hookBreaks}.js`);
    }
    if (hookRewrites !== undefined && message.startsWith(`${hookRewrites}:`)) {
      files.set(`${hookRewrites}.js`, "rewritten");
    }
    return this.#treeOf(files);
  }

  #does(act: () => unknown): void {
    act();
    this.#effect();
  }

  #changes(before: string, after: string): Change[] {
    const [one, other] = [this.#at(before), this.#at(after)];
    const paths = [...new Set([...one.keys(), ...other.keys()])].toSorted();
    return paths
      .filter((path) => one.get(path) !== other.get(path))
      .map((path) => ({
        path,
        change: !one.has(path) ? "added" : other.has(path) ? "modified" : "deleted",
        mode: other.has(path) ? "100644" : "000000",
        oid: sha256Of(other.get(path) ?? "").slice(0, 40),
        bytes: other.get(path)?.length ?? 0,
      }));
  }

  #treeOf(files: Files): string {
    const tree = sha256Of(JSON.stringify([...files].toSorted())).slice(0, 40);
    this.#trees.set(tree, new Map(files));
    return tree;
  }

  #at(tree: string): Files {
    return required(this.#trees.get(tree));
  }
}

function entryOf(path: string, text: string | undefined): [string, string][] {
  return text === undefined ? [] : [[path, text]];
}
