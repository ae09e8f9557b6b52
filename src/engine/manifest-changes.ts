// RECOVER for the manifest: who changed it decides what becomes of the change. Here the decisions of
// `manifest/` become events, files and words.
import { join } from "node:path";
import type { ApprovalRequest, EventOf, ProjectEvent } from "../core/events.ts";
import type { TaskId } from "../core/ids.ts";
import type { ProjectState } from "../core/schema/project.ts";
import type { Sha256 } from "../core/schema/scalar.ts";
import { StintError } from "../core/stint-error.ts";
import { diffLines } from "../manifest/line-diff.ts";
import { areLimitsStrict } from "../manifest/plan.ts";
import { reconcileManifest } from "../manifest/reconcile-manifest.ts";
import {
  type Adopted,
  type Proposal,
  proposalNotice,
  type SessionWindow,
} from "../manifest/reconciliation.ts";
import { decodeManifest } from "../manifest/read-manifest.ts";
import { formatProblem } from "../manifest/problem.ts";
import { keptPath } from "../store/store.ts";
import { sha256Of } from "../store/digest.ts";
import { approvalRequested } from "./approval-request.ts";
import { manifestGone } from "./manifest-gone.ts";
import { proposalPath } from "./manifest-answers.ts";
import { fact, nowOf, type RunContext } from "./run-context.ts";
import { withBoxes } from "./task-boxes.ts";
import type { WorkTree } from "./work-tree.ts";

/** Whether a change that nobody explains still waits for a person: until then nothing is adopted. */
export function isManifestHeld(state: ProjectState): boolean {
  return state.approval_items.some(({ kind, status }) => kind === "manifest" && status === "open");
}

/** What reading the manifest takes; a run has it, and so has a verb that holds the lease. */
export type Reader = Pick<RunContext, "holder" | "store" | "host" | "person"> & {
  readonly tree: Pick<WorkTree, "readManifest" | "manifestBytes">;
};

/** A person's change outside any session, as the event that adopts it; null when there is none. */
export function adoptPersonsChanges(context: Reader): EventOf<"manifest-adopted"> | null {
  const { holder, store, tree } = context;
  const { state } = holder;
  const known = store.manifestText(state.project_id, state.manifest.digest);
  const disk = tree.readManifest();
  if (disk?.trim() === "") throw gone(context, known, "emptied");
  if (disk !== undefined && disk !== known) {
    // What is no text cannot be written back as it was, so nothing of it is taken.
    decodeManifest(state.manifest.path, tree.manifestBytes() ?? new Uint8Array());
  }
  const result = reconcileManifest({
    known,
    disk,
    tasks: state.tasks,
    nextTaskNumber: state.counters.tasks + 1,
    window: { kind: "none" },
  });
  switch (result.kind) {
    case "unchanged":
      return null;
    case "missing":
      throw gone(context, known);
    case "invalid": {
      const list = result.problems
        .filter((problem) => problem.severity === "error")
        .map((problem) => formatProblem(state.manifest.path, problem));
      throw new StintError(
        "bad-input",
        `the manifest was changed and cannot run as it is; nothing of it was adopted:\n${list.join("\n")}`,
        `Mend it, then run again: stint lint ${state.manifest.path}`,
      );
    }
    case "adopted":
      return adoptionEvent(context, result, disk ?? "");
    case "settled":
    case "approval-needed":
      throw new Error("a change outside a window was judged as one inside");
    default:
      return result satisfies never;
  }
}

/** The last text that was known lies beside the project, so that one command brings it back. */
function gone({ holder }: Reader, known: string, how?: "emptied"): StintError {
  const { root, folder, manifest } = holder.entry;
  const kept = keptPath("artifacts", "last-known-manifest.md");
  holder.keep(kept, known);
  return manifestGone(root, manifest, join(root, folder, kept), how);
}

function adoptionEvent(
  context: Reader,
  adopted: Adopted,
  text: string,
): EventOf<"manifest-adopted"> {
  const digest = context.holder.keepManifest(text);
  return adoptedBy(adopted, digest, { at: nowOf(context), by: context.person });
}

