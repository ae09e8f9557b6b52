// What a person changed in their file since Stint read it last, and what the next run makes of that: adopts it, refuses
// it, or leaves it because git put it there. Only looks; nothing is written here.
import type { ProjectState } from "../../core/schema/project.ts";
import { StintError } from "../../core/stint-error.ts";
import { mergeLines } from "../../manifest/edit/line-diff.ts";
import { reconcileManifest } from "../../manifest/edit/reconcile-manifest.ts";
import type { Adopted, Reconciliation } from "../../manifest/edit/reconciliation.ts";
import type { Problem } from "../../manifest/problem.ts";
import { decodeManifest } from "../../manifest/read-manifest.ts";
import type { RunContext } from "../base/run-context.ts";
import { newAgentErrors } from "./agent-problems.ts";
import {
  type Edit,
  type Known,
  knownText,
  type ManifestPorts,
  seenText,
  withSameBoxes,
} from "./manifest-texts.ts";

/** What looking takes; whoever holds no lease has it too. */
export interface Looker extends Known, Pick<ManifestPorts, "agents"> {
  readonly checkout: Pick<ManifestPorts["checkout"], "readManifest" | "manifestBytes">;
  readonly personsGit: Pick<RunContext["personsGit"], "gitsDoing">;
}

export type PersonsEdit =
  | { readonly kind: "none" }
  | { readonly kind: "gone"; readonly isEmptied: boolean }
  /** A switch of the branch, a stash or a pull put it there: the last adopted text stays in force. */
  | { readonly kind: "by-git"; readonly why: string }
  /** The file is another; what it says is known. */
  | { readonly kind: "read"; readonly disk: string }
  | { readonly kind: "refused"; readonly problems: readonly Problem[] }
  | {
      readonly kind: "adopted";
      readonly disk: string;
      /** The change, made in the text that is known. */
      readonly text: string;
      readonly adopted: Adopted;
    };

/** What is in the place of the manifest is no manifest, or has errors. Nothing of it is taken. */
export class NotAdopted extends StintError {
  /** The message on one line. */
  readonly inShort: string;

  constructor(message: string, hint: string, line = message) {
    super("bad-input", message, hint);
    this.inShort = line;
  }
}

/** What is no text could not be written back as it was. */
function assertText(path: string, bytes: Uint8Array): void {
  try {
    decodeManifest(path, bytes);
  } catch (error) {
    if (error instanceof StintError) throw new NotAdopted(error.message, error.hint);
    throw error;
  }
}

/** @throws NotAdopted where the file is no text */
export async function findPersonsEdit(look: Looker): Promise<PersonsEdit> {
  const { holder, checkout } = look;
  const { state } = holder;
  const seen = seenText(look);
  const disk = checkout.readManifest();
  if (disk === seen) return { kind: "none" };
  const why = await look.personsGit.gitsDoing();
  if (why !== null) return { kind: "by-git", why };
  if (disk === undefined || disk.trim() === "") {
    return { kind: "gone", isEmptied: disk !== undefined };
  }
  assertText(state.manifest.path, checkout.manifestBytes() ?? new Uint8Array());
  const known = knownText(look);
  const text = withPersonsChange({ base: seen, text: disk }, known, state);
  const result = reconcileEdit(look, known, text);
  switch (result.kind) {
    case "unchanged":
      return { kind: "read", disk };
    case "invalid":
      return { kind: "refused", problems: result.problems };
    case "adopted":
      return { kind: "adopted", disk, text, adopted: result };
    default:
      return result satisfies never;
  }
}

/** What a person changed, made in the text that is known; where both changed the same lines, theirs. */
export function withPersonsChange(edit: Edit, known: string, state: ProjectState): string {
  const { base, text } = withSameBoxes(edit, known, state);
  return mergeLines(base, known, text) ?? text;
}

/** What no agent could be started for is no change to adopt, like any other error. */
export function reconcileEdit(
  { holder, agents }: Pick<Looker, "holder" | "agents">,
  known: string,
  text: string,
): Reconciliation {
  const { tasks, counters } = holder.state;
  const result = reconcileManifest({
    known,
    disk: text,
    tasks,
    nextTaskNumber: counters.tasks + 1,
  });
  if (result.kind !== "adopted") return result;
  const problems = newAgentErrors({ before: known, after: text }, agents.names);
  return problems.length === 0 ? result : { kind: "invalid", problems };
}

export function describeChange(change: Adopted["changes"][number]): string {
  switch (change.kind) {
    case "added":
    case "removed":
    case "returned":
      return `${change.id} ${change.kind}: ${short(change.title)}`;
    case "reworded":
      return `${change.id} reworded: ${short(change.to)}`;
    case "rekeyed":
      return `${change.id}: ${change.keys.join(", ")} changed`;
    case "detailed":
      return `${change.id}: sub-steps changed`;
    case "reordered":
      return "tasks reordered";
    case "reopened":
      return `${change.id} reopened`;
    case "checked":
      return `${change.id} checked by a person`;
    case "rewritten":
      return `${change.part} rewritten`;
    default:
      return change satisfies never;
  }
}

const LONGEST_TITLE = 60;

function short(title: string): string {
  return title.length <= LONGEST_TITLE ? title : `${title.slice(0, LONGEST_TITLE - 1)}…`;
}
