// Agents that their provider refused: what is remembered of them, how long each is left alone, and which agent
// works meanwhile. Only an answer of the provider or a person takes a limit away; a crash, a pause and a
// resumption do not.
import { DERIVED_LIST_LENGTH } from "./written/bounds.ts";
import type { EventOf, Refused, BlockerFound, PauseWanted } from "./events.ts";
import { type Instant, instantFromMs, msOf } from "./instant.ts";
import type { ProjectState } from "./schema/project.ts";
import { type Body, type Ruling, change, refuse } from "./step/ruling.ts";
import type { AgentLimit } from "./schema/items.ts";

export function afterRefusal(state: ProjectState, refused: Refused, at: Instant): Partial<Body> {
  const limits = state.agent_limits ?? [];
  const before = limits.find(({ agent }) => agent === refused.agent);
  const others = limits.filter(({ agent }) => agent !== refused.agent);
  const { counters } = state;
  return {
    agent_limits: [...others, limitAfter(before, refused, at)].slice(-DERIVED_LIST_LENGTH),
    counters: { ...counters, refused_sessions: (counters.refused_sessions ?? 0) + 1 },
  };
}

export function withAnswer(state: ProjectState, agent: string | undefined): Partial<Body> {
  const limits = state.agent_limits ?? [];
  const others = limits.filter((limit) => limit.agent !== agent);
  return others.length === limits.length ? {} : { agent_limits: others };
}

export function limitsLifted(state: ProjectState, event: EventOf<"limits-lifted">): Ruling {
  const limits = state.agent_limits ?? [];
  const kept = event.which === "all" ? [] : limits.filter(({ until }) => until !== undefined);
  if (kept.length === limits.length) {
    return refuse("No limit was lifted because no agent has one of that kind.");
  }
  const lifted = limits.filter((limit) => !kept.includes(limit)).map(({ agent }) => agent);
  return change(
    `${event.by} wants ${lifted.join(", ")} tried again`,
    { agent_limits: kept },
    { to: state.status },
  );
}

// How long an agent is left alone after its provider refused it. Every wait is bounded and so is the
// number of waits in a row; after that only a person can say that it is worth trying again.

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

/** Refusals in a row after which waiting is given up: after a day, and after an outage of a whole night. */
export const MOST_IN_A_ROW = { usage: 24, provider: 40 } as const;

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

// Which of the agents that may work is to work: the first that its provider serves. Where none does,
// until when to wait, or what only a person can do.

/** The first agent that is not limited at that time; so a limit that is over switches back. */
export function freeAgent(
  limits: readonly AgentLimit[] | undefined,
  agents: readonly string[],
  at: Instant,
): string | undefined {
  return agents.find((agent) => limitOf(limits, agent, at) === undefined);
}

/** What holds an agent at that time, or undefined. */
function limitOf(
  limits: readonly AgentLimit[] | undefined,
  agent: string,
  at: Instant,
): AgentLimit | undefined {
  return limits?.find((limit) => limit.agent === agent && isOn(limit, at));
}

/** A limit farther ahead than any can be was written before the clock was set back. */
function isOn({ until }: AgentLimit, at: Instant): boolean {
  if (until === undefined) return true;
  const leftMs = msOf(until) - msOf(at);
  return leftMs > 0 && leftMs <= LONGEST_LIMIT_MS;
}

export type Standstill =
  | { readonly kind: "wait"; readonly pause: PauseWanted }
  | { readonly kind: "person"; readonly blocker: BlockerFound };

/** What it comes to that none of these agents is served. */
export function standstill(
  limits: readonly AgentLimit[] | undefined,
  agents: readonly string[],
  at: Instant,
): Standstill {
  const held = [...new Set(agents)].flatMap((agent) => limitOf(limits, agent, at) ?? []);
  const reason = held.map((limit) => `${limit.agent}: ${limit.reason}`).join("; ");
  const [soonest] = held
    .flatMap((limit) => (limit.until === undefined ? [] : [{ ...limit, until: limit.until }]))
    .toSorted((a, b) => (a.until < b.until ? -1 : 1));
  if (soonest !== undefined) {
    const kind = soonest.cause === "usage-limit" ? "usage-limit" : "provider";
    return { kind: "wait", pause: { kind, reason, resume_at: soonest.until } };
  }
  const hints = held.flatMap(({ unblock }) => unblock ?? []);
  const isAccess = held.some(({ cause }) => cause === "auth");
  return {
    kind: "person",
    blocker: {
      kind: isAccess ? "missing-access" : "provider",
      reason: isAccess ? reason : `refused ${timesRefused(held)} times in a row: ${reason}`,
      unblock: [...hints, "stint resume"].join(", then: "),
    },
  };
}

function timesRefused(held: readonly AgentLimit[]): number {
  return Math.max(...held.map(({ in_a_row }) => in_a_row.usage + in_a_row.provider));
}
