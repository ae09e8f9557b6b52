// Sessions that work beside each other, as one run has them in hand: each in a lane of its own, started and not
// waited for. Nothing here is durable: what is out is in the state, as dispatches, and what a session made is taken
// back by the loop, one at a time.
import { Interrupted } from "../../core/stint-error.ts";
import type { Allowance } from "../../core/step/budgets.ts";
import type { AnswerBox, Lanes, LaneSession, RunContext } from "../base/run-context.ts";

interface AtWork extends LaneSession {
  readonly sharers: number;
  share: Allowance | null;
  hasEnded: boolean;
  ended: Promise<void>;
  error: unknown;
}

/** `open` makes everything that a session in this lane works with. */
export function openLanes(
  { holder, answers }: Pick<RunContext, "holder" | "answers">,
  open: (lane: number, lanes: Lanes) => Promise<RunContext>,
): Lanes {
  const contexts = new Map<number, Promise<RunContext>>();
  const sessions: AtWork[] = [];
  let ending: string | null = null;
  const inLane = (lane: number): AtWork | undefined =>
    sessions.find((each) => each.lane === lane && !each.hasEnded);
  const lanes: Lanes = {
    context(lane) {
      const known = contexts.get(lane) ?? open(lane, lanes);
      contexts.set(lane, known);
      // One that could not be opened is tried again.
      known.catch(() => contexts.delete(lane));
      return known;
    },
    all: () => [...sessions],
    start(session, sharers, work) {
      const at: AtWork = {
        ...session,
        sharers,
        share: null,
        hasEnded: false,
        ended: Promise.resolve(),
        error: null,
      };
      sessions.push(at);
      at.ended = work()
        .catch((error: unknown) => void (at.error = error))
        .finally(() => void (at.hasEnded = true));
    },
    unwanted(lane) {
      const at = inLane(lane);
      if (at === undefined) return null;
      const isOut = holder.state.dispatches.some(
        ({ id, status }) => id === at.dispatch_id && status === "sent",
      );
      return (
        ending ?? answers.letGoOf(at.task_id) ?? (isOut ? null : `${at.task_id} is not wanted now`)
      );
    },
    shareOf(lane, left) {
      const at = lane === undefined ? undefined : inLane(lane);
      const others = sessions.flatMap((each) =>
        each === at || each.share === null ? [] : [each.share],
      );
      if (at === undefined) return others.length === 0 ? left : sharedOut(left, others, 1);
      at.share = sharedOut(left, others, at.sharers);
      return at.share;
    },
    taken(session) {
      const index = sessions.findIndex((each) => each.session === session);
      const [at] = index === -1 ? [] : sessions.splice(index, 1);
      // Of one that was not wanted before it began, nothing is known; that is what is recorded of it.
      if (at !== undefined && at.error !== null && !(at.error instanceof Interrupted)) {
        throw at.error;
      }
    },
    async oneEnded() {
      const atWork = sessions.filter(({ hasEnded }) => !hasEnded);
      if (atWork.length > 0) await Promise.race(atWork.map(({ ended }) => ended));
    },
    async end(reason) {
      ending = reason;
      await Promise.all(sessions.map(({ ended }) => ended));
      await Promise.allSettled(contexts.values());
    },
  };
  return lanes;
}

/**
 * Of what is left and is not given to others yet, an equal part for each that may still begin beside it: all of
 * them together spend no more than one after another would.
 */
export function sharedOut(
  left: Allowance,
  others: readonly Allowance[],
  sharers: number,
): Allowance {
  const part = (kind: keyof Allowance): number | null => {
    const all = left[kind];
    if (all === null) return null;
    const given = others.reduce((sum, other) => sum + (other[kind] ?? 0), 0);
    return Math.max(0, all - given) / Math.max(1, sharers);
  };
  const tokens = part("tokens");
  return {
    tokens: tokens === null ? null : Math.floor(tokens),
    cost_usd: part("cost_usd"),
    wall_ms: Math.max(1, Math.floor(part("wall_ms") ?? 0)),
  };
}

/** The answers of people as a lane hears them: while its session is at work, it is let go for those about it alone. */
export function answersFor(answers: AnswerBox, lanes: Lanes, lane: number): AnswerBox {
  const isAtWork = (): boolean => lanes.all().some((each) => each.lane === lane && !each.hasEnded);
  return {
    take: () => answers.take(),
    settled: () => answers.settled(),
    hold: (hand) => answers.hold(hand),
    letGo: () => (isAtWork() ? lanes.unwanted(lane) : answers.letGo()),
    letGoOf: (task) => answers.letGoOf(task),
    keepMs: (session) => answers.keepMs(session),
    stopNow: () => answers.stopNow(),
    pauseWanted: () => answers.pauseWanted(),
    close: () => answers.close(),
  };
}
