// The work tree with git: every act of `git/` that the engine needs. Where a session removed the
// repository, the files alone speak, as in a work tree that never had one.
import { fewOf } from "../core/few-of.ts";
import type { ProjectId, RunId } from "../core/ids.ts";
import {
  type Change,
  changesOf,
  measureLimits,
  mergedChanges,
  substantialPaths,
  touchedPaths,
} from "../git/changed-paths.ts";
import { commitsBetween } from "../git/commit-trailers.ts";
import { commitWork } from "../git/commit-work.ts";
import { describeWorkTree } from "../git/describe-work-tree.ts";
import { isDocs } from "../git/docs-paths.ts";
import { isExcluded, isWithin } from "../git/excluded-paths.ts";
import { findGitFolder } from "../git/git-folder.ts";
import { holdsJust } from "../git/holds-just.ts";
import { ignoreShifts } from "../git/ignore-shifts.ts";
import { branchTips, keepSnapshot, readKeptSnapshot } from "../git/keep-snapshot.ts";
import { committedSince, parkLeftovers, type ParkOptions } from "../git/park.ts";
import { removeOldIndexes } from "../git/private-index.ts";
import { putBack } from "../git/put-back.ts";
import { pushTarget, type PushTarget, pushVerified } from "../git/push.ts";
import { readBlobs } from "../git/read-blobs.ts";
import { runGit } from "../git/run-git.ts";
import { setAside } from "../git/set-aside.ts";
import type { Snapshot } from "../git/snapshot.ts";
import { dropStart, startNames } from "../git/start-refs.ts";
import { clearStaleLocks } from "../git/stale-locks.ts";
import { parkRef, startRef } from "../git/stint-refs.ts";
import { unwelcomeFiles } from "../git/unwelcome-files.ts";
import { commitOutcome } from "./commit-outcome.ts";
import { plainWorkTree } from "./plain-work-tree.ts";
import { restoreStart } from "./restore-start.ts";
import type { StopWanted } from "./run-context.ts";
import { RUN_ID_VARIABLE } from "./run-marks.ts";
import { excludedPaths, trackedState, treeFiles, type TreePlace } from "./tree-files.ts";
import { treeLook } from "./tree-look.ts";
import { whileWanted } from "./while-wanted.ts";
import type { CommitOutcome, Piece, StartPoint, Way, WorkDone, WorkTree } from "./work-tree.ts";

export interface GitWorkTreeOptions extends TreePlace {
  readonly project: ProjectId;
  readonly dirty: "refuse" | "stash" | "commit" | "allow";
  readonly push: "auto" | "ask" | "never";
  /** Whether the project folder goes into the commits. */
  readonly trackState: boolean;
  readonly startedAtMs: number;
  readonly runId: RunId;
  readonly stopWanted: () => StopWanted | null;
}

