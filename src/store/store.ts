// What must survive a crash, as one contract. Read top to bottom it says who may write, in which
// order, and what a reader may rely on. Two implementations keep it: files and memory; one suite
// holds them to it.
//
// Promises
//  1. A success that was told is durable: `create`, `commit`, `note` and `acquire` return only
//     after the disk has what they say.
//  2. A revision is written once. Of two writers of one revision exactly one succeeds; the other
//     is refused with `state-changed` or `lease-lost` and has changed nothing.
//  3. Only the holder of the lease writes. Every write checks its fencing number.
//  4. Readers take no lock, wait for nobody and never see half a write.
//  5. A write that failed poisons its holder: nothing more is written and nothing is claimed until
//     the project is opened again, which heals or refuses.
import type { Brand, AgentId, ProjectId, RunId, Slug } from "../core/ids.ts";
import type { JournalEntry, ProjectState, Lease } from "../core/schema/project.ts";
import type { Instant } from "../core/instant.ts";
import type { Sha256 } from "../core/schema/scalar.ts";
import type { StintError } from "../core/stint-error.ts";

/** What the registry knows of a project, so that an id alone finds it from any folder. */
export interface RegistryEntry {
  readonly project_id: ProjectId;
  readonly slug: Slug;
  readonly owner_agent: AgentId;
  /** Absolute path of the work tree. */
  readonly root: string;
  /** Project folder, relative to the root. */
  readonly folder: string;
  /** Manifest, relative to the root. */
  readonly manifest: string;
  readonly created_at: Instant;
}

/** A line for the journal; the store adds number, revision and checksum. */
export interface Happening {
  readonly at: Instant;
  readonly kind: string;
  readonly by: string;
  readonly summary: string;
  readonly data?: Record<string, unknown>;
  /** Rows for validation.md, one per check that was run. */
  readonly validation?: string[];
}

export interface NewProject {
  readonly entry: Omit<RegistryEntry, "slug" | "folder">;
  /** Wanted slug; four hex digits are added when it is taken. */
  readonly slug: Slug;
  /** Folder under the root that holds the project folders of this owner. */
  readonly projectsFolder: string;
  readonly manifestText: string;
  /** Builds the first state once the slug is known. */
  readonly firstState: (slug: Slug) => ProjectState;
  readonly happening: Happening;
}

/** How the copy in the project folder compares with the durable one. */
export type FolderCondition = "same" | "behind" | "missing" | "foreign" | "unreadable";

export interface Snapshot {
  readonly entry: RegistryEntry;
  readonly state: ProjectState;
  readonly folder: FolderCondition;
  readonly lease: LeaseView;
}

/** Who holds the lease as a reader sees it; `held` is a judgement at the time of reading. */
export interface LeaseView {
  readonly lease: Lease | null;
  readonly held: boolean;
  readonly why: string;
}

/** Path of a kept file below the project folder: plain names, so that none can leave it. */
export type KeptPath = Brand<string, "KeptPath">;

export function keptPath(...names: readonly (string | number)[]): KeptPath {
  const path = names.join("/");
  if (!/^(?:[A-Za-z0-9][A-Za-z0-9._-]*\/)*[A-Za-z0-9][A-Za-z0-9._-]*$/.test(path)) {
    throw new Error(`"${path}" is not a valid path for a kept file`);
  }
  return path as KeptPath;
}

export interface KeptCopy {
  readonly place: string;
  readonly bytes: Buffer;
}

export interface Claim {
  readonly owner: string;
  readonly run_id: RunId;
}

/** An entry of the registry that cannot be read. */
export interface DamagedEntry {
  readonly project_id: ProjectId;
  readonly path: string;
  /** Its work tree, where the reservation of its manifest still says it. */
  readonly root: string | null;
  readonly fault: StintError;
}

export interface Store {
  /**
   * Creates a project: reserves (root, manifest), writes the shadow, then the project folder.
   * A creation that a crash cut short is taken up again under its id.
   * @throws bad-input when the manifest already has a project
   */
  create(project: NewProject): Snapshot;

  /** Every project of this user whose entry can be read, oldest first. */
  list(): RegistryEntry[];

  /** Projects whose entry is damaged; `find` and all that needs it refuse these alone. */
  damaged(): DamagedEntry[];

  find(id: ProjectId): RegistryEntry | undefined;

  /** Takes a project whose work tree is gone out of the list; what is known of it stays. Repeatable. */
  forget(id: ProjectId): void;

  /** Whether a project was registered and nothing else: it never had a state that could be lost. */
  wasCutShort(id: ProjectId): boolean;

  /** Why nothing works any more with a project that was there: its state or its work tree is gone. Null while both are there. */
  loss(id: ProjectId): StintError | null;

  /** The last durable revision. Takes no lock. @throws not-found, state-corrupt */
  read(id: ProjectId): Snapshot;

  /** Journal lines, oldest first, verified; at most the last `count`. Takes no lock. */
  journal(id: ProjectId, count?: number): JournalEntry[];

  /** The manifest text with this digest; from owner to owner only those that the state names. */
  manifestText(id: ProjectId, digest: Sha256): string;

  /** A file that was kept under this path, or undefined. Takes no lock. */
  kept(id: ProjectId, path: KeptPath): Buffer | undefined;

  /** Where it lies, for a person who has to look. */
  keptPlace(id: ProjectId, path: KeptPath): string;

  /** Files that may be copies of it, the likeliest first, for a person who has to put one in its place. */
  keptCopies(id: ProjectId, path: KeptPath): readonly KeptCopy[];

  /**
   * Takes the lease with the next fencing number, heals what a crash left, and returns the only
   * object that can write. A holder that died without releasing costs one revision that says so
   * and fences it off.
   * @throws lease-held, state-corrupt, state-unwritable
   */
  acquire(id: ProjectId, claim: Claim): Holder;
}

/** The right to write, for as long as the fencing number is the highest. */
export interface Holder {
  readonly entry: RegistryEntry;
  readonly lease: Lease;
  /** What opening healed, for people: one line each. */
  readonly healed: readonly string[];
  /** The current revision; while the holder lives it outranks every copy on disk. */
  readonly state: ProjectState;

  /** Writes the next revision with its journal line. @returns the state as written */
  commit(next: ProjectState, happening: Happening): ProjectState;

  /** Writes a journal line that changes no state: a refusal, a contradiction, a foreign file. */
  note(happening: Happening): void;

  /** Keeps a manifest text under its digest; durable with the next revision, which may name it. */
  keepManifest(text: string): Sha256;

  /**
   * Keeps a file of the project durably, in the shadow and in the project folder: evidence, what a
   * session was given and how it ended. Keeping a path again replaces it.
   */
  keep(path: KeptPath, content: string | Uint8Array): void;

  /**
   * The same, durable with the next revision: a kill before it loses nothing, a loss of power may. For what
   * only that revision makes count.
   */
  keepWithNext(path: KeptPath, content: string | Uint8Array): void;

  /** Flushes what was kept with revisions in files of its own; for a moment in which nobody waits for it. */
  settle(): void;

  /** Heartbeat. @throws lease-lost */
  renew(): void;

  /** Poisons this holder: every call from now on is refused with this error, and nothing is released. */
  giveUp(why: StintError): void;

  /** Gives the lease back. Safe to repeat; a poisoned or fenced-off holder releases nothing. */
  release(): void;
}
