// Commits exactly what a session changed, on the current branch, through the person's own git with
// hooks and signing, from a private index. Order that matters on a crash: the commit is one atomic
// act of git; the person's index follows after it, and a repeated call finds the commit by its
// trailers and only completes that.
import { StintError } from "../core/stint-error.ts";
import { type Change, touchedPaths } from "./changed-paths.ts";
import { type CommitResult, IDENTITY_HINT } from "./commit-result.ts";
import { findCommit, type Trailer, withTrailers } from "./commit-trailers.ts";
import { hasIdentity } from "./describe-work-tree.ts";
import {
  ABSENT,
  diffIndex,
  emptyTreeLike,
  type EntryChange,
  indexInfo,
  parseRawDiff,
} from "./diff-trees.ts";
import { findGitFolder } from "./git-folder.ts";
import { mayHaveHooks } from "./hooks.ts";
import { operationInProgress } from "./operation-in-progress.ts";
import { type PrivateIndex, withPrivateIndex } from "./private-index.ts";
import { DURABLE, type GitOutput, runGit } from "./run-git.ts";
import { takeSnapshot } from "./snapshot.ts";
import { clearStaleLocks } from "./stale-locks.ts";
import { followCommit } from "./sync-index.ts";
import { unwelcomeFiles } from "./unwelcome-files.ts";

export interface WorkToCommit {
  /** The difference of the session's two snapshots. */
  readonly changes: readonly Change[];
  /** The tree of the snapshot at its end, and what that snapshot left out. */
  readonly tree: string;
  readonly exclude: readonly string[];
  readonly message: string;
  readonly trailers: readonly Trailer[];
  /** Committed as it is now, if HEAD holds it. */
  readonly manifest: string;
  /** Committed with it whole, whatever is ignored. */
  readonly also?: readonly string[];
  /** HEAD at the start of the session. */
  readonly since: string | null;
  /** Commits with the same trailers that turned out not to hold what was verified. */
  readonly broken?: readonly string[];
  /** New files that a person allowed although they are large or look secret. */
  readonly approved?: readonly string[];
  /** When this run began: only an older lock can be stale. */
  readonly startedAtMs: number;
  /** For the person's hooks: by these variables they are found if this run is killed. */
  readonly env?: Readonly<Record<string, string>>;
  /** Ends the hooks when aborted; whether the commit was made is then found out by its trailers. */
  readonly signal?: AbortSignal;
}

/** A person's hooks may run a whole test suite. */
const COMMIT_TIMEOUT_MS = 15 * 60_000;

interface Head {
  readonly commit: string | null;
  readonly tree: string | null;
  readonly branch: string | null;
  readonly holdsManifest: boolean;
}

interface Made {
  readonly proposed: string;
  readonly staged: readonly EntryChange[];
  readonly hasHooks: boolean;
}

export async function commitWork(root: string, work: WorkToCommit): Promise<CommitResult> {
  const folder = findGitFolder(root);
  if (folder === null) return { kind: "not-a-repository" };
  const head = await readHead(root, work.manifest);
  const lock = clearStaleLocks(root, folder, head.branch, work.startedAtMs);
  if (lock !== null) return { kind: "locked", ...lock };
  if (head.commit !== null && head.commit !== work.since) {
    const commit = await findCommit(root, work.trailers, work.since, work.broken);
    if (commit !== null) return await finish(root, work, head, commit, "found");
  }
  const operation = operationInProgress(folder);
  if (operation !== null) {
    const hint = `Finish or abort the ${operation} first: git status`;
    return { kind: "operation-in-progress", operation, hint };
  }
  const unwelcome = unwelcomeFiles(work.changes, work.approved);
  if (unwelcome.length > 0) return { kind: "needs-approval", paths: unwelcome };
  return await withPrivateIndex(root, head.commit === null ? "empty" : folder, async (index) => {
    const [staged, hasHooks] = await Promise.all([
      stagedAgainst(root, head.commit),
      mayHaveHooks(root, folder),
    ]);
    const unmerged = staged.filter(({ status }) => status === "U").map(({ path }) => path);
    if (unmerged.length > 0) {
      return { kind: "conflict", paths: unmerged, hint: "Resolve the conflict first: git status" };
    }
    // Where nothing is staged, the copy of the person's index holds exactly HEAD already.
    if (head.commit !== null && staged.length > 0) {
      await index.run(["read-tree", "--reset", head.commit]);
    }
    const proposed = await propose(index, head, work);
    if (proposed === (head.tree ?? emptyTreeLike(proposed))) return { kind: "nothing-to-commit" };
    const refusal = await makeCommit(root, index, work, hasHooks);
    if (refusal !== null) {
      // A git that outlived a killed run may have made this very commit in the meantime.
      const since = head.commit;
      const commit =
        since === null ? null : await findCommit(root, work.trailers, since, work.broken);
      if (commit === null) return refusal;
      return await finish(root, work, { ...head, commit }, commit, "found");
    }
    return await finish(root, work, head, "HEAD", { proposed, staged, hasHooks });
  });
}

