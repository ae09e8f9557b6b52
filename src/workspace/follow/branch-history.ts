// What the person's branch has of all verified work, after they moved it on or rewrote it. A commit is found
// again by what it changes (a rebase, a cherry-pick), by the task that it names (an amended one, a squash),
// or because making its change once more would change nothing.
import { emptyTreeLike } from "../../git/diff-trees.ts";
import { rawChanges } from "../tree/combine.ts";
import { mergeTrees } from "../tree/merge-trees.ts";
import { patchIds } from "./patch-ids.ts";
import type { Place } from "../repository/place.ts";
import { isBelow, toRaw } from "../disk/raw-path.ts";
import { stintsPaths } from "../tree/own-entries.ts";
import { readCommits, treesOf, type WorkCommit } from "./work-commits.ts";
import type { Combined } from "../workspace.ts";

export interface BranchHistory {
  /** Never seen on the person's branch, and not found there; oldest first. */
  readonly undelivered: readonly WorkCommit[];
  /** Seen there once, of this project, and not found there any longer; oldest first. */
  readonly removed: readonly WorkCommit[];
  /** Found under another id: the commit, and the one of the person's branch that holds it. */
  readonly found: readonly (readonly [commit: WorkCommit, by: string])[];
}

export interface Ends {
  /** The last verified commit. */
  readonly tip: string;
  /** The person's branch. */
  readonly theirs: string;
  /** The newest verified commit that the branch was seen to hold. */
  readonly held: string | null;
}

export async function readHistory(place: Place, ends: Ends): Promise<BranchHistory> {
  const { tip, theirs } = ends;
  const seen = await lastSeen(place, ends);
  const not = seen === null ? [] : [`^${seen}`];
  const undelivered = await readCommits(place, [tip, ...not, `^${theirs}`]);
  const delivered = seen === null ? [] : await readCommits(place, [seen, `^${theirs}`]);
  // What else was rewritten below is the person's own.
  const lost = delivered.filter(({ tasks }) => tasks.length > 0);
  const all = [...lost, ...undelivered];
  if (all.length === 0) return { undelivered: [], removed: [], found: [] };
  const found = new Map([
    ...(await foundByTask(place, ends, all)),
    ...(await foundByPatch(place, ends, all)),
  ]);
  const isMissing = ({ id }: WorkCommit): boolean => !found.has(id);
  const isWhole = all.some(isMissing) && (await isContained(place, ends));
  for (const commit of isWhole ? all : lost) {
    if (!isMissing(commit)) continue;
    // oxlint-disable-next-line no-await-in-loop
    if (isWhole || (await isMadeThere(place, commit, theirs))) found.set(commit.id, theirs);
  }
  return {
    undelivered: undelivered.filter(isMissing),
    removed: lost.filter(isMissing),
    found: all.flatMap((commit) => {
      const by = found.get(commit.id);
      return by === undefined ? [] : [[commit, by] as const];
    }),
  };
}

/** Without a record of it, what both have in common. */
async function lastSeen({ git }: Place, { tip, theirs, held }: Ends): Promise<string | null> {
  if (held !== null) {
    const args = ["merge-base", "--is-ancestor", held, tip];
    if ((await git.run(args, { accept: [0, 1, 128] })).code === 0) return held;
  }
  const { code, stdout } = await git.run(["merge-base", tip, theirs], { accept: [0, 1] });
  return code === 0 ? stdout.trim() : null;
}

/** All of it is in the branch: squashed into other commits, for example. */
async function isContained(place: Place, { tip, theirs }: Ends): Promise<boolean> {
  const { stdout } = await place.git.run(["merge-base", tip, theirs], { accept: [0, 1] });
  const common = stdout.trim();
  const trees = await treesOf(place, [tip, theirs, ...(common === "" ? [] : [common])]);
  const ours = trees.get(theirs) ?? "";
  const base = trees.get(common) ?? emptyTreeLike(ours);
  const merged = await mergeTrees(place, { base, ours, theirs: trees.get(tip) ?? "" });
  return await isNothingNew(place, merged, ours);
}

/** Stint's own files are written anew with every commit. */
async function isNothingNew(
  place: Place,
  { tree, conflicts }: Combined,
  ours: string,
): Promise<boolean> {
  const own = stintsPaths(place);
  if (conflicts.some((path) => !isBelow(toRaw(path), own))) return false;
  return (await rawChanges(place, ours, tree)).every(({ path }) => isBelow(path, own));
}

async function isMadeThere(place: Place, commit: WorkCommit, theirs: string): Promise<boolean> {
  const ours = (await treesOf(place, [theirs])).get(theirs) ?? "";
  const merged = await mergeTrees(place, { base: commit.base, ours, theirs: commit.tree });
  return await isNothingNew(place, merged, ours);
}

/** The same change, under whatever message. */
async function foundByPatch(
  place: Place,
  { tip, theirs }: Ends,
  commits: readonly WorkCommit[],
): Promise<[string, string][]> {
  const args = ["rev-list", "--cherry-mark", "--no-merges", `${theirs}...${tip}`];
  const { stdout } = await place.git.run(args);
  const same = stdout
    .split("\n")
    .filter((line) => line.startsWith("="))
    .map((line) => line.slice(1));
  const ours = new Set(commits.map(({ id }) => id));
  const patches = await patchIds(place, same);
  const others = same.filter((id) => !ours.has(id));
  return same
    .filter((id) => ours.has(id))
    .map((id) => {
      const patch = patches.get(id);
      const twin = others.find((other) => patch !== undefined && patches.get(other) === patch);
      return [id, twin ?? theirs];
    });
}

/** The person's own version of it. */
async function foundByTask(
  place: Place,
  { tip, theirs }: Ends,
  commits: readonly WorkCommit[],
): Promise<[string, string][]> {
  const words = ["--fixed-strings", `--grep=Stint-Project: ${place.options.project}`];
  const range = [theirs, `^${tip}`];
  const there = await readCommits(place, [...words, ...range]);
  return commits.flatMap(({ id, marks }) => {
    const holder = there.find((each) => marks !== "" && isPart(marks, each.marks));
    return holder === undefined ? [] : [[id, holder.id] as [string, string]];
  });
}

function isPart(marks: string, all: string): boolean {
  return `\n${all}\n`.includes(`\n${marks}\n`);
}
