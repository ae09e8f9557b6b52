// Makes a workspace, or mends one that a kill cut short. Order that matters on a crash: the start is held
// by refs before anything is built on it; the record follows; the files appear whole, by one rename.
import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { StintError } from "../core/stint-error.ts";
import { sortBrought, writeInputs } from "./tree/brought.ts";
import { syncFolder } from "./disk/durable-file.ts";
import { listTree } from "./tree/list-tree.ts";
import { mendDelivery } from "./deliver/mend-delivery.ts";
import { moveOn } from "./follow/move-on.ts";
import { gitAt } from "./repository/own-git.ts";
import { clearOwnLocks, writeOwnRepository } from "./repository/own-repository.ts";
import {
  currentBranch,
  detachedCommit,
  type PersonRepository,
  readRefs,
  readSettings,
} from "./repository/person-repository.ts";
import type { Place } from "./repository/place.ts";
import { toText } from "./disk/raw-path.ts";
import { NEW_RECORD, readRecord, writeRecord } from "./repository/record.ts";
import { clearRefLocks } from "./repository/ref-locks.ts";
import { moveRefs, ownRefs } from "./commit/refs.ts";
import { removeTree } from "./disk/remove-tree.ts";
import { seenFolder } from "./tree/seen-objects.ts";
import { fillSubmodules } from "./tree/submodules.ts";
import { readTip } from "./commit/tip.ts";
import { keepBroughtPaths } from "./bring/watch-brought.ts";
import { keepOwner } from "./workspace-owner.ts";

export async function openOwnCopy(place: Place): Promise<readonly string[]> {
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
  return [...place.notes.splice(0), ...(await submoduleNotes(place))];
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
