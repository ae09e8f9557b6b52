// What a verdict comes to in the project: one event, or null where nothing is to be recorded. Pure.
import { approvalRequested, type Asking } from "../core/asking.ts";
import { isNonEmpty, type NonEmpty, type TaskId } from "../core/ids.ts";
import type { BlockerFound, EventOf, ProjectEvent } from "../core/events.ts";
import type { Evidence, Task } from "../core/schema/task.ts";
import { describeCheck } from "./check-text.ts";
import type { UnavailableRun } from "./check-run.ts";
import type { Situation, Verdict } from "./judge-task.ts";

/** What was judged, and what is kept of it by now. */
export interface Judged {
  readonly asking: Asking;
  readonly task: Task;
  readonly at: Situation["at"];
  /** Of the attempt that is being validated. */
  readonly attempt: number;
  /** Records of the checks that passed. */
  readonly proofs: readonly Evidence[];
  /** The tree that was judged. */
  readonly tree: string;
  /** Who said yes to the output. */
  readonly approvedBy: string | null;
  readonly act?: ActDone;
  /** It was split, and these chunks of it are done. */
  readonly chunks?: readonly TaskId[];
  /** Why verified work has other files than it was verified with. */
  readonly why?: string;
}

export interface ActDone {
  /** The command or the address. */
  readonly text: string;
  readonly summary: string;
  readonly output: string;
  readonly record: Evidence;
}

/** Null before a session that is needed, and where verified work still holds. */
export function verdictEvent(verdict: Verdict, judged: Judged): ProjectEvent | null {
  const { task, at } = judged;
  switch (verdict.kind) {
    case "done":
      return doneEvent(verdict, judged);
    case "failed":
      return failedEvent(verdict, judged);
    case "unavailable":
      return at === "again"
        ? takenBack(judged, brokenBy(verdict) ?? "", judged.why ?? "")
        : blockedEvent(judged, cannotBeChecked(task, verdict.unavailable));
    case "gave-up":
      return blockedEvent(judged, {
        kind: "unfulfillable",
        reason: `the session says that ${task.id} cannot be done: ${verdict.reason}`,
        unblock: `edit the task, then: stint resume --retry`,
      });
    case "unusable":
      return blockedEvent(judged, {
        kind: "missing-access",
        reason: `the agent cannot be used for ${task.id} as it was started: ${verdict.reason}`,
        unblock:
          "fix its setup, or give another --agent, --model or --permission, with: stint resume --retry",
      });
    case "yes-needed":
      return requestEvent(verdict, judged);
    case "session-needed":
      return null;
    default:
      return verdict satisfies never;
  }
}

/** What happens next, for whoever reads the table of validations. */
export function nextStep(verdict: Verdict, at: Situation["at"]): string {
  switch (verdict.kind) {
    case "done":
      return [verdict.why, ...verdict.labels.map(({ label, why }) => `${label}: ${why}`)].join(
        "; ",
      );
    case "failed":
      return at === "act" ? "a person looks at it" : "another attempt with this failure";
    case "unavailable":
      return verdict.unavailable.hint;
    case "gave-up":
      return "a person edits the task";
    case "unusable":
      return "a person sets up the agent or chooses another one";
    case "yes-needed":
      return {
        output: "a person reviews it",
        excess: "a person allows the excess",
        command: "a person allows the command",
      }[verdict.to];
    case "session-needed":
      return "a session";
    default:
      return verdict satisfies never;
  }
}

function doneEvent(
  { labels }: Extract<Verdict, { kind: "done" }>,
  judged: Judged,
): ProjectEvent | null {
  const { asking, task, at, attempt } = judged;
  const evidence = evidenceOf(judged);
  const names = labels.map(({ label }) => label);
  const reasons = Object.fromEntries(labels.map(({ label, why }) => [label, why]));
  const labelled = labels.length === 0 ? {} : { labels: names, label_reasons: reasons };
  const fact = { at: asking.at, by: asking.by, task_id: task.id };
  switch (at) {
    case "before-session":
    case "act":
      return { kind: "output-verified", ...fact, evidence, ...labelled };
    case "after-session": {
      const result = { passed: true, evidence, labels: names, ...labelled } as const;
      return { kind: "checks-recorded", ...fact, attempt, result };
    }
    // It was done before.
    case "again":
      return null;
    default:
      return at satisfies never;
  }
}

/** A person's yes says that the work is right; that there is work, only an act, checks or the diff can say. */
function evidenceOf({ act, proofs, tree, approvedBy, chunks = [] }: Judged): NonEmpty<Evidence> {
  const byChunks: Evidence[] = isNonEmpty(chunks) ? [{ kind: "chunks", tasks: [...chunks] }] : [];
  const proven = [...(act === undefined ? [] : [act.record]), ...proofs, ...byChunks];
  const work: NonEmpty<Evidence> = isNonEmpty(proven) ? proven : [{ kind: "diff", tree }];
  return approvedBy === null ? work : [...work, { kind: "person", who: approvedBy }];
}

