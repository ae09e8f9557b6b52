// RECOVER for the manifest: a person's file and a session's copy are two files, so whose a change is needs
// no guess. Here the decisions of `manifest/` become events, files and words.
import { join } from "node:path";
import type { ApprovalRequest, EventOf, ProjectEvent } from "../../core/events.ts";
import type { TaskId } from "../../core/ids.ts";
import type { ProjectState } from "../../core/schema/project.ts";
import type { Sha256 } from "../../core/schema/scalar.ts";
import { StintError } from "../../core/stint-error.ts";
import { mergeLines } from "../../manifest/edit/line-diff.ts";
import { areLimitsStrict } from "../../manifest/plan.ts";
import { reconcileManifest } from "../../manifest/edit/reconcile-manifest.ts";
import {
  type Adopted,
  type GivenManifest,
  type Proposal,
  proposalNotice,
} from "../../manifest/edit/reconciliation.ts";
import { decodeManifest } from "../../manifest/read-manifest.ts";
import { formatProblem } from "../../manifest/problem.ts";
import { settleSession } from "../../manifest/edit/settle-session.ts";
import { keptPath } from "../../store/store.ts";
import { approvalRequested } from "../base/approval-request.ts";
import { manifestGone } from "./manifest-gone.ts";
import { proposalPath } from "./manifest-answers.ts";
import { fact, nowOf } from "../base/fact.ts";
import type { RunContext } from "../base/run-context.ts";
import { type Edit, withSameBoxes } from "./same-boxes.ts";
import { seenText, type Texts } from "./seen-manifest.ts";
import { withBoxes } from "./task-boxes.ts";

/** What reading the manifest takes; a run has it, and so has a verb that holds the lease. */
export type Reader = Pick<
  RunContext,
  "holder" | "store" | "host" | "person" | "checkout" | "personsGit"
>;

/**
 * A person's change, as the event that adopts it; null when there is none. What git put there, by a switch
 * of the branch, a stash or a pull, is nobody's edit: the text from before holds.
 */
export async function adoptPersonsChanges(
  context: Reader,
): Promise<EventOf<"manifest-adopted" | "manifest-read"> | null> {
  const { holder, store, checkout } = context;
  const { state } = holder;
  const known = store.manifestText(state.project_id, state.manifest.digest);
  const seen = seenText(store, state);
  const disk = checkout.readManifest();
  if (disk === seen || (await context.personsGit.gitsDoing()) !== null) return null;
  if (disk?.trim() === "") throw gone(context, known, "emptied");
  if (disk === undefined) throw gone(context, known);
  // What is no text cannot be written back as it was, so nothing of it is taken.
  decodeManifest(state.manifest.path, checkout.manifestBytes() ?? new Uint8Array());
  const text = withPersonsChange({ base: seen, text: disk }, known, state);
  const seenNow = (): Sha256 => holder.keepManifest(disk);
  const result = reconcileManifest({
    known,
    disk: text,
    tasks: state.tasks,
    nextTaskNumber: state.counters.tasks + 1,
  });
  switch (result.kind) {
    case "unchanged":
      return { kind: "manifest-read", ...byPerson(context), manifest_seen: seenNow() };
    case "invalid": {
      const list = result.problems
        .filter((problem) => problem.severity === "error")
        .map((problem) => formatProblem(state.manifest.path, problem));
      throw new StintError(
        "bad-input",
        `the manifest was changed and cannot run as it is; nothing of it was adopted:\n${list.join("\n")}`,
        `Fix it, then run again: stint lint ${state.manifest.path}`,
      );
    }
    case "adopted": {
      const texts = { manifest_digest: holder.keepManifest(text), manifest_seen: seenNow() };
      return adoptedBy(result, texts, byPerson(context));
    }
    default:
      return result satisfies never;
  }
}

/** What a person changed, made in the text that is known; where both changed the same lines, theirs. */
export function withPersonsChange(edit: Edit, known: string, state: ProjectState): string {
  const { base, text } = withSameBoxes(edit, known, state);
  return mergeLines(base, known, text) ?? text;
}

/** The last text that was known lies beside the project, so that one command brings it back. */
function gone({ holder }: Reader, known: string, how?: "emptied"): StintError {
  const { root, folder, manifest } = holder.entry;
  const kept = keptPath("artifacts", "last-known-manifest.md");
  holder.keep(kept, known);
  return manifestGone(root, manifest, join(root, folder, kept), how);
}

function byPerson(context: Reader): Pick<ProjectEvent, "at" | "by"> {
  return { at: nowOf(context), by: context.person };
}

