// One attempt from its start to its end. Attempts are numbered, counted and never uncounted.
import { QUESTIONS_PER_SESSION } from "../written/bounds.ts";
import type { EventOf, Excuse } from "../events.ts";
import { whyNotEligible } from "../eligibility.ts";
import type { ProjectState } from "../schema/project.ts";
import type { Task } from "../schema/task.ts";
import { counted } from "../words/amounts.ts";
import { sessionWords } from "../words/session-end-words.ts";
import { attemptsLeft, hasGrant, moved, withEnd, withoutOutputGrants } from "./task-moves.ts";
import { afterRefusal, withAnswer } from "../agent-limits.ts";
import { afterBlocking, blockTask, retryOrBlock, untilRetried } from "./blockers.ts";
import { spentBudget } from "./budgets.ts";
import { type Refusal, type Ruling, change, named, refuse, replaceTask } from "./ruling.ts";

export function attemptStarted(
  state: ProjectState,
  event: EventOf<"attempt-started">,
  task: Task,
): Ruling {
  const refusal = whyNotStart(state, task) ?? whyNotSession(state, event);
  if (refusal !== undefined) return refusal;
  const isNewSession = event.session > state.counters.sessions;
  const number = task.attempts + 1;
  const attempt = {
    number,
    session: event.session,
    run_id: event.run_id,
    started_at: event.at,
  };
  const started = moved(
    { ...withoutOutputGrants(task), attempts: number },
    { status: "in_progress", attempt },
  );
  const { counters } = state;
  return change(
    `attempt ${number} of ${named(task)} started in session ${event.session}`,
    {
      tasks: replaceTask(state.tasks, started),
      counters: {
        ...counters,
        sessions: event.session,
        attempts: counters.attempts + 1,
        session_questions: isNewSession ? 0 : counters.session_questions,
      },
    },
    { current: task.id },
  );
}

/** Why no new attempt may be made at a task, by a session or by a dispatch. */
function whyNotStart(state: ProjectState, task: Task): Refusal | undefined {
  const cannot = `The ${named(task)} cannot be started because`;
  if (state.current_task_id !== null) {
    return refuse(`${cannot} task ${state.current_task_id} is in progress.`);
  }
  return whyNotAttempt(state, task);
}

export function whyNotAttempt(state: ProjectState, task: Task): Refusal | undefined {
  const cannot = `The ${named(task)} cannot be started because`;
  const why = whyNotEligible(state, task);
  if (why !== undefined) return refuse(`${cannot} it ${why}.`);
  if (task.approve === "before" && !hasGrant(task, "task-before")) {
    return refuse(`${cannot} a person has not approved its start.`);
  }
  if (attemptsLeft(task, state.budgets.attempts_per_task) <= 0) {
    return refuse(
      `${cannot} its ${counted(task.attempts, "attempt")} ${task.attempts === 1 ? "is" : "are"} used up.`,
    );
  }
  return undefined;
}

function whyNotSession(
  state: ProjectState,
  event: EventOf<"attempt-started">,
): Refusal | undefined {
  const last = state.counters.sessions;
  const cannot = `Session ${event.session} cannot be started because`;
  if (event.session === last && last > 0) return undefined;
  if (event.session !== last + 1) return refuse(`${cannot} the next session is ${last + 1}.`);
  const spent = spentBudget(state);
  return spent === undefined ? undefined : refuse(`${cannot} ${spent}.`);
}

export function sessionEnded(
  state: ProjectState,
  event: EventOf<"session-ended">,
  task: Task,
): Ruling {
  if (task.status !== "in_progress" || task.attempt.session !== event.session) {
    return refuse(
      `Session ${event.session} cannot end for ${named(task)} because it is not working on it.`,
    );
  }
  const { counters } = state;
  const ended = withEnd(task, event.ended, event.at);
  return change(
    sessionWords(event.session, event.outcome),
    {
      tasks: replaceTask(
        state.tasks,
        moved(ended, { status: "validating", attempt: task.attempt }),
      ),
      counters: {
        ...counters,
        no_progress: event.progress === "none" ? counters.no_progress + 1 : 0,
        planning_only: event.progress === "planning-only" ? counters.planning_only + 1 : 0,
      },
      last_session_note: event.note ?? state.last_session_note,
      ...withAnswer(state, event.answered_by),
    },
    { to: "Validating", current: task.id },
  );
}

export function attemptInterrupted(
  state: ProjectState,
  event: EventOf<"attempt-interrupted">,
  task: Task,
): Ruling {
  if (task.status !== "in_progress" || task.attempt.number !== event.attempt) {
    return refuse(
      `Attempt ${event.attempt} of ${named(task)} cannot be interrupted because it is not in progress.`,
    );
  }
  const next = excused(withEnd(task, event.ended, event.at), event.excuse);
  const limit = event.excuse === "question" ? questionLimit(next) : undefined;
  const { changes, ...rest } =
    limit === undefined
      ? retryOrBlock(state, next, { kind: "attempts-exhausted", what: event.reason }, event.at)
      : blockTask(state, next, limit, event.at);
  return change(
    `attempt ${event.attempt} of ${named(task)} was interrupted: ${event.reason}`,
    {
      ...changes,
      ...withAnswer(state, event.answered_by),
      ...(event.refused === undefined ? {} : afterRefusal(state, event.refused, event.at)),
      last_error: event.reason,
      last_error_at: event.at,
    },
    { ...rest, to: afterBlocking(state, changes) },
  );
}

/** The attempt stays counted; an excused one is given back as an extra one. */
export function excused(task: Task, excuse: Excuse | undefined): Task {
  const { question_sessions, ...rest } = task;
  if (excuse === undefined) return rest;
  const given = { ...rest, extra_attempts: (task.extra_attempts ?? 0) + 1 };
  return excuse === "question"
    ? { ...given, question_sessions: (question_sessions ?? 0) + 1 }
    : given;
}

export function questionLimit(task: Task) {
  if ((task.question_sessions ?? 0) < QUESTIONS_PER_SESSION) return undefined;
  const what = `${QUESTIONS_PER_SESSION} sessions in a row on ${named(task)} ended with a question.`;
  return untilRetried("question-limit", what);
}