export function adoptedBy(
  { changes, plan, intents }: Adopted,
  manifest_digest: Sha256,
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
    manifest_digest,
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

export interface SettledWindow {
  readonly digest: Sha256;
  /** To be persisted before `apply`: a proposal, or a change that nobody explains. */
  readonly events: readonly ProjectEvent[];
  /** Writes the settled text; repeating finds it written. */
  readonly apply: () => void;
  readonly notices: readonly string[];
}

const nothing = (): void => {};

type Window = Exclude<SessionWindow, { kind: "none" }> & {
  /** As it was when its end was stored; there, and other than on disk: somebody wrote after it. */
  readonly endBytes?: Uint8Array | undefined;
};

/** Closes a session's window: what it may change stays, everything else is set aside whole. */
export function settleWindow(context: RunContext, window: Window): SettledWindow {
  const { holder, tree } = context;
  const { state } = holder;
  const now = tree.readManifest();
  const endText = textOf(window.endBytes);
  const isLeftAlone = window.kind === "unclosed" || now === endText;
  const disk = isLeftAlone ? now : endText;
  const bytes = isLeftAlone ? tree.manifestBytes() : window.endBytes;
  if (window.kind === "closed" && bytes !== undefined && !isText(bytes)) {
    return unreadable(context, window, bytes, isLeftAlone);
  }
  const result = reconcileManifest({
    known: window.startText,
    disk,
    tasks: state.tasks,
    nextTaskNumber: state.counters.tasks + 1,
    window,
  });
  switch (result.kind) {
    case "unchanged":
      return { digest: sha256Of(window.startText), events: [], apply: nothing, notices: [] };
    case "settled": {
      const text = result.text ?? disk ?? window.startText;
      const proposal =
        result.proposal === undefined ? undefined : keepProposal(context, result.proposal);
      const settled = result.text;
      // Both wrote, and what is the session's cannot be taken out of what is the person's.
      if (settled !== undefined && !isLeftAlone && !isSettled(context, window, now, settled)) {
        const { text: diff } = diffLines(window.startText, now ?? "");
        return unexplained(context, window, diff);
      }
      return {
        digest: holder.keepManifest(text),
        events: proposal?.event === undefined ? [] : [proposal.event],
        // A crash after this finds the settled text on disk, which is no longer the end's.
        apply:
          settled === undefined || !isLeftAlone
            ? nothing
            : () => void tree.writeManifest(disk, settled),
        notices: [
          ...(proposal === undefined ? [] : [proposal.notice]),
          ...result.restoredBoxes.map(
            ({ title }) =>
              `the box of "${title}" was not this session's to change; set back (if it was you: stint edit ${state.project_id})`,
          ),
        ],
      };
    }
    case "approval-needed":
      return unexplained(context, window, result.diff.text);
    case "missing":
    case "invalid":
    case "adopted":
      throw new Error("a change inside a window was judged as one outside");
    default:
      return result satisfies never;
  }
}

/** Whether a run that was killed had come so far; it may have set back the session's boxes as well. */
function isSettled(
  context: RunContext,
  { taskIds }: Window,
  now: string | undefined,
  settled: string,
): boolean {
  const { tasks } = context.holder.state;
  const plain = (text: string): string => withBoxes(text, tasks, taskIds, false);
  return now !== undefined && plain(now) === plain(settled);
}

/** What is no text is no plan, and no note either: kept as it is, and the text from before is back. */
function unreadable(
  { holder, tree }: RunContext,
  { session, startText }: Window,
  bytes: Uint8Array,
  isLeftAlone: boolean,
): SettledWindow {
  const path = proposalPath(`session-${session}`, "text");
  holder.keep(path, bytes);
  return {
    digest: holder.keepManifest(startText),
    events: [],
    apply: isLeftAlone ? () => void tree.writeManifest(textOf(bytes), startText) : nothing,
    notices: [
      `what was in ${holder.state.manifest.path} after session ${session} is no UTF-8 text; it was set aside in ${path}`,
    ],
  };
}

function textOf(bytes: Uint8Array | undefined): string | undefined {
  return bytes === undefined ? undefined : Buffer.from(bytes).toString("utf8");
}

function isText(bytes: Uint8Array): boolean {
  return !bytes.includes(0) && Buffer.from(textOf(bytes) ?? "", "utf8").equals(bytes);
}

const UNEXPLAINED = {
  on_yes: "the change is taken for yours and adopted",
  on_no: "the text from before it is put back; the change stays in artifacts/proposals",
} as const;

/** What nobody explains does not become known: once a person says yes, READ adopts it. */
function unexplained(context: RunContext, window: Window, diff: string): SettledWindow {
  const about = `session-${window.session}`;
  context.holder.keep(proposalPath(about, "text"), context.tree.manifestBytes() ?? "");
  const reason = `the manifest changed while session ${window.session} was cut short, and nobody can tell who changed it`;
  return {
    digest: sha256Of(window.startText),
    events: [
      approvalEvent(context, "manifest", diff, reason, {
        about,
        ...UNEXPLAINED,
      }),
    ],
    apply: nothing,
    notices: [],
  };
}

/** The change that nobody explains became another one: that one is asked about. */
export function askAboutManifest(context: RunContext): ProjectEvent {
  const { holder, store, tree } = context;
  const { project_id, manifest, revision } = holder.state;
  const disk = tree.readManifest() ?? "";
  const about = `revision-${revision}`;
  holder.keep(proposalPath(about, "text"), tree.manifestBytes() ?? "");
  const { text } = diffLines(store.manifestText(project_id, manifest.digest), disk);
  const reason = "the manifest that nobody could explain was changed once more";
  return approvalEvent(context, "manifest", text, reason, { about, ...UNEXPLAINED });
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
  kind: "proposal" | "manifest",
  subject: string,
  reason: string,
  more: Pick<ApprovalRequest, "about" | "on_yes" | "on_no">,
): ProjectEvent {
  const shown = subject.trim() === "" ? reason : subject;
  return approvalRequested(fact(context), { kind, subject: shown, reason, ...more });
}