function failedEvent(
  verdict: Extract<Verdict, { kind: "failed" }>,
  judged: Judged,
): ProjectEvent | null {
  const { asking, task, at, attempt } = judged;
  const { kind: _, failure, ...more } = verdict;
  const fact = { at: asking.at, by: asking.by, task_id: task.id };
  switch (at) {
    // Not judged to have failed: it is not begun yet.
    case "before-session":
      return null;
    case "after-session": {
      const result = { passed: false, failure, ...more } as const;
      return { kind: "checks-recorded", ...fact, attempt, result };
    }
    case "act":
      return blockedEvent(
        judged,
        actFailed(judged, `${failure.check}: ${firstLine(failure.excerpt)}`),
      );
    case "again":
      return takenBack(judged, brokenBy(verdict) ?? "", judged.why ?? "");
    default:
      return at satisfies never;
  }
}

/** What no longer holds of verified work; null where it holds. */
export function brokenBy(verdict: Verdict): string | null {
  if (verdict.kind === "failed") {
    return `${verdict.failure.check} fails: ${firstLine(verdict.failure.excerpt)}`;
  }
  // Nobody knows whether it holds, so nobody may say that it does.
  if (verdict.kind !== "unavailable") return null;
  const { check, summary, hint } = verdict.unavailable;
  return `${describeCheck(check)} cannot be run: ${summary}; ${hint}`;
}

/** Nothing may call it done any longer, nor what was committed of it its work. */
export function takenBack(
  { asking, task }: Pick<Judged, "asking" | "task">,
  what: string,
  why: string,
): EventOf<"task-reopened"> {
  const commit = task.status === "done" ? task.commit : undefined;
  return {
    kind: "task-reopened",
    at: asking.at,
    by: asking.by,
    task_id: task.id,
    ...(commit === undefined ? {} : { commit }),
    blocker: {
      kind: "unfulfillable",
      reason: `${task.id}: verified, but ${why}, and now ${what}`,
      unblock: "fix the cause, then: stint resume --retry",
    },
  };
}

/** An act that did not succeed, or whose output is not what its checks ask for. */
export function actFailed(
  {
    task,
    act,
  }: Pick<Judged, "task"> & { readonly act?: Pick<ActDone, "text" | "output"> | undefined },
  summary: string,
): BlockerFound {
  const said = act === undefined || act.output === "" ? "" : `: ${act.output.slice(0, 500)}`;
  return {
    kind: "unfulfillable",
    reason: `${task.id}: "${act?.text ?? ""}" failed (${summary})${said}`,
    unblock: "fix the cause, then: stint resume --retry",
  };
}

/** What is missing is a person's to install; no attempt at the task would pass without it. */
function cannotBeChecked({ id }: Task, { check, summary, hint }: UnavailableRun): BlockerFound {
  return {
    kind: "missing-access",
    reason: `the check "${describeCheck(check)}" of ${id} cannot be run: ${summary}`,
    unblock: `${hint}; then: stint resume --retry`,
  };
}

function blockedEvent({ asking, task }: Judged, blocker: BlockerFound): ProjectEvent {
  return { kind: "task-blocked", at: asking.at, by: asking.by, task_id: task.id, blocker };
}

function hasOthers({ checks = [] }: Task): boolean {
  return checks.some(({ kind }) => kind !== "review");
}

function requestEvent(
  { to, subject, words }: Extract<Verdict, { kind: "yes-needed" }>,
  { asking, task, at, act }: Judged,
): EventOf<"approval-requested"> {
  const asked = { task_id: task.id, subject: subject.text, subject_sha256: subject.sha256 };
  switch (to) {
    case "output":
      return approvalRequested(asking, {
        kind: "task-after",
        ...asked,
        ...(at === "act" && act !== undefined
          ? {
              reason: `${task.id} was done (${act.summary}) and needs your yes to its result`,
              on_yes: "the task is done",
              on_no: "the task is blocked; nothing is undone",
            }
          : {
              reason: `the output of ${task.id} "${task.title}" needs your yes${hasOthers(task) ? "; its other checks pass" : ""}`,
              on_yes: "its checks run once more, and the task is done",
              on_no:
                "the task is blocked; after retry a session works on it again, with your reason in its brief",
            }),
      });
    case "excess":
      return approvalRequested(asking, {
        kind: "limit",
        ...asked,
        reason: `${task.id} passes its checks but went beyond its limits: ${words}`,
        on_yes: "the task is done",
        on_no: "the task is blocked",
      });
    // Without what was refused to it the session did not get there: a person decides, not an attempt.
    case "command":
      return approvalRequested(asking, {
        kind: "destructive",
        ...asked,
        reason: `a session on ${task.id} was refused a destructive command: ${subject.text}`,
        on_yes: "a new session may run it",
        on_no: "the task is blocked",
      });
    default:
      return to satisfies never;
  }
}

function firstLine(text: string): string {
  return text.split("\n", 1)[0] ?? "";
}
