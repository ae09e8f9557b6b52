// A task in its next status: each function takes any task and gives it exactly the fields of that
// status. Progress (attempts, failures, labels) is carried over; nothing here lowers a counter.
import type { EndTold } from "../events.ts";
import type { NonEmpty } from "../ids.ts";
import type { Instant } from "../instant.ts";
import type { Approval } from "../schema/items.ts";
import type { Sha256 } from "../schema/scalar.ts";
import type { Evidence, Grant, Label, Reopening, Task, TaskIntent } from "../schema/task.ts";

export type TaskIn<S extends Task["status"]> = Extract<Task, { status: S }>;

/** What every status has: what the manifest says, and the progress so far. */
type TaskCore = Omit<TaskIn<"pending">, "status">;

const STATUS_FIELDS: ReadonlySet<string> = new Set([
  "status",
  "attempt",
  "evidence",
  "done_at",
  "commit",
  "reason",
  "blocked_at",
  "dispatch_id",
  "approval_id",
  "by",
  "skipped_at",
  "superseded_at",
  "completion",
]);

/** As a record, so that a field added to the manifest's part cannot be forgotten here. */
const INTENT_FIELDS: Record<keyof TaskIntent, true> = {
  id: true,
  name: true,
  title: true,
  after: true,
  checks: true,
  approve: true,
  run: true,
  webhook: true,
  agent: true,
  timeout_ms: true,
  delegate: true,
  returns: true,
  look_ms: true,
  deadline_ms: true,
  exclusive: true,
  ignored: true,
  strict: true,
  docs_only: true,
  limit: true,
  dir: true,
  in: true,
  protect: true,
  details: true,
  resolves: true,
  child: true,
  chunk_of: true,
};

export function plannedTask(intent: TaskIntent): TaskIn<"pending"> {
  return { ...intent, attempts: 0, status: "pending" };
}

/** What a status has beside that; `done` and `superseded` are reached by moves of their own. */
type Reached = {
  [S in Exclude<Task["status"], "done" | "superseded">]: Omit<TaskIn<S>, keyof TaskCore>;
}[Exclude<Task["status"], "done" | "superseded">];

/** The task in another status. */
export function moved(task: Task, into: Reached): Task {
  return { ...coreOf(task), ...into };
}

export interface Labels {
  readonly labels: readonly Label[];
  readonly label_reasons?: Readonly<Record<string, string>> | undefined;
}

export function done(
  task: Task,
  evidence: NonEmpty<Evidence>,
  { labels, label_reasons = {} }: Labels,
  at: Instant,
): TaskIn<"done"> {
  const { labels: _l, label_reasons: _r, last_end: _e, ...core } = coreOf(task);
  const why = Object.keys(label_reasons).length === 0 ? {} : { label_reasons };
  const labelled = labels.length === 0 ? core : { ...core, labels: [...labels], ...why };
  return { ...labelled, status: "done", evidence: [...evidence], done_at: at };
}

/** Keeps what a done task had, so that a task that comes back has lost nothing. */
export function superseded(task: Task, at: Instant): TaskIn<"superseded"> {
  const removed = { ...coreOf(task), status: "superseded", superseded_at: at } as const;
  if (task.status !== "done") return removed;
  const { evidence, done_at } = task;
  const completion = { evidence, done_at };
  return {
    ...removed,
    completion: task.commit === undefined ? completion : { ...completion, commit: task.commit },
  };
}

export function restored(task: TaskIn<"superseded">): Task {
  if (task.completion === undefined) return moved(task, { status: "pending" });
  return { ...coreOf(task), ...task.completion, status: "done" };
}

/** How its last session ended; without a word, that it finished or that what it asked tells it. */
export function withEnd(task: Task, ended: EndTold | undefined, at: Instant): Task {
  const { last_end: _e, ...rest } = task;
  return ended === undefined ? rest : { ...rest, last_end: { ...ended, at } };
}

