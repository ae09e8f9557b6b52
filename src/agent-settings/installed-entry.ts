// Stint in the settings file of an agent: looked for, put in, taken out. Every other byte stays, as do the rights of the
// file; one that was made for it goes with it, and so do the folders that were made. What a person changed stays, and no
// link is followed. Each file is replaced by a rename, so that its agent never reads half of one.
import { lstatSync, readFileSync, readlinkSync, unlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { makeFolder, removeIfEmpty, removeLeftTemps, writeWhole } from "../skills/whole-files.ts";
import type { Look } from "./entry.ts";
import { lookInJson, putIntoJson, takeFromJson } from "./json-entry.ts";
import type { SettingsPlace } from "./settings-places.ts";
import { lookInToml, putIntoToml, takeFromToml } from "./toml-entry.ts";

export type InstalledEntry =
  | Look
  /** On the way there is a link, which leads to `to`. */
  | { readonly state: "link"; readonly link: string; readonly to: string };

/** Larger than this is no settings file. */
const MOST_BYTES = 16 * 1024 * 1024;

export function settingsFile({ root, paths }: SettingsPlace): string {
  const there = paths.find((path) => lstatSync(join(root, path), { throwIfNoEntry: false }));
  return join(root, there ?? paths.at(-1) ?? "");
}

export function lookAtEntry(place: SettingsPlace): InstalledEntry {
  const file = settingsFile(place);
  for (const path of [...foldersTo(place), file]) {
    const facts = lstatSync(path, { throwIfNoEntry: false });
    if (facts === undefined) return { state: "absent" };
    if (facts.isSymbolicLink()) return { state: "link", link: path, to: readlinkSync(path) };
    const isRight = path === file ? facts.isFile() : facts.isDirectory();
    if (!isRight) return { state: "unreadable", why: `${path} is not a file or folder` };
    if (facts.isFile() && facts.size > MOST_BYTES) return { state: "unreadable", why: "too large" };
  }
  const { written } = place;
  const text = readFileSync(file, "utf8");
  return written.kind === "json" ? lookInJson(text, written) : lookInToml(text, written);
}

/** Where it is absent. @param remember keeps which folders were made for it, before the file is */
export function putEntry(place: SettingsPlace, remember: (made: readonly string[]) => void): void {
  const file = settingsFile(place);
  const made = foldersTo(place).filter((folder) => makeFolder(folder));
  if (made.length > 0) remember(made);
  removeLeftTemps(file);
  const facts = lstatSync(file, { throwIfNoEntry: false });
  const text = facts === undefined ? undefined : readFileSync(file, "utf8");
  const { written } = place;
  const next = written.kind === "json" ? putIntoJson(text, written) : putIntoToml(text, written);
  // What an agent adds to a file of the person later may be secret.
  const fresh = place.scope === "user" ? 0o600 : undefined;
  writeWhole(file, Buffer.from(next), facts?.mode ?? fresh);
}

/** Where it is as Stint wrote it. @param made the folders that were made for it */
export function takeEntry(place: SettingsPlace, made: readonly string[]): void {
  const file = settingsFile(place);
  removeLeftTemps(file);
  const { mode } = lstatSync(file);
  const text = readFileSync(file, "utf8");
  const { written } = place;
  const rest = written.kind === "json" ? takeFromJson(text, written) : takeFromToml(text, written);
  if (rest === undefined) unlinkSync(file);
  else writeWhole(file, Buffer.from(rest), mode);
  const own = new Set(foldersTo(place));
  for (const folder of made.filter((each) => own.has(each)).toReversed()) removeIfEmpty(folder);
}

/** Below the root, from the top down. */
function foldersTo(place: SettingsPlace): string[] {
  const folders: string[] = [];
  for (let at = dirname(settingsFile(place)); at.length > place.root.length; at = dirname(at)) {
    folders.unshift(at);
  }
  return folders;
}
