// What a workspace knows about itself beside its files, durable: where it started and where it is.
import { join } from "node:path";
import {
  storedRecord,
  workspaceRecord,
  type WorkspaceRecord,
} from "../../core/schema/workspace-record.ts";
import { readKept, writeDurably } from "./durable-file.ts";

export type { WorkspaceRecord } from "../../core/schema/workspace-record.ts";

/** What is written down of a workspace; `isRecordAhead`: the next act that writes anyway writes it. */
interface Recorded {
  readonly options: { readonly home: string };
  record: WorkspaceRecord;
  isRecordAhead: boolean;
}

export const NEW_RECORD: WorkspaceRecord = workspaceRecord.parse({ branch: null, tip: null });

export function readRecord(home: string): WorkspaceRecord | null {
  return readKept(join(home, "record.json"), storedRecord);
}

/** Durable when it returns. */
export function note(place: Recorded, change: Partial<WorkspaceRecord>): void {
  place.record = { ...place.record, ...change };
  writeDurably(join(place.options.home, "record.json"), `${JSON.stringify(place.record)}\n`);
  place.isRecordAhead = false;
}

/** Writes what was left to the next act that writes anyway, and what is new. */
export function catchUp(place: Recorded, change: Partial<WorkspaceRecord> = {}): void {
  const keys = Object.keys(change) as (keyof WorkspaceRecord)[];
  const isKnown = keys.every((key) => place.record[key] === change[key]);
  if (!isKnown || place.isRecordAhead) note(place, change);
}
