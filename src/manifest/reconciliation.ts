// What reconciling a manifest takes and what it can come to. Every outcome is a value; nothing is
// written here.
import type { TaskId } from "../core/ids.ts";
import type { Task, TaskIntent } from "../core/schema/task.ts";
import type { ChangedPart } from "./changed-parts.ts";
import type { LineDiff } from "./line-diff.ts";
import type { Plan } from "./plan.ts";
import type { Problem } from "./problem.ts";
import type { TaskKey } from "./task-key.ts";

/** The time of a session. It is closed when all its processes are dead and its end is recorded. */
export type SessionWindow =
  | { readonly kind: "none" }
  | {
      readonly kind: "closed" | "unclosed";
      readonly session: number;
      /** The tasks of the session's brief: one, or a batch. */
      readonly taskIds: readonly TaskId[];
      readonly startText: string;
    };

export interface ReconcileInput {
  /** The text as Stint last knew it; empty before the first READ. */
  readonly known: string;
  /** The text on disk; undefined when the file is gone. For a window: as it stood at its end. */
  readonly disk: string | undefined;
  /** State's tasks in document order. */
  readonly tasks: readonly Task[];
  readonly nextTaskNumber: number;
  readonly window: SessionWindow;
}

export type Reconciliation =
  | { readonly kind: "unchanged" }
  /** The file is gone and no session can have taken it. */
  | { readonly kind: "missing" }
  /** A person's text that cannot run. It stays on disk; nothing of it is adopted. */
  | { readonly kind: "invalid"; readonly problems: readonly Problem[] }
  | Adopted
  | Settled
  | ApprovalNeeded;

/** A person's change, taken over whole. */
export interface Adopted {
  readonly kind: "adopted";
  readonly plan: Plan;
  /** Every task of the manifest in document order, each with its id. */
  readonly intents: readonly TaskIntent[];
  readonly changes: readonly ManifestChange[];
  readonly newCommands: readonly ManifestCommand[];
  readonly nextTaskNumber: number;
  /** Done tasks whose box Stint has not flipped yet; nobody unchecked them. */
  readonly boxesToFlip: readonly TaskId[];
  readonly problems: readonly Problem[];
}

/** A closed window: what the session may change stays, everything else is as it was. */
export interface Settled {
  readonly kind: "settled";
  /** What to write to disk; absent when the disk holds it already. */
  readonly text?: string;
  /** Boxes of the session's own tasks that it flipped. */
  readonly ownBoxes: readonly TaskId[];
  readonly appended: readonly Append[];
  readonly restoredBoxes: readonly RestoredBox[];
  readonly proposal?: Proposal;
}

/** A window that nobody closed, with a change nobody explains: a person decides. */
export interface ApprovalNeeded {
  readonly kind: "approval-needed";
  readonly session: number;
  readonly parts: readonly ChangedPart[];
  readonly diff: LineDiff;
  /** The text on disk, left where it is; undefined when the file is gone. */
  readonly disk: string | undefined;
}

export interface Append {
  readonly section: "References" | "Notes";
  readonly text: string;
}

export interface RestoredBox {
  readonly title: string;
  readonly line: number;
  /** How the box stands again. */
  readonly checked: boolean;
}

export interface Proposal {
  readonly session: number;
  /** The whole text as the session left it; empty when it deleted the file. */
  readonly text: string;
  readonly isDeletion: boolean;
  /** What the difference is to, and the text with it: boxes stand in both as they are kept. */
  readonly base: string;
  readonly wanted: string;
  readonly parts: readonly ChangedPart[];
  /** It touches Goal or Steps: while it is open, the project is not Done. */
  readonly blocksDone: boolean;
  readonly diff: LineDiff;
}

export type ManifestChange =
  | { readonly kind: "added"; readonly id: TaskId; readonly title: string }
  | { readonly kind: "removed"; readonly id: TaskId; readonly title: string }
  /** A removed task that is written again. */
  | { readonly kind: "returned"; readonly id: TaskId; readonly title: string }
  | { readonly kind: "reworded"; readonly id: TaskId; readonly from: string; readonly to: string }
  | { readonly kind: "rekeyed"; readonly id: TaskId; readonly keys: readonly (TaskKey | "name")[] }
  /** Other words below it: sub-steps, or what else the session is told. */
  | { readonly kind: "detailed"; readonly id: TaskId }
  | { readonly kind: "reordered"; readonly order: readonly TaskId[] }
  /** A done task that a person unchecked. */
  | { readonly kind: "reopened"; readonly id: TaskId }
  /** A box that a person checked. With checks Stint runs them first; it never un-flips the box. */
  | { readonly kind: "checked"; readonly id: TaskId; readonly needsCheck: boolean }
  | { readonly kind: "rewritten"; readonly part: ChangedPart };

export interface ManifestCommand {
  readonly taskId: TaskId;
  readonly key: "check" | "run" | "webhook";
  readonly command: string;
}

/** The one line a person reads about a proposal. */
export function proposalNotice(proposal: Proposal, path: string): string {
  const parts = proposal.isDeletion ? "the whole manifest (deleted)" : proposal.parts.join(", ");
  return `changes to ${parts} during session ${proposal.session} were set aside in ${path}`;
}
