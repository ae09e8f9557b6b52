// Puts delivered files in place of the ones that were committed before, and takes that back. A file is never
// written over: what lies at its path is taken away by its name, looked at, and the new one is put where
// nothing is. So whatever a person saves meanwhile, into the file or over it, at any moment, is found:
//   - saved before it is taken: it looks otherwise, goes back to its path, and the delivery is undone
//   - saved into the file that was taken: it looks otherwise in the end, and goes back to its path
//   - saved where the new one is to be put, or over it: that stays
// Each act may be killed at any call and repeated.
import {
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmdirSync,
  statSync,
  symlinkSync,
  unlinkSync,
} from "node:fs";
import { join } from "node:path";
import type { DeliveryIntent } from "../../core/schema/workspace-record.ts";
import type { PersonRepository } from "../base/person-repository.ts";
import { factsOf, foldersAbove, looksOf, onDisk, type RawPath, toText } from "../base/raw-path.ts";

export type LaidFiles = DeliveryIntent["laid"];
type LaidFile = LaidFiles["files"][number];

/** Why a file could not be put in place; the delivery is undone then. */
export class NotLaid extends Error {
  readonly path: string;
  readonly isSaved: boolean;

  constructor(path: RawPath, why: string, isSaved = false) {
    super(why);
    this.path = toText(path);
    this.isSaved = isSaved;
  }
}

/** Prepared files lie in `new`, those that they replace in `old`, by their number. */
export interface Stage {
  readonly checkout: string;
  readonly folder: string;
}

/** On the file system of the checkout, since names are all that changes hands. */
export function stageOf({ checkout, folder: { own } }: PersonRepository, project: string): Stage {
  const isNear = statSync(own).dev === statSync(checkout).dev;
  const name = `stint-delivery-${project}`;
  return { checkout, folder: isNear ? join(own, name) : join(checkout, `.${name}`) };
}

export function prepared({ folder }: Stage, path: RawPath): Buffer {
  return onDisk(join(folder, "new"), path);
}

export function layFiles(stage: Stage, { files, folders }: LaidFiles): void {
  mkdirSync(join(stage.folder, "old"), { recursive: true });
  const numbered = files.map((file, number) => ({ file, number }));
  for (const { file, number } of numbered.filter((each) => each.file.after === null)) {
    act(file.path, () => take(stage, file, number));
    removeEmptyAbove(stage, file.path);
  }
  for (const folder of folders) act(folder, () => mkdirIfNone(onDisk(stage.checkout, folder)));
  for (const { file, number } of numbered.filter((each) => each.file.after !== null)) {
    act(file.path, () => {
      if (file.before === null) removeEmptyFolder(onDisk(stage.checkout, file.path));
      else take(stage, file, number);
      // A folder may have gone with the last file that was in it.
      makeFoldersAbove(stage, file.path);
      putAt(prepared(stage, file.path), onDisk(stage.checkout, file.path));
    });
  }
}

/** Everything as it was, but for what the person saved meanwhile. @returns what they are told */
export function takeBack(stage: Stage, { files, folders }: LaidFiles): string[] {
  const numbered = files.map((file, number) => ({ file, number })).toReversed();
  const come = numbered.filter(({ file }) => file.after !== null);
  for (const { file } of come) removeDelivered(stage, file);
  for (const folder of folders.toReversed()) removeIfEmpty(onDisk(stage.checkout, folder));
  return numbered.flatMap(({ file, number }) => putOldBack(stage, file, number));
}

/** What was saved into files that had been taken away is the person's again. @returns what they are told */
export function giveSavedBack(stage: Stage, { files }: LaidFiles): string[] {
  return files.flatMap((file, number) => {
    const held = heldAt(stage, number);
    const looks = looksOf(held);
    if (looks === null || looks === file.before) return [];
    removeDelivered(stage, file);
    return putOldBack(stage, file, number);
  });
}

function take(stage: Stage, { path, before }: LaidFile, number: number): void {
  const [there, held] = [onDisk(stage.checkout, path), heldAt(stage, number)];
  renameSync(there, held);
  if (looksOf(held) === before) return;
  putAt(held, there);
  throw new NotLaid(path, "was saved while its delivery began", true);
}

