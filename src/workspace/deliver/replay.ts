// Verified commits made anew on top of the person's branch, one by one, in Stint's own repository: nothing of
// the person's is touched, and no ref moves. The same commits on the same branch give the same ids again.
// What conflicts is left out and named; the caller decides what that means.
import { ABSENT, isSameEntry, type TreeEntry } from "../../git/diff-trees.ts";
import { isOn } from "../base/git-config.ts";
import type { Place } from "../base/place.ts";
import { foldersAbove, isBelow, type RawPath, toRaw, toText } from "../base/raw-path.ts";
import { commitTree } from "../commit/write-commit.ts";
import { patchIdBetween, type WorkCommit } from "./branch-history.ts";
import { mergeTrees, storable, treeWith } from "../tree/combine.ts";
import { askForObject, writeObject } from "../tree/git-objects.ts";
import { isSharedText, stintsPaths, storeOwnFiles } from "../tree/own-index.ts";
import { rawChanges, readEntries, readTexts } from "../tree/read-trees.ts";
import type { FollowWish, MovedCommit } from "../workspace.ts";

export interface Replayed {
  readonly commit: string;
  readonly tree: string;
  readonly commits: readonly MovedCommit[];
  readonly conflicts: readonly ConflictFound[];
}

export interface ConflictFound {
  readonly commit: WorkCommit;
  readonly paths: readonly string[];
}

interface Onto {
  readonly commit: string;
  readonly tree: string;
}

export async function replay(
  place: Place,
  onto: Onto,
  commits: readonly WorkCommit[],
  settle: FollowWish["settle"],
): Promise<Replayed> {
  let at = onto;
  const moved: MovedCommit[] = [];
  const conflicts: ConflictFound[] = [];
  for (const commit of commits) {
    // Each stands on the one before it.
    // oxlint-disable-next-line no-await-in-loop
    const { tree, paths } = await changeMadeIn(place, at.tree, commit, settle);
    if (paths.length > 0) {
      conflicts.push({ commit, paths });
      continue;
    }
    const { id: old, tasks } = commit;
    if (tree === at.tree) {
      moved.push({ old, now: at.commit, tasks, how: "found", isSame: true });
      continue;
    }
    // oxlint-disable-next-line no-await-in-loop
    const isSame = await isSameChange(place, commit, { base: at.tree, tree });
    // oxlint-disable-next-line no-await-in-loop
    at = { commit: await writeAgain(place, old, tree, at.commit), tree };
    moved.push({ old, now: at.commit, tasks, how: "replayed", isSame });
  }
  return { ...at, commits: moved, conflicts };
}

/** What a commit changed, made in another tree. */
async function changeMadeIn(
  place: Place,
  ours: string,
  commit: WorkCommit,
  settle: FollowWish["settle"],
): Promise<{ readonly tree: string; readonly paths: readonly string[] }> {
  const { base, tree: theirs } = commit;
  const merged = await mergeTrees(place, { base, ours, theirs });
  const own = stintsPaths(place);
  const paths = merged.conflicts.filter((path) => !isBelow(toRaw(path), own));
  if (paths.length > 0) return { tree: ours, paths };
  const changed = (await rawChanges(place, base, theirs)).filter(({ path }) => isBelow(path, own));
  const entries = new Map<RawPath, TreeEntry>();
  const sides = { ours, commit, settle };
  for (const change of changed) {
    const path = toText(change.path);
    // oxlint-disable-next-line no-await-in-loop
    if (isSharedText(place, path)) entries.set(change.path, await settled(place, path, sides));
    else entries.set(change.path, storable(change));
  }
  return { tree: await treeWith(place, merged.tree, entries), paths: [] };
}

interface Settling {
  readonly ours: string;
  readonly commit: WorkCommit;
  readonly settle: FollowWish["settle"];
}

