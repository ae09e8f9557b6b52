// A workspace of a few strings. Every act that leaves something behind is an effect, after which the
// world may die; what it left is what the next run finds.
import { sha256Of } from "../../src/store/digest.ts";
import type { TreeFiles } from "../../src/engine/tree-files.ts";
import type { OwnFile, Workspace } from "../../src/workspace/workspace.ts";
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

export interface World {
  /** A hook removes the output of this task as it is committed. */
  readonly hookBreaks?: string | undefined;
  /** A hook rewrites the output of this task as it is committed; its check still passes. */
  readonly hookRewrites?: string | undefined;
  /** Commits hold the manifest. */
  readonly isTracked?: true | undefined;
  /** Sessions work in the person's own folder, and on their manifest. */
  readonly isInPlace?: true | undefined;
}

/** The file of the person's checkout that commits may hold. */
export interface PersonsManifest {
  manifest: string;
}

const MANIFEST = "prompt.md";

export class MemoryWorkspace {
  readonly commits: MemoryCommit[] = [];
  readonly #trees = new Map<string, Files>();
  readonly #kept = new Map<string, { tree: string; base: string; ref: string }>();
  readonly #world: World;
  readonly #folder: string;
  readonly #effect: () => void;
  readonly #person: PersonsManifest;
  files = new Map<string, string>();
  /** What lies there and no commit can hold. */
  readonly uncommittable = new Set<string>();
  /** Something of the person's is in the way. */
  isDeliveryBlocked = false;
  marker: Buffer | undefined;
  #manifest: string | undefined;
  #tip: string;
  #delivered: string;

  constructor(folder: string, world: World, person: PersonsManifest, effect: () => void) {
    this.#folder = folder;
    this.#world = world;
    this.#effect = effect;
    this.#person = person;
    const held = world.isTracked === true ? [[MANIFEST, person.manifest] as const] : [];
    this.#tip = this.#treeOf(new Map(held));
    this.#delivered = this.#tip;
  }

  /** The text that sessions have. */
  get manifest(): string | undefined {
    return this.#world.isInPlace === true ? this.#person.manifest : this.#manifest;
  }

  set manifest(text: string | undefined) {
    if (this.#world.isInPlace === true) this.#person.manifest = text ?? "";
    else this.#manifest = text;
  }

  /** Whether the person's file is the one of the commit that they have checked out. */
  isManifestCommitted(): boolean {
    return this.#person.manifest === this.#at(this.#delivered).get(MANIFEST);
  }

  /** All verified work. */
  get verified(): Record<string, string> {
    return Object.fromEntries(sorted(this.#at(this.#tip)));
  }

  /** A person commits a change of their own, which the workspace follows. */
  person(path: string, text: string | null): void {
    const files = new Map(this.#at(this.#tip));
    if (text === null) files.delete(path);
    else files.set(path, text);
    const isDelivered = this.#delivered === this.#tip;
    this.#tip = this.#treeOf(files);
    if (isDelivered) this.#delivered = this.#tip;
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
      kind: this.#world.isInPlace === true ? "in-place" : "own-copy",
      folder: this.#folder,
      at: this.#folder,
      view: PLAIN_VIEW,
      open: async () => [],
      tip: async () => ({ commit: this.#head(), tree: this.#tip }),
      deliversTo: () => "main",
      include: async () => ({ kind: "nothing", left: [] }),
      lay: async (tree) => {
        const wanted = this.#at(tree);
        if (this.uncommittable.size > 0) this.#does(() => this.uncommittable.clear());
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
      capture: async () => {
        const problems = [...this.uncommittable].map((path) => ({ path, why: WHY, hint: HINT }));
        return problems.length > 0
          ? { kind: "uncommittable", problems }
          : { kind: "captured", tree: this.treeNow() };
      },
      noteBrought: async () => {},
      changedBrought: async () => [],
      takeTags: async () => ({ taken: [], left: [] }),
      sessionMessages: async () => [],
      keep: async ({ task, attempt }, tree, base) => {
        const ref = `refs/stint/${task}/${attempt}`;
        this.#does(() => this.#kept.set(ref, { tree, base, ref }));
        return { tree, base, ref };
      },
      kept: async ({ task, attempt }) => this.#kept.get(`refs/stint/${task}/${attempt}`) ?? null,
      changes: async (before, after) => this.#changes(before, after),
      find: async () => new Map(),
      entries: async (tree, paths) => {
        const files = this.#at(tree);
        const held = paths.filter((path) => files.has(path));
        return new Map(held.map((path) => [path, { mode: "100644", oid: "0" }]));
      },
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
      commit: async ({ tree: verified, own, message, trailers, hooksRan }) => {
        const tasks = trailers.filter(([name]) => name === "Stint-Task").map(([, value]) => value);
        const last = this.commits.at(-1);
        if (last !== undefined && last.tasks.join() === tasks.join()) {
          return { kind: "committed", commit: last.id };
        }
        const tree = this.#treeWith(verified, own);
        if (tree === this.#tip) return { kind: "nothing", commit: this.#head() };
        const altered = hooksRan === true ? tree : this.#afterHooks(message, tree);
        if (altered !== tree) return { kind: "altered", tree: altered, message };
        const paths = this.#changes(this.#tip, tree).map(({ path }) => path);
        const subject = message.split("\n")[0] ?? "";
        const files = JSON.stringify(sorted(this.#at(tree)));
        const id = `c${this.commits.length + 1}`;
        this.#does(() => {
          this.commits.push({ id, subject, tasks, files, paths });
          this.#tip = tree;
        });
        return { kind: "committed", commit: id };
      },
      deliver: async () => {
        const branch = "stint/prompt";
        if (this.#world.isInPlace === true) return { kind: "in-place" };
        if (this.isDeliveryBlocked) {
          return { kind: "waiting", branch, held_by: "obstacle", why: WHY, hint: HINT };
        }
        const text = this.#at(this.#tip).get(MANIFEST);
        if (text !== undefined && this.isManifestCommitted() && this.#person.manifest !== text) {
          this.#does(() => (this.#person.manifest = text));
        }
        this.#delivered = this.#tip;
        return { kind: "delivered", branch: "main", commit: this.#head() };
      },
      deliverInto: async () => {},
      remove: async () => {},
    };
  }

  #head(): string | null {
    return this.commits.at(-1)?.id ?? (this.#world.isTracked === true ? "c0" : null);
  }

  #treeWith(tree: string, own: readonly OwnFile[]): string {
    const files = new Map(this.#at(tree));
    for (const { path, content } of own) {
      if (content === null) files.delete(path);
      else files.set(path, Buffer.from(content).toString("utf8"));
    }
    return this.#treeOf(files);
  }

  #afterHooks(message: string, tree: string): string {
    const files = new Map(this.#at(tree));
    const { hookBreaks, hookRewrites } = this.#world;
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
    const tree = sha256Of(JSON.stringify(sorted(files))).slice(0, 40);
    this.#trees.set(tree, new Map(files));
    return tree;
  }

  #at(tree: string): Files {
    return required(this.#trees.get(tree));
  }
}

const WHY = "it is in the way";
const HINT = "Take it away.";

function sorted(files: Files): [string, string][] {
  return [...files].toSorted(([a], [b]) => (a < b ? -1 : 1));
}

function entryOf(path: string, text: string | undefined): [string, string][] {
  return text === undefined ? [] : [[path, text]];
}
