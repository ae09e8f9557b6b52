// The work tree on disk: with git every act of `git/`, without git the files alone.
import { MARKER_NAME } from "../core/marker.ts";
import type { ProjectId, RunId } from "../core/ids.ts";
import {
  type Change,
  changedPaths,
  changesOf,
  measureLimits,
  substantialPaths,
  touchedPaths,
} from "../git/changed-paths.ts";
import { commitsBetween } from "../git/commit-trailers.ts";
import { commitWork } from "../git/commit-work.ts";
import { compareWithStart } from "../git/compare-with-start.ts";
import { describeWorkTree, type Upstream } from "../git/describe-work-tree.ts";
import { isDocs } from "../git/docs-paths.ts";
import { isWithin } from "../git/excluded-paths.ts";
import {
  branchTips,
  keepSnapshot,
  type KeptSnapshot,
  readKeptSnapshot,
} from "../git/keep-snapshot.ts";
import { parkLeftovers, type ParkOptions } from "../git/park.ts";
import { removeOldIndexes } from "../git/private-index.ts";
import { pushVerified } from "../git/push.ts";
import { readBlobs } from "../git/read-blobs.ts";
import { recoverBranch, restoreMissing } from "../git/recover.ts";
import { runGit } from "../git/run-git.ts";
import { unwelcomeFiles } from "../git/unwelcome-files.ts";
import { undoRewind } from "../git/undo-rewind.ts";
import { setAside } from "../git/set-aside.ts";
import { takeSnapshot, type Snapshot } from "../git/snapshot.ts";
import { dropStart, startNames, strayedTips } from "../git/start-refs.ts";
import { parkRef, startRef } from "../git/stint-refs.ts";
import { hashFolder } from "./hash-folder.ts";
import type { StopWanted } from "./run-context.ts";
import { RUN_ID_VARIABLE } from "./run-marks.ts";
import { treeFiles } from "./tree-files.ts";
import { whileWanted } from "./while-wanted.ts";
import type { CommitOutcome, StartPoint, Way, WorkDone, WorkTree } from "./work-tree.ts";

export interface WorkTreeOptions {
  readonly root: string;
  readonly manifest: string;
  readonly projectFolder: string;
  readonly project: ProjectId;
  readonly hasGit: boolean;
  readonly dirty: "refuse" | "stash" | "commit" | "allow";
  readonly push: "auto" | "ask" | "never";
  readonly startedAtMs: number;
  readonly runId: RunId;
  readonly stopWanted: () => StopWanted | null;
}

