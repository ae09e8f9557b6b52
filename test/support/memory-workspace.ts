// A workspace of a few strings. Every act that leaves something behind is an effect, after which the
// world may die; what it left is what the next run finds.
import { noteLine, withLine } from "../../src/core/evidence/note-lines.ts";
import { sha256Of } from "../../src/store/digest.ts";
import type { TreeFiles } from "../../src/engine/base/tree-files.ts";
import { DIVERGED } from "../../src/workspace/deliver/obstacle.ts";
import type {
  Combined,
  Followed,
  FollowWish,
  HeldBack,
  Move,
  OwnFile,
  Workspace,
} from "../../src/workspace/workspace.ts";
import type { Change } from "../../src/git/changed-paths.ts";
import { PLAIN_VIEW } from "../../src/process/namespace/view.ts";
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

/** What lies in the workspace, or in a lane of it. */
export interface Lying {
  files: Map<string, string>;
  /** What lies there and no commit can hold. */
  readonly uncommittable: Set<string>;
  marker: Buffer | undefined;
  /** The text that sessions have. */
  manifest: string | undefined;
}

export class MemoryWorkspace {
  readonly commits: MemoryCommit[] = [];
  /** By the commit that they are on, a line each. */
  readonly notes = new Map<string, string>();
  readonly #trees = new Map<string, Files>();
  readonly #kept = new Map<string, { tree: string; base: string; ref: string }>();
  readonly #world: World;
  readonly #folder: string;
  readonly #effect: () => void;
  readonly #person: PersonsManifest;
  readonly here: Lying;
  readonly #lanes = new Map<number, Lying>();
  /** Something of the person's is in the way. */
  isDeliveryBlocked = false;
  #tip: string;
  #delivered: string;
  /** How many commits the person's branch holds. */
  #deliveredCount = 0;
  /** The person's branch, where it went another way than the work. */
  #theirs: { readonly id: string; readonly tree: string } | null = null;
  readonly #made = new Map<string, { readonly tree: string; readonly base: string }>();

  constructor(folder: string, world: World, person: PersonsManifest, effect: () => void) {
    this.#folder = folder;
    this.#world = world;
    this.#effect = effect;
    this.#person = person;
    this.here =
      world.isInPlace === true
        ? {
            ...newLying(),
            get manifest() {
              return person.manifest;
            },
            set manifest(text: string | undefined) {
              person.manifest = text ?? "";
            },
          }
        : newLying();
    const held = world.isTracked === true ? [[MANIFEST, person.manifest] as const] : [];
    this.#tip = this.#treeOf(new Map(held));
    this.#delivered = this.#tip;
  }

  /** What lies in a lane; nothing before anything was laid there. */
  lane(number: number): Lying {
    const known = this.#lanes.get(number) ?? newLying();
    this.#lanes.set(number, known);
    return known;
  }

