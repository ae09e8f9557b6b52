// Opens the person's folder as a workspace. Nothing in it is changed: what no tree can hold is named and
// left out from then on.
import { listTree } from "./tree/list-tree.ts";
import { openRepositories } from "./open-place.ts";
import { asidePaths, readTree } from "./tree/own-index.ts";
import { currentBranch } from "./repository/person-repository.ts";
import type { Place } from "./repository/place.ts";
import { isText, toText } from "./disk/raw-path.ts";
import { readRecord, writeRecord } from "./repository/record.ts";
import { moveRefs, ownRefs } from "./commit/refs.ts";
import { surveyFolders } from "./tree/survey-folders.ts";
import { personHead, readTipInPlace } from "./commit/tip-in-place.ts";

export async function openInPlace(place: Place): Promise<readonly string[]> {
  const { options, person } = place;
  await openRepositories(place, null);
  const isNew = readRecord(options.home) === null;
  const head = await personHead(place);
  if (isNew) {
    if (head !== null) await readTree(place, head.tree);
    if (person !== null) {
      place.record = { ...place.record, branch: await currentBranch(person) };
      if (head !== null) await holdStart(place, head.commit);
    }
  }
  const notes = await leaveOut(place);
  if (isNew) await readTipInPlace(place);
  return notes;
}

/** Without it, an amended start could be collected while our trees still borrow from it. */
async function holdStart({ options, person }: Place, commit: string): Promise<void> {
  if (person === null) return;
  await moveRefs(person, [{ ref: ownRefs(options).base, to: commit }]);
}

async function leaveOut(place: Place): Promise<string[]> {
  if (place.record.isActing) return [];
  const aside = asidePaths(place);
  const listing = await listTree(place.git, aside, "plain");
  const survey = surveyFolders(place.folder, listing, aside);
  const unnamed = listing.others.filter((path) => !isText(path));
  const found = [...survey.nested, ...survey.unreadable, ...unnamed].map(toText);
  if (found.length === 0) return [];
  place.record = { ...place.record, nested: [...place.record.nested, ...found] };
  writeRecord(place.options.home, place.record);
  return found.map(
    (path) => `${path} is left out: a repository of its own, not readable, or not named in UTF-8`,
  );
}
