// What a workspace knows about itself beside its files, durable: where it started and where it is.
import { join } from "node:path";
import { StintError } from "../../core/stint-error.ts";
import type { TreeEntry } from "../../git/diff-trees.ts";
import { readIfThere, writeDurably } from "./durable-file.ts";
import type { RawPath } from "./raw-path.ts";

interface RefsMoving {
  readonly from: string;
  readonly to: string;
  /** The person's branch, which `to` holds. */
  readonly onto: string;
}

export interface WorkspaceRecord {
  /** The branch the person was on at the start, by its full name; null: none, or no repository. */
  readonly branch: string | null;
  /** The last verified commit that was seen or made. */
  readonly tip: string | null;
  /** The commit that our own branch was last moved to. */
  readonly ours: string | null;
  /** The newest verified commit that the person's branch was seen to hold. */
  readonly held: string | null;
  /** A move of the tip that is under way: what is still at `from` goes to `to`. */
  readonly moving: RefsMoving | null;
  /** What the person had staged of included changes, and had changed again since. */
  readonly staged: readonly (readonly [RawPath, TreeEntry])[];
  /** Brought and ignored: never part of a commit, whatever a session ignores. */
  readonly aside: readonly string[];
  /** In place: the tree that new work starts from. */
  readonly tipTree: string | null;
  /** In place: the tree last laid or captured. */
  readonly laid: string | null;
  /** In place: something runs there, so that what differs is not a person's. */
  readonly isActing: boolean;
  /** In place: repositories of their own that were there before. */
  readonly nested: readonly string[];
}

export const NEW_RECORD: WorkspaceRecord = {
  branch: null,
  tip: null,
  ours: null,
  held: null,
  moving: null,
  staged: [],
  aside: [],
  tipTree: null,
  laid: null,
  isActing: false,
  nested: [],
};

export function readRecord(home: string): WorkspaceRecord | null {
  const path = join(home, "record.json");
  const bytes = readIfThere(path);
  if (bytes === null) return null;
  try {
    const stored = JSON.parse(bytes.toString("utf8")) as Stored;
    return { ...NEW_RECORD, ...(stored.record ?? stored) };
  } catch (cause) {
    throw new StintError(
      "state-corrupt",
      `${path} is damaged`,
      "Stop the run, then remove the workspace and start it again: stint clean",
      { cause },
    );
  }
}

/** The intent of a delivery becomes the record once it is carried out: see delivery-intent.ts. */
type Stored = Partial<WorkspaceRecord> & { readonly record?: Partial<WorkspaceRecord> };

/** The person's branch holds this, the tip or a commit below it. */
export function noteHeld(place: Recorded, commit: string): void {
  if (place.record.held !== commit) {
    place.record = { ...place.record, held: commit };
    place.isRecordAhead = true;
  }
  catchUp(place);
}

/** Writes what was left to the next act that writes anyway. */
export function catchUp(place: Recorded): void {
  if (!place.isRecordAhead) return;
  writeRecord(place.options.home, place.record);
  place.isRecordAhead = false;
}

interface Recorded {
  readonly options: { readonly home: string };
  record: WorkspaceRecord;
  isRecordAhead: boolean;
}

export function writeRecord(home: string, record: WorkspaceRecord): void {
  writeDurably(join(home, "record.json"), `${JSON.stringify(record)}\n`);
}