  /** Wherever something lies. */
  get everywhere(): readonly Lying[] {
    return [this.here, ...this.#lanes.values()];
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

  /** A person commits a change while work waits, so that their branch does not hold it. */
  moveBranch(path: string, text: string): void {
    const files = new Map(this.#at(this.#theirs?.tree ?? this.#delivered)).set(path, text);
    const tree = this.#treeOf(files);
    this.#theirs = { id: `p${tree.slice(0, 8)}`, tree };
  }

  treeNow(here: Lying): string {
    return this.#treeOf(here.files);
  }

  copy(here: Lying): TreeFiles {
    return {
      readManifest: () => here.manifest,
      manifestBytes: () => (here.manifest === undefined ? undefined : Buffer.from(here.manifest)),
      writeManifest: (expected, text) => {
        if (here.manifest !== expected) return false;
        if (here.manifest !== text) this.#does(() => (here.manifest = text));
        return true;
      },
      readMarker: () => here.marker,
      removeMarker: () => this.#does(() => (here.marker = undefined)),
      writeText: () => false,
      textNow: (path) => here.files.get(path),
      contentNow: (path) => {
        const text = here.files.get(path);
        return text === undefined ? "absent" : `file:${sha256Of(text)}`;
      },
    };
  }

  port(here: Lying = this.here): Workspace {
    return {
      kind: this.#world.isInPlace === true ? "in-place" : "own-copy",
      folder: this.#folder,
      at: this.#folder,
      view: PLAIN_VIEW,
      open: async () => [],
      tip: async () => ({ commit: this.#head(), tree: this.#tip }),
      deliversTo: () => "main",
      whyNoCommit: async () => null,
      hasPushHook: () => false,
      beforePush: async () => ({ kind: "passed", sendsLargeFiles: false }),
      include: async () => ({ kind: "nothing", left: [] }),
      lay: async (tree) => {
        const wanted = this.#at(tree);
        if (here.uncommittable.size > 0) this.#does(() => here.uncommittable.clear());
        const touched = this.#changes(this.treeNow(here), tree);
        for (const { path } of touched) {
          this.#does(() => {
            const text = wanted.get(path);
            if (text === undefined) here.files.delete(path);
            else here.files.set(path, text);
          });
        }
        return touched.map(({ path }) => path);
      },
      freshGit: async () => {},
      capture: async () => {
        const problems = [...here.uncommittable].map((path) => ({ path, why: WHY, hint: HINT }));
        return problems.length > 0
          ? { kind: "uncommittable", problems }
          : { kind: "captured", tree: this.treeNow(here) };
      },
      noteBrought: async () => {},
      changedBrought: async () => [],
      madeIgnored: async () => [],
      setIgnoredAside: async () => {},
      putIgnoredBack: () => {},
      takeTags: async () => ({ taken: [], left: [] }),
      sessionMessages: async () => [],
      keep: async ({ task, attempt }, tree, base) => {
        const ref = `refs/stint/${task}/${attempt}`;
        this.#does(() => this.#kept.set(ref, { tree, base, ref }));
        return { tree, base, ref };
      },
      kept: async ({ task, attempt }) => this.#kept.get(`refs/stint/${task}/${attempt}`) ?? null,
      changes: async (before, after) => this.#changes(before, after),
      changedBy: async (commit) => {
        const { base, tree } = required(this.#made.get(commit));
        return this.#changes(base, tree);
      },
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
      mix: async (tree, other, paths, texts = new Map()) => {
        const files = new Map(this.#at(tree));
        for (const path of paths) {
          const text = texts.get(path) ?? this.#at(other).get(path);
          if (text === undefined) files.delete(path);
          else files.set(path, text);
        }
        return this.#treeOf(files);
      },
      watchReads: (paths) => () => new Set(paths),
      combine: async (base, ours, theirs) => this.#combine(base, ours, theirs),
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
          this.#made.set(id, { tree, base: this.#tip });
          this.#tip = tree;
        });
        return { kind: "committed", commit: id };
      },
      treesOf: async (commits) =>
        new Map(commits.flatMap((id) => entryOf(id, this.#made.get(id)?.tree))),
      notes: async (commits) => new Map(commits.flatMap((id) => entryOf(id, this.notes.get(id)))),
      note: async (lines) => {
        if (lines.length === 0) return [];
        this.#does(() => {
          for (const { commit, payload } of lines) {
            this.notes.set(commit, withLine(this.notes.get(commit) ?? "", noteLine(payload, null)));
          }
        });
        return [];
      },
      follow: (wish) => this.#follow(wish),
      deliver: async () => {
        const branch = "stint/prompt";
        if (this.#world.isInPlace === true) return { kind: "in-place" };
        if (this.#theirs !== null) {
          const { why } = DIVERGED;
          return { kind: "waiting", branch, held_by: "obstacle", why, hint: HINT };
        }
        if (this.isDeliveryBlocked) {
          return { kind: "waiting", branch, held_by: "obstacle", why: WHY, hint: HINT };
        }
        const text = this.#at(this.#tip).get(MANIFEST);
        if (text !== undefined && this.isManifestCommitted() && this.#person.manifest !== text) {
          this.#does(() => (this.#person.manifest = text));
        }
        this.#delivered = this.#tip;
        this.#deliveredCount = this.commits.length;
        return { kind: "delivered", branch: "main", commit: this.#head() };
      },
      deliverInto: async () => {},
      remove: async () => {},
      lane: (number) => this.port(this.lane(number)),
      clone() {
        throw new Error("nothing is cloned in a world of strings");
      },
      ignored: async () => [],
    };
  }

  #combine(base: string, ours: string, theirs: string): Combined {
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
  }

  /** Every undelivered commit made anew where the person's branch is, as far as it can be. */
  async #follow(wish: FollowWish): Promise<Followed> {
    const theirs = this.#theirs;
    if (theirs === null) return { kind: "nothing" };
    if (theirs.id === wish.asked) return { kind: "asked" };
    const before = this.commits.slice(this.#deliveredCount);
    const failed = new Map<string, string>();
    for (;;) {
      const left: HeldBack[] = [];
      const again: {
        readonly commit: MemoryCommit;
        readonly tree: string;
        readonly old: string;
      }[] = [];
      let { tree } = theirs;
      for (const commit of before) {
        const made = required(this.#made.get(commit.id));
        const { tree: next, conflicts } = this.#combine(made.base, tree, made.tree);
        const paths = conflicts.filter((path) => path !== MANIFEST);
        const failure = failed.get(commit.id);
        if (paths.length > 0 || failure !== undefined) {
          const why = failure === undefined ? "conflict" : "failing";
          const { id, subject, tasks } = commit;
          const held = { id, subject, tasks, ...made, paths, theirs: [] };
          left.push({ ...held, why, failure: failure ?? "" });
          continue;
        }
        tree = next;
        const files = JSON.stringify(sorted(this.#at(tree)));
        again.push({ commit: { ...commit, id: `${commit.id}'`, files }, old: commit.id, tree });
      }
      const isAsked = wish.conflicts === "ask" && left.some(({ why }) => why === "conflict");
      if (isAsked) return { kind: "conflict", onto: theirs.id, held: left };
      const move: Move = {
        how: again.length === 0 ? "found" : "replayed",
        from: { commit: this.#head() ?? "none", tree: this.#tip },
        onto: theirs.id,
        to: { commit: again.at(-1)?.commit.id ?? theirs.id, tree },
        commits: again.map(({ old, commit: { id: now, tasks } }) => {
          return { old, now, tasks, how: "replayed", isSame: true } as const;
        }),
        left,
      };
      // oxlint-disable-next-line no-await-in-loop
      const failing = await wish.verify(move);
      for (const { old, failure } of failing) failed.set(old, failure);
      if (failing.length > 0) continue;
      wish.keep(move);
      this.#does(() => {
        const replayed = again.map(({ commit }) => commit);
        this.commits.splice(this.#deliveredCount, before.length, ...replayed);
        again.forEach(({ commit, tree: at }, index) => {
          this.#made.set(commit.id, { tree: at, base: again[index - 1]?.tree ?? theirs.tree });
        });
        this.#tip = tree;
        this.#delivered = theirs.tree;
        this.#theirs = null;
      });
      return { kind: "moved", move };
    }
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

function newLying(): Lying {
  return { files: new Map(), uncommittable: new Set(), marker: undefined, manifest: undefined };
}

const WHY = "it is in the way";
const HINT = "Take it away.";

function sorted(files: Files): [string, string][] {
  return [...files].toSorted(([a], [b]) => (a < b ? -1 : 1));
}

function entryOf(path: string, text: string | undefined): [string, string][] {
  return text === undefined ? [] : [[path, text]];
}
