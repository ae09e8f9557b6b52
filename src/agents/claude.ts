// Claude Code, headless: `claude -p` with the brief on stdin and one JSON event per line. Errors of
// its provider come as `subtype: "success"` with `is_error: true`, so the subtype alone says nothing.
import { type Instant, instantFromMs } from "../core/instant.ts";
import type { Agent, AgentCommand, AgentEvent, FailureCause, SessionRequest } from "./agent.ts";
import { judgeStreamEnd } from "./judge-end.ts";
import {
  type JsonObject,
  numberIn,
  objectIn,
  objectsIn,
  parseJsonLine,
  stringIn,
} from "./json-line.ts";
import { sessionEnv } from "./session-env.ts";

export const claude: Agent = {
  name: "claude",
  describe: "Claude Code",
  installHint: "npm install -g @anthropic-ai/claude-code",
  loginHint: "claude /login, or set ANTHROPIC_API_KEY",
  buildCommand,
  readLine,
  outcome: judgeStreamEnd,
};

const PERMISSION_ARGS = {
  default: ["--permission-mode", "acceptEdits"],
  "read-only": ["--permission-mode", "dontAsk", "--allowedTools", "Read,Glob,Grep"],
  dangerous: ["--dangerously-skip-permissions"],
} as const;

function buildCommand(request: SessionRequest): AgentCommand {
  return {
    program: "claude",
    args: [
      "-p",
      "--output-format",
      "stream-json",
      "--verbose",
      ...PERMISSION_ARGS[request.permission],
      ...(request.model === undefined ? [] : ["--model", request.model]),
      ...(request.sessionId === undefined ? [] : ["--session-id", request.sessionId]),
    ],
    env: {
      ...sessionEnv(request),
      // An update in the middle of a run would change the agent between two sessions.
      DISABLE_AUTOUPDATER: "1",
      // It refuses to skip permissions as root unless it is told that it cannot do harm.
      ...(request.isolated === true ? { IS_SANDBOX: "1" } : {}),
    },
    stdin: request.brief,
  };
}

function readLine(line: string): readonly AgentEvent[] {
  if (line.trim() === "") return [];
  const event = parseJsonLine(line);
  if (event === undefined) return [{ kind: "unreadable" }];
  switch (event["type"]) {
    case "assistant":
      return readAssistant(event);
    case "user":
      return readToolResults(event);
    case "system":
      return event["subtype"] === "api_retry" ? [readRetry(event)] : [];
    case "rate_limit_event":
      return readRateLimit(event);
    case "result":
      return readResult(event);
    default:
      return [];
  }
}

function readAssistant(event: JsonObject): readonly AgentEvent[] {
  const content = objectsIn(objectIn(event["message"])?.["content"]);
  const error = stringIn(event["error"]);
  if (error !== undefined) {
    // The text of such a message was written by the program, not by the model.
    const message = content.map((block) => stringIn(block["text"]) ?? "").join(" ");
    return [{ kind: "error", cause: ERROR_CAUSES.get(error) ?? null, message: message || error }];
  }
  return content.flatMap((block): readonly AgentEvent[] => {
    if (block["type"] === "text") return [{ kind: "text", text: stringIn(block["text"]) ?? "" }];
    if (block["type"] !== "tool_use") return [];
    return [
      {
        kind: "tool-call",
        tool: stringIn(block["name"]) ?? "",
        detail: toolDetail(block["input"]),
      },
    ];
  });
}

const ERROR_CAUSES: ReadonlyMap<string, FailureCause> = new Map([
  ["authentication_failed", "auth"],
  // Nothing but money or time brings it back, which is what a used-up allowance means.
  ["billing_error", "usage-limit"],
  ["rate_limit", "rate-limit"],
  ["overloaded", "overloaded"],
  ["server_error", "overloaded"],
]);

function readToolResults(event: JsonObject): readonly AgentEvent[] {
  return objectsIn(objectIn(event["message"])?.["content"])
    .filter((block) => block["type"] === "tool_result")
    .map((block) => ({
      kind: "tool-result",
      ok: block["is_error"] !== true,
      detail: stringIn(block["content"]) ?? "",
    }));
}

function readRetry(event: JsonObject): AgentEvent {
  const error = stringIn(event["error"]) ?? "unknown";
  return {
    kind: "retrying",
    attempt: numberIn(event["attempt"]) ?? null,
    cause: ERROR_CAUSES.get(error) ?? null,
    message: `${error} (status ${numberIn(event["error_status"]) ?? "none"})`,
  };
}

/** Such events also report an allowance that is far from used up. */
function readRateLimit(event: JsonObject): readonly AgentEvent[] {
  const info = objectIn(event["rate_limit_info"]);
  if (info?.["status"] !== "rejected") return [];
  return [{ kind: "limit", resetAt: instantOfSeconds(numberIn(info["resetsAt"])) }];
}

function readResult(event: JsonObject): readonly AgentEvent[] {
  const errors = Array.isArray(event["errors"]) ? event["errors"].filter(isString) : [];
  const isOk = event["is_error"] === false;
  return [
    readUsage(event),
    ...objectsIn(event["permission_denials"]).map((denial): AgentEvent => ({
      kind: "denied",
      command: toolDetail(denial["tool_input"]) || (stringIn(denial["tool_name"]) ?? ""),
    })),
    {
      kind: "result",
      ok: isOk,
      cause: isOk ? null : resultCause(event),
      reason:
        stringIn(event["result"]) ?? (errors.join("; ") || (stringIn(event["subtype"]) ?? "")),
    },
  ];
}

const TERMINAL_CAUSES: ReadonlyMap<unknown, FailureCause> = new Map([
  ["prompt_too_long", "context"],
  ["max_turns", "budget"],
  ["budget_exhausted", "budget"],
  ["aborted_tools", "aborted"],
]);

function resultCause(event: JsonObject): FailureCause | null {
  const terminal = TERMINAL_CAUSES.get(event["terminal_reason"]);
  if (terminal !== undefined) return terminal;
  const status = numberIn(event["api_error_status"]);
  if (status === undefined) return null;
  if (status === 401 || status === 403) return "auth";
  if (status === 429) {
    return event["api_error"] === "usage_limit_reached" ? "usage-limit" : "rate-limit";
  }
  return status >= 500 ? "overloaded" : null;
}

/** Totals grow over a conversation; what was spent since the last result is what adds up. */
function readUsage(event: JsonObject): AgentEvent {
  const models = Object.values(objectIn(event["model_usage_since_last_result"]) ?? {});
  let [input, output, cached, costUsd] = [0, 0, 0, 0];
  for (const model of objectsIn(models)) {
    const read = numberIn(model["cacheReadInputTokens"]) ?? 0;
    const written = numberIn(model["cacheCreationInputTokens"]) ?? 0;
    input += (numberIn(model["inputTokens"]) ?? 0) + read + written;
    output += numberIn(model["outputTokens"]) ?? 0;
    cached += read;
    costUsd += numberIn(model["costUSD"]) ?? 0;
  }
  return { kind: "usage", input, output, cached, costUsd };
}

function toolDetail(input: unknown): string {
  const fields = objectIn(input);
  return stringIn(fields?.["command"]) ?? stringIn(fields?.["file_path"]) ?? "";
}

function instantOfSeconds(seconds: number | undefined): Instant | null {
  const isPlausible = seconds !== undefined && seconds > 0 && seconds < 8.64e12;
  return isPlausible ? instantFromMs(seconds * 1000) : null;
}

function isString(value: unknown): value is string {
  return typeof value === "string";
}
