// How long an agent is left alone after its provider refused it. Every wait is bounded and so is the
// number of waits in a row; after that only a person can say that it is worth trying again.
import type { Refused } from "./events.ts";
import { type Instant, instantFromMs, msOf } from "./instant.ts";
import type { AgentLimit } from "./schema/items.ts";

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** After a stated reset: clocks differ, and a provider may be late. */
const RESET_MARGIN_MS = 60 * SECOND_MS;
/** The longest allowance any provider has is a week; a later reset is a mistake. */
const FARTHEST_RESET_MS = 8 * DAY_MS;
export const LONGEST_LIMIT_MS = FARTHEST_RESET_MS + RESET_MARGIN_MS;

/** Where the provider does not say when. */
const USAGE_WAITS_MS = [15 * MINUTE_MS, 30 * MINUTE_MS, 60 * MINUTE_MS] as const;
const SHORTEST_WAIT_MS = 30 * SECOND_MS;
const LONGEST_WAIT_MS = 15 * MINUTE_MS;

/** Refusals in a row after which waiting is given up. */
export const MOST_IN_A_ROW = { usage: 24, provider: 10 } as const;

export function limitAfter(
  before: AgentLimit | undefined,
  refused: Refused,
  at: Instant,
): AgentLimit {
  const { agent, cause, reason, unblock } = refused;
  const counted = before?.in_a_row ?? { usage: 0, provider: 0 };
  const limit = { agent, cause, reason, at };
  const hint = unblock === undefined ? {} : { unblock };
  if (cause === "auth") return { ...limit, ...hint, in_a_row: counted };
  const kind = cause === "usage-limit" ? "usage" : "provider";
  const in_a_row = { ...counted, [kind]: counted[kind] + 1 };
  if (in_a_row[kind] > MOST_IN_A_ROW[kind]) return { ...limit, in_a_row };
  const untilMs =
    kind === "usage"
      ? (statedResetMs(refused.reset_at, at) ?? msOf(at) + usageWaitMs(in_a_row.usage))
      : msOf(at) + providerWaitMs(in_a_row.provider, refused.jitter);
  return { ...limit, until: instantFromMs(untilMs), in_a_row };
}

/** A reset in the past or beyond any allowance is not believed. */
function statedResetMs(reset: Instant | undefined, at: Instant): number | undefined {
  if (reset === undefined) return undefined;
  const aheadMs = msOf(reset) - msOf(at);
  return aheadMs > 0 && aheadMs <= FARTHEST_RESET_MS ? msOf(reset) + RESET_MARGIN_MS : undefined;
}

function usageWaitMs(inARow: number): number {
  return USAGE_WAITS_MS[Math.min(inARow, USAGE_WAITS_MS.length) - 1] ?? LONGEST_WAIT_MS;
}

/** Doubles from 30 s to 15 min; the jitter takes away up to a quarter. */
function providerWaitMs(inARow: number, jitter: number): number {
  const waitMs = Math.min(SHORTEST_WAIT_MS * 2 ** (inARow - 1), LONGEST_WAIT_MS);
  return Math.round(waitMs * (1 - Math.min(1, Math.max(0, jitter)) / 4));
}
