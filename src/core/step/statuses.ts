// One function per status: which rule decides each event that the table lists for it. The table gives
// each function its type, so a row without a case, or a case without a row, does not compile.
import type { EventOf } from "../events.ts";
import type { LegalEvent } from "./transitions.ts";
import type { ProjectState, ProjectStatus } from "../schema/project.ts";
import {
  approvalDenied,
  approvalExpired,
  approvalGranted,
  approvalOutdated,
  approvalRequested,
} from "./approvals.ts";
import { limitsLifted } from "./agent-limits.ts";
import { attemptInterrupted, attemptStarted, sessionEnded } from "./attempts.ts";
import { projectBlocked, taskBlocked, taskReopened, taskRetried, unblocked } from "./blockers.ts";
import { checksRecorded, commitRecorded, deliveryRecorded, outputVerified } from "./checks.ts";
import { budgetsChanged, spendingRecorded, watchdogInstalled } from "./budgets.ts";
import {
  dispatchLost,
  dispatchSent,
  dispatchTimedOut,
  resultConsumed,
  waitBegan,
} from "./dispatches.ts";
import {
  abandoned,
  commandsConsented,
  completed,
  completedFromValidating,
  gateReached,
  paused,
  planApproved,
  projectReopened,
  replanRequested,
  resumed,
  taskSkipped,
  workStarted,
} from "./lifecycle.ts";
import { manifestAdopted, manifestRead } from "./manifest.ts";
import { questionAnswered, questionAsked, questionWithdrawn } from "./questions.ts";
import type { Ruling, StateIn } from "./ruling.ts";

type OpenKind = Exclude<LegalEvent<"Draft">["kind"], "plan-approved">;

/** What may happen in every status that is not terminal. */
export type OpenEvent = EventOf<OpenKind>;

/** What the table lists for this status and not for every other one too. */
export type OwnEvent<S extends ProjectStatus> = Exclude<LegalEvent<S>, OpenEvent>;

export function inDraft(state: StateIn<"Draft">, event: OwnEvent<"Draft">): Ruling {
  switch (event.kind) {
    case "plan-approved":
      return planApproved(state, event);
    default:
      return event.kind satisfies never;
  }
}

export function inReady(state: StateIn<"Ready">, event: OwnEvent<"Ready">): Ruling {
  switch (event.kind) {
    case "work-started":
      return workStarted(state, event);
    case "commands-consented":
      return commandsConsented(state, event);
    case "paused":
      return paused(state, event);
    case "completed":
      return completed(state, event);
    default:
      return event satisfies never;
  }
}

export function inRunning(state: StateIn<"Running">, event: OwnEvent<"Running">): Ruling {
  switch (event.kind) {
    case "attempt-started":
      return attemptStarted(state, event);
    case "output-verified":
      return outputVerified(state, event);
    case "session-ended":
      return sessionEnded(state, event);
    case "attempt-interrupted":
      return attemptInterrupted(state, event);
    case "task-blocked":
      return taskBlocked(state, event);
    case "blocked":
      return projectBlocked(state, event);
    case "gate-reached":
      return gateReached(state);
    case "dispatch-sent":
      return dispatchSent(state, event);
    case "wait-began":
      return waitBegan(state);
    case "result-consumed":
      return resultConsumed(state, event);
    case "dispatch-timed-out":
      return dispatchTimedOut(state, event);
    case "dispatch-lost":
      return dispatchLost(state, event);
    case "commands-consented":
      return commandsConsented(state, event);
    case "paused":
      return paused(state, event);
    case "completed":
      return completed(state, event);
    default:
      return event satisfies never;
  }
}

export function inValidating(state: StateIn<"Validating">, event: OwnEvent<"Validating">): Ruling {
  switch (event.kind) {
    case "checks-recorded":
      return checksRecorded(state, event);
    case "task-blocked":
      return taskBlocked(state, event);
    case "blocked":
      return projectBlocked(state, event);
    case "result-consumed":
      return resultConsumed(state, event);
    case "dispatch-timed-out":
      return dispatchTimedOut(state, event);
    case "dispatch-lost":
      return dispatchLost(state, event);
    case "commands-consented":
      return commandsConsented(state, event);
    case "paused":
      return paused(state, event);
    case "completed":
      return completedFromValidating(state, event);
    default:
      return event satisfies never;
  }
}

