// What is in the workspace now, as a tree whose checkout gives exactly these files. What no commit can
// hold is named instead, with what to do about it.
import { isSameEntry, type TreeEntry } from "../../git/diff-trees.ts";
import { failure, machineFailure } from "../../git/run-git.ts";
import { GitCannotConvert, GitIsTrapped } from "../base/own-git.ts";
import type { Place } from "../base/place.ts";
import { factsOf, isBelow, isText, onDisk, type RawPath, toRaw, toText } from "../base/raw-path.ts";
import { removeTree } from "../base/remove-tree.ts";
import { covering, isUntouched, readInputs } from "./brought.ts";
import { ATTRIBUTES, captureConverted, mayConvert } from "./conversions.ts";
import { type Listing, listPlace, noteSuspects, surveyFolders } from "./list-tree.ts";
import {
  addAll,
  asidePaths,
  ownEntriesOf,
  ownPathsOf,
  setEntries,
  writeTree,
} from "./own-index.ts";
import { changedStarted, startedProblem } from "./started-files.ts";
import { isFilled, isUnchanged } from "./submodules.ts";
import { touchedFiles } from "./touched-files.ts";
import type { Captured, Uncommittable } from "../workspace.ts";

export async function capture(place: Place): Promise<Captured> {
  try {
    return await captureFiles(place);
  } catch (error) {
    if (error instanceof GitIsTrapped) {
      return { kind: "uncommittable", problems: problemsOf("trap", error.paths) };
    }
    if (!(error instanceof GitCannotConvert)) throw error;
    return { kind: "uncommittable", problems: refusedByGit(error.said) };
  }
}

async function captureFiles(place: Place): Promise<Captured> {
  const started = await changedStarted(place);
  if (started.length > 0) return { kind: "uncommittable", problems: started.map(startedProblem) };
  const before = place.indexTree;
  const aside = asidePaths(place);
  const listing = await listPlace(place, aside);
  const survey = surveyFolders(place.folder, listing, aside);
  const problems = [
    ...problemsOf("nested", survey.nested),
    ...problemsOf("unreadable", survey.unreadable),
    ...problemsOf("tooDeep", listing.tooDeep),
    ...problemsOf(
      "unnameable",
      listing.others.filter((path) => !isText(path)),
    ),
    ...tooLarge(place.folder, [...listing.changed, ...listing.others]),
    ...problemsOf("submodule", await changedSubmodules(place, listing)),
  ];
  if (problems.length > 0) return { kind: "uncommittable", problems };

  const except = [
    ...listing.asideInSight,
    ...presentSubmodules(place, listing),
    ...untouchedInputs(place, listing),
  ];
  place.mayConvert = mayConvert(place, listing);
  // Git adds what it would store otherwise, and takes all others for unchanged from then on. In place the files are the
  // person's own, and keep the bytes that they have there.
  const isOwn = place.options.kind === "own-copy";
  const touched = isOwn && place.mayConvert ? touchedFiles(place, listing) : [];
  const { said, isWritten } = await addAll(place, except);
  if (said === null && !isWritten && hasNews(listing, except)) await assertNoNews(place, except);
  if (said !== null) {
    // A full disk is nothing that the session left.
    const ofMachine = machineFailure(place.git.gitDir, ["add", "-A"], said);
    if (ofMachine !== null) throw ofMachine;
    return { kind: "uncommittable", problems: refusedByGit(said) };
  }
  await holdOwnEntries(place, listing);
  const tree = await writeTree(place);
  noteSuspects(place, [...listing.changed, ...listing.others], Date.now());
  const emptied = isOwn ? survey.empty : [];
  emptied.forEach((path) => removeTree(onDisk(place.folder, path)));
  const captured: Captured = place.mayConvert
    ? await captureConverted(place, { before, stored: tree, touched }, except)
    : { kind: "captured", tree };
  if (captured.kind !== "captured" || emptied.length === 0) return captured;
  const told = emptied.filter((path) => !isOfStint(place, path)).map(toText);
  return told.length === 0 ? captured : { ...captured, emptied: told };
}

/** On the way to what Stint itself writes, or below it. */
function isOfStint(place: Place, path: RawPath): boolean {
  const own = ownPathsOf(place);
  return isBelow(path, own) || own.some((each) => isBelow(each, [path]));
}

function hasNews({ changed, others }: Listing, except: readonly RawPath[]): boolean {
  return [...changed, ...others].some((path) => !isBelow(path, except));
}

/** Git wrote no index although there was something to add: it may have gone again meanwhile. */
async function assertNoNews(place: Place, except: readonly RawPath[]): Promise<void> {
  if (!hasNews(await listPlace(place, asidePaths(place)), except)) return;
  throw failure(place.git.gitDir, ["add", "-A"], "it left the index as it was", "");
}

/** Stint's own paths are as the tip has them, whatever lies there. */
async function holdOwnEntries(place: Place, listing: Listing): Promise<void> {
  const own = ownPathsOf(place);
  if (place.tip === null || own.length === 0) return;
  const wanted = await ownEntriesOf(place, place.tip.tree);
  const wrong = new Map<RawPath, TreeEntry>();
  const tracked = listing.tracked.below(own);
  for (const [path, entry] of tracked) {
    if (!wanted.has(path)) wrong.set(path, { mode: "000000", oid: entry.oid });
  }
  for (const [path, entry] of wanted) {
    const there = tracked.get(path);
    if (there === undefined || !isSameEntry(there, entry)) wrong.set(path, entry);
  }
  await setEntries(place, wrong);
}

