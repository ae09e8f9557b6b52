// What one side changed, made in the other, by content: two changes of one file come together where they
// do not touch. It happens in Stint's own repository, so no merge driver, hook or setting of the person's
// has a say. A git before 2.38 cannot do it without files: there, path by path.
import { failure } from "../git/run-git.ts";
import { combine } from "./combine.ts";
import { STINT } from "./kept-work.ts";
import type { Place } from "./place.ts";
import { splitRecords, toText } from "./raw-path.ts";
import type { Combined } from "./workspace.ts";

/** Three trees. */
export interface Sides {
  readonly base: string;
  readonly ours: string;
  readonly theirs: string;
}

const MERGE = [
  "-c",
  "merge.directoryRenames=false",
  "-c",
  "merge.conflictStyle=merge",
  "merge-tree",
  "--write-tree",
  "-z",
  "--name-only",
  "--no-messages",
];

/** Conflicting paths are as git left them in the tree: nobody is to use it then. */
export async function mergeTrees(place: Place, sides: Sides): Promise<Combined> {
  const { base, ours, theirs } = sides;
  if (base === theirs || ours === theirs) return { tree: ours, conflicts: [] };
  if (base === ours) return { tree: theirs, conflicts: [] };
  // The base is that of two commits: only a newer git can be told another one.
  const start = await throwaway(place, base);
  const [one, other] = [await throwaway(place, ours, start), await throwaway(place, theirs, start)];
  const args = [...MERGE, one, other];
  const { code, bytes, stderr } = await place.git.run(args, { accept: "any" });
  if (code > 1) {
    if (await isTooOld(place)) return await combine(place, base, ours, theirs);
    throw failure(place.git.gitDir, args, `exit code ${code}`, stderr);
  }
  const [tree = "", ...names] = splitRecords(bytes);
  if (!/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(tree) || (code === 1) !== names.length > 0) {
    throw failure(place.git.gitDir, args, `it answered "${tree}"`, stderr);
  }
  return { tree, conflicts: [...new Set(names.map(toText))].toSorted() };
}

/** The same trees give the same commits, so that a repetition leaves nothing more behind. */
async function throwaway(place: Place, tree: string, parent?: string): Promise<string> {
  const date = "2000-01-01T00:00:00Z";
  const above = parent === undefined ? [] : ["-p", parent];
  return await place.git.id(["commit-tree", ...above, "-m", "side", tree], {
    env: { ...STINT, GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date },
  });
}

async function isTooOld({ git }: Place): Promise<boolean> {
  const { stdout } = await git.run(["version"]);
  const [, major, minor] = /(\d+)\.(\d+)/.exec(stdout) ?? [];
  return Number(major) < 2 || (Number(major) === 2 && Number(minor) < 38);
}
