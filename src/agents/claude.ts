// Claude Code, headless: `claude -p` with the brief on stdin and one JSON event per line. Errors of
// its provider come as `subtype: "success"` with `is_error: true`, so the subtype alone says nothing.
import type { AgentEvent, FailureCause, SessionRequest } from "./agent.ts";
import {
  given,
  mcpServersJson,
  refusedGlobs,
  rootAbove,
  setUnlessGiven,
} from "./session-command.ts";
import {
  type JsonObject,
  numberIn,
  objectIn,
  objectsIn,
  stringIn,
  stringsIn,
} from "../core/json-line.ts";
import {
  addUsage,
  contentOf,
  readAssistantBlocks,
  readDenials,
  readMessageUsage,
  readToolResults,
  readUsage,
  streamAgent,
} from "./stream-agent.ts";
import { causeOfStatus, causeOfWording } from "./provider-failure.ts";
import { instantOfEpoch } from "./reset-time.ts";

export const claude = streamAgent({
  name: "claude",
  describe: "Claude Code",
  installHint: "npm install -g @anthropic-ai/claude-code",
  loginHint: "claude /login, or set ANTHROPIC_API_KEY",
  login: {
    args: ["auth", "status"],
    isLoggedIn({ stdout }) {
      const told = /"loggedIn":\s*(true|false)/.exec(stdout)?.[1];
      return told === undefined ? null : told === "true";
    },
  },
  state: [
    { path: "~/.claude", variable: "CLAUDE_CONFIG_DIR" },
    {
      path: "~/.claude.json",
      variable: "CLAUDE_CONFIG_DIR",
      below: ".claude.json",
      // It replaces the file where it can, and else writes into it, as here.
      text: "{}\n",
    },
  ],
  modes: {
    default:
      "edits, shell and web without asking; destructive commands and edits elsewhere refused",
    "read-only": "reads files; everything else refused",
    dangerous: "every tool without asking (--dangerously-skip-permissions)",
  },
  surroundings: {
    default:
      "the network works; refused: edits outside the work tree, and commands that destroy work, such as git reset --hard, git clean and git push --force",
    "read-only": "you can read files; edits and commands are refused",
  },
  args: (request) => [
    "-p",
    "--output-format",
    "stream-json",
    "--verbose",
    ...given("--add-dir", rootAbove(request)),
    ...permissionArgs(request),
    ...given("--mcp-config", mcpServersJson(request.mcp, { alwaysLoad: true })),
    ...given("--max-budget-usd", budgetArg(request)),
    ...given("--model", request.model),
    ...given("--session-id", request.sessionId),
  ],
  env: (request) => ({
    // An update in the middle of a run would change the agent between two sessions.
    DISABLE_AUTOUPDATER: "1",
    // Ten retries, the default, keep a wrong key busy for three minutes; Stint waits by itself.
    ...setUnlessGiven(request, { CLAUDE_CODE_MAX_RETRIES: "4" }),
    // It refuses to skip permissions as root unless it is told that it cannot do harm.
    ...(request.isolated === true && request.permission === "dangerous" ? { IS_SANDBOX: "1" } : {}),
  }),
  readEvent,
});

/** It takes no budget of nothing. */
function budgetArg({ budgetUsd }: SessionRequest): string | undefined {
  return budgetUsd === undefined ? undefined : Math.max(budgetUsd, 0.0001).toFixed(4);
}

function permissionArgs({ permission, approved, mcp = [] }: SessionRequest): readonly string[] {
  const servers = mcp.map(({ name }) => `mcp__${name}`);
  switch (permission) {
    case "default":
      return [
        "--permission-mode",
        "acceptEdits",
        "--allowedTools",
        // With a shell the web is open anyway.
        "Bash",
        "WebFetch",
        "WebSearch",
        ...servers,
        "--disallowedTools",
        ...refusedGlobs(approved).map((glob) => `Bash(${glob})`),
      ];
    case "read-only":
      return ["--permission-mode", "dontAsk", "--allowedTools", "Read", "Glob", "Grep", ...servers];
    case "dangerous":
      return ["--dangerously-skip-permissions"];
    default:
      return permission satisfies never;
  }
}

