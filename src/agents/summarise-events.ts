// Events of a session folded into what its outcome needs, one at a time, in bounded memory.
import type { AgentEvent, EventSummary, Usage } from "./agent.ts";

export const NO_EVENTS: EventSummary = {
  toolCalls: 0,
  retries: 0,
  unreadable: 0,
  usage: null,
  lastText: null,
  lastError: null,
  waiting: null,
  limit: null,
  denied: null,
  result: null,
};

export function summariseEvents(events: Iterable<AgentEvent>): EventSummary {
  let summary = NO_EVENTS;
  for (const event of events) summary = withEvent(summary, event);
  return summary;
}

export function withEvent(before: EventSummary, event: AgentEvent): EventSummary {
  // Damaged lines say nothing about whether the agent still waits.
  if (event.kind === "unreadable") return { ...before, unreadable: before.unreadable + 1 };
  const summary = { ...before, waiting: null };
  switch (event.kind) {
    case "text":
      return { ...summary, lastText: event.text };
    case "tool-call":
      return { ...summary, toolCalls: summary.toolCalls + 1 };
    case "tool-result":
      return summary;
    case "usage":
      return { ...summary, usage: addUsage(summary.usage, event) };
    case "retrying":
      return { ...summary, retries: summary.retries + 1, waiting: event };
    case "error":
      return { ...summary, lastError: event };
    case "limit":
      return { ...summary, limit: event };
    case "denied":
      return { ...summary, denied: event.command };
    case "result":
      return { ...summary, result: event };
    default:
      return event satisfies never;
  }
}

function addUsage(before: Usage | null, more: Usage): Usage {
  const { input, output, cached, costUsd } = more;
  if (before === null) return { input, output, cached, costUsd };
  return {
    input: before.input + input,
    output: before.output + output,
    cached: before.cached + cached,
    costUsd:
      before.costUsd === null && costUsd === null ? null : (before.costUsd ?? 0) + (costUsd ?? 0),
  };
}
