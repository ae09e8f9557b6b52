// A stop that a person asked for while a run is live: the run's line about it in the journal, and how it is told
// until the run has ended.
import type { Instant } from "../instant.ts";
import type { JournalEntry } from "../schema/project.ts";

/** The journal's word for it. */
export const STOP_REQUESTED = "stop-requested";

export interface StopAsked {
  readonly by: string;
  readonly at: Instant;
  /** The current session is ended as well. */
  readonly now: boolean;
  readonly reason: string;
}

/** What the run does: "the run stops when its current work is finished, as ada asked: lunch". */
export function stopText({ by, now, reason }: Omit<StopAsked, "at">): string {
  const when = now ? "now" : "when its current work is finished";
  // A reason that a person did not give only says who asked.
  const isGiven = !reason.startsWith(`${by} `);
  return `the run stops ${when}, as ${by} asked${isGiven ? `: ${reason}` : ""}`;
}

/** The last one since the run began. */
export function stopAskedIn(lines: readonly JournalEntry[], since: Instant): StopAsked | null {
  const line = lines.findLast(({ kind, at }) => kind === STOP_REQUESTED && at >= since);
  if (line === undefined) return null;
  const { by, at, data } = line;
  const reason = data?.["reason"];
  return {
    by,
    at,
    now: data?.["now"] === true,
    reason: typeof reason === "string" ? reason : `${by} asked for it`,
  };
}
