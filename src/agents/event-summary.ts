// Events of a session folded into what its outcome needs, one at a time, in bounded memory.
import type { AgentEvent, EventSummary } from "./agent.ts";
import { addUsage } from "./stream-agent.ts";

export const NO_EVENTS: EventSummary = {
  toolCalls: 0,
  retries: 0,
  unreadable: 0,
  usage: null,
  provisional: null,
  lastText: null,
  isSpeaking: false,
  openCalls: [],
  lastError: null,
  waiting: null,
  limit: null,
  denied: null,
  step: null,
  result: null,
};

const LONGEST_TEXT = 64 * 1024;
const MOST_OPEN_CALLS = 64;

const PROGRESS = new Set<AgentEvent["kind"]>(["thinking", "tool-call", "tool-result", "denied"]);

/** What only a session that goes on can say: the model answered, or a tool was used. */
export function isProgress(event: AgentEvent): boolean {
  if (event.kind === "text") return event.text.trim() !== "";
  return PROGRESS.has(event.kind);
}

/** The same, or tokens: they are told only of what a provider answered. */
export function isAnswer(event: AgentEvent): boolean {
  if (event.kind === "usage") return event.input + event.output > 0;
  return isProgress(event);
}

export function withEvent(before: EventSummary, event: AgentEvent): EventSummary {
  // Damaged lines say nothing about whether the agent still waits or speaks.
  if (event.kind === "unreadable") return { ...before, unreadable: before.unreadable + 1 };
  // What was refused before the session went on says nothing about its end.
  const isOn = isProgress(event) || event.kind === "step";
  const refused = isOn ? { lastError: null, limit: null } : {};
  const summary = { ...before, ...refused, waiting: null, isSpeaking: false };
  switch (event.kind) {
    case "text":
      return withText(summary, event, before.isSpeaking);
    case "tool-call":
      return withCall(summary, event);
    case "tool-result":
      return withoutCall(summary, event.id);
    case "usage":
      return withUsage(summary, event);
    case "retrying":
      return { ...summary, retries: summary.retries + 1, waiting: event };
    case "error":
      // Right after a notice that a call failed, an error without a cause has that cause.
      return { ...summary, lastError: { ...event, cause: event.cause ?? waitedFor(before) } };
    case "limit":
      return { ...summary, limit: event };
    case "denied":
      return withDenial(summary, event);
    case "step":
      return { ...summary, step: event };
    case "thinking":
      return summary;
    case "result":
      if (event.ok) return { ...summary, result: event };
      return { ...summary, result: { ...event, cause: event.cause ?? waitedFor(before) } };
    default:
      return event satisfies never;
  }
}

type EventOf<Kind extends AgentEvent["kind"]> = Extract<AgentEvent, { kind: Kind }>;

function waitedFor({ waiting }: EventSummary) {
  return waiting?.cause ?? null;
}

function withText(
  summary: EventSummary,
  { text, isPiece = false }: EventOf<"text">,
  wasSpeaking: boolean,
): EventSummary {
  const whole = isPiece && wasSpeaking ? (summary.lastText ?? "") + text : text;
  return { ...summary, lastText: whole.slice(-LONGEST_TEXT), isSpeaking: isPiece };
}

function withCall(summary: EventSummary, call: EventOf<"tool-call">): EventSummary {
  const toolCalls = summary.toolCalls + 1;
  const { id, tool, detail } = call;
  if (id === undefined) return { ...summary, toolCalls };
  const openCalls = [...summary.openCalls, { id, tool, detail }].slice(-MOST_OPEN_CALLS);
  return { ...summary, toolCalls, openCalls };
}

function withoutCall(summary: EventSummary, id: string | undefined): EventSummary {
  if (id === undefined) return summary;
  return { ...summary, openCalls: summary.openCalls.filter((call) => call.id !== id) };
}

function withDenial(summary: EventSummary, { command, call }: EventOf<"denied">): EventSummary {
  const called = summary.openCalls.find(({ id }) => id === call)?.detail ?? "";
  const denied = called === "" ? command : called;
  return { ...withoutCall(summary, call), denied };
}

function withUsage(summary: EventSummary, event: EventOf<"usage">): EventSummary {
  const { message } = event;
  const { usage, provisional } = summary;
  const settled = provisional === null ? usage : provisional.settled;
  if (message === undefined) {
    return { ...summary, usage: addUsage(settled, event), provisional: null };
  }
  const before = provisional?.message === message ? provisional.before : usage;
  return {
    ...summary,
    usage: addUsage(before, event),
    provisional: { settled, before, message },
  };
}
