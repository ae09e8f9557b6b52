// The stream of the scripted agent: each line is an AgentEvent as JSON, read back with distrust.
import { parseInstant } from "../../core/instant.ts";
import type { AgentEvent, FailureCause } from "../agent.ts";
import { type JsonObject, numberIn, stringIn } from "../../core/json-line.ts";
import { readUsage } from "../read-usage.ts";

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

const USAGE_FIELDS = {
  input: ["input"],
  output: ["output"],
  cached: ["cached"],
  costUsd: "costUsd",
} as const;
const NO_USAGE = { input: 0, output: 0, cached: 0, costUsd: null } as const;

/** Every kind that a line can have; other lines are unreadable. */
export function readScriptedEvent(event: JsonObject): AgentEvent {
  const text = (key: string) => stringIn(event[key]) ?? "";
  const cause = CAUSES.find((known) => known === event["cause"]) ?? null;
  switch (event["kind"]) {
    case "text":
      return { kind: "text", text: text("text") };
    case "tool-call":
      return { kind: "tool-call", tool: text("tool"), detail: text("detail") };
    case "tool-result":
      return { kind: "tool-result", ok: event["ok"] === true, detail: text("detail") };
    case "usage":
      return { kind: "usage", ...(readUsage(event, USAGE_FIELDS) ?? NO_USAGE) };
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
