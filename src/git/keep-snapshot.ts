// Puts a snapshot under a ref, together with every branch tip and stash of that moment, so that
// neither garbage collection nor a session that resets, deletes or clears can lose them.
import { findGitFolder } from "./git-folder.ts";
import { DURABLE, gitLines, runGit } from "./run-git.ts";
import type { Snapshot } from "./snapshot.ts";
import { checked } from "./stint-refs.ts";

/** The ref's author; the person's identity is for the person's commits. */
const AUTHOR = {
  GIT_AUTHOR_NAME: "Stint",
  GIT_AUTHOR_EMAIL: "stint@localhost",
  GIT_COMMITTER_NAME: "Stint",
  GIT_COMMITTER_EMAIL: "stint@localhost",
};

export interface KeptSnapshot {
  readonly ref: string;
  readonly commit: string;
  readonly snapshot: Snapshot;
}

/** Every branch, and the newest stash. */
export async function branchTips(root: string): Promise<string[]> {
  return await gitLines(root, [
    "for-each-ref",
    "--format=%(objectname)",
    "refs/heads",
    "refs/stash",
  ]);
}

/** Safe to repeat: the ref then names a commit of the same tree. */
export async function keepSnapshot(
  root: string,
  ref: string,
  snapshot: Snapshot,
  message: string,
  also: { readonly keep?: readonly string[]; readonly tips?: readonly string[] } = {},
): Promise<KeptSnapshot> {
  const tips = also.tips ?? (await branchTips(root));
  const stashed =
    snapshot.stashes > 1
      ? await gitLines(root, ["log", "--walk-reflogs", "--format=%H", "refs/stash"])
      : [];
  const parents = [...(also.keep ?? []), ...(snapshot.head === null ? [] : [snapshot.head])];
  if (snapshot.indexTree !== null) {
    parents.push(await writeCommit(root, snapshot.indexTree, [], "The index at that moment"));
  }
  parents.push(...tips, ...stashed);
  const commit = await writeCommit(root, snapshot.tree, parents, withFacts(message, snapshot));
  await runGit(root, [...DURABLE, "update-ref", checked(ref), commit]);
  return { ref, commit, snapshot };
}

/** What a ref of keepSnapshot says, or null: how a run finds its snapshot again after a crash. */
export async function readKeptSnapshot(root: string, ref: string): Promise<KeptSnapshot | null> {
  if (findGitFolder(root) === null) return null;
  const format = "%(objectname)%00%(tree)%00%(contents)";
  const { stdout } = await runGit(root, ["for-each-ref", `--format=${format}`, checked(ref)]);
  const [commit = "", tree = "", contents = ""] = stdout.split("\0");
  if (commit === "" || tree === "") return null;
  const fact = (name: string): string | null =>
    new RegExp(`^${name}: (.+)$`, "m").exec(contents)?.[1] ?? null;
  const stashes = Number(fact("Stint-Stashes") ?? 0);
  const snapshot: Snapshot = {
    kind: "git",
    tree,
    head: fact("Stint-Head"),
    branch: fact("Stint-Branch"),
    indexTree: fact("Stint-Index-Tree"),
    stashes,
    skipped: [],
  };
  return { ref, commit, snapshot };
}

function withFacts(message: string, snapshot: Snapshot): string {
  const facts = [
    ["Stint-Head", snapshot.head],
    ["Stint-Branch", snapshot.branch],
    ["Stint-Index-Tree", snapshot.indexTree],
    ["Stint-Stashes", snapshot.stashes],
  ];
  const lines = facts
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `${name}: ${value}`);
  return `${message.trim()}\n\n${lines.join("\n")}\n`;
}

async function writeCommit(
  root: string,
  tree: string,
  parents: readonly string[],
  message: string,
): Promise<string> {
  const options = [...new Set(parents)].flatMap((parent) => ["-p", parent]);
  const { stdout } = await runGit(root, [...DURABLE, "commit-tree", tree, ...options, "-F", "-"], {
    input: message,
    env: AUTHOR,
  });
  return stdout.trim();
}
