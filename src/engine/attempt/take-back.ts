// A session beside others, as the loop sees it: a dispatch that is sent before it starts, looked at while it is out,
// and taken back once it has ended, in this run or in one that was killed. One at a time: what it left is collected
// and judged like that of any other session before the next one is taken back.
import type { EventOf, ProjectEvent } from "../../core/events.ts";
import { DEADLINE_MS, nextLook, timesFrom } from "../../core/delegation.ts";
import { msOf } from "../../core/instant.ts";
import { UNSEEN_END } from "../../core/project-state.ts";
import type { Dispatch } from "../../core/schema/items.ts";
import type { ProjectState } from "../../core/schema/project.ts";
import type { SessionStart } from "../../core/schema/session-records.ts";
import type { Task } from "../../core/schema/task.ts";
import { canValidate } from "../../core/step/approvals.ts";
import { fact, nowOf } from "../base/fact.ts";
import { readEnd } from "../base/kept-record.ts";
import type { Steps } from "../base/persist.ts";
import { Inbox } from "../base/inbox.ts";
import type { LaneSession, RunContext } from "../base/run-context.ts";

/** How often whoever waits looks for answers. */
const WATCH_MS = 100;

type Sent = Extract<Dispatch, { status: "sent" }>;
export type SessionOut = Sent & {
  readonly worker: Extract<Dispatch["worker"], { kind: "session" }>;
};

/** The sessions that are out, by the state alone: of this run, or of one that was killed. */
export function sessionsOut({ dispatches }: Pick<ProjectState, "dispatches">): SessionOut[] {
  return dispatches.filter(
    (item): item is SessionOut => item.status === "sent" && item.worker.kind === "session",
  );
}

/** Persisted before the session starts. */
export function sentToLane(
  context: RunContext,
  lane: number,
  task: Task,
  { session, agent, planned }: SessionStart,
): EventOf<"dispatch-sent"> {
  const { at, by } = fact(context);
  // Its session ends by itself before.
  const { look_ms, deadline_ms = Math.max(DEADLINE_MS, 2 * (task.timeout_ms ?? 0)) } = task;
  return {
    kind: "dispatch-sent",
    at,
    by,
    run_id: context.runId,
    ...(planned !== undefined && { planned }),
    dispatch: {
      task_id: task.id,
      owner: agent,
      objective: task.title,
      worker: { kind: "session", session, lane },
      returns: { kind: "exit" },
      ...timesFrom(at, { look_ms, deadline_ms }),
    },
  };
}

/** What is known of the sessions that are out becomes at most one event. */
export async function* lookAtLanes(context: RunContext): Steps {
  const { lanes, holder } = context;
  const { state } = holder;
  const out = sessionsOut(state);
  // Its task is not wanted any more, and nobody asks what it made; what it cost was spent.
  const left = lanes
    .all()
    .find(({ hasEnded, dispatch_id }) => hasEnded && !out.some(({ id }) => id === dispatch_id));
  if (left !== undefined) {
    const event = spendingOf(context, left);
    if (event !== null) yield { event };
    lanes.taken(left.session);
    return;
  }
  const back = canValidate(state) ? firstBack(context, out) : undefined;
  if (back !== undefined) {
    const { session } = back.worker;
    const result = readEnd(context, session)?.outcome.kind ?? UNSEEN_END;
    yield { event: { kind: "result-consumed", ...fact(context), dispatch_id: back.id, result } };
    lanes.taken(session);
    return;
  }
  const due = out.find(({ checkpoint_at }) => msOf(checkpoint_at) <= context.host.nowMs());
  if (due !== undefined) yield { event: looked(context, due) };
}

/** Of those that have ended the oldest; where the run is to stop, those that were ended for it come first. */
function firstBack(context: RunContext, out: readonly SessionOut[]): SessionOut | undefined {
  const atWork = new Set(
    context.lanes.all().flatMap(({ hasEnded, session }) => (hasEnded ? [] : [session])),
  );
  const back = out.filter(({ worker }) => !atWork.has(worker.session));
  const isStopped = ({ worker }: SessionOut): boolean =>
    (readEnd(context, worker.session)?.stopped ?? null) !== null;
  return (context.stopWanted() === null ? undefined : back.find(isStopped)) ?? back[0];
}

/** Not back: it is given up, or looked at again. */
export function looked(context: RunContext, { id: dispatch_id, deadline_at, look_ms }: Sent) {
  const { at, by } = fact(context);
  if (msOf(deadline_at) <= msOf(at))
    return { kind: "dispatch-timed-out", at, by, dispatch_id } as const;
  const checkpoint_at = nextLook(at, look_ms, deadline_at);
  return { kind: "checkpoint-moved", at, by, dispatch_id, checkpoint_at } as const;
}

function spendingOf(context: RunContext, { session }: LaneSession): ProjectEvent | null {
  const end = readEnd(context, session);
  if (end === undefined) return null;
  const { wall_ms, tokens, cost_usd } = end;
  return { kind: "spending-recorded", ...fact(context), wall_ms, tokens, cost_usd };
}

/** Until a session has ended that can be taken back, somebody has answered, or what is out is to be looked at. */
export async function waitBeside(context: RunContext): Promise<void> {
  const { host, answers, lanes, holder } = context;
  answers.hold("free");
  if (answers.take() > 0) return;
  const settled = answers.settled();
  const all = lanes.all();
  if (canValidate(holder.state) && all.some(({ hasEnded }) => hasEnded)) return;
  const out = holder.state.dispatches.filter(({ status }) => status === "sent");
  const inbox = new Inbox(holder.entry);
  const isOutside = out.some(({ worker }) => worker.kind === "outside");
  const isOver = (): boolean =>
    answers.settled() > settled ||
    out.some(({ checkpoint_at }) => checkpoint_at <= nowOf(context)) ||
    (isOutside && inbox.hasMail());
  await new Promise<void>((resolve) => {
    const end = host.every(WATCH_MS, () => {
      if (isOver()) over();
    });
    const over = (): void => {
      end();
      resolve();
    };
    void lanes.oneEnded().then(over);
  });
}
