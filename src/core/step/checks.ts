// What the checks of an attempt decide: done with evidence, one more attempt, or blocked.
import { BREAKERS } from "../written/bounds.ts";
import type { ChecksFailed, ChecksPassed, EventOf, Excuse } from "../events.ts";
import { isEligible } from "../eligibility.ts";
import type { Instant } from "../instant.ts";
import type { Delivery, ProjectState } from "../schema/project.ts";
import type { Failure, Task } from "../schema/task.ts";
import { done, hasGrant, type Labels, needsReview, withoutOutputGrants } from "./task-moves.ts";
import { excused, questionLimit } from "./attempts.ts";
import {
  afterBlocking,
  blockTask,
  failedBy,
  retryOrBlock,
  unproven,
  untilRetried,
  wayOfDocs,
  waysOut,
  withoutStreaks,
} from "./blockers.ts";
import { proofSummary } from "../words/proof-words.ts";
import { tellsOfFailedAgent } from "../words/session-end-words.ts";
import { type Change, type Ruling, change, named, refuse, replaceTask } from "./ruling.ts";

export function checksRecorded(
  state: ProjectState,
  event: EventOf<"checks-recorded">,
  task: Task,
): Ruling {
  if (task.status !== "validating" || task.attempt.number !== event.attempt) {
    return refuse(
      `Checks of attempt ${event.attempt} of ${named(task)} cannot be recorded because that attempt is not being validated.`,
    );
  }
  return event.result.passed
    ? passed(state, task, event.result, event.at)
    : failed(state, task, event, event.result);
}

export function outputVerified(
  state: ProjectState,
  event: EventOf<"output-verified">,
  task: Task,
): Ruling {
  if (state.current_task_id !== null || !isEligible(state, task.id)) {
    return refuse(`The output of ${named(task)} cannot be verified now: it is not its turn.`);
  }
  return passed(state, task, event, event.at);
}

function passed(
  state: ProjectState,
  task: Task,
  result: Omit<ChecksPassed, "passed">,
  at: Instant,
): Ruling {
  if (needsReview(task) && !hasGrant(task, "task-after")) {
    return refuse(
      `The ${named(task)} cannot be done because a person has not approved its output.`,
    );
  }
  const { same_failure: _s, question_sessions: _q, ...rest } = task;
  const held = labelsWithChunks(state, task, result);
  const { labels: names } = held;
  const labels = names.join(", ");
  const summary = `done ${named(task)}${labels === "" ? "" : ` (${labels})`}`;
  return change(
    summary,
    {
      tasks: replaceTask(state.tasks, done(rest, result.evidence, held, at)),
      counters: withoutStreaks(state.counters),
      last_checkpoint: summary,
    },
    { current: null },
  );
}

/** What its chunks could not prove, it cannot prove either. */
function labelsWithChunks(
  { tasks }: ProjectState,
  { id }: Task,
  { evidence, labels = [], label_reasons }: Omit<ChecksPassed, "passed">,
): Labels {
  if (!evidence.some(({ kind }) => kind === "chunks")) return { labels, label_reasons };
  const own = tasks.filter(({ chunk_of }) => chunk_of === id);
  return {
    labels: [...new Set([...labels, ...own.flatMap((chunk) => chunk.labels ?? [])])],
    label_reasons: Object.assign({}, ...own.map((chunk) => chunk.label_reasons), label_reasons),
  };
}

function failed(
  state: ProjectState,
  task: Task,
  { attempt, at }: EventOf<"checks-recorded">,
  { failure, excuse, progressed, tooLarge }: ChecksFailed,
): Change {
  const last_failure: Failure = { ...failure, attempt, at };
  const isSame = task.last_failure?.signature === failure.signature;
  // A session that was cut short says nothing about what keeps failing.
  const streak =
    excuse === undefined ? { same_failure: isSame ? (task.same_failure ?? 0) + 1 : 1 } : {};
  const size = tooLarge === undefined ? {} : { too_large: tooLarge };
  const next = excused({ ...withoutOutputGrants(task), last_failure, ...streak, ...size }, excuse);
  // A session that crashed is not "changed nothing": its end says more than the check does.
  const end = task.last_end === undefined ? "" : `; ${endOf(task.last_end)}`;
  const what = `its check failed: ${failure.check}${end}`;
  // An excuse, and a check that turned green, end what happened in a row.
  const counters =
    excuse === undefined && progressed === undefined
      ? state.counters
      : withoutStreaks(state.counters);
  const tripped = trippedLimit(counters, next, excuse, end);
  const { changes, ...rest } =
    tripped === undefined
      ? retryOrBlock(state, next, { kind: "attempts-exhausted", what }, at)
      : blockTask(state, next, { ...tripped, ...waysOut(next) }, at);
  return change(
    `attempt ${attempt} of ${named(task)} failed: ${failure.check}`,
    {
      ...changes,
      // So does an escalation.
      counters: tripped === undefined ? counters : withoutStreaks(counters),
      last_error: `${failure.check}: ${failure.excerpt}`,
      last_error_at: at,
    },
    { ...rest, to: afterBlocking(state, changes) },
  );
}