export function adoptedBy(
  { changes, plan, intents }: Adopted,
  texts: Required<Texts>,
  when: Pick<ProjectEvent, "at" | "by" | "answer_id">,
): EventOf<"manifest-adopted"> {
  const marks = new Map<TaskId, "done" | "reopened">();
  for (const change of changes) {
    if (change.kind === "reopened") marks.set(change.id, "reopened");
    if (change.kind === "checked" && !change.needsCheck) marks.set(change.id, "done");
  }
  return {
    kind: "manifest-adopted",
    ...when,
    ...texts,
    goal: plan.goal,
    success_criteria: plan.successCriteria,
    strict: areLimitsStrict(plan),
    changes: changes.map(describeChange),
    tasks: intents.map((intent) => {
      const marked = marks.get(intent.id);
      return marked === undefined ? { intent } : { intent, marked };
    }),
  };
}

function describeChange(change: Adopted["changes"][number]): string {
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

function short(title: string): string {
  return title.length <= LONGEST_TITLE ? title : `${title.slice(0, LONGEST_TITLE - 1)}…`;
}

const LONGEST_TITLE = 60;

export interface SettledCopy {
  readonly digest: Sha256;
  /** To be persisted first: a proposal. */
  readonly events: readonly ProjectEvent[];
  readonly notices: readonly string[];
}

export interface SessionCopy extends GivenManifest {
  /** What it left; undefined where it left none. */
  readonly endBytes: Uint8Array | undefined;
}

/** What a session did to its copy of the manifest: its notes are taken over, all else is a proposal. */
export function settleCopy(context: RunContext, copy: SessionCopy): SettledCopy {
  const { holder, store } = context;
  const { state } = holder;
  const { session, startText, endBytes } = copy;
  if (endBytes !== undefined && !isText(endBytes)) return unreadable(context, copy, endBytes);
  const text = textOf(endBytes);
  if (text === startText) return nothingSettled(state.manifest.digest);
  const result = settleSession(copy, state.tasks, text);
  const proposal =
    result.proposal === undefined ? undefined : keepProposal(context, result.proposal);
  // Boxes are set by Stint, when the checks have passed.
  const settled = withBoxes(result.text, state.tasks, result.ownBoxes, false);
  const known = store.manifestText(state.project_id, state.manifest.digest);
  const merged = mergeLines(startText, known, settled);
  const notices = [
    ...(proposal === undefined ? [] : [proposal.notice]),
    ...result.restoredBoxes.map(
      ({ title }) => `the box of "${title}" was not this session's to change; it stays as it was`,
    ),
    ...(merged === undefined ? [keepNotes(context, session, settled)] : []),
  ];
  const digest = merged === undefined ? state.manifest.digest : holder.keepManifest(merged);
  return { digest, events: proposal?.event === undefined ? [] : [proposal.event], notices };
}

function nothingSettled(digest: Sha256): SettledCopy {
  return { digest, events: [], notices: [] };
}

/** The person changed the same lines meanwhile: theirs stay, and nothing is lost. */
function keepNotes({ holder }: RunContext, session: number, text: string): string {
  const path = proposalPath(`session-${session}`, "text");
  holder.keep(path, text);
  return `what session ${session} wrote into its manifest meets lines that you changed meanwhile; yours stay, its text is in ${path}`;
}

/** What is no text is no plan, and no note either: kept as it is. */
function unreadable(
  { holder }: RunContext,
  { session }: SessionCopy,
  bytes: Uint8Array,
): SettledCopy {
  const path = proposalPath(`session-${session}`, "text");
  holder.keep(path, bytes);
  const { digest, path: manifest } = holder.state.manifest;
  const text = `what session ${session} left in ${manifest} is no UTF-8 text; it was set aside in ${path}`;
  return { digest, events: [], notices: [text] };
}

function textOf(bytes: Uint8Array | undefined): string | undefined {
  return bytes === undefined ? undefined : Buffer.from(bytes).toString("utf8");
}

function isText(bytes: Uint8Array): boolean {
  return !bytes.includes(0) && Buffer.from(textOf(bytes) ?? "", "utf8").equals(bytes);
}

function keepProposal(context: RunContext, proposal: Proposal) {
  const name = `session-${proposal.session}`;
  const { holder } = context;
  holder.keep(proposalPath(name, "text"), proposal.text);
  holder.keep(proposalPath(name, "diff"), proposal.diff.text);
  holder.keep(proposalPath(name, "base"), proposal.base);
  holder.keep(proposalPath(name, "wanted"), proposal.wanted);
  const notice = proposalNotice(proposal, proposalPath(name, "text"));
  if (!proposal.blocksDone) {
    const { project_id } = holder.state;
    const how = `if they are yours: stint accept ${name} ${project_id}`;
    return { notice: `${notice}; ${how}`, event: undefined };
  }
  const event = approvalEvent(context, "proposal", proposal.diff.text, notice, {
    about: name,
    on_yes: "the change is taken over into the manifest",
    on_no: "the change is dropped; it stays in artifacts/proposals",
  });
  return { notice, event };
}

function approvalEvent(
  context: RunContext,
  kind: "proposal",
  subject: string,
  reason: string,
  more: Pick<ApprovalRequest, "about" | "on_yes" | "on_no">,
): ProjectEvent {
  const shown = subject.trim() === "" ? reason : subject;
  return approvalRequested(fact(context), { kind, subject: shown, reason, ...more });
}
