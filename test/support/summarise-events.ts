// What a run makes of a whole stream: its events folded one at a time.
import type { AgentEvent, EventSummary } from "../../src/agents/agent.ts";
import { NO_EVENTS, withEvent } from "../../src/agents/event-summary.ts";

export function summariseEvents(events: Iterable<AgentEvent>): EventSummary {
  let summary = NO_EVENTS;
  for (const event of events) summary = withEvent(summary, event);
  return summary;
}
