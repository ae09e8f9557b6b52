// A workspace with a folder of its own. What reaches the person's repository are verified commits.
import { join } from "node:path";
import { StintError } from "../core/stint-error.ts";
import { branchName } from "../git/refs.ts";
import { commitHere, currentBranch, isNamed, readRefs } from "./base/person-repository.ts";
import { answersTo } from "./base/own-git.ts";
import { hasGit, type Place, type WithGit } from "./base/place.ts";
import { NEW_RECORD, note, readRecord } from "./base/record.ts";
import { moveRefs, ownRefs } from "./base/refs.ts";
import { discardFolder, removeTree } from "./base/remove-tree.ts";
import { sessionMessages } from "./commit/commit-hooks.ts";
import { capture } from "./tree/capture.ts";
import { commitOwnCopy } from "./commit/commit-own-copy.ts";
import { includeChanges } from "./commit/include.ts";
import { takeTags } from "./commit/take-tags.ts";
import { moveOn, readTip } from "./commit/tip.ts";
import { deliver, deliverInto } from "./deliver/deliver.ts";
import { mendDelivery } from "./deliver/end-delivery.ts";
import { follow } from "./deliver/follow.ts";
import { openRepositories, removePlace, sharedActs } from "./shared-acts.ts";
import { cloneFolder, cloneOf, laneOf } from "./lane.ts";
import { fillTree } from "./tree/fill-tree.ts";
import { lay } from "./tree/lay.ts";
import { listTree } from "./tree/list-tree.ts";
import { writeSessionGit } from "./tree/session-git.ts";
import { fillSubmodules, writeModuleGits } from "./tree/submodules.ts";
import { changedBrought, noteBrought } from "./tree/watch-brought.ts";
import { noteBeginning, putIgnoredBack } from "./tree/watch-ignored.ts";
import type { Workspace } from "./workspace.ts";
import { isThere } from "../process/look-at.ts";

export function ownCopy(any: Place): Workspace {
  // Nothing is asked of a folder without git: opening refuses it.
  const place = any as WithGit;
  return {
    ...sharedActs(place),
    open: () => openOwnCopy(place),
    tip: () => readTip(place),
    deliversTo() {
      // Whoever only looks has not opened it.
      const record = place.record === NEW_RECORD ? readRecord(place.options.home) : place.record;
      return record === null || record.branch === null ? null : branchName(record.branch);
    },
    include: () => includeChanges(place),
    lay: (tree) => lay(place, tree),
    async freshGit(git) {
      place.tip ??= await readTip(place);
      await writeSessionGit(place, git);
      writeModuleGits(place);
    },
    async capture() {
      place.tip ??= await readTip(place);
      return await capture(place);
    },
    async noteBrought(session) {
      await noteBrought(place.options.home, place.folder, session);
      noteBeginning(place.options.home, session);
    },
    changedBrought: (session) => changedBrought(place.options.home, place.folder, session),
    sessionMessages: () => sessionMessages(place),
    takeTags: () => takeTags(place),
    commit: (request) => commitOwnCopy(place, request),
    follow: (wish) => follow(place, wish),
    async deliver(held) {
      const delivery = await deliver(place, held ?? null);
      const notes = place.notes.splice(0);
      return notes.length === 0 ? delivery : { ...delivery, notes };
    },
    deliverInto: (branch) => deliverInto(place, branch),
    remove: () => removeOwnCopy(place),
    lane: (number) => laneOf(place, number),
    clone: (commit) => cloneOf(place, commit),
  };
}

/** What a delivery left in the checkout goes first: the workspace alone knows of it. */
async function removeOwnCopy(place: WithGit): Promise<void> {
  const obstacle = await mendDelivery(place, place.person);
  if (obstacle !== null) {
    throw new StintError(
      "state-unwritable",
      `a delivery was interrupted and cannot be completed or undone: ${obstacle.why}`,
      "Everything is delivered that says so. To remove the rest: stint clean",
    );
  }
  await removePlace(place);
}

/**
 * Makes a workspace, or mends one that a kill cut short. Order that matters on a crash: a delivery that was cut
 * short is ended, which may leave the record; the start is held by refs before anything is built on it; the
 * record follows; the files appear whole, by one rename.
 */
async function openOwnCopy(place: WithGit): Promise<readonly string[]> {
  const { options, person } = place;
  if (!hasGit(place)) {
    throw new StintError(
      "bad-input",
      `${options.checkout} is not the top of a git repository`,
      "Work in place there: stint run --in-place",
    );
  }
  await mendDelivery(place, person);
  await openRepositories(place, options.home);
  if (place.record === NEW_RECORD || (await isTipGone(place))) await startRecord(place);
  await moveOn(place);
  const tip = await readTip(place);
  removeTree(join(options.home, "tree.tmp"));
  removeTree(join(options.home, "side"));
  await discardFolder(cloneFolder(options.home));
  if (isThere(place.folder)) putIgnoredBack(place);
  else {
    removeTree(join(options.home, "aside"));
    await fillTree(place, tip.tree, null);
  }
  const notes = place.notes.splice(0);
  if (!isThere(join(place.folder, ".gitmodules"))) return notes;
  return [...notes, ...(await fillSubmodules(place, await listTree(place.git, [], "plain")))];
}

/** The repository is another one than before: it has neither the ref of the verified work nor its commit. */
async function isTipGone({ person, record, options }: WithGit): Promise<boolean> {
  if (record.tip === null || isNamed(person.folder.common, ownRefs(options).tip)) return false;
  const command = { input: `${record.tip}\n`, isStrict: true };
  const [answer] = await answersTo(person.git, 1, ["cat-file", "--batch-check"], command);
  return answer === `${record.tip} missing`;
}

/** Where the person is now becomes where the work starts. */
async function startRecord(place: WithGit): Promise<void> {
  const { person } = place;
  const { base, tip } = ownRefs(place.options);
  const branch = await currentBranch(person);
  const refs = await readRefs(person, [base, tip, ...(branch === null ? [] : [branch])]);
  const here = await commitHere(person, branch, refs);
  // Refs of a record that is gone: verified work that is nowhere else.
  const start = refs.get(tip)?.commit ?? here;
  if (start !== null && refs.get(tip) === undefined) {
    const held = refs.get(base)?.commit ?? null;
    await moveRefs(person, [
      { ref: base, to: start, from: held },
      { ref: tip, to: start, from: null },
    ]);
  }
  note(place, { ...NEW_RECORD, branch, tip: start, aside: place.record.aside });
}