function readEvent(event: JsonObject): readonly AgentEvent[] {
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

/** Tokens of the cache come on top of the input. */
const MESSAGE_FIELDS = {
  input: ["input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"],
  output: ["output_tokens"],
  cached: ["cache_read_input_tokens"],
} as const;

function readAssistant(event: JsonObject): readonly AgentEvent[] {
  const error = stringIn(event["error"]);
  if (error === undefined) {
    return [...readAssistantBlocks(event), ...readMessageUsage(event, MESSAGE_FIELDS)];
  }
  // The text of such a message was written by the program, not by the model.
  const texts = contentOf(event).map((block) => stringIn(block["text"]) ?? "");
  const message = texts.join(" ") || error;
  return [{ kind: "error", cause: ERROR_CAUSES.get(error) ?? causeOfWording(message), message }];
}

const ERROR_CAUSES: ReadonlyMap<string, FailureCause> = new Map([
  ["authentication_failed", "auth"],
  ["oauth_org_not_allowed", "auth"],
  // Nothing but money or time brings it back, which is what a used-up allowance means.
  ["billing_error", "usage-limit"],
  ["rate_limit", "rate-limit"],
  ["overloaded", "overloaded"],
  ["server_error", "overloaded"],
  ["max_output_tokens", "context"],
]);

function readRetry(event: JsonObject): AgentEvent {
  const error = stringIn(event["error"]) ?? "unknown";
  const status = numberIn(event["error_status"]);
  return {
    kind: "retrying",
    attempt: numberIn(event["attempt"]) ?? null,
    // Without a status there was no answer at all.
    cause: ERROR_CAUSES.get(error) ?? causeOfStatus(status ?? 503),
    message: `${error} (status ${status ?? "none"})`,
  };
}

/** Such events also report an allowance that is far from used up. */
function readRateLimit(event: JsonObject): readonly AgentEvent[] {
  const info = objectIn(event["rate_limit_info"]);
  // Overage goes on where the allowance ends.
  if (info?.["status"] !== "rejected" || info["isUsingOverage"] === true) return [];
  return [{ kind: "limit", resetAt: instantOfEpoch(numberIn(info["resetsAt"])) }];
}

function readResult(event: JsonObject): readonly AgentEvent[] {
  const isOk = event["is_error"] === false;
  const errors = stringsIn(event["errors"]).join("; ");
  const reason = stringIn(event["result"]) ?? (errors || (stringIn(event["subtype"]) ?? ""));
  return [
    ...readTotal(event),
    ...readDenials(event),
    { kind: "result", ok: isOk, cause: isOk ? null : resultCause(event, reason), reason },
  ];
}

const TERMINAL_CAUSES: ReadonlyMap<unknown, FailureCause> = new Map([
  ["prompt_too_long", "context"],
  ["max_turns", "budget"],
  ["budget_exhausted", "budget"],
  ["aborted_tools", "aborted"],
  ["aborted_streaming", "aborted"],
]);

/** Of a session that failed the program itself wrote the reason. */
function resultCause(event: JsonObject, reason: string): FailureCause | null {
  if (event["api_error"] === "usage_limit_reached") return "usage-limit";
  return (
    TERMINAL_CAUSES.get(event["terminal_reason"]) ??
    // That an allowance is used up has the status of a passing rate.
    causeOfWording(reason, numberIn(event["api_error_status"]))
  );
}

/** Totals grow over a conversation; what was spent since the last result is what adds up. */
function readTotal(event: JsonObject): readonly AgentEvent[] {
  const models = objectIn(event["model_usage_since_last_result"]);
  if (models === undefined) return [];
  const known = objectsIn(Object.values(models)).map((model) => readUsage(model, MODEL_FIELDS));
  const used = known.filter((usage) => usage !== undefined);
  const none = { input: 0, output: 0, cached: 0, costUsd: 0 };
  return [{ kind: "usage", ...used.reduce(addUsage, none) }];
}

const MODEL_FIELDS = {
  input: ["inputTokens", "cacheReadInputTokens", "cacheCreationInputTokens"],
  output: ["outputTokens"],
  cached: ["cacheReadInputTokens"],
  costUsd: "costUSD",
} as const;
