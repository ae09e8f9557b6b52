// Between two periods of a run: every agent is limited until some time. The run holds nothing then,
// and leaves the project to whoever changed or took it meanwhile.
import type { ProjectId } from "../../core/ids.ts";
import { msOf } from "../../core/instant.ts";
import { StintError } from "../../core/stint-error.ts";
import { waitUntil, type Woken } from "../../engine/run/wait-until.ts";
import type { RunInput } from "./run-input.ts";
import { nowOf, type System } from "../system.ts";
import type { Worked } from "./work-period.ts";

const NEVER = new AbortController().signal;

/** @returns why the run ends here, or null when the wait is over and work goes on */
export async function waitForAgents(
  system: System,
  input: RunInput,
  { state, waits, why }: Worked,
): Promise<string | null> {
  if (!waits || state.status !== "Paused" || state.pause.resume_at === undefined) return why;
  const { project_id, revision } = state;
  const { resume_at: until, reason } = state.pause;
  const now = nowOf(system);
  input.tell({ kind: "waiting", project_id, until, now, reason });
  const woken = await waitUntil(system, {
    project: project_id,
    revision,
    untilMs: msOf(until),
    signal: input.stopping ?? NEVER,
  });
  return woken.by === "time" ? null : whyLeft(woken, input, project_id, reason);
}

/** Why the run ends although its agents are still limited. */
function whyLeft(
  woken: Exclude<Woken, { by: "time" }>,
  input: RunInput,
  id: ProjectId,
  reason: string,
): string {
  switch (woken.by) {
    case "signal":
      return `${input.stopWanted()?.reason ?? "it was stopped"} while it waited (${reason})`;
    case "change": {
      const { status, last_event } = woken.state;
      const what = last_event === null ? "" : ` (${last_event.by}: ${last_event.summary})`;
      return `somebody else changed the project while this run waited${what}; it is ${status} now`;
    }
    case "other-run":
      throw new StintError(
        "lease-held",
        `another run went on with ${id} while this one waited: ${woken.lease.why}`,
        `See what it does: stint status ${id}`,
      );
    default:
      return woken satisfies never;
  }
}