function trippedLimit(
  { no_progress, planning_only }: ProjectState["counters"],
  task: Task,
  excuse: Excuse | undefined,
  end: string,
) {
  if (excuse === "question") return questionLimit(task);
  if (excuse !== undefined) return undefined;
  if (no_progress >= BREAKERS.no_progress) {
    const isPassing = failedBy(task, "passesUnchanged");
    const passes = isPassing ? ". Its checks pass already, without a change" : "";
    return breaker(task, `${no_progress} sessions in a row ${madeBy(task, end)}${passes}${end}`);
  }
  if ((task.same_failure ?? 0) >= BREAKERS.same_failure) {
    return breaker(task, `the same failure came ${task.same_failure} times in a row${end}`);
  }
  if (planning_only >= BREAKERS.planning_only) {
    const what = `${planning_only} sessions in a row only planned: they changed documents and nothing else`;
    return { ...breaker(task, `${what}${end}`), ...wayOfDocs() };
  }
  return undefined;
}

function madeBy(task: Task, end: string): string {
  if (end !== "") return "made no progress";
  return failedBy(task, "onlyIgnored") ? "changed only files that git ignores" : "changed nothing";
}

function endOf({ session, words }: NonNullable<Task["last_end"]>): string {
  return `session ${session} ${words}`;
}

function breaker(task: Task, what: string) {
  const why = tellsOfFailedAgent(task.last_end?.words ?? "") ? " because its agent failed" : "";
  return untilRetried("breaker", `Work on ${named(task)} was stopped${why}: ${what}.`);
}

/** What is recorded itself is renewed with every step. */
export function deliveryRecorded(
  { status }: ProjectState,
  { delivery }: EventOf<"delivery-recorded">,
): Ruling {
  return change(deliverySummary(delivery), {}, { to: status });
}

function deliverySummary(delivery: Delivery): string {
  switch (delivery.kind) {
    case "in-place":
      return "the work is in place";
    case "delivered":
      return `delivered to ${delivery.branch}`;
    case "waiting":
      return `the work waits on ${delivery.branch}: ${delivery.why}`;
    default:
      return delivery satisfies never;
  }
}

/** What is recorded itself is renewed with every step. Who is proven is no longer blocked by a proof that failed. */
export function proofRecorded(
  { status, blockers }: ProjectState,
  { proof }: EventOf<"proof-recorded">,
): Ruling {
  const summary = proofSummary(proof);
  // Everywhere else a person's word clears what blocks the whole project.
  if (proof.kind !== "proven" || status !== "Blocked") return change(summary, {}, { to: status });
  const left = blockers.filter(({ kind }) => kind !== "proof");
  return change(summary, { blockers: left });
}

function commitSummary(task: Task, { commit, without_change }: EventOf<"commit-recorded">): string {
  if (commit === "none") return `recorded ${named(task)} without a commit`;
  const before = task.status === "done" ? task.commit : undefined;
  // A branch that moved has it under another id: nobody committed anything.
  if (before !== undefined && before !== commit) return `${named(task)} is in commit ${commit} now`;
  if (without_change === true) {
    return `recorded ${named(task)} with ${commit}: there was nothing more to commit`;
  }
  return `committed ${named(task)} as ${commit}`;
}

export function commitRecorded(
  state: ProjectState,
  event: EventOf<"commit-recorded">,
  task: Task,
): Ruling {
  if (task.status !== "done") {
    return refuse(`A commit cannot be recorded for ${named(task)} because it is ${task.status}.`);
  }
  const { commit, at } = event;
  const isMoved = task.commit !== undefined && task.commit !== commit;
  return change(
    commitSummary(task, event),
    {
      tasks: replaceTask(state.tasks, { ...task, commit }),
      ...(isMoved && unproven(state, "the work is in other commits since it was proven", at)),
    },
    { to: state.status },
  );
}
