// A session request and the facts of a session that ended well, to be varied by tests.
import type { SessionFacts, SessionRequest } from "../../src/agents/agent.ts";
import type { Instant } from "../../src/core/instant.ts";
import { NO_EVENTS } from "../../src/agents/event-summary.ts";
import { type ProjectId, parseProjectId, parseTaskId, type TaskId } from "../../src/core/ids.ts";

export function request(changes: Partial<SessionRequest> = {}): SessionRequest {
  return {
    brief: "Add a greeting.",
    briefPath: "/state/brief.md",
    workTree: "/repo",
    manifestPath: "/repo/prompt.md",
    project: parseProjectId("p-0123456789") as ProjectId,
    session: 7,
    task: { id: parseTaskId("t2") as TaskId, name: "add-greeting" },
    attempt: 3,
    permission: "default",
    ...changes,
  };
}

export function sessionFacts(changes: Partial<SessionFacts> = {}): SessionFacts {
  return {
    events: NO_EVENTS,
    exitCode: 0,
    signal: null,
    endedBy: "itself",
    stderrTail: "",
    marker: null,
    durationMs: 1000,
    endedAt: "2026-11-15T15:00:00.000Z" as Instant,
    timeZone: undefined,
    ...changes,
  };
}
