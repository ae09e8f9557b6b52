// Submodules of a workspace: where the person's checkout has one, its files are laid at the commit that the
// tree names, from the objects that the person's repository holds, without the network. No commit holds what
// changes inside: whether something did is asked of an index of Stint's own, which no session sees.
//
// Order that matters on a crash: the commit of one is forgotten before its files are touched, and noted when
// all of them are there. One without a note is laid anew.
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { StintError } from "../../core/stint-error.ts";
import { readIfThere, removeDurably, writeDurably } from "../base/durable-file.ts";
import { renderSettings } from "../base/git-config.ts";
import { type Git, gitAt, runWriting, warningsOf } from "../base/own-git.ts";
import { alternates, writeOwnRepository } from "../base/own-repository.ts";
import {
  findPersonRepository,
  type PersonRepository,
  readSettings,
} from "../base/person-repository.ts";
import { type Place, seenModule } from "../base/place.ts";
import {
  factsOf,
  isBelow,
  isReallyInside,
  isText,
  onDisk,
  type RawPath,
  toRaw,
  toText,
} from "../base/raw-path.ts";
import { openFolder, removeTree } from "../base/remove-tree.ts";
import type { Listing } from "./list-tree.ts";
import { writeRepository } from "./session-git.ts";

const MOST = 100;
/** What a partial clone lacks is not fetched for this. */
const OFFLINE = { GIT_NO_LAZY_FETCH: "1" };

/** Those whose folder is empty are filled; whatever lies in one is left. @returns what a person is told */
export async function fillSubmodules(place: Place, listing: Listing): Promise<string[]> {
  const notes: string[] = [];
  for (const path of ownSubmodules(place, listing)) {
    if (!isFolder(place, path) || isFilled(place, path)) continue;
    // oxlint-disable-next-line no-await-in-loop
    const why = await fill(place, listing, path);
    if (why === null) continue;
    notes.push(
      `${toText(path)} is a submodule: its folder is empty in the workspace, because ${why}`,
    );
  }
  return notes;
}

/** As a checkout of the index has them. @returns those that were others */
export async function laySubmodules(place: Place, listing: Listing): Promise<RawPath[]> {
  if (place.options.kind === "in-place") return [];
  const paths = ownSubmodules(place, listing);
  const others: RawPath[] = [];
  forgetOthers(place, paths);
  for (const path of paths) {
    // One that is missing would be taken for one that the next session removed.
    if (factsOf(onDisk(place.folder, path)) === null) {
      mkdirSync(onDisk(place.folder, path), { recursive: true });
    }
    if (!isFolder(place, path)) continue;
    openFolder(onDisk(place.folder, path));
    const names = namesIn(place, path);
    // oxlint-disable-next-line no-await-in-loop
    if (names.length > 0 && (await isUnchanged(place, path, listing)) === true) continue;
    if (names.length > 0) others.push(path);
    forget(place, path);
    for (const name of names) removeTree(onDisk(place.folder, `${path}/${name}`));
    // oxlint-disable-next-line no-await-in-loop
    await fill(place, listing, path);
  }
  return others;
}

/** Null for one that Stint did not fill at this commit: nobody here knows. */
export async function isUnchanged(
  place: Place,
  path: RawPath,
  listing: Listing,
): Promise<boolean | null> {
  if (commitIn(homeOf(place, path)) !== listing.tracked.get(path)?.oid) return null;
  const args = ["ls-files", "-z", "-m", "-d", "-o", "--exclude-standard"];
  try {
    const { bytes, stderr } = await gitOf(place, path).run(args, { env: OFFLINE });
    return bytes.length === 0 && warningsOf(stderr).length === 0;
  } catch (error) {
    // What git cannot look into is not as it was laid.
    if (error instanceof StintError) return false;
    throw error;
  }
}

/** One that may not be looked into counts as filled. */
export function isFilled(place: Place, path: RawPath): boolean {
  try {
    return namesIn(place, path).length > 0;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EACCES") return true;
    throw error;
  }
}

/** A throwaway repository in each that was filled, as what runs next finds one in the workspace itself. */
export function writeModuleGits(place: Place): void {
  for (const home of filledHomes(place)) {
    const path = toRaw(String(readIfThere(join(home, "path"))));
    const commit = commitIn(home);
    if (commit === null || !isFolder(place, path)) continue;
    const borrowed = linesIn(join(home, "objects", "info", "alternates"));
    writeRepository(join(place.folder, toText(path), ".git"), join(home, "index"), {
      HEAD: `${commit}\n`,
      config: renderSettings(settingsFor(commit)),
      "objects/info/alternates": alternates(
        borrowed.flatMap((line) => seenModule(place, line) ?? []),
      ),
      shallow: readIfThere(join(home, "shallow")),
    });
  }
}

