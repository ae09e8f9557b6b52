// Codex, headless: `codex exec --json -` with the brief on stdin. Its failures carry no codes, so the
// fixed wording of its own error messages is what tells them apart; the model's text never does.
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

export const codex: Agent = {
  name: "codex",
  describe: "OpenAI Codex CLI",
  installHint: "npm install -g @openai/codex",
  loginHint: "codex login",
  buildCommand,
  readLine,
  outcome: judgeStreamEnd,
};

const PERMISSION_ARGS = {
  default: ["--sandbox", "workspace-write"],
  "read-only": ["--sandbox", "read-only"],
  dangerous: ["--dangerously-bypass-approvals-and-sandbox"],
} as const;

function buildCommand(request: SessionRequest): AgentCommand {
  return {
    program: "codex",
    args: [
      "exec",
      "--json",
      "--skip-git-repo-check",
      ...PERMISSION_ARGS[request.permission],
      "-c",
      "check_for_update_on_startup=false",
      ...(request.model === undefined ? [] : ["-m", request.model]),
      "-",
    ],
    env: sessionEnv(request),
    stdin: request.brief,
  };
}

function readLine(line: string): readonly AgentEvent[] {
  if (line.trim() === "") return [];
  const event = parseJsonLine(line);
  if (event === undefined) return [{ kind: "unreadable" }];
  switch (event["type"]) {
    case "item.started":
      return readStarted(objectIn(event["item"]) ?? {});
    case "item.completed":
      return readCompleted(objectIn(event["item"]) ?? {});
    case "error":
      return [readError(stringIn(event["message"]) ?? "")];
    case "turn.completed":
      return [
        readUsage(event),
        { kind: "result", ok: true, cause: null, reason: "turn completed" },
      ];
    case "turn.failed": {
      const reason = stringIn(objectIn(event["error"])?.["message"]) ?? "turn failed";
      return [{ kind: "result", ok: false, cause: causeOf(reason), reason }];
    }
    default:
      return [];
  }
}

function readStarted(item: JsonObject): readonly AgentEvent[] {
  switch (item["type"]) {
    case "command_execution":
      return [{ kind: "tool-call", tool: "shell", detail: stringIn(item["command"]) ?? "" }];
    case "file_change":
      return [{ kind: "tool-call", tool: "edit", detail: changedPaths(item) }];
    case "mcp_tool_call":
      return [{ kind: "tool-call", tool: mcpTool(item), detail: "" }];
    default:
      return [];
  }
}

/** An item of type `error` is a warning; good sessions have them too. */
function readCompleted(item: JsonObject): readonly AgentEvent[] {
  const isOk = item["status"] === "completed";
  switch (item["type"]) {
    case "agent_message":
      return [{ kind: "text", text: stringIn(item["text"]) ?? "" }];
    case "command_execution":
      return [{ kind: "tool-result", ok: isOk, detail: stringIn(item["aggregated_output"]) ?? "" }];
    case "file_change":
      return [{ kind: "tool-result", ok: isOk, detail: changedPaths(item) }];
    case "mcp_tool_call":
      return [{ kind: "tool-result", ok: isOk, detail: mcpTool(item) }];
    default:
      return [];
  }
}

/** A top-level error is final only when it announces no other try. */
function readError(message: string): AgentEvent {
  const retry = /^Reconnecting\.\.\. (\d+)\/\d+ \((.*)\)$/s.exec(message);
  if (retry === null) return { kind: "error", cause: causeOf(message), message };
  const [, attempt = "", why = ""] = retry;
  return { kind: "retrying", attempt: Number(attempt), cause: causeOf(why), message: why };
}

/** The beginnings of the messages Codex writes itself. */
const CAUSES: readonly (readonly [start: RegExp, cause: FailureCause])[] = [
  [/^You[’']ve hit your usage limit/, "usage-limit"],
  [/^Quota exceeded/, "usage-limit"],
  [/^exceeded retry limit, last status: 429\b/, "rate-limit"],
  [/^rate limit exceeded\b/, "rate-limit"],
  [/^unexpected status 429\b/, "rate-limit"],
  [/^exceeded retry limit, last status: 40[13]\b/, "auth"],
  [/^unexpected status 40[13]\b/, "auth"],
  [/^Missing environment variable: /, "auth"],
  [/^Selected model is at capacity/, "overloaded"],
  [/^We[’']re currently experiencing high demand/, "overloaded"],
  [/^exceeded retry limit, last status: 5\d\d\b/, "overloaded"],
  [/^unexpected status 5\d\d\b/, "overloaded"],
  [/^Codex ran out of room in the model[’']s context window/, "context"],
];

function causeOf(message: string): FailureCause | null {
  return CAUSES.find(([start]) => start.test(message))?.[1] ?? null;
}

function readUsage(event: JsonObject): AgentEvent {
  const usage = objectIn(event["usage"]) ?? {};
  return {
    kind: "usage",
    input: numberIn(usage["input_tokens"]) ?? 0,
    output: numberIn(usage["output_tokens"]) ?? 0,
    cached: numberIn(usage["cached_input_tokens"]) ?? 0,
    costUsd: null,
  };
}

function changedPaths(item: JsonObject): string {
  return objectsIn(item["changes"])
    .map((change) => stringIn(change["path"]) ?? "")
    .join(", ");
}

function mcpTool(item: JsonObject): string {
  return `${stringIn(item["server"]) ?? ""}.${stringIn(item["tool"]) ?? ""}`;
}
