// PERSIST, then REPORT: the rules judge an event, the store makes it durable, and only what is durable can be
// told. An act hands out its events as steps; whoever drives it persists each before the act goes on.
import type { ProjectEvent } from "../../core/events.ts";
import type { TaskId } from "../../core/ids.ts";
import type { RunPlace } from "../../core/news.ts";
import type { ProjectState } from "../../core/schema/project.ts";
import { spendingText } from "../../core/step/budgets.ts";
import { step } from "../../core/step/step.ts";
import { StintError } from "../../core/stint-error.ts";
import type { RunContext } from "./run-context.ts";

/** What an act hands out, one after another: an event, with the rows of its checks. */
export interface Step {
  readonly event: ProjectEvent;
  readonly rows?: readonly string[] | undefined;
}

export type Steps<T = void> = AsyncGenerator<Step, T, undefined>;

declare const durable: unique symbol;

/** A revision that is on disk. Nothing but `persist` can make one. */
export interface Persisted {
  readonly [durable]: true;
  readonly state: ProjectState;
  readonly event: ProjectEvent;
  readonly summary: string;
}

/** The rules said no: a bug, unless a person's answer overtook what was under way. */
export class RefusedEvent extends StintError {}

/** @throws RefusedEvent when the rules refuse, after the refusal was journalled */
export function persist(
  context: Pick<RunContext, "holder">,
  event: ProjectEvent,
  validation?: readonly string[],
): Persisted {
  const { holder } = context;
  const result = step(holder.state, event);
  const { at, by, kind } = event;
  if (!result.ok) {
    holder.note({ at, by, kind: "refused", summary: `${kind}: ${result.reason} ${result.legal}` });
    throw new RefusedEvent(
      "state-changed",
      `${holder.state.project_id}: nothing was recorded. ${result.reason}`,
      `See where it stands: stint status ${holder.state.project_id}`,
    );
  }
  const state = holder.commit(result.state, {
    at,
    by,
    kind,
    summary: [result.summary, ...endWords(event)].join("; "),
    data: dataOf(event),
    ...(validation !== undefined && validation.length > 0 && { validation: [...validation] }),
  });
  return { state, event, summary: result.summary } as unknown as Persisted;
}

/** What the end of a session came to, for whoever reads the journal. */
function endWords({ measured, spent }: ProjectEvent): string[] {
  return [measured ?? [], spent === undefined ? [] : spendingText(spent)].flat();
}

/** The event for the journal; what the manifest holds anyway is only counted. */
function dataOf(event: ProjectEvent): Record<string, unknown> {
  const { kind: _kind, at: _at, by: _by, ...rest } = event;
  return Object.fromEntries(
    Object.entries(rest).map(([name, value]) => [
      name,
      Array.isArray(value) && value.length > 20 ? { count: value.length } : value,
    ]),
  );
}

export function reportRound(
  context: Pick<RunContext, "tell" | "notices" | "children" | "stages">,
  { state, event, summary }: Persisted,
): void {
  context.tell({
    kind: "persisted",
    revision: state.revision,
    event: event.kind,
    summary,
    status: state.status,
    place: placeOf(state),
    ...(event.kind === "attempt-interrupted" && event.ended !== undefined && { isTold: true }),
  });
  const { spent } = event;
  // Time alone is on every clock; tokens and money are worth a line.
  if (spent !== undefined && (spent.tokens ?? spent.cost_usd) !== null) {
    context.tell({ kind: "notice", text: spendingText(spent) });
  }
  context.children?.persisted(state);
  context.notices?.persisted(state);
  context.stages?.persisted(event.kind);
}

/** PERSIST, then REPORT: the way of every event of a run. */
export function save(context: RunContext, event: ProjectEvent, rows?: readonly string[]): void {
  reportRound(context, persist(context, event, rows));
}

/** Each step is durable and told before the act goes on. @returns what the act came to, and how many there were */
export async function saveEach<T>(
  context: RunContext,
  steps: Steps<T>,
): Promise<{ readonly value: T; readonly saved: number }> {
  for (let saved = 0; ; saved += 1) {
    // One after another: each act goes on from what was persisted.
    // oxlint-disable-next-line no-await-in-loop
    const next = await steps.next();
    if (next.done === true) return { value: next.value, saved };
    try {
      save(context, next.value.event, next.value.rows);
    } catch (error) {
      // The act hears it where it stands, so that it ends what it has begun.
      // oxlint-disable-next-line no-await-in-loop
      await steps.throw(error);
      throw error;
    }
  }
}

/** For what is known to hand out nothing. */
export async function withoutSteps<T>(steps: Steps<T>): Promise<T> {
  const first = await steps.next();
  if (first.done === true) return first.value;
  throw new Error(`nobody is here to persist ${first.value.event.kind}`);
}

/** The tasks that a chunk is a part of, the outermost first. */
function wholesOf(
  tasks: ProjectState["tasks"],
  { chunk_of }: ProjectState["tasks"][number],
): TaskId[] {
  const whole = tasks.find(({ id }) => id === chunk_of);
  return whole === undefined ? [] : [...wholesOf(tasks, whole), whole.id];
}

export function placeOf(state: ProjectState): RunPlace {
  const live = state.tasks.filter((task) => task.status !== "superseded");
  const task = live.find(({ id }) => id === state.current_task_id);
  return {
    done: live.filter(({ status }) => status === "done").length,
    total: live.length,
    sessions: state.counters.sessions,
    task:
      task === undefined
        ? null
        : {
            id: task.id,
            title: task.title,
            ...(task.chunk_of !== undefined && { within: wholesOf(live, task) }),
            status: task.status,
            attempt: task.attempts,
            attempts: state.budgets.attempts_per_task + (task.extra_attempts ?? 0),
          },
    ...besideEachOther(state),
    spent: state.spent,
    allowed: state.budgets,
  };
}

function besideEachOther({ tasks, dispatches, budgets }: ProjectState): Pick<RunPlace, "beside"> {
  const beside = dispatches.flatMap(({ status, worker, task_id }) => {
    const task = tasks.find(({ id }) => id === task_id);
    if (status !== "sent" || worker.kind !== "session" || task === undefined) return [];
    const { id, title, attempts: attempt, extra_attempts = 0 } = task;
    const attempts = budgets.attempts_per_task + extra_attempts;
    return [{ session: worker.session, id, title, attempt, attempts }];
  });
  return beside.length === 0 ? {} : { beside };
}