function untouchedInputs(place: Place, listing: Listing): RawPath[] {
  const inputs = readInputs(place.options.home);
  if (inputs.size === 0) return [];
  const isLeft = (path: RawPath): boolean =>
    !listing.tracked.has(path) && isUntouched(place.folder, path, inputs);
  const untouched = listing.others.filter(isLeft);
  const rest = [...listing.tracked.keys(), ...listing.others.filter((path) => !isLeft(path))];
  return covering(untouched, rest);
}

/** Git would start itself inside of them, with what a session configured there. */
function presentSubmodules(place: Place, listing: Listing): RawPath[] {
  return listing.tracked.submodules.filter(
    (path) => factsOf(onDisk(place.folder, path))?.isDirectory() === true,
  );
}

async function changedSubmodules(place: Place, listing: Listing): Promise<RawPath[]> {
  const filled = presentSubmodules(place, listing).filter(
    (path) => !isBelow(path, place.record.aside.map(toRaw)) && isFilled(place, path),
  );
  const clean = await Promise.all(filled.map((path) => isCleanSubmodule(place, path, listing)));
  return filled.filter((_, at) => clean[at] !== true);
}

/** One that Stint did not fill is asked where sessions run: its repository is a session's. */
async function isCleanSubmodule(place: Place, path: RawPath, listing: Listing): Promise<boolean> {
  const known = await isUnchanged(place, path, listing);
  if (known !== null) return known;
  const cwd = `${place.at}/${toText(path)}`;
  if (factsOf(onDisk(place.folder, `${path}/.git`)) === null) return false;
  const ask = (args: readonly string[]) =>
    place.options.runInside({ program: "git", args, cwd, env: {} });
  const head = await ask(["rev-parse", "--verify", "HEAD"]);
  if (head.exitCode !== 0 || head.output.trim() !== listing.tracked.get(path)?.oid) return false;
  const status = await ask(["status", "--porcelain", "--untracked-files=all"]);
  return status.exitCode === 0 && status.output.trim() === "";
}

/** What no commit can hold, and what to do about it. */
const PROBLEMS = {
  trap: (path: string) => ["is a pipe or a device where git reads a file", `remove it: rm ${path}`],
  nested: (path: string) => [
    "is a nested git repository, so its files are in no commit",
    `remove its .git folder (rm -rf ${path}/.git), or add it as a submodule yourself`,
  ],
  unreadable: (path: string) => ["cannot be read", `make it readable: chmod u+rwX ${path}`],
  tooDeep: (path: string) => [
    "has paths that are longer than the system takes",
    `remove it: rm -r ${path}`,
  ],
  unnameable: () => [
    "has a name that is not valid UTF-8",
    "rename it, or add it to .gitignore if it is not part of the work",
  ],
  submodule: () => [
    "is a submodule, and changes inside it are in no commit of this repository",
    "undo the changes inside it; a person commits them in the submodule's own repository",
  ],
} satisfies Record<string, (path: string) => [why: string, hint: string]>;

function problemsOf(kind: keyof typeof PROBLEMS, paths: readonly RawPath[]): Uncommittable[] {
  return paths.map(toText).map((path) => {
    const [why, hint] = PROBLEMS[kind](path);
    return { path, why, hint };
  });
}

/** Git names the path in quotes, or before the filter that failed. */
function refusedByGit(said: string): Uncommittable[] {
  const line = said.split("\n").find((each) => /^(?:error|fatal|warning): /.test(each)) ?? said;
  const invalid = /invalid path '(.+?)'/.exec(said)?.[1];
  if (invalid !== undefined) {
    const why = "has a name that git never stores";
    return [{ path: invalid, why, hint: "remove it, or give it another name" }];
  }
  const quoted = /open\("(.+?)"\)/.exec(said)?.[1] ?? /(?<!filter )'(.+?)'/.exec(said)?.[1];
  const filtered = /^fatal: (.+): (?:clean|smudge) filter/m.exec(said)?.[1];
  return [
    {
      path: filtered ?? quoted ?? ".",
      why: `cannot be stored: ${line.replace(/^\w+: /, "")}`,
      hint: hintFor(said),
    },
  ];
}

const UNCONVERTED = /failed to encode '|BOM is (?:required|prohibited) in '|smudge filter/;

function hintFor(said: string): string {
  if (ATTRIBUTES.test(said)) return "correct .gitattributes";
  return UNCONVERTED.test(said)
    ? "correct what .gitattributes says of this path, or save the file as it says"
    : "make it a file that git can read and store: git add -A must succeed without a warning";
}

const GIBIBYTE = 1024n * 1024n * 1024n;
const MOST_BYTES = 2n * GIBIBYTE;
const MOST_NAMED = 3;

/**
 * More than a repository should take up at once: git would read, compress and store all of it before anybody is
 * asked. A file without content that claims to be huge counts with its claim. @returns the largest of them
 */
function tooLarge(folder: string, paths: readonly RawPath[]): Uncommittable[] {
  const files = paths.map((path) => ({ path, bytes: sizeOf(folder, path) }));
  const all = files.reduce((sum, { bytes }) => sum + bytes, 0n);
  if (all <= MOST_BYTES) return [];
  const largest = files.toSorted((one, other) => (one.bytes < other.bytes ? 1 : -1));
  return largest.slice(0, MOST_NAMED).map(({ path, bytes }) => ({
    path: toText(path),
    why: `takes ${shown(bytes)}, and all changed files together ${shown(all)}: more than 2 GiB`,
    hint: `remove it, or add it to .gitignore if it is not part of the work`,
  }));
}

function sizeOf(folder: string, path: RawPath): bigint {
  const facts = factsOf(onDisk(folder, path));
  return facts?.isFile() === true ? facts.size : 0n;
}

function shown(bytes: bigint): string {
  return bytes < GIBIBYTE
    ? `${bytes / (1024n * 1024n)} MiB`
    : `${(Number(bytes / (1024n * 1024n)) / 1024).toFixed(1)} GiB`;
}
