// Cline CLI, headless: the brief on stdin below a short prompt, one JSON event per line. It passes on
// what a provider answered as a text, without its status, and says nothing while it tries again.
import type { AgentEvent, FailureCause, SessionFacts } from "./agent.ts";
import {
  type JsonObject,
  objectIn,
  objectsIn,
  parseJsonLine,
  stringIn,
  stringsIn,
} from "../core/json-line.ts";
import { streamAgent, toolDetail, type UsageFields, usageIn } from "./stream-agent.ts";
import type { Failure } from "./judge-end.ts";
import { causeOfWording } from "./provider-failure.ts";
import { given } from "./session-command.ts";

const INSTALL_HINT = "npm install -g cline";

const EVERYTHING = "every tool without asking; refuses nothing";

/** Of a file on stdin it reads nothing, of a pipe everything. */
const THROUGH_A_PIPE = 'cat | cline "$@"';

/** It takes what comes on stdin only below a prompt among its arguments. */
const PROMPT = "Do what this brief asks for. It is also in the file that $STINT_BRIEF names.";

/** Servers for one session it cannot be given: they come from its settings alone. */
export const cline = streamAgent({
  name: "cline",
  describe: "Cline CLI",
  installHint: INSTALL_HINT,
  loginHint: "cline auth",
  state: [{ path: "~/.cline" }],
  modes: { default: EVERYTHING, "read-only": "plan mode: reads only", dangerous: EVERYTHING },
  args: ({ model, permission }) => [
    "-c",
    THROUGH_A_PIPE,
    "sh",
    "--json",
    // The person's settings may say otherwise; then everything would be refused, unasked.
    "--auto-approve",
    "true",
    ...(permission === "read-only" ? ["--plan"] : []),
    ...given("--model", model),
    PROMPT,
  ],
  env: () => ({
    // An update in the middle of a run would change the agent between two sessions.
    CLINE_NO_AUTO_UPDATE: "1",
    // Else a daemon does the work, outside of the session and for longer than it.
    CLINE_SESSION_BACKEND_MODE: "local",
  }),
  command: () => ({ program: "sh" }),
  readEvent,
  told: failureTold,
});

function readEvent(event: JsonObject): readonly AgentEvent[] {
  switch (event["type"]) {
    case "agent_event":
      return readAgentEvent(objectIn(event["event"]) ?? {});
    case "run_result":
      return readResult(event);
    default:
      return [];
  }
}

function readAgentEvent(event: JsonObject): readonly AgentEvent[] {
  const isTool = event["contentType"] === "tool";
  switch (event["type"]) {
    case "content_start":
      return isTool ? [readCall(event)] : [];
    case "content_end":
      return isTool ? [readCallResult(event)] : readText(event);
    case "usage":
      return readUsageSoFar(event);
    case "error":
      return readError(event);
    default:
      return [];
  }
}

function readText(event: JsonObject): readonly AgentEvent[] {
  const text = event["contentType"] === "text" ? stringIn(event["text"]) : undefined;
  return text === undefined ? [] : [{ kind: "text", text }];
}

function readCall(event: JsonObject): AgentEvent {
  const input = objectIn(event["input"]) ?? {};
  return {
    kind: "tool-call",
    tool: stringIn(event["toolName"]) ?? "",
    detail: stringsIn(input["commands"]).join("; ") || toolDetail(input),
    id: stringIn(event["toolCallId"]),
  };
}

/** One output, or one for each of several commands; a call that was refused has an error alone. */
function readCallResult(event: JsonObject): AgentEvent {
  const output = event["output"];
  const parts = objectsIn(Array.isArray(output) ? output : [output]);
  const said = parts.map((part) => stringIn(part["error"]) ?? stringIn(part["result"]) ?? "");
  return {
    kind: "tool-result",
    ok: parts.every((part) => part["success"] === true),
    detail: said.join("\n"),
    id: stringIn(event["toolCallId"]),
  };
}

/** Each of these tells the sum of the session so far; tokens of the cache are part of the input. */
function readUsageSoFar(event: JsonObject): readonly AgentEvent[] {
  return pricedUsage(event, {
    input: ["totalInputTokens"],
    output: ["totalOutputTokens"],
    cached: ["totalCacheReadTokens"],
    costUsd: "totalCost",
  }).map((usage) => ({ ...usage, message: "session" }));
}

/** A model without a price is told to have cost nothing. */
function pricedUsage(source: JsonObject | undefined, fields: UsageFields): readonly AgentEvent[] {
  return usageIn(source, fields).map((usage) => ({ ...usage, costUsd: usage.costUsd || null }));
}

/** What it calls recoverable is a tool that failed. */
function readError(event: JsonObject): readonly AgentEvent[] {
  if (event["recoverable"] !== false) return [];
  const message = stringIn(objectIn(event["error"])?.["message"]) ?? "error";
  const cause = ERROR_CAUSES.get(event["errorClass"]) ?? causeOfWording(message);
  return [{ kind: "error", cause, message }];
}

const ERROR_CAUSES: ReadonlyMap<unknown, FailureCause> = new Map([
  ["auth", "auth"],
  ["context_window_exceeded", "context"],
]);

const FINISH_CAUSES: ReadonlyMap<string, FailureCause> = new Map([
  ["max_iterations", "budget"],
  // So many failures in a row.
  ["mistake_limit", "loop"],
  ["aborted", "aborted"],
]);

function readResult(event: JsonObject): readonly AgentEvent[] {
  const finish = stringIn(event["finishReason"]) ?? "unknown";
  // Where it failed, its text is that of the error; else it is the model's.
  const reason = finish === "error" ? (stringIn(event["text"]) ?? finish) : finish;
  return [
    ...pricedUsage(objectIn(event["aggregateUsage"]), {
      input: ["inputTokens"],
      output: ["outputTokens"],
      cached: ["cacheReadTokens"],
      costUsd: "totalCost",
    }),
    {
      kind: "result",
      ok: finish === "completed",
      cause: FINISH_CAUSES.get(finish) ?? null,
      reason,
    },
  ];
}

/** What a shell exits with that did not find its program. */
const NOT_FOUND = 127;

/** What ends it before a session begins is an event on stderr. */
function failureTold({ exitCode, stderrTail }: SessionFacts): Failure | null {
  const said = stderrTail.trim().split("\n").at(-1) ?? "";
  if (exitCode === NOT_FOUND) {
    return { cause: null, reason: `it could not be started: ${said} (${INSTALL_HINT})` };
  }
  const last = parseJsonLine(said);
  const reason = last?.["type"] === "error" ? stringIn(last["message"]) : undefined;
  return reason === undefined ? null : { cause: causeOfWording(reason), reason };
}
