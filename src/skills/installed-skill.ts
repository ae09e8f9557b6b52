// A skill in a place where an agent reads it: what is there, put there, taken away. Whatever somebody else wrote or
// edited stays, whole and unmixed with ours; no link is followed. Each file is replaced by a rename, and SKILL.md comes
// last and goes first: without it there is no skill, so no agent ever reads half of one. Every act may be repeated
// after a crash: a file that is what we ship is ours, whatever the record says.
import { createHash } from "node:crypto";
import { lstatSync, readlinkSync, unlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { type SkillRecord, skillRecord } from "../core/schema/skill-record.ts";
import type { SkillPlace } from "./skill-places.ts";
import { SKILL_FILE } from "./skill-text.ts";
import { readSkillTree, type SkillTree } from "./skill-tree.ts";
import { isTemp, makeFolder, removeIfEmpty, writeWhole } from "./whole-files.ts";

/** What comes with Stint. */
export interface ShippedSkill {
  readonly name: string;
  readonly files: ReadonlyMap<string, Buffer>;
}

export type Installed =
  | { readonly state: "absent" | "current" | "outdated" }
  /** Installed by Stint and changed since: these files. */
  | { readonly state: "edited"; readonly files: readonly string[] }
  /** Somebody else's skill of this name, or something else in its place. */
  | { readonly state: "foreign"; readonly why: string }
  /** On the way there is a link, which leads to `to`. */
  | { readonly state: "link"; readonly link: string; readonly to: string };

const RECORD_FILE = ".stint-skill.json";

export function skillFolder(place: SkillPlace, name: string): string {
  return join(place.root, place.path, name);
}

/** The folders from below the root down to that of the skill, relative to the root. */
function waysOf(place: SkillPlace, name: string): string[] {
  const parts = [...place.path.split("/"), name];
  return parts.map((_, index) => parts.slice(0, index + 1).join("/"));
}

export function lookAtSkill(place: SkillPlace, skill: ShippedSkill): Installed {
  for (const way of waysOf(place, skill.name)) {
    const path = join(place.root, way);
    const facts = lstatSync(path, { throwIfNoEntry: false });
    if (facts === undefined) return { state: "absent" };
    if (facts.isSymbolicLink()) return { state: "link", link: path, to: readlinkSync(path) };
    if (!facts.isDirectory()) return { state: "foreign", why: `${path} is not a folder` };
  }
  const folder = skillFolder(place, skill.name);
  return judge(readSkillTree(folder), skill);
}

function judge(tree: SkillTree, skill: ShippedSkill): Installed {
  const record = recordIn(tree);
  const names = new Set([...skill.files.keys(), ...Object.keys(record?.files ?? {})]);
  const differing = [...names, RECORD_FILE].filter((name) => {
    const there = tree.files.get(name);
    if (there === undefined) return isTaken(name, tree);
    if (name === RECORD_FILE) return false;
    return !isShipped(name, there, skill) && record?.files[name] !== sha256Of(there);
  });
  if (differing.length > 0) {
    if (record !== undefined) return { state: "edited", files: differing.toSorted() };
    return { state: "foreign", why: `${differing.toSorted().join(", ")} did not come from Stint` };
  }
  // What a killed installation left asks for the next one, or for its removal.
  if ([...tree.files.keys()].some(isTemp)) return { state: "outdated" };
  const ours = [...names].filter((name) => tree.files.has(name));
  if (ours.length === 0 && record === undefined) return { state: "absent" };
  // The record, too: a later update would take what it does not know for edited.
  const isCurrent =
    ours.length === skill.files.size &&
    [...skill.files].every(
      ([name, bytes]) =>
        tree.files.get(name)?.equals(bytes) === true && record?.files[name] === sha256Of(bytes),
    );
  return { state: isCurrent ? "current" : "outdated" };
}

/** Whether something that is no file stands where one belongs. */
function isTaken(name: string, { files, others }: SkillTree): boolean {
  const isOn = (path: string): boolean => name === path || name.startsWith(`${path}/`);
  return (
    others.some(isOn) ||
    [...files.keys()].some((path) => path.startsWith(`${name}/`) || (isOn(path) && path !== name))
  );
}

function isShipped(name: string, bytes: Buffer, { files }: ShippedSkill): boolean {
  return files.get(name)?.equals(bytes) === true;
}

/** Undefined also for one that is damaged: then only what we ship is known to be ours. */
function recordIn({ files }: SkillTree): SkillRecord | undefined {
  const bytes = files.get(RECORD_FILE);
  if (bytes === undefined) return undefined;
  try {
    const read = skillRecord.safeParse(JSON.parse(bytes.toString("utf8")));
    return read.success ? read.data : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Puts it there, or brings it up to date. Only for what is absent, outdated or current. Of skills in one place each knows
 * which folders were made for any of them, so that the last one takes them along.
 */
export function installSkill(
  place: SkillPlace,
  skill: ShippedSkill,
  others: readonly string[],
): void {
  const folder = skillFolder(place, skill.name);
  const made = waysOf(place, skill.name).filter((way) => makeFolder(join(place.root, way)));
  const tree = readSkillTree(folder);
  const before = recordIn(tree);
  const known = [skill.name, ...others].flatMap((name) => foldersMadeFor(place, name));
  const ways = waysOf(place, skill.name);
  const record = recordOf(
    skill,
    ways.filter((way) => made.includes(way) || known.includes(way)),
  );
  // Before the files of a first installation, so that a kill leaves the folders known; after those of a later one, so
  // that a kill leaves the old files known.
  if (before === undefined) writeWhole(join(folder, RECORD_FILE), record);
  const gone = Object.keys(before?.files ?? {}).filter((name) => !skill.files.has(name));
  for (const [name, bytes] of mainLast(skill.files)) {
    if (tree.files.get(name)?.equals(bytes) === true) continue;
    makeFolders(folder, dirname(name));
    writeWhole(join(folder, name), bytes);
  }
  for (const name of gone) removeFile(folder, name);
  if (before !== undefined) writeWhole(join(folder, RECORD_FILE), record);
  removeTemps(tree, folder);
}

function foldersMadeFor(place: SkillPlace, name: string): readonly string[] {
  const folder = skillFolder(place, name);
  if (lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) return [];
  return recordIn(readSkillTree(folder))?.folders_made ?? [];
}

/** Takes away what is ours and the folders that were made for it. @returns what else lies there, and stays */
export function removeSkill(place: SkillPlace, skill: ShippedSkill): readonly string[] {
  const folder = skillFolder(place, skill.name);
  const tree = readSkillTree(folder);
  const record = recordIn(tree);
  const names = new Set([...skill.files.keys(), ...Object.keys(record?.files ?? {})]);
  removeTemps(tree, folder);
  // Also those that are gone, for the folders that a kill left empty.
  removeFile(folder, SKILL_FILE);
  for (const name of names) removeFile(folder, name);
  const isOurs = (path: string): boolean => names.has(path) || path === RECORD_FILE || isTemp(path);
  const left = [...tree.files.keys(), ...tree.others].filter((path) => !isOurs(path));
  // Last of the files, so that a kill before it leaves the folders known.
  removeFile(folder, RECORD_FILE);
  const ways = new Set(waysOf(place, skill.name));
  const made = (record?.folders_made ?? []).filter((way) => ways.has(way));
  for (const way of made.toSorted((a, b) => b.length - a.length)) {
    removeIfEmpty(join(place.root, way));
  }
  return left;
}

function recordOf({ files }: ShippedSkill, made: readonly string[]): Buffer {
  const digests = [...files].map(([name, bytes]) => [name, sha256Of(bytes)] as const);
  const record = {
    installed_by: "stint",
    files: Object.fromEntries(digests) as SkillRecord["files"],
    folders_made: [...made],
  } satisfies SkillRecord;
  return Buffer.from(`${JSON.stringify(record, null, 2)}\n`);
}

function mainLast(files: ReadonlyMap<string, Buffer>): [string, Buffer][] {
  return [...files].toSorted(([a], [b]) => Number(a === SKILL_FILE) - Number(b === SKILL_FILE));
}

function makeFolders(folder: string, below: string): void {
  if (below === ".") return;
  makeFolders(folder, dirname(below));
  makeFolder(join(folder, below));
}

/** The file, and the folders below the skill's that are empty without it. */
function removeFile(folder: string, name: string): void {
  try {
    unlinkSync(join(folder, name));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
  for (let at = dirname(name); at !== "."; at = dirname(at)) removeIfEmpty(join(folder, at));
}

/** What a killed installation left. */
function removeTemps(tree: SkillTree, folder: string): void {
  for (const path of tree.files.keys()) if (isTemp(path)) removeFile(folder, path);
}

function sha256Of(bytes: Buffer): string {
  return createHash("sha256").update(bytes).digest("hex");
}
