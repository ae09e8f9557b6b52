// A workspace with a folder of its own. What reaches the person's repository are verified commits.
import { branchName } from "../git/refs.ts";
import { capture } from "./tree/capture.ts";
import { commitOwnCopy } from "./commit/commit-own-copy.ts";
import { deliver } from "./deliver/deliver.ts";
import { follow } from "./follow/follow.ts";
import { deliverInto } from "./deliver/deliver-into.ts";
import { includeChanges } from "./commit/include.ts";
import { lay } from "./tree/lay.ts";
import { openOwnCopy } from "./open-place.ts";
import type { PersonRepository } from "./repository/person-repository.ts";
import type { Place } from "./repository/place.ts";
import { NEW_RECORD, readRecord } from "./repository/record.ts";
import { removePlace } from "./remove-place.ts";
import { writeSessionGit } from "./tree/session-git.ts";
import { sessionMessages } from "./commit/session-messages.ts";
import { sharedActs } from "./shared-acts.ts";
import { writeModuleGits } from "./tree/submodules.ts";
import { takeTags } from "./commit/take-tags.ts";
import { readTip } from "./commit/tip.ts";
import { changedBrought, noteBrought } from "./bring/watch-brought.ts";
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