/** To be done again from the start: a full budget of attempts, on top of those already used. */
export function reopened(
  task: Task,
  wish: Pick<Reopening, "by" | "at" | "reason">,
): TaskIn<"pending"> {
  const {
    last_failure: _f,
    last_end: _e,
    same_failure: _s,
    question_sessions: _q,
    grants: _g,
    labels: _l,
    label_reasons: _r,
    ...core
  } = coreOf(task);
  const { attempts } = task;
  const { by, at, reason } = wish;
  const again =
    task.status === "done" ? { ...undone(task), reopened: { by, at, reason, attempts } } : {};
  return { ...core, ...again, extra_attempts: attempts, status: "pending" };
}

/** Its work stays, and its checks say whether that is enough; if not, it has a full budget of attempts again. */
export function checkedAnew(task: Task): TaskIn<"pending"> {
  const { labels: _l, label_reasons: _r, grants: _g, ...core } = coreOf(task);
  return { ...core, ...undone(task), extra_attempts: task.attempts, status: "pending" };
}

/** What was done is no longer: counted, so that nothing of before is taken for what is wanted now. */
export function undone(task: Pick<Task, "undone">): { readonly undone: number } {
  return { undone: (task.undone ?? 0) + 1 };
}

/** Out of the hands of a session: waiting for its own open approval, or ready to be picked. */
export function released(task: Task, approvals: readonly Approval[]): Task {
  const open = approvals.find((item) => item.status === "open" && item.task_id === task.id);
  return open === undefined
    ? moved(task, { status: "pending" })
    : moved(task, { status: "awaiting_approval", approval_id: open.id });
}

/** The same task with other words, dependencies or checks; its progress is untouched. */
export function reworded(task: Task, intent: TaskIntent): Task {
  if (isWordedAs(task, intent)) return task;
  return { ...intent, ...without(task, new Set(Object.keys(INTENT_FIELDS))) } as Task;
}

function isWordedAs(task: Task, intent: TaskIntent): boolean {
  return (Object.keys(INTENT_FIELDS) as (keyof TaskIntent)[]).every(
    (field) => JSON.stringify(task[field]) === JSON.stringify(intent[field]),
  );
}

/** Stint executes it itself, without a session. */
export function isLogistical({ run, webhook }: Pick<Task, "run" | "webhook">): boolean {
  return run !== undefined || webhook !== undefined;
}

export function withoutGrants(task: Task): Task {
  const { grants: _g, ...rest } = task;
  return rest;
}

/** Attempts since it was to be done, the last time that a person wanted it, and since it was split. */
export function ownAttempts(task: Task): number {
  return task.attempts - Math.max(task.reopened?.attempts ?? 0, task.split_after ?? 0);
}

export function attemptsLeft(task: Task, attemptsPerTask: number): number {
  return attemptsPerTask + (task.extra_attempts ?? 0) - task.attempts;
}

/** A person's last yes of this kind; with a subject, the one to exactly this. */
export function grantOf(
  task: Task,
  kind: Grant["kind"],
  subject_sha256?: Sha256,
): Grant | undefined {
  return task.grants?.findLast(
    (grant) =>
      grant.kind === kind &&
      (subject_sha256 === undefined || grant.subject_sha256 === subject_sha256),
  );
}

export function hasGrant(task: Task, kind: Grant["kind"], subject_sha256?: Sha256): boolean {
  return grantOf(task, kind, subject_sha256) !== undefined;
}

/** A yes to the output of an attempt is void once that output has failed or is worked on again. */
export function withoutOutputGrants(task: Task): Task {
  const { grants, ...rest } = task;
  if (grants === undefined) return task;
  const kept = grants.filter(({ kind }) => kind !== "task-after" && kind !== "limit");
  return kept.length === 0 ? rest : { ...rest, grants: kept };
}

/** A task whose output needs a person's yes before it counts as done. */
export function needsReview(task: Pick<Task, "approve" | "checks">): boolean {
  return task.approve === "after" || (task.checks?.some((c) => c.kind === "review") ?? false);
}

function coreOf(task: Task): TaskCore {
  return without(task, STATUS_FIELDS) as TaskCore;
}

/** A copy field by field: deleting from a copy would make every later look at the task slower. */
function without(task: Task, fields: ReadonlySet<string>): object {
  const kept: Record<string, unknown> = {};
  for (const [field, value] of Object.entries(task)) if (!fields.has(field)) kept[field] = value;
  return kept;
}
