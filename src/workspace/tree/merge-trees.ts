// What one side changed, made in the other, by content: two changes of one file come together where they
// do not touch. It happens in Stint's own repository, so no merge driver, hook or setting of the person's
// has a say. A git before 2.38 cannot do it without files: there, path by path.
import { failure } from "../../git/run-git.ts";
import { combine } from "./combine.ts";
import type { Place } from "../repository/place.ts";
import { splitRecords, toText } from "../disk/raw-path.ts";
import type { Combined } from "../workspace.ts";
import { writeObject } from "./write-object.ts";

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
  const start = throwaway(place, base);
  const args = [...MERGE, throwaway(place, ours, start), throwaway(place, theirs, start)];
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
function throwaway({ git }: Place, tree: string, parent?: string): string {
  const who = "Stint <stint@localhost> 946684800 +0000";
  const above = parent === undefined ? "" : `parent ${parent}\n`;
  const content = `tree ${tree}\n${above}author ${who}\ncommitter ${who}\n\nside\n`;
  return writeObject(git.gitDir, "commit", Buffer.from(content), tree.length);
}

async function isTooOld({ git }: Place): Promise<boolean> {
  const { stdout } = await git.run(["version"]);
  const [, major, minor] = /(\d+)\.(\d+)/.exec(stdout) ?? [];
  return Number(major) < 2 || (Number(major) === 2 && Number(minor) < 38);
}