export function gitWorkTree(options: GitWorkTreeOptions): WorkTree {
  const { root, manifest, projectFolder, project } = options;
  const exclude = excludedPaths(options);
  const own = { manifest, projectFolder };
  const ownMark = { [RUN_ID_VARIABLE]: options.runId };
  const plain = plainWorkTree(options);
  const look = treeLook(root, exclude);
  const files = treeFiles(options);
  let described: ReturnType<typeof describeWorkTree> | undefined;
  let pushesTo: Promise<PushTarget | null> | undefined;

  removeOldIndexes(root, options.startedAtMs);

  return {
    hasGit: true,
    touched: look.touched,
    ...files,

    async clearTheWay(ours): Promise<Way> {
      described = describeWorkTree(root, { exclude });
      const tree = await described;
      if (tree.kind === "none") return { kind: "clear" };
      if (tree.operation !== null)
        return { kind: "obstacle", why: `a ${tree.operation} is in progress` };
      if (options.dirty === "allow" || ours === "all" || tree.dirty.length === 0) {
        return { kind: "clear" };
      }
      // A new file is nobody's change of another one, whether it is staged or not.
      const [, changed] = divided(tree.dirty, new Set(tree.added));
      const counted = options.dirty === "refuse" ? changed : tree.dirty;
      const dirty = counted.filter((path) => {
        const content = files.contentNow(path);
        return !ours.some((known) => known[path] === content);
      });
      if (dirty.length === 0) return { kind: "clear" };
      const shown = fewOf(dirty);
      if (options.dirty === "refuse")
        return {
          kind: "obstacle",
          why: `tracked files have uncommitted changes: ${shown}`,
        };
      const { how, commit } = await setAside(root, options.dirty, dirty);
      look.touched();
      const name = commit.slice(0, 10);
      const where =
        how === "stash"
          ? `stashed as ${name}; bring them back: git stash apply ${name}`
          : `committed as ${name}`;
      return { kind: "set-aside", what: `uncommitted changes of ${shown} were ${where}` };
    },

    async uncommitted() {
      const tree = await describeWorkTree(root, { exclude });
      return tree.kind === "none" ? [] : tree.dirty;
    },

    async begin(of) {
      const [snapshot, tips] = await Promise.all([look.snapshot(), branchTips(root)]);
      if (snapshot === null) return await plain.begin(of);
      const ref = startRef(project, of);
      const what = typeof of === "number" ? `session ${of}` : of;
      await keepSnapshot(root, ref, snapshot, `before ${what}`, { tips });
      return { tree: snapshot.tree, head: snapshot.head, branch: snapshot.branch, ref };
    },

    async restore(start, before) {
      clearLocks(start);
      const made = await Promise.all(
        before.map(({ start: first, only }) => madeSince(first, start, only)),
      );
      return await restoreStart({ root, exclude }, look, start, new Set(made.flat()));
    },

    async workSince(start, only): Promise<WorkDone> {
      const now = await look.snapshot();
      if (now === null) return await plain.workSince(start);
      const changes = await changesNow(start, now.tree, only);
      const paths = touchedPaths(changes).filter((path) => !isWithin(path, projectFolder));
      return {
        tree: now.tree,
        paths,
        substantial: substantialPaths(changes, own),
        docs: paths.filter((path) => path !== manifest && isDocs(path)),
        counts: measureLimits(changes, own),
      };
    },

    async shifts(start, since) {
      const now = await look.snapshot();
      if (now === null) return await plain.shifts(start, since);
      const changes = await look.changesBetween(start.tree, now.tree);
      return await ignoreShifts(root, changes, { tree: start.tree, since });
    },

    changedBetween: async (first, later, paths) =>
      touchedPaths(await changesNow(first, later.tree, paths)),

    async unchanged(start, paths) {
      const now = await look.snapshot();
      if (now === null || now.head === null) return [];
      const changed = new Set(touchedPaths(await changesNow(start, now.tree, paths)));
      const [, same] = divided(paths, changed);
      // After most sessions: nothing was undone, and nothing more is to be asked.
      if (same.length === 0) return [];
      const uncommitted = await changesNow({ tree: now.head }, now.tree, same);
      return divided(same, new Set(touchedPaths(uncommitted)))[1];
    },

    treeHash: async () => (await look.snapshot())?.tree ?? (await plain.treeHash()),

    textsAtStart: async (start, paths) =>
      start.ref === null ? new Map() : await readBlobs(root, start.tree, paths),

    async commit(task): Promise<CommitOutcome> {
      const now = await look.snapshot();
      if (now === null) return { kind: "nothing", commit: null };
      const changes = await changesIn(task.work, now);
      const result = await whileWanted(options.stopWanted, "the commit", async (signal) => {
        look.touched();
        return await commitWork(root, {
          changes,
          tree: now.tree,
          exclude,
          message: `${task.subject}\n\n${task.body}`,
          trailers: task.trailers,
          manifest,
          also: options.trackState ? trackedState(options) : [],
          since: task.work[0].start.head,
          approved: task.approved,
          broken: task.broken,
          startedAtMs: options.startedAtMs,
          env: ownMark,
          signal,
        });
      });
      return commitOutcome(result, now.head);
    },

    isJust: async (commit, paths) =>
      await holdsJust(root, commit, paths, (path) => isExcluded(path, exclude)),

    async unwelcome(work) {
      const now = await look.snapshot();
      if (now === null) return [];
      const changes = await changesIn(work, now);
      return unwelcomeFiles(changes).map(({ path }) => path);
    },

    async commitManifest(start, subject) {
      const now = await look.snapshot();
      if (now === null || now.head === null || now.head === start.head) return null;
      const committed = await blobOf(now.head);
      if (committed === null || committed === (await blobOf(start.head))) return null;
      const result = await commitWork(root, {
        changes: [],
        tree: now.tree,
        exclude,
        message: subject,
        trailers: [["Stint-Project", project]],
        manifest,
        since: now.head,
        startedAtMs: options.startedAtMs,
        env: ownMark,
      });
      look.touched();
      return result.kind === "committed" ? result.commit : null;
    },

    async park(start, task, attempt, only) {
      const of = await leftovers(start, task, attempt, only);
      if (of === null) return null;
      const result = await parkLeftovers(root, of);
      return result.kind === "parked" ? result.ref : null;
    },

    async putBack(start, task, attempt, only) {
      const of = await leftovers(start, task, attempt, only);
      const back = of === null ? null : await putBack(root, of);
      return of === null || back === null ? null : { ref: of.ref, ...back };
    },

    startNames: async () => await startNames(root, project),

    async dropStart(name, later) {
      await dropStart(root, startRef(project, name), startRef(project, later));
    },

    commitsSince: async (start, commit) => await commitsBetween(root, start.head, commit),

    async announcePush() {
      const to = options.push === "never" ? null : await target();
      if (to === null) return null;
      const how =
        options.push === "ask" ? "you are asked, at the end, before" : "when it is verified,";
      return `${how} work is pushed to ${to.remote}/${to.branch} (${to.url})`;
    },

    async push(commit, knownCommits, isAllowed) {
      const to = await target();
      if (to === null) return { kind: "not-needed" };
      // Commits that were ahead before Stint began are not among the known ones.
      const policy = options.push;
      return await whileWanted(options.stopWanted, "the push", async (signal) =>
        pushVerified(root, {
          policy,
          target: to,
          commit,
          knownCommits,
          isAllowed,
          env: ownMark,
          signal,
        }),
      );
    },
  };

  async function changesNow(
    { tree }: Pick<StartPoint, "tree">,
    now: string,
    only: readonly string[] | undefined,
  ): Promise<readonly Change[]> {
    const all = await look.changesBetween(tree, now);
    return only === undefined ? all : changesOf(all, only);
  }

  /**
   * As it was verified against where it began; where commits came since, as it is against the last of
   * them, for what was there at first is no longer what it would change.
   */
  async function changesIn(work: readonly Piece[], now: Snapshot): Promise<readonly Change[]> {
    const each = work.map(async ({ start, only, verified }) => {
      const current = await changesNow(start, now.tree, only);
      const isOther = verified !== undefined && verified !== now.tree && (await isThere(verified));
      const made = isOther ? asVerified(await changesNow(start, verified, only), current) : current;
      if (only === undefined || now.head === null || now.head === start.head) return made;
      const committed = await committedSince(root, start, now.head, exclude);
      const [later, others] = divided(only, committed);
      return [
        ...changesOf(made, others),
        ...(await changesNow({ tree: now.head }, now.tree, later)),
      ];
    });
    return mergedChanges(await Promise.all(each));
  }

  /**
   * A git that was killed with its session or its run must not keep what it left from being settled. All
   * processes of the session are gone by now, so that a lock of any age is nobody's where no git runs.
   */
  function clearLocks({ branch }: StartPoint): void {
    const folder = findGitFolder(root);
    if (folder !== null) clearStaleLocks(root, folder, branch, Infinity);
  }

  /** Files that came between two starts. */
  async function madeSince(
    first: StartPoint,
    { tree }: StartPoint,
    only: readonly string[] | undefined,
  ): Promise<readonly string[]> {
    if (only === undefined || first.tree === tree) return [];
    const changes = await changesNow(first, tree, only);
    return changes.filter(({ change }) => change !== "modified").map(({ path }) => path);
  }

  /** Nothing refers to such a tree: git may have thrown it away since. */
  async function isThere(tree: string): Promise<boolean> {
    const found = await runGit(root, ["cat-file", "-e", `${tree}^{tree}`], { accept: "any" });
    return found.code === 0;
  }

  async function leftovers(
    start: StartPoint,
    task: string,
    attempt: number,
    only: readonly string[] | undefined,
  ): Promise<ParkOptions | null> {
    const begun = start.ref === null ? null : await readKeptSnapshot(root, start.ref);
    if (begun === null) return null;
    clearLocks(start);
    look.touched();
    const ref = parkRef(project, task, attempt);
    return { ref, from: begun.snapshot, exclude, ...(only === undefined ? {} : { only }) };
  }

  /** As it is when somebody first asks, which is before the first session. */
  function target(): Promise<PushTarget | null> {
    described ??= describeWorkTree(root, { exclude });
    pushesTo ??= described.then(async (tree) =>
      tree.kind === "none" || tree.upstream === null ? null : await pushTarget(root, tree.upstream),
    );
    return pushesTo;
  }

  /** The manifest as a commit holds it. */
  async function blobOf(commit: string | null): Promise<string | null> {
    if (commit === null) return null;
    const name = `${commit}:${manifest}`;
    const found = await runGit(root, ["rev-parse", "--quiet", "--verify", name], {
      accept: "any",
    });
    return found.code === 0 ? found.stdout.trim() : null;
  }
}

/** Those that are among the others, and those that are not. */
function divided(
  paths: readonly string[],
  others: ReadonlySet<string>,
): readonly [readonly string[], readonly string[]] {
  return [paths.filter((path) => others.has(path)), paths.filter((path) => !others.has(path))];
}

/** Files that a person is asked about count as they are now: removed since, or with other content. */
function asVerified(then: readonly Change[], now: readonly Change[]): readonly Change[] {
  const asked = new Set(unwelcomeFiles([...then, ...now]).map(({ path }) => path));
  return [
    ...then.filter(({ path }) => !asked.has(path)),
    ...now.filter(({ path }) => asked.has(path)),
  ];
}
