// Makes the files those of a tree. Ignored files and what was brought stay; files that are right already
// keep their time. Nothing outside of the folder is touched, whatever links lie in it.
import { SUBMODULE } from "../../git/diff-trees.ts";
import { GitIsTrapped, runWriting } from "../base/own-git.ts";
import type { Place } from "../base/place.ts";
import {
  factsOf,
  foldersAbove,
  isBelow,
  joinRecords,
  onDisk,
  type RawPath,
  toRaw,
  toText,
} from "../base/raw-path.ts";
import { openFolder, openPath, removeInside, removeTree } from "../base/remove-tree.ts";
import { isUntouched, putInputBack, readInputs, writeInputs } from "./brought.ts";
import { compareFiles, mayConvert, namesAttributes } from "./conversions.ts";
import { type Listing, listPlace, listTree, surveyFolders } from "./list-tree.ts";
import { asidePaths, readTree } from "./own-index.ts";
import { restoreStarted } from "./started-files.ts";
import { laySubmodules } from "./submodules.ts";
import { touchedFiles } from "./touched-files.ts";

/** Each look may bring to light what an ignore file hid that was removed in the one before. */
const LOOKS = 8;
const IGNORES = /(?:^|\/)\.gitignore$/;

/** `keep` stays as it is. @returns the paths that were others */
export async function lay(
  place: Place,
  tree: string,
  keep: ReadonlySet<RawPath> = new Set(),
): Promise<readonly string[]> {
  try {
    return await layTree(place, tree, keep);
  } catch (error) {
    if (!(error instanceof GitIsTrapped)) throw error;
    for (const path of error.paths) removeInside(place.folder, path);
    const names = error.paths.map(toText);
    return [...new Set([...names, ...(await lay(place, tree, keep))])].toSorted();
  }
}

async function layTree(
  place: Place,
  tree: string,
  keep: ReadonlySet<RawPath>,
): Promise<readonly string[]> {
  await restoreStarted(place, tree, keep);
  await readTree(place, tree);
  const own = place.options.ownPaths.map(toRaw);
  const touched = new Set<RawPath>();
  let listing: Listing;
  for (let look = 1; ; look++) {
    listing = await listPlace(place, asidePaths(place));
    const done = await layOnce(place, listing, keep);
    for (const path of done) touched.add(path);
    if (!done.some((path) => IGNORES.test(path)) || look === LOOKS) break;
  }
  if (namesAttributes([...touched])) await settleAll(place, touched);
  else if (place.options.kind === "own-copy" && mayConvert(place, listing)) {
    const written = touchedFiles(place, listing).filter((path) => !keep.has(path));
    await settle(place, written, touched);
  }
  return [...touched]
    .filter((path) => !isBelow(path, own))
    .map((path) => toText(path.replace(/\/$/, "")))
    .toSorted();
}

async function layOnce(
  place: Place,
  listing: Listing,
  keep: ReadonlySet<RawPath>,
): Promise<RawPath[]> {
  const { folder, options } = place;
  const aside = asidePaths(place);
  const survey = surveyFolders(folder, listing, aside);
  if (survey.unreadable.length > 0 || listing.tooDeep.length > 0) {
    for (const path of listing.tooDeep) removeInside(folder, path);
    for (const path of survey.unreadable) {
      // In a folder that was closed nothing may be there after all.
      if (factsOf(onDisk(folder, path)) !== null) openPath(onDisk(folder, path));
    }
    return await layOnce(place, await listPlace(place, aside), keep);
  }
  const inputs = readInputs(options.home);
  const changed = listing.changed.filter((path) => !keep.has(path));
  const others = listing.others.filter((path) => !keep.has(path) && !inputs.has(path));
  const lost = [...inputs.keys()].filter(
    (path) => !listing.tracked.has(path) && !isUntouched(folder, path, inputs),
  );
  for (const path of others) removeInside(folder, path);
  if (options.kind === "own-copy") {
    for (const path of survey.nested) removeTree(onDisk(folder, `${path}/.git`));
    for (const path of survey.empty) removeTree(onDisk(folder, path));
  }
  const filled = await laySubmodules(place, listing);
  await checkOut(place, changed);
  for (const path of lost) putInputBack(folder, options.checkout, path, inputs);
  if (lost.length > 0) writeInputs(options.home, inputs);
  return [...changed, ...others, ...survey.nested, ...filled, ...lost];
}

async function checkOut(place: Place, paths: readonly RawPath[]): Promise<void> {
  if (paths.length === 0) return;
  // It notes in the index what it wrote.
  const args = ["checkout-index", "-f", "-u", "-z", "--stdin"];
  const command = { input: joinRecords(paths), isStrict: true };
  const write = () => runWriting(place.git, place.git.index, args, command);
  try {
    await write();
  } catch {
    // A session may have taken its own rights away.
    for (const above of new Set(paths.flatMap(foldersAbove)))
      openFolder(onDisk(place.folder, above));
    await write();
  }
}

/** Other attributes mean other bytes, also in files that nobody touched. */
async function settleAll(place: Place, touched: Set<RawPath>): Promise<void> {
  const listing = await listTree(place.git, [], "plain");
  if (!mayConvert(place, listing)) return;
  const files = [...listing.tracked].filter(([, { mode }]) => mode !== SUBMODULE);
  await settle(
    place,
    files.map(([path]) => path),
    touched,
  );
}

/** Files that git would store as they are in the tree may have other bytes than a checkout gives. */
async function settle(
  place: Place,
  files: readonly RawPath[],
  touched: Set<RawPath>,
): Promise<void> {
  const aside = asidePaths(place);
  const paths = files.filter((path) => !isBelow(path, aside));
  if (paths.length === 0) return;
  const { other } = await compareFiles(place, paths, place.git.index, "remove");
  await checkOut(place, other);
  for (const path of other) touched.add(path);
}