async function readHead(root: string, manifest: string): Promise<Head> {
  const [revisions, symbolic] = await Promise.all([
    runGit(root, ["rev-parse", "--revs-only", "HEAD", "HEAD^{tree}", `HEAD:${manifest}`]),
    runGit(root, ["symbolic-ref", "--quiet", "HEAD"], { accept: [0, 1] }),
  ]);
  const [commit = null, tree = null, blob] = revisions.stdout.split("\n").filter((x) => x !== "");
  const branch = /^refs\/heads\/(.+)$/.exec(symbolic.stdout.trim())?.[1] ?? null;
  return { commit, tree, branch, holdsManifest: blob !== undefined };
}

/** Before the first commit everything in the index is staged. */
async function stagedAgainst(root: string, commit: string | null): Promise<EntryChange[]> {
  if (commit !== null) return await diffIndex(root, commit);
  const { stdout } = await runGit(root, ["hash-object", "-t", "tree", "--stdin"]);
  return await diffIndex(root, stdout.trim());
}

/** An index that holds HEAD, plus the session's changes, the manifest and what goes along; as a tree. */
async function propose(index: PrivateIndex, head: Head, work: WorkToCommit): Promise<string> {
  const present = new Set(
    work.changes.filter(({ mode }) => mode !== ABSENT).map(({ path }) => path),
  );
  const zero = "0".repeat(work.tree.length);
  // Removals first: a folder may have become a file.
  const removed = touchedPaths(work.changes)
    .filter((path) => !present.has(path))
    .map((path) => indexInfo(path, { mode: ABSENT, oid: zero }));
  const added = work.changes
    .filter(({ path }) => present.has(path))
    .map((change) => indexInfo(change.path, change));
  const manifest = head.holdsManifest ? ["--remove", `./${work.manifest}`] : [];
  await index.run([...DURABLE, "update-index", ...manifest, "-z", "--index-info"], {
    input: [...removed, ...added].join(""),
  });
  if (work.also !== undefined && work.also.length > 0) {
    const paths = work.also.map((path) => `:(top,literal)${path}`);
    await index.run([...DURABLE, "add", "--force", "--", ...paths]);
  }
  const { stdout } = await index.run([...DURABLE, "write-tree"]);
  return stdout.trim();
}

/** Null when the commit was made. */
async function makeCommit(
  root: string,
  index: PrivateIndex,
  work: WorkToCommit,
  hasHooks: boolean,
): Promise<CommitResult | null> {
  const settings = [...DURABLE, "-c", "gc.auto=0", "-c", "maintenance.auto=false"];
  let output: GitOutput;
  try {
    output = await index.run(
      [...settings, "commit", "--quiet", "--no-status", "--cleanup=whitespace", "-F", "-"],
      {
        input: withTrailers(work.message, work.trailers),
        asPerson: true,
        hasHooks,
        accept: "any",
        timeoutMs: COMMIT_TIMEOUT_MS,
        ...(work.env === undefined ? {} : { env: work.env }),
        signal: work.signal,
      },
    );
  } catch (error) {
    if (!(error instanceof StintError)) throw error;
    return { kind: "hook-failed", output: error.message, hint: error.hint };
  }
  if (output.code === 0) return null;
  if (!(await hasIdentity(root))) return { kind: "no-identity", hint: IDENTITY_HINT };
  return {
    kind: "hook-failed",
    output: `${output.stdout}${output.stderr}`.trim(),
    hint: `A hook or the signing of commits said no. The work is in the work tree: cd ${root} && git status`,
  };
}

async function finish(
  root: string,
  work: WorkToCommit,
  head: Head,
  revision: string,
  made: "found" | Made,
): Promise<CommitResult> {
  const plain = ["-r", "-z", "--raw", "--no-renames"];
  const { stdout } = await runGit(root, [
    "diff-tree",
    "--root",
    "--always",
    ...plain,
    "--format=%H %T %P",
    revision,
  ]);
  const end = stdout.indexOf("\0");
  const [hash = "", tree = "", parent] = stdout.slice(0, end).trim().split(" ");
  const entries = parseRawDiff(stdout.slice(end + 1).replace(/^[\0\n]+/, ""));
  // Once there are younger commits the index follows those; an old one must not come back into it.
  if (made !== "found") await followCommit(root, entries, made.staged);
  else if (hash === head.commit) {
    await followCommit(root, entries, await stagedAgainst(root, parent ?? null));
  }
  // What hooks a lost call met is not known, so the files are looked at.
  const isLook = made === "found" || made.hasHooks;
  const isAltered = made !== "found" && tree !== made.proposed;
  const hooksChangedTree = isAltered || (isLook && (await filesChanged(root, work)));
  return {
    kind: "committed",
    commit: hash,
    branch: head.branch,
    hooksChangedTree,
    foundAgain: made === "found",
  };
}

/** A hook may rewrite files without adding them to the commit. */
async function filesChanged(root: string, work: WorkToCommit): Promise<boolean> {
  const now = await takeSnapshot(root, { exclude: work.exclude });
  return now.kind === "git" && now.tree !== work.tree;
}
