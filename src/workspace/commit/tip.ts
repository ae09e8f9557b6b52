// What new work starts from. It is a ref in the person's repository, and it is recorded: one that cannot
// be read is never taken for one that was never there.
import { emptyTreeLike } from "../../git/diff-trees.ts";
import { operationInProgress } from "../../git/work-tree.ts";
import {
  currentBranch,
  type PersonRepository,
  readRefs,
  type RefValue,
} from "../repository/person-repository.ts";
import { valueOf } from "../repository/git-config.ts";
import type { Place } from "../repository/place.ts";
import { catchUp } from "../repository/record.ts";
import { isAncestor, moveRefs, ownRefs } from "./refs.ts";
import type { Tip } from "../workspace.ts";

export interface Look {
  /** Checked out now, by its full name. */
  readonly branch: string | null;
  readonly refs: ReadonlyMap<string, RefValue>;
  readonly tip: RefValue | null;
}

export async function readTip(place: Place, person: PersonRepository): Promise<Tip> {
  const look = await lookAtRefs(place, person);
  const value = (await followPerson(place, person, look)) ?? look.tip;
  if (value !== null) noteTip(place, value.commit, isOnBranch(place, look, value.commit));
  place.tip = value === null ? unborn(place) : { commit: value.commit, tree: value.tree };
  return place.tip;
}

function noteTip(place: Place, commit: string, isHeld: boolean): void {
  const held = isHeld ? commit : place.record.held;
  if (commit !== place.record.tip || held !== place.record.held) {
    place.record = { ...place.record, tip: commit, held };
    place.isRecordAhead = true;
  }
  catchUp(place);
}

function isOnBranch({ record }: Place, { refs }: Look, commit: string): boolean {
  return record.branch !== null && refs.get(record.branch)?.commit === commit;
}

export async function lookAtRefs(place: Place, person: PersonRepository): Promise<Look> {
  const { base, tip, branch: own } = ownRefs(place.options);
  const branch = await currentBranch(person);
  const names = [base, tip, own, ...(branch === null || branch === own ? [] : [branch])];
  let refs = await readRefs(person, names);
  const recorded = place.record.tip;
  if (!refs.has(tip) && recorded !== null) {
    // Somebody removed it. Git refuses to make it anew where it could only not be read.
    await moveRefs(person, [{ ref: tip, to: recorded, from: null }]);
    refs = await readRefs(person, names);
  }
  return { branch, refs, tip: refs.get(tip) ?? null };
}

/** The person's branch, where it holds all verified work and more. */
async function followPerson(
  place: Place,
  person: PersonRepository,
  { branch, refs, tip }: Look,
): Promise<RefValue | null> {
  if (branch === null || branch !== place.record.branch) return null;
  const theirs = refs.get(branch);
  if (theirs === undefined || theirs.commit === tip?.commit) return null;
  if (operationInProgress(person.folder) !== null) return null;
  if (tip !== null && !(await isAncestor(person, tip.commit, theirs.commit))) return null;
  const ref = ownRefs(place.options).tip;
  await moveRefs(person, [{ ref, to: theirs.commit, from: tip?.commit ?? null }]);
  return theirs;
}

function unborn({ settings }: Place): Tip {
  const isSha256 = valueOf(settings, "extensions.objectformat") === "sha256";
  return { commit: null, tree: emptyTreeLike("0".repeat(isSha256 ? 64 : 40)) };
}
