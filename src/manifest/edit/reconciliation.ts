// What reconciling a manifest takes and what it can come to, for a person's text and for a session's. Every
// outcome is a value; nothing is written here.
import type { TaskId } from "../../core/ids.ts";
import type { Task, TaskIntent } from "../../core/schema/task.ts";
import type { Plan } from "../plan.ts";
import type { Problem } from "../problem.ts";
import {
  type TaskKey,
  type ManifestDocument,
  SECTION_NAMES,
  type SectionName,
} from "../manifest-document.ts";

/** What a session was given. */
export interface GivenManifest {
  readonly session: number;
  /** The tasks of its brief: one, or a batch. */
  readonly taskIds: readonly TaskId[];
  readonly startText: string;
}

export interface ReconcileInput {
  /** The text as Stint last knew it; empty before the first READ. */
  readonly known: string;
  /** With the person's change. */
  readonly disk: string;
  /** State's tasks in document order. */
  readonly tasks: readonly Task[];
  readonly nextTaskNumber: number;
}

export type Reconciliation =
  | { readonly kind: "unchanged" }
  /** A person's text that cannot run. It stays on disk; nothing of it is adopted. */
  | { readonly kind: "invalid"; readonly problems: readonly Problem[] }
  | Adopted;

/** A person's change, taken over whole. */
export interface Adopted {
  readonly kind: "adopted";
  readonly plan: Plan;
  /** Every task of the manifest in document order, each with its id. */
  readonly intents: readonly TaskIntent[];
  readonly changes: readonly ManifestChange[];
}

/** What a session may change stays, everything else is as it was. */
export interface Settled {
  readonly text: string;
  /** Boxes of the session's own tasks that it flipped. */
  readonly ownBoxes: readonly TaskId[];
  readonly restoredBoxes: readonly RestoredBox[];
  readonly proposal?: Proposal;
}

export interface RestoredBox {
  readonly title: string;
}

export interface Proposal {
  readonly session: number;
  /** The whole text as the session left it. */
  readonly text: string;
  /** What the difference is to, and the text with it: boxes stand in both as they are kept. */
  readonly base: string;
  readonly wanted: string;
  readonly parts: readonly ChangedPart[];
  /** It touches Goal or Steps: while it is open, the project is not Done. */
  readonly blocksDone: boolean;
  readonly diff: string;
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
  /** `delegate`: the work itself, or the look whether it is back. */
  readonly key: "check" | "run" | "webhook" | "delegate";
  readonly command: string;
}

/** The one line a person reads about a proposal. */
export function proposalNotice(proposal: Proposal, path: string): string {
  return `changes to ${proposal.parts.join(", ")} during session ${proposal.session} were set aside in ${path}`;
}

// Which parts of a manifest differ between two texts. Line endings and outer blank lines do not count.

export type ChangedPart = SectionName | "front matter" | "text outside sections" | "white space";

/** `before` and `after` give the places; their texts may be others of the same length. */
export function changedParts(
  before: ManifestDocument,
  after: ManifestDocument,
  texts: { readonly before: string; readonly after: string } = {
    before: before.text,
    after: after.text,
  },
): ChangedPart[] {
  if (texts.before === texts.after) return [];
  const old = partsOf(before, texts.before);
  const now = partsOf(after, texts.after);
  const names: readonly ChangedPart[] = ["front matter", ...SECTION_NAMES, "text outside sections"];
  const changed = names.filter((name) => (old.get(name) ?? "") !== (now.get(name) ?? ""));
  return changed.length > 0 ? changed : ["white space"];
}

function partsOf(document: ManifestDocument, text: string): ReadonlyMap<ChangedPart, string> {
  const parts = new Map<ChangedPart, string>();
  const add = (part: ChangedPart, content: string): void => {
    const plain = content
      .replace(/^\uFEFF/, "")
      .replace(/\r\n?/g, "\n")
      .trim();
    if (plain !== "") parts.set(part, `${parts.get(part) ?? ""}\n${plain}`);
  };
  let at = 0;
  if (document.frontMatter !== undefined) {
    at = document.frontMatter.end;
    add("front matter", text.slice(0, at));
  }
  for (const section of document.sections) {
    add("text outside sections", text.slice(at, section.start));
    // How its heading is written says nothing.
    add(section.name, text.slice(section.contentStart, section.end));
    at = section.end;
  }
  add("text outside sections", text.slice(at));
  return parts;
}
