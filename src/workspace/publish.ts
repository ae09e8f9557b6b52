// Brings a verified commit into the person's repository: its objects, then the refs that hold it, in one
// act of git that moves a ref only forward and never one that somebody has checked out.
import { join } from "node:path";
import { StintError } from "../core/stint-error.ts";
import { writeDurably } from "./durable-file.ts";
import { otherHolders, type PersonRepository, type RefValue } from "./person-repository.ts";
import type { Place } from "./place.ts";
import { writeRecord } from "./record.ts";
import { isAncestor, moveRefs, ownRefs } from "./refs.ts";
import type { Look } from "./tip.ts";

/** A fetch within one machine, whatever the person has set for those from elsewhere. */
export const QUIETLY = [
  "-c",
  "protocol.file.allow=always",
  "-c",
  "fetch.writeCommitGraph=false",
  "-c",
  "fetch.pruneTags=false",
  "-c",
  "fetch.fsckObjects=false",
  "-c",
  "transfer.fsckObjects=false",
  "fetch",
  "--quiet",
  "--atomic",
  "--no-tags",
  "--no-prune",
  "--no-write-fetch-head",
  "--no-auto-maintenance",
  "--no-recurse-submodules",
  "--no-show-forced-updates",
];

const NEXT = "refs/heads/next";

export async function publish(
  place: Place,
  person: PersonRepository,
  look: Look,
  commit: string,
): Promise<void> {
  const { tip, branch } = ownRefs(place.options);
  writeDurably(join(place.git.gitDir, NEXT), `${commit}\n`);
  const isFree = await freeBranch(place, person, look);
  const isMoved = isFree && (await bring(place, person, [tip, branch]));
  if (!isMoved) await bring(place, person, [tip]);
  place.record = { ...place.record, tip: commit, ...(isMoved ? { ours: commit } : {}) };
  writeRecord(place.options.home, place.record);
}

/** The objects alone, held by the ref of the tip until a branch holds them. */
export async function bringObjects(
  place: Place,
  person: PersonRepository,
  object: string,
): Promise<void> {
  writeDurably(join(place.git.gitDir, "refs", "stint-next"), `${object}\n`);
  const ref = `refs/stint/${place.options.project}/next`;
  await person.git.run([...QUIETLY, place.git.gitDir, `+refs/stint-next:${ref}`]);
}

/** @returns false where the branch alone is the reason: the work is held by the other ref. */
async function bring(
  place: Place,
  person: PersonRepository,
  refs: readonly string[],
): Promise<boolean> {
  const moves = refs.map((ref) => `${NEXT}:${ref}`);
  try {
    await person.git.run([...QUIETLY, place.git.gitDir, ...moves]);
    return true;
  } catch (error) {
    if (!(error instanceof StintError) || refs.length === 1) throw error;
    return false;
  }
}

/** Makes room for our branch. What somebody else keeps under its name is kept under another. */
async function freeBranch(place: Place, person: PersonRepository, look: Look): Promise<boolean> {
  const { branch } = ownRefs(place.options);
  if (look.branch === branch || otherHolders(person, branch).length > 0) return false;
  const there = look.refs.get(branch);
  if (there === undefined || isOurs(place, look, there)) return true;
  // One of an earlier time, whose work the new one holds: it moves forward, and nothing is lost.
  if (look.tip !== null && (await isAncestor(person, there.commit, look.tip.commit))) return true;
  const ref = await unusedRef(person, `refs/stint/${place.options.project}/old-branch`);
  await moveRefs(person, [
    { ref, to: there.commit, from: null },
    { ref: branch, to: null, from: there.commit },
  ]);
  return true;
}

function isOurs({ record }: Place, { tip }: Look, { commit }: RefValue): boolean {
  return commit === record.ours || commit === tip?.commit;
}

async function unusedRef({ git }: PersonRepository, folder: string): Promise<string> {
  const { stdout } = await git.run(["for-each-ref", "--format=%(refname)", `${folder}/`]);
  const taken = stdout.split("\n").map((name) => Number(name.slice(folder.length + 1)) || 0);
  return `${folder}/${Math.max(0, ...taken) + 1}`;
}