export function inAwaitingResult(
  state: StateIn<"AwaitingResult">,
  event: OwnEvent<"AwaitingResult">,
): Ruling {
  switch (event.kind) {
    case "result-consumed":
      return resultConsumed(state, event);
    case "dispatch-timed-out":
      return dispatchTimedOut(state, event);
    case "dispatch-lost":
      return dispatchLost(state, event);
    case "gate-reached":
      return gateReached(state);
    case "blocked":
      return projectBlocked(state, event);
    case "commands-consented":
      return commandsConsented(state, event);
    case "paused":
      return paused(state, event);
    default:
      return event satisfies never;
  }
}

export function inAwaitingApproval(
  state: StateIn<"AwaitingApproval">,
  event: OwnEvent<"AwaitingApproval">,
): Ruling {
  switch (event.kind) {
    case "replan-requested":
      return replanRequested(state, event);
    case "result-consumed":
      return resultConsumed(state, event);
    case "dispatch-timed-out":
      return dispatchTimedOut(state, event);
    case "dispatch-lost":
      return dispatchLost(state, event);
    case "commands-consented":
      return commandsConsented(state, event);
    case "paused":
      return paused(state, event);
    default:
      return event satisfies never;
  }
}

export function inBlocked(state: StateIn<"Blocked">, event: OwnEvent<"Blocked">): Ruling {
  switch (event.kind) {
    case "result-consumed":
      return resultConsumed(state, event);
    case "dispatch-timed-out":
      return dispatchTimedOut(state, event);
    case "dispatch-lost":
      return dispatchLost(state, event);
    case "commands-consented":
      return commandsConsented(state, event);
    case "paused":
      return paused(state, event);
    default:
      return event satisfies never;
  }
}

export function inPaused(state: StateIn<"Paused">, event: OwnEvent<"Paused">): Ruling {
  switch (event.kind) {
    case "resumed":
      return resumed(state, event);
    case "commands-consented":
      return commandsConsented(state, event);
    case "paused":
      return paused(state, event);
    default:
      return event satisfies never;
  }
}

export function inDone(state: StateIn<"Done">, event: OwnEvent<"Done">): Ruling {
  switch (event.kind) {
    case "reopened":
      return projectReopened(state, event);
    default:
      return event.kind satisfies never;
  }
}

export function inAnyOpen(state: ProjectState, event: OpenEvent): Ruling {
  switch (event.kind) {
    case "approval-requested":
      return approvalRequested(state, event);
    case "approval-granted":
      return approvalGranted(state, event);
    case "approval-denied":
      return approvalDenied(state, event);
    case "approval-expired":
      return approvalExpired(state, event);
    case "approval-outdated":
      return approvalOutdated(state, event);
    case "question-asked":
      return questionAsked(state, event);
    case "question-answered":
      return questionAnswered(state, event);
    case "question-withdrawn":
      return questionWithdrawn(state, event);
    case "unblocked":
      return unblocked(state, event);
    case "task-retried":
      return taskRetried(state, event);
    case "task-skipped":
      return taskSkipped(state, event);
    case "manifest-adopted":
      return manifestAdopted(state, event);
    case "manifest-read":
      return manifestRead(state);
    case "commit-recorded":
      return commitRecorded(state, event);
    case "delivery-recorded":
      return deliveryRecorded(state, event);
    case "task-reopened":
      return taskReopened(state, event);
    case "spending-recorded":
      return spendingRecorded(state, event);
    case "budgets-changed":
      return budgetsChanged(state, event);
    case "watchdog-installed":
      return watchdogInstalled(state);
    case "limits-lifted":
      return limitsLifted(state, event);
    case "abandoned":
      return abandoned(state, event);
    default:
      return event satisfies never;
  }
}
