// The stream of the scripted agent: each line is an AgentEvent as JSON, read back with distrust.
import { parseInstant } from "../core/instant.ts";
import type { AgentEvent, FailureCause } from "./agent.ts";
import { type JsonObject, numberIn, stringIn } from "./json-line.ts";

const CAUSES: readonly FailureCause[] = [
  "usage-limit",
  "rate-limit",
  "overloaded",
  "context",
  "auth",
  "budget",
  "aborted",
  "loop",
  "setup",
];

/** Every kind that a line can have; other lines are unreadable. */
export function readScriptedEvent(event: JsonObject): AgentEvent {
  const text = (key: string) => stringIn(event[key]) ?? "";
  const number = (key: string) => numberIn(event[key]) ?? 0;
  const cause = CAUSES.find((known) => known === event["cause"]) ?? null;
  switch (event["kind"]) {
    case "text":
      return { kind: "text", text: text("text") };
    case "tool-call":
      return { kind: "tool-call", tool: text("tool"), detail: text("detail") };
    case "tool-result":
      return { kind: "tool-result", ok: event["ok"] === true, detail: text("detail") };
    case "usage":
      return {
        kind: "usage",
        input: number("input"),
        output: number("output"),
        cached: number("cached"),
        costUsd: numberIn(event["costUsd"]) ?? null,
      };
    case "retrying":
      return {
        kind: "retrying",
        attempt: numberIn(event["attempt"]) ?? null,
        cause,
        message: text("message"),
      };
    case "error":
      return { kind: "error", cause, message: text("message") };
    case "limit":
      return { kind: "limit", resetAt: parseInstant(text("resetAt")) ?? null };
    case "denied":
      return { kind: "denied", command: text("command") };
    case "result":
      return { kind: "result", ok: event["ok"] === true, cause, reason: text("reason") };
    default:
      return { kind: "unreadable" };
  }
}
