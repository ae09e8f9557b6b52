// Parts of a workspace that are not what they have to be: small files that are damaged, and what is in the place of a file
// or a folder. They are set aside, never removed: without them the next opening makes them again from what git holds. Where
// nobody knows any more which files were brought along, the files of the workspace are set aside, too: what was brought
// would be taken for work.
import { existsSync, readdirSync, renameSync, statSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { isWithin } from "../core/files.ts";
import type { KeptSchema } from "../core/json-line.ts";
import { StintError } from "../core/stint-error.ts";
import {
  broughtInputs,
  broughtNote,
  broughtPaths,
  storedRecord,
} from "../core/schema/workspace-record.ts";
import { lookAt } from "../process/look-at.ts";
import { inTheWayOf } from "../process/meaning-at.ts";
import { DAMAGED, readKept, syncFolder } from "./base/durable-file.ts";

export interface DamagedRecord {
  readonly path: string;
  readonly why: string;
}

/** Below a workspace, which is one itself. Git waits for ever for a pipe, and follows no circle of links. */
const FOLDERS = [
  ["", "tree", "git", "git/info", "git/refs", "git/refs/heads"],
  ["git/objects", "git/objects/info", "git/objects/pack"],
].flat();
const FILES_OF_GIT = [
  ["HEAD", "config", "index", "packed-refs", "shallow"],
  ["info/attributes", "info/exclude", "objects/info/alternates"],
]
  .flat()
  .map((name) => join("git", name));

/** Null: only that it is a file matters. */
const RECORDS: Readonly<Record<string, KeptSchema<unknown> | null>> = {
  "record.json": storedRecord,
  "inputs.json": broughtInputs,
  "brought.json": broughtPaths,
  "brought-before.json": broughtNote,
  "state-folder": null,
  "session-began": null,
  "use.json": null,
};

export function damagedRecords(home: string): DamagedRecord[] {
  const folders = inTheWayOfFolders(home);
  const records = [
    ...Object.entries(RECORDS),
    ...filesOfGit(home).map((name) => [name, null] as const),
  ];
  const files = records.flatMap(([name, schema]) => {
    const path = join(home, name);
    // Below a folder that is not one nothing is.
    if (folders.some((folder) => isWithin(path, folder))) return [];
    const why = problemOf(path, schema);
    return why === null ? [] : [{ path, why }];
  });
  return [...folders.map((path) => ({ path, why: "it is not a folder" })), ...files];
}

/** What a person has to do; null: a repair does it. Links above the folders of projects are theirs, and so is what is above. */
export function byHand(home: string, { path }: DamagedRecord): string | null {
  const all = dirname(dirname(home));
  const isOurs =
    path === all
      ? basename(all) === "workspaces" && lookAt(path)?.isSymbolicLink() !== true
      : isWithin(path, all);
  return isOurs ? null : `Move ${path} aside, or put back what it leads to.`;
}

/** Before git looks: it would wait for a pipe, and say of the rest what helps nobody. @throws state-corrupt */
export function assertInShape(home: string): void {
  const [folder] = inTheWayOfFolders(home);
  const file =
    folder === undefined ? filesOfGit(home).find((name) => !isWell(join(home, name))) : undefined;
  const path = folder ?? (file === undefined ? undefined : join(home, file));
  if (path === undefined) return;
  const why = folder === undefined ? "it is not a file" : "it is not a folder";
  throw new StintError(
    "state-corrupt",
    `${path} is damaged: ${why}`,
    byHand(home, { path, why }) ?? DAMAGED,
  );
}

function inTheWayOfFolders(home: string): string[] {
  const wrong = [...FOLDERS, ...keptFolders(home)]
    .map((name) => inTheWayOf(join(home, name)))
    .filter((at) => at !== null);
  return [...new Set(wrong)];
}

/** Of unfinished work: a folder of refs for each task, a file for each attempt. */
function keptFolders(home: string): string[] {
  const own = join("git", "refs", "stint", basename(dirname(home)));
  return [own, ...namesIn(home, own)];
}

function filesOfGit(home: string): string[] {
  const kept = keptFolders(home).slice(1);
  return [...FILES_OF_GIT, ...kept.flatMap((task) => namesIn(home, task))];
}

/** What is no folder, or cannot be listed, has none. */
function namesIn(home: string, folder: string): string[] {
  try {
    return readdirSync(join(home, folder)).map((name) => join(folder, name));
  } catch {
    return [];
  }
}

/** Under the lease. @returns what was done, one line each */
export function setAsideDamagedRecords(home: string): string[] {
  const damaged = damagedRecords(home).filter((each) => byHand(home, each) === null);
  const inferred = damaged.map(
    ({ path, why }) => `${path} is damaged: ${why}; ${moveAside(home, path)}`,
  );
  const tree = join(home, "tree");
  if (damaged.some(({ path }) => path === join(home, "inputs.json")) && existsSync(tree)) {
    inferred.push(
      `which files were brought to ${tree} is not known any more; ${moveAside(home, tree)}`,
    );
  }
  const changed = damaged
    .flatMap(({ path }) => [path, asideOf(home, path)])
    .map((path) => dirname(path));
  for (const folder of new Set(changed)) syncFolder(folder);
  return inferred;
}

function problemOf(path: string, schema: KeptSchema<unknown> | null): string | null {
  if (lookAt(path) === undefined) return null;
  if (!isFile(path)) return "it is not a file";
  if (schema === null) return null;
  try {
    readKept(path, schema);
    return null;
  } catch (error) {
    if (!(error instanceof StintError) || error.code !== "state-corrupt") throw error;
    return error.message.slice(`${path} is damaged: `.length);
  }
}

/** A file, or nothing. */
function isWell(path: string): boolean {
  return lookAt(path) === undefined || isFile(path);
}

/** A link that leads nowhere, or in a circle, leads to no file. */
function isFile(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
  } catch {
    return false;
  }
}

/** Out of the repository: git would take a name there for one of its own. */
function asideOf(home: string, path: string): string {
  const git = join(home, "git");
  const isInGit = path !== git && isWithin(path, git);
  const place = isInGit ? join(home, relative(home, path).replaceAll("/", "-")) : path;
  return `${place}.damaged`;
}

function moveAside(home: string, path: string): string {
  const first = asideOf(home, path);
  let aside = first;
  for (let n = 2; lookAt(aside) !== undefined; n += 1) aside = `${first}-${n}`;
  renameSync(path, aside);
  return `it was set aside as ${aside}`;
}
