// Which of the agents that may work is to work: the first that its provider serves. Where none does,
// until when to wait, or what only a person can do.
import type { BlockerFound, PauseWanted } from "./events.ts";
import { LONGEST_LIMIT_MS } from "./back-off.ts";
import { type Instant, msOf } from "./instant.ts";
import type { AgentLimit } from "./schema/items.ts";

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
