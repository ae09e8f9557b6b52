// Small files of a workspace that are damaged, or are no files. They are set aside, never removed: without them the next
// opening makes them again from what git holds. Where nobody knows any more which files were brought along, the files of
// the workspace are set aside, too: what was brought would be taken for work.
import { existsSync, lstatSync, renameSync, statSync } from "node:fs";
import { join } from "node:path";
import type { KeptSchema } from "../core/json-line.ts";
import { StintError } from "../core/stint-error.ts";
import {
  broughtInputs,
  broughtNote,
  broughtPaths,
  storedRecord,
} from "../core/schema/workspace-record.ts";
import { readKept, syncFolder } from "./base/durable-file.ts";

export interface DamagedRecord {
  readonly path: string;
  readonly why: string;
}

/** Null: only that it is a file matters. */
const RECORDS: Readonly<Record<string, KeptSchema<unknown> | null>> = {
  "record.json": storedRecord,
  "inputs.json": broughtInputs,
  "brought.json": broughtPaths,
  "brought-before.json": broughtNote,
  "state-folder": null,
  "session-began": null,
};

export function damagedRecords(home: string): DamagedRecord[] {
  return Object.entries(RECORDS).flatMap(([name, schema]) => {
    const path = join(home, name);
    const why = problemOf(path, schema);
    return why === null ? [] : [{ path, why }];
  });
}

/** Under the lease. @returns what was done, one line each */
export function setAsideDamagedRecords(home: string): string[] {
  const damaged = damagedRecords(home);
  const inferred = damaged.map(({ path, why }) => `${path} is damaged: ${why}; ${moveAside(path)}`);
  const tree = join(home, "tree");
  if (damaged.some(({ path }) => path === join(home, "inputs.json")) && existsSync(tree)) {
    inferred.push(`which files were brought to ${tree} is not known any more; ${moveAside(tree)}`);
  }
  if (inferred.length > 0) syncFolder(home);
  return inferred;
}

function problemOf(path: string, schema: KeptSchema<unknown> | null): string | null {
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return null;
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

/** A link that leads nowhere, or in a circle, leads to no file. */
function isFile(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
  } catch {
    return false;
  }
}

function moveAside(path: string): string {
  let aside = `${path}.damaged`;
  for (let n = 2; lstatSync(aside, { throwIfNoEntry: false }) !== undefined; n += 1) {
    aside = `${path}.damaged-${n}`;
  }
  renameSync(path, aside);
  return `it was set aside as ${aside}`;
}
