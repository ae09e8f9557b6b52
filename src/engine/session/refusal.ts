// A provider that would not serve: which ends of a session mean that, and what is remembered of one.
import type { Outcome } from "../../agents/agent.ts";
import type { Refused } from "../../core/events.ts";
import type { Host } from "../../store/host.ts";

/** Ends that say nothing about the work and cost no attempt. */
export function isRefusal(kind: Outcome["kind"]): boolean {
  const kinds: readonly Outcome["kind"][] = [
    "usage-limited",
    "rate-limited",
    "overloaded",
    "auth-failed",
  ];
  return kinds.includes(kind);
}

/** Words of a provider, which may be a page of HTML; they go into the state. */
const LONGEST_REASON = 500;

export function refusedBy(
  { host }: { readonly host: Host },
  agent: string,
  cause: Refused["cause"],
  said: string,
): Refused {
  const [high = 0, low = 0] = host.randomBytes(2);
  const reason = said.trim().slice(0, LONGEST_REASON) || cause;
  return { agent, cause, reason, jitter: (high * 256 + low) / 0xffff };
}
