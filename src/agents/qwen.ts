// Qwen Code, headless: the brief on stdin, a stream much like Claude Code's. Why it waits or stops at
// a limit it says only on stderr and by its exit code.
import type { AgentEvent, FailureCause, SessionFacts, SessionRequest } from "./agent.ts";
import { given, mcpServersJson, refusedGlobs, rootAbove } from "./session-command.ts";
import type { Failure } from "./judge-end.ts";
import { type JsonObject, numberIn, objectIn, stringIn } from "../core/json-line.ts";
import {
  readAssistantBlocks,
  readDenials,
  readMessageUsage,
  readToolResults,
  streamAgent,
  usageIn,
} from "./stream-agent.ts";
import { causeOfWording } from "./provider-failure.ts";

export const qwen = streamAgent({
  name: "qwen",
  describe: "Qwen Code",
  installHint: "npm install -g @qwen-code/qwen-code (Node 22 or later)",
  loginHint: "start qwen once and sign in, or set OPENAI_API_KEY",
  state: [{ path: "~/.qwen" }],
  modes: {
    default: "edits, shell and web without asking; destructive commands refused",
    "read-only": "plan mode: reads only",
    dangerous: "every tool without asking (--approval-mode yolo)",
  },
  surroundings: {
    default:
      "the network works; refused: commands that destroy work, such as git reset --hard, git clean and git push --force",
    "read-only": "you can read files; edits and commands are refused",
  },
  args: (request) => [
    "--output-format",
    "stream-json",
    ...given("--include-directories", rootAbove(request)),
    ...permissionArgs(request),
    ...given("--mcp-config", mcpServersJson(request.mcp, { trust: true })),
    ...given("--max-wall-time", wallTimeArg(request)),
    ...given("--model", request.model),
    ...given("--session-id", request.sessionId),
  ],
  readEvent,
  told: failureTold,
});

/** In whole seconds, at least one and at most 24 days. */
function wallTimeArg({ wallMs }: SessionRequest): string | undefined {
  if (wallMs === undefined) return undefined;
  return `${Math.min(Math.max(Math.floor(wallMs / 1000), 1), LONGEST_WALL_S)}s`;
}

const LONGEST_WALL_S = 24 * 24 * 60 * 60;

function permissionArgs({ permission, approved }: SessionRequest): readonly string[] {
  switch (permission) {
    case "default":
      return [
        "--approval-mode",
        "auto-edit",
        // With a shell the web is open anyway.
        "--allowed-tools",
        "run_shell_command",
        "--allowed-tools",
        "web_fetch",
        ...refusedGlobs(approved).flatMap((glob) => [
          "--exclude-tools",
          `run_shell_command(${glob})`,
        ]),
      ];
    case "read-only":
      return ["--approval-mode", "plan"];
    case "dangerous":
      return ["--approval-mode", "yolo"];
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
      return event["subtype"] === "retry" ? [readRetry(event)] : [];
    case "result":
      return readResult(event);
    default:
      return [];
  }
}

/** Tokens of the cache are part of the input. */
const USAGE_FIELDS = {
  input: ["input_tokens"],
  output: ["output_tokens"],
  cached: ["cache_read_input_tokens"],
} as const;

function readAssistant(event: JsonObject): readonly AgentEvent[] {
  return [...readAssistantBlocks(event), ...readMessageUsage(event, USAGE_FIELDS)];
}

function readRetry(event: JsonObject): AgentEvent {
  const data = objectIn(event["data"]);
  const delayMs = numberIn(data?.["delayMs"]);
  return {
    kind: "retrying",
    attempt: numberIn(data?.["attempt"]) ?? null,
    cause: null,
    message: delayMs === undefined ? "retrying" : `retrying in ${Math.round(delayMs / 1000)} s`,
  };
}

function readResult(event: JsonObject): readonly AgentEvent[] {
  const unanswered = errorForAnswer(event);
  const isOk = event["is_error"] === false && unanswered === undefined;
  const reason =
    unanswered ??
    stringIn(objectIn(event["error"])?.["message"]) ??
    stringIn(event["subtype"]) ??
    "";
  return [
    ...usageIn(objectIn(event["usage"]), USAGE_FIELDS),
    ...readDenials(event),
    { kind: "result", ok: isOk, cause: isOk ? null : causeOf(reason), reason },
  ];
}

/** Its own error in the place of an answer, called a success: no model said it, for no token came. */
function errorForAnswer(event: JsonObject): string | undefined {
  const text = stringIn(event["result"]);
  const output = numberIn(objectIn(event["usage"])?.["output_tokens"]);
  return output === 0 && text?.startsWith("[API Error: ") === true ? text : undefined;
}

/** The messages Qwen Code writes itself; what the provider answered stands in brackets. */
function causeOf(message: string): FailureCause | null {
  if (message.startsWith("Loop detection halted the run")) return "loop";
  if (message.startsWith("Missing API key")) return "auth";
  const [, status, said = message] = /^\[API Error: (?:(\d{3}) )?(.*)\]/s.exec(message) ?? [];
  return causeOfWording(said, status === undefined ? undefined : Number(status));
}

/** In whichever language it says that it tries again. */
const RETRY_LINE = /^.+?: (\[API Error: .*)$/;

/** 53: turns used up; 55: time or tool calls used up. */
const LIMIT_EXITS: readonly (number | null)[] = [53, 55];

const OUT_OF_TIME = /^Run aborted: wall-clock budget of .* exceeded/;

function failureTold({ exitCode, events, stderrTail }: SessionFacts): Failure | null {
  const lines = stderrTail.trim().split("\n");
  const retried = lines.map((line) => RETRY_LINE.exec(line)?.[1]).findLast(Boolean);
  const waited = events.waiting === null || retried === undefined ? null : retried;
  const last = lines.at(-1) ?? `exit code ${exitCode}`;
  // Out of its own time while it waited for its provider, it did not hang by itself.
  if (LIMIT_EXITS.includes(exitCode) && (waited === null || !OUT_OF_TIME.test(last))) {
    return { cause: OUT_OF_TIME.test(last) ? "time" : "budget", reason: last };
  }
  return waited === null ? null : { cause: causeOf(waited), reason: waited };
}