/** The delivered file goes from its path, if it is still that. */
function removeDelivered(stage: Stage, { path, after }: LaidFile): void {
  const there = onDisk(stage.checkout, path);
  if (after === null || looksOf(there) !== after) return;
  const away = join(stage.folder, "away");
  renameSync(there, away);
  // Saved in this very moment: it stays.
  if (looksOf(away) === after) unlinkSync(away);
  else putAt(away, there);
}

function putOldBack(stage: Stage, { path, before }: LaidFile, number: number): string[] {
  const held = heldAt(stage, number);
  const looks = looksOf(held);
  if (looks === null) return [];
  const isSaved = looks !== before;
  const there = onDisk(stage.checkout, path);
  try {
    makeFoldersAbove(stage, path);
    if (looks === looksOf(there)) unlinkSync(held);
    else putAt(held, there);
    return isSaved ? [`${toText(path)} was saved during a delivery: it has your text`] : [];
  } catch (error) {
    if (!isTaken(error)) throw error;
    // Something of the person's lies there. What was committed needs no second place.
    return isSaved ? [keepSaved(stage, path, held)] : [];
  }
}

function keepSaved(stage: Stage, path: RawPath, held: Buffer): string {
  const folder = `${stage.folder}-saved`;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const name = toText(path).replaceAll("/", "%");
  const used = new Set(readdirSync(folder));
  let kept = name;
  for (let number = 2; used.has(kept); number++) kept = `${name}.${number}`;
  renameSync(held, join(folder, kept));
  return `what was saved to ${toText(path)} during a delivery is kept as ${join(folder, kept)}: another file is at its path`;
}

/** Gives a file its path, unless something lies there. */
function putAt(from: Buffer | string, to: Buffer): void {
  if (lstatSync(from).isSymbolicLink()) {
    symlinkSync(readlinkSync(from, "buffer"), to);
  } else {
    try {
      linkSync(from, to);
    } catch (error) {
      if (!WITHOUT_LINKS.has(String((error as NodeJS.ErrnoException).code))) throw error;
      if (factsOf(to) !== null) throw Object.assign(new Error("it is there"), { code: "EEXIST" });
      renameSync(from, to);
      return;
    }
  }
  unlinkSync(from);
}

/** File systems that know one name for a file, and files that only their owner may give another. */
const WITHOUT_LINKS = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "EMLINK", "ENOSYS"]);

function isTaken(error: unknown): boolean {
  return ["EEXIST", "ENOTDIR", "EISDIR"].includes(String((error as NodeJS.ErrnoException).code));
}

function heldAt({ folder }: Stage, number: number): Buffer {
  return Buffer.from(join(folder, "old", String(number)));
}

function makeFoldersAbove({ checkout }: Stage, path: RawPath): void {
  for (const above of foldersAbove(path).toReversed()) mkdirIfNone(onDisk(checkout, above));
}

function mkdirIfNone(folder: Buffer): void {
  const facts = factsOf(folder);
  if (facts === null) mkdirSync(folder);
  else if (!facts.isDirectory()) {
    throw Object.assign(new Error("a file is in the way"), { code: "ENOTDIR" });
  }
}

/** Git keeps no folders, so the last file takes its folder along. */
function removeEmptyAbove({ checkout }: Stage, path: RawPath): void {
  for (const above of foldersAbove(path)) if (!removeIfEmpty(onDisk(checkout, above))) return;
}

/** A folder in the place of a file, with nothing but such folders inside. */
function removeEmptyFolder(folder: Buffer): void {
  if (factsOf(folder)?.isDirectory() !== true) return;
  for (const name of readdirSync(folder, { encoding: "buffer" })) {
    removeEmptyFolder(Buffer.concat([folder, Buffer.from("/"), name]));
  }
  rmdirSync(folder);
}

function removeIfEmpty(folder: Buffer): boolean {
  try {
    rmdirSync(folder);
    return true;
  } catch {
    return false;
  }
}

function act(path: RawPath, what: () => void): void {
  try {
    what();
  } catch (error) {
    if (error instanceof NotLaid) throw error;
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    const isSaved = code === "EEXIST" || code === "ENOENT" || code === "ENOTEMPTY";
    throw new NotLaid(path, isSaved ? "was changed while its delivery began" : message, isSaved);
  }
}
