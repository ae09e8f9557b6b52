// When and by whom: what every event of a run begins with.
import { type Instant, instantFromMs } from "../../core/instant.ts";
import type { Asking } from "./approval-request.ts";
import type { RunContext } from "./run-context.ts";

export function nowOf(context: Pick<RunContext, "host">): Instant {
  return instantFromMs(context.host.nowMs());
}

/** The author of what the run itself finds and does. */
export function runAuthor(context: Pick<RunContext, "holder">): string {
  return context.holder.state.owner_agent;
}

/** When and by whom a person is asked, and for how long. */
export function asking(context: Pick<RunContext, "holder" | "host" | "settings">): Asking {
  return { ...fact(context), expireMs: context.settings.approvalsExpireMs };
}

/** When and by whom, for an event of the run itself. */
export function fact(context: Pick<RunContext, "holder" | "host">): { at: Instant; by: string } {
  return { at: nowOf(context), by: runAuthor(context) };
}