function settingsFor(commit: string) {
  const isLong = commit.length === 64;
  return [
    { key: "core.repositoryformatversion", value: isLong ? "1" : "0" },
    { key: "core.bare", value: "false" },
    { key: "gc.auto", value: "0" },
    ...(isLong ? [{ key: "extensions.objectformat", value: "sha256" }] : []),
  ];
}

/** @returns why it stays empty */
async function fill(place: Place, listing: Listing, path: RawPath): Promise<string | null> {
  const commit = listing.tracked.get(path)?.oid ?? "";
  const person = personModule(place, path);
  if (person === null) return "your checkout has none of its files (git submodule update --init)";
  if (filledHomes(place).length >= MOST) return `no more than ${MOST} are filled`;
  const home = homeOf(place, path);
  try {
    mkdirSync(home, { recursive: true, mode: 0o700 });
    const settings = await readSettings(person);
    writeOwnRepository({ gitDir: home, probeIn: place.options.home, person, settings });
    const git = gitOf(place, path);
    rmSync(git.index, { force: true });
    const asked = ["cat-file", "-e", `${commit}^{commit}`];
    const { code } = await git.run(asked, { accept: [0, 1, 128], env: OFFLINE });
    if (code !== 0) {
      return `your repository does not have its commit ${commit.slice(0, 12)} (git submodule update)`;
    }
    const args = ["read-tree", "--reset", "-u", commit];
    await runWriting(git, git.index, args, { isStrict: true, env: OFFLINE });
  } catch (error) {
    if (!(error instanceof StintError) || error.code !== "git-failed") throw error;
    for (const name of namesIn(place, path)) removeTree(onDisk(place.folder, `${path}/${name}`));
    return error.message;
  }
  writeDurably(join(home, "path"), toText(path));
  writeDurably(join(home, "commit"), `${commit}\n`);
  return null;
}

/** Null where the person's checkout has no files of it, or keeps its repository elsewhere. */
function personModule(place: Place, path: RawPath): PersonRepository | null {
  const { checkout } = place.options;
  if (!isText(path) || !isReallyInside(checkout, path)) return null;
  const there = join(checkout, toText(path));
  if (factsOf(there)?.isDirectory() !== true) return null;
  const found = findPersonRepository(there);
  const [first] = found?.objects ?? [];
  return first === undefined || seenModule(place, first) === null ? null : found;
}

function ownSubmodules(place: Place, listing: Listing): RawPath[] {
  const brought = place.record.aside.map(toRaw);
  return listing.tracked.submodules.filter((path) => !isBelow(path, brought));
}

function isFolder(place: Place, path: RawPath): boolean {
  const isInside = isReallyInside(place.folder, path);
  return isInside && factsOf(onDisk(place.folder, path))?.isDirectory() === true;
}

function namesIn(place: Place, path: RawPath): string[] {
  return readdirSync(onDisk(place.folder, path), "latin1");
}

function gitOf(place: Place, path: RawPath): Git {
  return gitAt(homeOf(place, path), join(place.folder, toText(path)));
}

function homeOf({ options }: Place, path: RawPath): string {
  const name = createHash("sha256").update(path).digest("hex").slice(0, 16);
  return join(options.home, "modules", name);
}

function filledHomes({ options }: Place): string[] {
  const folder = join(options.home, "modules");
  if (factsOf(folder) === null) return [];
  return readdirSync(folder)
    .map((name) => join(folder, name))
    .filter((home) => commitIn(home) !== null);
}

function commitIn(home: string): string | null {
  return readIfThere(join(home, "commit"))?.toString("latin1").trim() ?? null;
}

function forget(place: Place, path: RawPath): void {
  const noted = join(homeOf(place, path), "commit");
  if (readIfThere(noted) !== null) removeDurably(noted);
}

/** Of a path that is no submodule any more. */
function forgetOthers(place: Place, paths: readonly RawPath[]): void {
  const kept = new Set(paths.map((path) => homeOf(place, path)));
  for (const home of filledHomes(place)) if (!kept.has(home)) removeTree(home);
}

function linesIn(file: string): string[] {
  const text = readIfThere(file)?.toString("utf8") ?? "";
  return text.split("\n").filter((line) => line !== "");
}