export function realWorkTree(options: WorkTreeOptions): WorkTree {
  const { root, manifest, projectFolder, project, hasGit } = options;
  const exclude = [manifest, MARKER_NAME, projectFolder];
  const own = { manifest, projectFolder };
  const ownMark = { [RUN_ID_VARIABLE]: options.runId };

  if (hasGit) removeOldIndexes(root, options.startedAtMs);

  /** Looking at a whole work tree takes several git processes; once is enough until files change. */
  let known: Promise<Snapshot | null> | undefined;
  const diffs = new Map<string, Promise<Change[]>>();
  let upstream: Promise<Upstream | null> | undefined;
  const touched = (): void => {
    known = undefined;
  };

  return {
    hasGit,
    touched,
    ...treeFiles({ root, manifest, projectFolder }),

    async clearTheWay(ours): Promise<Way> {
      if (!hasGit) return { kind: "clear" };
      const tree = await describeWorkTree(root, { exclude });
      if (tree.kind === "none") return { kind: "clear" };
      if (tree.operation !== null)
        return { kind: "obstacle", why: `a ${tree.operation} is in progress` };
      if (options.dirty === "allow" || ours === "all" || tree.dirty.length === 0) {
        return { kind: "clear" };
      }
      const dirty = await foreignPaths(tree.dirty, ours);
      if (dirty.length === 0) return { kind: "clear" };
      const shown = dirty.slice(0, 5).join(", ");
      const more = dirty.length > 5 ? ` and ${dirty.length - 5} more` : "";
      if (options.dirty === "refuse")
        return {
          kind: "obstacle",
          why: `tracked files have uncommitted changes: ${shown}${more}`,
        };
      const { how, commit } = await setAside(root, options.dirty, dirty);
      touched();
      const name = commit.slice(0, 10);
      const where =
        how === "stash"
          ? `stashed as ${name}; bring them back: git stash apply ${name}`
          : `committed as ${name}`;
      return { kind: "set-aside", what: `uncommitted changes of ${shown}${more} were ${where}` };
    },

    async begin(of) {
      const tips = hasGit ? branchTips(root) : Promise.resolve([]);
      const [snapshot] = await Promise.all([snapshotNow(), tips]);
      if (snapshot === null)
        return { tree: await hashFolder(root, exclude), head: null, branch: null, ref: null };
      const ref = startRef(project, of);
      const what = typeof of === "number" ? `session ${of}` : of;
      await keepSnapshot(root, ref, snapshot, `before ${what}`, { tips: await tips });
      return { tree: snapshot.tree, head: snapshot.head, branch: snapshot.branch, ref };
    },

    async restore(start) {
      if (start.ref === null) return [];
      const taken = takeSnapshot(root, { exclude });
      const [begun, found] = await Promise.all([keptStart(start), taken]);
      if (begun === null) return [];
      // Asked for soon, and by others: git is at it while the rest is looked at.
      if (found.kind === "git") void changesBetween(start.tree, found.tree).catch(() => {});
      const { snapshot } = begun;
      const lines: string[] = [];
      const left = { ref: `${start.ref}-left`, from: snapshot, exclude };
      const compared = await compareWithStart(root, snapshot, { exclude }, taken);
      if (compared.kind === "none") return [];
      if (compared.switched !== null) {
        const recovered = await recoverBranch(root, left);
        if (recovered.kind === "recovered") {
          const to = compared.switched.to ?? "a detached HEAD";
          const kept = recovered.ref === null ? "" : `, what it left is kept at ${recovered.ref}`;
          lines.push(
            `the session switched to ${to}; back on ${start.branch ?? "where it started"}${kept}`,
          );
        }
      }
      const seen =
        compared.switched === null ? compared : await compareWithStart(root, snapshot, { exclude });
      lines.push(...(await takeBack(seen, left)));
      const again =
        lines.length === 0 ? compared : await compareWithStart(root, snapshot, { exclude });
      known = again.kind === "git" ? Promise.resolve(again.now) : undefined;
      if (again.kind === "git" && again.goneUntracked.length > 0) {
        touched();
        const only = again.goneUntracked;
        const restored = await restoreMissing(root, snapshot, { exclude, only });
        if (restored.paths.length > 0) {
          lines.push(
            `the session removed ${restored.paths.length} untracked file(s); restored: ${restored.paths.slice(0, 5).join(", ")}`,
          );
        }
      }
      lines.push(...(await strayedCommits(begun)));
      return lines;
    },

    async workSince(start): Promise<WorkDone> {
      const now = await snapshotNow();
      if (now === null) {
        const tree = await hashFolder(root, exclude);
        const paths = tree === start.tree ? [] : ["(files; no git to name them)"];
        return {
          tree,
          paths,
          substantial: paths,
          docs: [],
          counts: { files: 0, newFiles: 0, moves: 0 },
        };
      }
      const changes = await changesBetween(start.tree, now.tree);
      const paths = touchedPaths(changes).filter((path) => !isWithin(path, projectFolder));
      return {
        tree: now.tree,
        paths,
        substantial: substantialPaths(changes, own),
        docs: paths.filter((path) => path !== manifest && isDocs(path)),
        counts: measureLimits(changes, own),
      };
    },

    async treeHash() {
      return (await snapshotNow())?.tree ?? (await hashFolder(root, exclude));
    },

    async textsAtStart(start, paths) {
      return start.ref === null ? new Map() : await readBlobs(root, start.tree, paths);
    },

    async commit(task): Promise<CommitOutcome> {
      const now = await snapshotNow();
      if (now === null) return { kind: "nothing", commit: null };
      const all = await changesBetween(task.start.tree, now.tree);
      const changes = task.only === undefined ? all : changesOf(all, task.only);
      const result = await whileWanted(options.stopWanted, "the commit", async (signal) => {
        touched();
        return await commitWork(root, {
          changes,
          tree: now.tree,
          exclude,
          message: `${task.subject}\n\n${task.body}`,
          trailers: task.trailers,
          manifest,
          since: task.start.head,
          approved: task.approved,
          broken: task.broken,
          startedAtMs: options.startedAtMs,
          env: ownMark,
          signal,
        });
      });
      switch (result.kind) {
        case "committed":
          return {
            kind: "committed",
            commit: result.commit,
            isToBeChecked: result.hooksChangedTree || result.foundAgain,
          };
        case "nothing-to-commit":
          return { kind: "nothing", commit: now.head };
        case "not-a-repository":
          return { kind: "nothing", commit: null };
        case "needs-approval":
          return {
            kind: "needs-approval",
            why: result.paths.map(({ path, why }) => `${path} ${why}`).join("; "),
            paths: result.paths.map(({ path }) => path),
          };
        case "hook-failed":
          return {
            kind: "failed",
            why: `a git hook refused it: ${result.output}`,
            hint: result.hint,
          };
        case "no-identity":
          return { kind: "failed", why: "git does not know who you are", hint: result.hint };
        case "operation-in-progress":
          return { kind: "failed", why: `a ${result.operation} is in progress`, hint: result.hint };
        case "conflict":
          return {
            kind: "failed",
            why: `there are conflicts in ${result.paths.slice(0, 5).join(", ")}`,
            hint: result.hint,
          };
        case "locked":
          return { kind: "failed", why: `${result.path} is locked`, hint: result.hint };
        default:
          return result satisfies never;
      }
    },

    async unwelcome(start) {
      const now = await snapshotNow();
      if (now === null) return [];
      const changes = await changedPaths(root, start.tree, now.tree);
      return unwelcomeFiles(changes).map(({ path }) => path);
    },

    async commitManifest(start, subject) {
      const now = await snapshotNow();
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
      touched();
      return result.kind === "committed" ? result.commit : null;
    },

    async park(start, task, attempt) {
      const snapshot = await startSnapshot(start);
      if (snapshot === null) return null;
      touched();
      const result = await parkLeftovers(root, {
        ref: parkRef(project, task, attempt),
        from: snapshot,
        exclude,
      });
      return result.kind === "parked" ? result.ref : null;
    },

    startNames: async () => (hasGit ? await startNames(root, project) : []),

    async dropStart(name, later) {
      await dropStart(root, startRef(project, name), startRef(project, later));
    },

    commitsSince: async (start, commit) => await commitsBetween(root, start.head, commit),

    async push(commit, knownCommits) {
      if (!hasGit) return { kind: "not-needed" };
      upstream ??= describeWorkTree(root, { exclude }).then((tree) =>
        tree.kind === "none" ? null : tree.upstream,
      );
      const target = await upstream;
      if (target === null) return { kind: "not-needed" };
      // Commits that were ahead before Stint began are not among the known ones.
      const policy = options.push;
      return await whileWanted(options.stopWanted, "the push", async (signal) =>
        pushVerified(root, {
          policy,
          upstream: target,
          commit,
          startedAhead: 0,
          knownCommits,
          env: ownMark,
          signal,
        }),
      );
    },
  };

  /** The paths that are as in none of these trees. */
  async function foreignPaths(
    paths: readonly string[],
    trees: readonly string[],
  ): Promise<readonly string[]> {
    const now = await snapshotNow();
    let left = paths;
    for (const tree of trees) {
      if (now === null || left.length === 0) break;
      // oxlint-disable-next-line no-await-in-loop
      const changed = new Set(touchedPaths(await changesBetween(tree, now.tree)));
      left = left.filter((path) => changed.has(path));
    }
    return left;
  }

  async function changesBetween(before: string, after: string): Promise<Change[]> {
    const key = `${before} ${after}`;
    let found = diffs.get(key);
    if (found === undefined) {
      if (diffs.size > 16) diffs.clear();
      found = changedPaths(root, before, after);
      diffs.set(key, found);
    }
    return await found;
  }

  /** Commits that the session dropped from the branch, changes that it stashed. */
  async function takeBack(
    compared: Awaited<ReturnType<typeof compareWithStart>>,
    left: ParkOptions,
  ): Promise<readonly string[]> {
    const { from } = left;
    if (compared.kind === "none" || compared.switched !== null) return [];
    const { lostCommits, newStashes } = compared;
    if (lostCommits.length === 0 && newStashes === 0) return [];
    const undone = await undoRewind(root, left);
    if (undone.kind === "none") return [];
    const kept = `what it left is kept at ${undone.ref}`;
    if (lostCommits.length > 0)
      return [
        `the session dropped ${lostCommits.length} commit(s) from ${from.branch ?? "HEAD"}; they are back, ${kept}`,
      ];
    return undone.paths.length === 0
      ? []
      : [
          `the session stashed ${undone.paths.length} file(s) that were there before; they are back, ${kept}`,
        ];
  }

  /** Branches and stashes that the session deleted: it may have been asked to, so they only are told. */
  async function strayedCommits(begun: KeptSnapshot): Promise<readonly string[]> {
    const tips = await strayedTips(root, begun);
    if (tips.length === 0) return [];
    const names = tips.map((tip) => tip.slice(0, 10)).join(", ");
    return [
      `the session left no branch or stash that leads to ${names}; kept at ${begun.ref}, bring it back: git branch <name> ${tips[0]}`,
    ];
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

  async function snapshotNow(): Promise<Snapshot | null> {
    if (!hasGit) return null;
    known ??= takeSnapshot(root, { exclude }).then((taken) =>
      taken.kind === "git" ? taken : null,
    );
    return await known;
  }

  async function startSnapshot(start: StartPoint): Promise<Snapshot | null> {
    return (await keptStart(start))?.snapshot ?? null;
  }

  async function keptStart({ ref }: StartPoint): Promise<KeptSnapshot | null> {
    return ref === null ? null : await readKeptSnapshot(root, ref);
  }
}