/** A text of the person's branch that Stint writes in too, with what the commit is to say in it. */
async function settled(
  place: Place,
  path: string,
  { ours, commit, settle }: Settling,
): Promise<TreeEntry> {
  const above = foldersAbove(toRaw(path)).map(toText);
  const there = await readEntries(place, ours, [path, ...above]);
  const isInTheWay = [...there].some(
    ([each, { mode }]) => each !== path || !mode.startsWith("100"),
  );
  // What the person has there is no such text by now, and stays what it is.
  if (isInTheWay) return there.get(path) ?? { mode: ABSENT, oid: ours };
  const [base, mine, theirs] = await Promise.all(
    [commit.base, ours, commit.tree].map(
      async (tree) => (await readTexts(place, tree, [path])).get(path) ?? null,
    ),
  );
  const sides = { base: base ?? null, ours: mine ?? null, theirs: theirs ?? null };
  const text = settle({ path, ...sides, tasks: commit.tasks });
  const isNew = text !== null && text !== sides.ours;
  const stored = isNew
    ? (await storeOwnFiles(place, [{ path, content: Buffer.from(text) }], ours)).get(toRaw(path))
    : there.get(path);
  return stored ?? { mode: ABSENT, oid: ours };
}

/** The same paths with the same content, or the same lines among others. */
async function isSameChange(
  place: Place,
  before: Pick<WorkCommit, "base" | "tree">,
  after: Pick<WorkCommit, "base" | "tree">,
): Promise<boolean> {
  const own = stintsPaths(place);
  const [was, is] = await Promise.all(
    [before, after].map(async ({ base, tree }) =>
      (await rawChanges(place, base, tree)).filter(({ path }) => !isBelow(path, own)),
    ),
  );
  const now = new Map(is?.map(({ path, after: entry }) => [path, entry]));
  const isEqual =
    was?.length === now.size &&
    was.every(({ path, after: entry }) => {
      const there = now.get(path);
      return there !== undefined && isSameEntry(there, entry);
    });
  if (isEqual) return true;
  const except = own.map(toText);
  const [one, other] = await Promise.all([
    patchIdBetween(place, before.base, before.tree, except),
    patchIdBetween(place, after.base, after.tree, except),
  ]);
  return one === other;
}

/** The same words, author and dates. A signature was about another commit: it is made anew, or goes. */
async function writeAgain(
  place: Place,
  commit: string,
  tree: string,
  parent: string,
): Promise<string> {
  const { content } = await askForObject(place.git, "commit", commit);
  const text = content.toString("latin1");
  const end = text.indexOf("\n\n");
  const lines = text.slice(0, end).split("\n");
  const kept = lines.filter((line) => /^(?:author|committer|encoding) /.test(line));
  if (isOn(place.settings, "commit.gpgsign")) {
    return await signAgain(place, { tree, parent, kept, message: text.slice(end + 2) });
  }
  const head = [`tree ${tree}`, `parent ${parent}`, ...kept].join("\n");
  const again = Buffer.from(`${head}${text.slice(end)}`, "latin1");
  return writeObject(place.git.gitDir, { kind: "commit", content: again }, tree.length);
}

interface Unsigned {
  readonly tree: string;
  readonly parent: string;
  readonly kept: readonly string[];
  readonly message: string;
}

async function signAgain(place: Place, { tree, parent, kept, message }: Unsigned): Promise<string> {
  const author = kept.find((line) => line.startsWith("author ")) ?? "";
  const [, name = "", email = "", date = ""] = /^author (.*) <(.*)> (.*)$/.exec(author) ?? [];
  const inUtf8 = (word: string): string => Buffer.from(word, "latin1").toString("utf8");
  return await commitTree(place, ["-p", parent, "-F", "-", tree], {
    input: Buffer.from(message, "latin1"),
    env: {
      GIT_AUTHOR_NAME: inUtf8(name),
      GIT_AUTHOR_EMAIL: inUtf8(email),
      GIT_AUTHOR_DATE: date,
    },
  });
}
