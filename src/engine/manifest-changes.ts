// RECOVER for the manifest: who changed it decides what becomes of the change. Here the decisions of
// `manifest/` become events, files and words.
import type { ProjectEvent } from "../core/events.ts";
import type { TaskId } from "../core/ids.ts";
import type { ProjectState } from "../core/schema/project.ts";
import type { Sha256 } from "../core/schema/scalar.ts";
import { StintError } from "../core/stint-error.ts";
import { diffLines } from "../manifest/line-diff.ts";
import { reconcileManifest } from "../manifest/reconcile-manifest.ts";
import type { Adopted, Proposal, SessionWindow } from "../manifest/reconciliation.ts";
import { formatProblem } from "../manifest/problem.ts";
import { sha256Of } from "../store/digest.ts";
import { keptPath } from "../store/store.ts";
import { nowOf, type RunContext, runAuthor } from "./run-context.ts";
import { withBoxes } from "./task-boxes.ts";

/** Whether a change that nobody explains still waits for a person: until then nothing is adopted. */
export function isManifestHeld(state: ProjectState): boolean {
  return state.approval_items.some(({ kind, status }) => kind === "manifest" && status === "open");
}

/** A person's change outside any session, as the event that adopts it; null when there is none. */
export function adoptPersonsChanges(context: RunContext): ProjectEvent | null {
  const { holder, store, tree } = context;
  const { state } = holder;
  const known = store.manifestText(state.project_id, state.manifest.digest);
  const disk = tree.readManifest();
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
      throw new StintError(
        "bad-input",
        `the manifest ${state.manifest.path} is gone`,
        `Restore it (its last known text is kept): stint doctor ${state.project_id}; or: git checkout -- ${state.manifest.path}`,
      );
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

function adoptionEvent(context: RunContext, adopted: Adopted, text: string): ProjectEvent {
  const marks = new Map<TaskId, "done" | "reopened">();
  for (const change of adopted.changes) {
    if (change.kind === "reopened") marks.set(change.id, "reopened");
    if (change.kind === "checked" && !change.needsCheck) marks.set(change.id, "done");
  }
  for (const change of adopted.changes) {
    context.tell({ kind: "notice", text: `manifest: ${describeChange(change)}` });
  }
  return {
    kind: "manifest-adopted",
    at: nowOf(context),
    by: context.person,
    manifest_digest: context.holder.keepManifest(text),
    goal: adopted.plan.goal,
    success_criteria: adopted.plan.successCriteria,
    tasks: adopted.intents.map((intent) => {
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
      return `${change.id} ${change.kind}: ${change.title}`;
    case "reworded":
      return `${change.id} reworded: ${change.to}`;
    case "rekeyed":
      return `${change.id}: ${change.keys.join(", ")} changed`;
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
  /** The text when its end was stored; there, and other than on disk: somebody wrote after it. */
  readonly endText?: string | undefined;
};

/** Closes a session's window: what it may change stays, everything else is set aside whole. */
export function settleWindow(context: RunContext, window: Window): SettledWindow {
  const { holder, tree } = context;
  const { state } = holder;
  const now = tree.readManifest();
  const isLeftAlone = window.kind === "unclosed" || now === window.endText;
  const disk = isLeftAlone ? now : window.endText;
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
        return unexplained(context, window, diffLines(window.startText, now ?? "").text);
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
            ({ title }) => `the box of "${title}" was not this session's to change; set back`,
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

/** What nobody explains does not become known: once a person says yes, READ adopts it. */
function unexplained(context: RunContext, window: Window, diff: string): SettledWindow {
  const reason = `the manifest changed while session ${window.session} was cut short, and nobody can tell who changed it`;
  return {
    digest: sha256Of(window.startText),
    events: [approvalEvent(context, "manifest", diff, reason)],
    apply: nothing,
    notices: [],
  };
}

function keepProposal(context: RunContext, proposal: Proposal) {
  const name = `session-${proposal.session}`;
  context.holder.keep(keptPath("artifacts", "proposals", `${name}.md`), proposal.text);
  context.holder.keep(keptPath("artifacts", "proposals", `${name}.diff`), proposal.diff.text);
  const parts = proposal.isDeletion ? "the whole manifest (deleted)" : proposal.parts.join(", ");
  const notice = `changes to ${parts} during session ${proposal.session} were set aside in artifacts/proposals/${name}.md`;
  if (!proposal.blocksDone) return { notice, event: undefined };
  return { notice, event: approvalEvent(context, "proposal", proposal.diff.text, notice) };
}

export function approvalEvent(
  context: RunContext,
  kind: "proposal" | "manifest" | "destructive" | "limit" | "command",
  subject: string,
  reason: string,
): ProjectEvent {
  const shown = subject.trim() === "" ? reason : subject;
  return {
    kind: "approval-requested",
    at: nowOf(context),
    by: runAuthor(context),
    approval: {
      kind,
      subject: shown,
      subject_sha256: sha256Of(shown),
      reason,
      on_yes: "the change is taken over",
      on_no: "the change is dropped; it stays in artifacts/proposals",
    },
  };
}
