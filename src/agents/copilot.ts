// GitHub Copilot CLI, headless: the brief on stdin, one JSON event per line. The stream tells no
// tokens; a file does, when the session is over.
import { join } from "node:path";
import type { AgentEvent, FailureCause, SessionFacts, SessionRequest, Usage } from "./agent.ts";
import { type Failure, judgeStrictEnd } from "./judge-end.ts";
import {
  type JsonObject,
  numberIn,
  objectIn,
  objectsIn,
  parseJsonLine,
  stringIn,
} from "../core/json-line.ts";
import { addUsage, readUsage, streamAgent, toolDetail } from "./stream-agent.ts";
import { given, mcpServersJson, rootAbove } from "./session-command.ts";
import { causeOfStatus, causeOfWording, readProviderAnswer } from "./provider-failure.ts";

const USAGE_FILE = "copilot-usage.json";

export const copilot = streamAgent({
  name: "copilot",
  describe: "GitHub Copilot CLI",
  installHint: "npm install -g @github/copilot",
  loginHint: "copilot login, or set GH_TOKEN",
  state: [{ path: "~/.copilot" }],
  modes: {
    default: "every tool in the work tree; destructive git commands and other folders refused",
    "read-only": "reads files; edits and shell refused",
    dangerous: "every tool, path and address without asking (--allow-all)",
  },
  surroundings: {
    default: "refused: other folders, git push, git reset, git clean, apt and brew",
    "read-only": "you can read files; edits and commands are refused",
  },
  args: (request) => [
    "--output-format",
    "json",
    "--no-color",
    "--log-level",
    "none",
    // An update in the middle of a run would change the agent between two sessions.
    "--no-auto-update",
    "--no-ask-user",
    ...given("--add-dir", rootAbove(request)),
    ...permissionArgs(request),
    ...given("--additional-mcp-config", mcpServersJson(request.mcp)),
    ...given("--max-ai-credits", creditsArg(request)),
    ...given("--model", request.model),
    ...given("--session-id", request.sessionId),
    ...given("--usage-output-file", request.configFolder && join(request.configFolder, USAGE_FILE)),
  ],
  env: () => ({ COPILOT_AUTO_UPDATE: "false" }),
  command: ({ configFolder }) => (configFolder === undefined ? {} : { usageFile: USAGE_FILE }),
  readEvent,
  readUsageFile,
  told: failureTold,
  judge: judgeStrictEnd,
});

const USD_PER_CREDIT = 0.01;
const FEWEST_CREDITS = 30;

/** It tells no price, so that this is the only limit of money that holds; it takes no less than 30 credits. */
function creditsArg({ budgetUsd }: SessionRequest): string | undefined {
  if (budgetUsd === undefined) return undefined;
  return String(Math.max(Math.floor(budgetUsd / USD_PER_CREDIT), FEWEST_CREDITS));
}

/** It knows the first word after `git`, no more, so harmless forms of these are refused as well. */
const REFUSED = [
  "git push",
  "git reset",
  "git clean",
  "git filter-branch",
  "apt",
  "apt-get",
  "brew",
];

function permissionArgs({ permission, approved = [] }: SessionRequest): readonly string[] {
  switch (permission) {
    case "default": {
      const refused = REFUSED.filter((start) => !approved.some((one) => one.includes(start)));
      return ["--allow-all-tools", ...refused.map((command) => `--deny-tool=shell(${command})`)];
    }
    case "read-only":
      return ["--allow-all-tools", "--deny-tool=write", "--deny-tool=shell"];
    case "dangerous":
      return ["--allow-all"];
    default:
      return permission satisfies never;
  }
}

function readUsageFile(text: string): Usage | null {
  const models = objectIn(parseJsonLine(text)?.["modelMetrics"]) ?? {};
  const used = objectsIn(Object.values(models))
    .map((model) =>
      readUsage(objectIn(model["usage"]), {
        input: ["inputTokens"],
        output: ["outputTokens"],
        cached: ["cacheReadTokens"],
      }),
    )
    .filter((usage) => usage !== undefined);
  return used.length === 0 ? null : used.reduce((sum, usage) => addUsage(sum, usage));
}

function readEvent(event: JsonObject): readonly AgentEvent[] {
  const data = objectIn(event["data"]) ?? {};
  switch (event["type"]) {
    case "assistant.message": {
      const text = stringIn(data["content"]) ?? "";
      return text === "" ? [] : [{ kind: "text", text }];
    }
    case "tool.execution_start":
      return [readCall(data)];
    case "tool.execution_complete":
      return [readCallResult(data)];
    case "assistant.reasoning":
      return [{ kind: "thinking" }];
    case "model.call_failure":
      return readCallFailure(data, timeOf(event));
    case "session.error":
      return [readError(data)];
    case "result":
      return [readResult(event)];
    default:
      return [];
  }
}

function readCall(data: JsonObject): AgentEvent {
  return {
    kind: "tool-call",
    tool: stringIn(data["toolName"]) ?? "",
    detail: toolDetail(data["arguments"]),
    id: stringIn(data["toolCallId"]),
  };
}

function readCallResult(data: JsonObject): AgentEvent {
  const id = stringIn(data["toolCallId"]);
  const error = objectIn(data["error"]);
  if (error?.["code"] === "denied") {
    return { kind: "denied", command: stringIn(error["message"]) ?? "", call: id };
  }
  return {
    kind: "tool-result",
    ok: data["success"] === true,
    detail: stringIn(objectIn(data["result"])?.["content"]) ?? stringIn(error?.["message"]) ?? "",
    id,
  };
}

/** It may try again; if not, an error follows that says less about the cause. */
function readCallFailure(data: JsonObject, toldAtMs: number): readonly AgentEvent[] {
  const status = numberIn(data["statusCode"]);
  const body = stringIn(data["errorMessage"]);
  const { cause, limit } = readProviderAnswer({ status, body, toldAtMs });
  const isUnanswered = data["failureKind"] === "transport";
  return [
    ...limit,
    {
      kind: "retrying",
      attempt: numberIn(data["retryAttempt"]) ?? null,
      cause: cause ?? (isUnanswered ? "overloaded" : null),
      message: body ?? `status ${status ?? "none"}`,
    },
  ];
}

const ERROR_CAUSES: ReadonlyMap<unknown, FailureCause> = new Map([
  ["authentication", "auth"],
  ["authorization", "auth"],
  ["rate_limit", "rate-limit"],
  ["quota", "usage-limit"],
]);

function timeOf(event: JsonObject): number {
  return Date.parse(stringIn(event["timestamp"]) ?? "");
}

function readError(data: JsonObject): AgentEvent {
  const message = stringIn(data["message"]) ?? "session error";
  const worded = causeOfWording(message, numberIn(data["statusCode"]));
  const told = ERROR_CAUSES.get(data["errorType"]) ?? causeOfStatus(numberIn(data["statusCode"]));
  // That an allowance is used up may be told as a passing rate.
  const cause = worded === "usage-limit" ? worded : (told ?? worded);
  return { kind: "error", cause, message };
}

function readResult(event: JsonObject): AgentEvent {
  const exitCode = numberIn(event["exitCode"]);
  return {
    kind: "result",
    ok: exitCode === 0,
    cause: null,
    reason: exitCode === undefined ? "no exit code" : `exit code ${exitCode}`,
  };
}

/** Without a login it prints nothing at all on stdout. */
function failureTold({ stderrTail }: SessionFacts): Failure | null {
  const line = stderrTail
    .split("\n")
    .find((one) => one.startsWith("Error: No authentication information found"));
  return line === undefined ? null : { cause: "auth", reason: line };
}
