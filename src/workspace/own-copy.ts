// A workspace with a folder of its own. What reaches the person's repository are verified commits.
import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { StintError } from "../core/stint-error.ts";
import { branchName } from "../git/branch-name.ts";
import { syncFolder } from "./base/durable-file.ts";
import { gitAt } from "./base/own-git.ts";
import { clearOwnLocks, writeOwnRepository } from "./base/own-repository.ts";
import {
  currentBranch,
  detachedCommit,
  type PersonRepository,
  readRefs,
  readSettings,
} from "./base/person-repository.ts";
import { type Place, seenFolder } from "./base/place.ts";
import { toText } from "./base/raw-path.ts";
import { NEW_RECORD, readRecord, writeRecord } from "./base/record.ts";
import { clearRefLocks, moveRefs, ownRefs } from "./base/refs.ts";
import { removeTree } from "./base/remove-tree.ts";
import { sessionMessages } from "./commit/commit-hooks.ts";
import { commitOwnCopy } from "./commit/commit-own-copy.ts";
import { includeChanges } from "./commit/include.ts";
import { takeTags } from "./commit/take-tags.ts";
import { readTip } from "./commit/tip.ts";
import { deliver, deliverInto } from "./deliver/deliver.ts";
import { mendDelivery } from "./deliver/end-delivery.ts";
import { follow } from "./deliver/follow.ts";
import { moveOn } from "./deliver/move-on.ts";
import { removePlace, sharedActs } from "./shared-acts.ts";
import { sortBrought, writeInputs } from "./tree/brought.ts";
import { capture } from "./tree/capture.ts";
import { lay } from "./tree/lay.ts";
import { listTree } from "./tree/list-tree.ts";
import { writeSessionGit } from "./tree/session-git.ts";
import { fillSubmodules, writeModuleGits } from "./tree/submodules.ts";
import { changedBrought, keepBroughtPaths, noteBrought } from "./tree/watch-brought.ts";
import { keepOwner } from "./workspace-folders.ts";
import type { Workspace } from "./workspace.ts";

export function ownCopy(place: Place): Workspace {
  /** Opening has refused a folder without git. */
  const person = place.person as PersonRepository;
  return {
    ...sharedActs(place),
    open: () => openOwnCopy(place),
    tip: () => readTip(place, person),
    deliversTo() {
      // Whoever only looks has not opened it.
      const record = place.record === NEW_RECORD ? readRecord(place.options.home) : place.record;
      return record === null || record.branch === null ? null : branchName(record.branch);
    },
    include: () => includeChanges(place, person),
    lay: (tree) => lay(place, tree),
    async freshGit(git) {
      place.tip ??= await readTip(place, person);
      await writeSessionGit(place, person, git);
      writeModuleGits(place);
    },
    async capture() {
      place.tip ??= await readTip(place, person);
      return await capture(place);
    },
    noteBrought: (session) => noteBrought(place.options.home, place.folder, session),
    changedBrought: (session) => changedBrought(place.options.home, place.folder, session),
    sessionMessages: () => sessionMessages(place),
    takeTags: () => takeTags(place, person),
    commit: (request) => commitOwnCopy(place, person, request),
    follow: (wish) => follow(place, person, wish),
    async deliver(held) {
      const delivery = await deliver(place, person, held ?? null);
      const notes = place.notes.splice(0);
      return notes.length === 0 ? delivery : { ...delivery, notes };
    },
    deliverInto: (branch) => deliverInto(place, person, branch),
    remove: () => removePlace(place),
  };
}

// Makes a workspace, or mends one that a kill cut short. Order that matters on a crash: the start is held
// by refs before anything is built on it; the record follows; the files appear whole, by one rename.

async function openOwnCopy(place: Place): Promise<readonly string[]> {
  const { options, person } = place;
  if (person === null) {
    throw new StintError(
      "bad-input",
      `${options.checkout} is not the top of a git repository`,
      "Work in place there: stint run --in-place",
    );
  }
  await openRepositories(place, options.home);
  await startRecord(place, person);
  await moveOn(place, person);
  const tip = await readTip(place, person);
  removeTree(join(options.home, "tree.tmp"));
  removeTree(join(options.home, "side"));
  if (!existsSync(place.folder)) await fill(place, tip.tree);
  await mendDelivery(place, person);
  knowMended(place);
  return [...place.notes.splice(0), ...(await submoduleNotes(place))];
}

/** A delivery that was completed left its own record, of the time when it began. */
function knowMended(place: Place): void {
  const { home } = place.options;
  const stored = readRecord(home);
  if (stored === null || JSON.stringify(stored) === JSON.stringify(place.record)) return;
  place.record = { ...place.record, held: stored.held };
  writeRecord(home, place.record);
}

/** The parts that both kinds need: folders, settings, Stint's own repository. */
export async function openRepositories(place: Place, probeIn: string | null): Promise<void> {
  const { options, person, git } = place;
  mkdirSync(options.home, { recursive: true, mode: 0o700 });
  if (options.owner !== undefined) keepOwner(options.home, options.owner);
  if (options.hide.length === 0 && options.shownAt === "checkout") {
    for (const name of ["objects", "own-objects", "modules"]) {
      mkdirSync(join(seenFolder(options), name), { recursive: true });
    }
  }
  clearOwnLocks(git.gitDir);
  if (person !== null) await clearRefLocks(person, options);
  place.settings = person === null ? [] : await readSettings(person);
  writeOwnRepository({ gitDir: git.gitDir, probeIn, person, settings: place.settings });
  place.record = readRecord(options.home) ?? NEW_RECORD;
  place.isRecordAhead = false;
  place.indexTree = null;
}

/** Where the person is now becomes where the work starts. */
async function startRecord(place: Place, person: PersonRepository): Promise<void> {
  if (readRecord(place.options.home) !== null) return;
  const { base, tip } = ownRefs(place.options);
  const branch = await currentBranch(person);
  const refs = await readRefs(person, [base, tip, ...(branch === null ? [] : [branch])]);
  const here = branch === null ? await detachedCommit(person) : (refs.get(branch)?.commit ?? null);
  // Refs of a record that is gone: verified work that is nowhere else.
  const start = refs.get(tip)?.commit ?? here;
  if (start !== null && refs.get(tip) === undefined) {
    const held = refs.get(base)?.commit ?? null;
    await moveRefs(person, [
      { ref: base, to: start, from: held },
      { ref: tip, to: start, from: null },
    ]);
  }
  place.record = { ...place.record, branch, tip: start };
  writeRecord(place.options.home, place.record);
}

async function fill(place: Place, tree: string): Promise<void> {
  const { options, folder } = place;
  const draft = `${folder}.tmp`;
  mkdirSync(draft, { mode: 0o755 });
  rmSync(join(place.git.gitDir, "index"), { force: true });
  const git = gitAt({
    gitDir: place.git.gitDir,
    workTree: draft,
    config: "own",
    signal: options.signal,
  });
  await git.run(["read-tree", "--reset", "-u", tree], { isStrict: true });
  const brought = await options.bring(draft);
  const { aside, inputs } = await sortBrought(git, draft, brought);
  writeInputs(options.home, inputs);
  keepBroughtPaths(options.home, brought);
  place.record = { ...place.record, aside: aside.map(toText) };
  writeRecord(options.home, place.record);
  renameSync(draft, folder);
  syncFolder(options.home);
  place.indexTree = tree;
}

async function submoduleNotes(place: Place): Promise<string[]> {
  if (!existsSync(join(place.folder, ".gitmodules"))) return [];
  return await fillSubmodules(place, await listTree(place.git, [], "plain"));
}
