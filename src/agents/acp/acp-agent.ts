// Any agent that speaks the Agent Client Protocol over stdio. The conversation is held by a program of Stint's own
// (acp-client.ts), the session's child, which starts the agent and prints one JSON line for each thing it hears. Here is
// how that program is started, what a line of it means, and what its end means.
import type {
  Agent,
  AgentEvent,
  AgentProgram,
  FailureCause,
  Outcome,
  SessionFacts,
  SessionRequest,
} from "../agent.ts";
import type { Permission } from "../../core/schema/run-records.ts";
import {
  type JsonObject,
  numberIn,
  objectIn,
  objectsIn,
  parseJsonLine,
  stringIn,
} from "../../core/json-line.ts";
import { counted } from "../../core/words/amounts.ts";
import { judgeStreamEnd, type Judging, refusalIn } from "../judge-end.ts";
import { causeOfWording, readProviderAnswer } from "../provider-failure.ts";
import { refusedCommands, rootAbove, sessionEnv } from "../session-command.ts";
import { jsonLines, usageIn } from "../stream-agent.ts";
import { type AcpJob, JOB_VARIABLE } from "./acp-job.ts";
import { commandOf } from "./acp-permission.ts";

/** What is specific to one such agent. */
export interface AcpAgent extends Pick<
  Agent,
  "name" | "describe" | "installHint" | "loginHint" | "state"
> {
  readonly program: string;
  readonly args: readonly string[];
  readonly login?: AgentProgram["login"];
  /** Beside what every session gets. */
  readonly env?: Readonly<Record<string, string>>;
  /** The modes that it is put into, as it calls them. */
  readonly modeOf?: Readonly<Partial<Record<Permission, string>>>;
  readonly modes?: Agent["modes"];
  /**
   * What is known to have failed where it ends its turn without a word or a tool call, after a minute of silence, or with
   * tools that it asked for and never finished.
   */
  readonly silentEnd?: FailureCause;
}

const SURROUNDINGS: NonNullable<Agent["surroundings"]> = {
  default:
    "the network works; refused: commands that destroy work, such as git reset --hard, git clean and git push --force",
  "read-only": "you can read files; edits and commands are refused",
};

const ACP_MODES: Agent["modes"] = {
  default: "what it asks for is allowed, except destructive commands",
  "read-only": "only reading is allowed",
  dangerous: "everything it asks for is allowed",
};

export function acpAgent(own: AcpAgent): Agent {
  const {
    program,
    args,
    env,
    login = null,
    modeOf = {},
    modes = ACP_MODES,
    silentEnd,
    ...shown
  } = own;
  const judging: Judging = { installHint: own.installHint };
  return {
    surroundings: SURROUNDINGS,
    ...shown,
    modes,
    program: { name: program, versionArgs: ["--version"], login },
    buildCommand: (request) => ({
      program: process.execPath,
      args: [request.acpProgram ?? "acp-client.cjs", program, ...args],
      env: {
        ...sessionEnv(request),
        ...env,
        [JOB_VARIABLE]: JSON.stringify(jobOf(request, modeOf)),
      },
      stdin: request.brief,
      endsGently: true,
    }),
    tellsProgress: true,
    readLine: jsonLines((event) => readAcpEvent(event, silentEnd)),
    outcome: (facts) => judgeAcpEnd(facts, judging, silentEnd),
  };
}

function jobOf(request: SessionRequest, modeOf: AcpAgent["modeOf"] = {}): AcpJob {
  const { permission, approved, mcp = [], model } = request;
  const above = rootAbove(request);
  const mode = modeOf[permission];
  return {
    permission,
    refused: permission === "default" ? refusedCommands(approved) : [],
    folders: above === undefined ? [] : [above],
    mcp,
    ...(mode !== undefined && { mode }),
    ...(model !== undefined && { model }),
  };
}

/** One line of the client. */
export function readAcpEvent(event: JsonObject, silentEnd?: FailureCause): readonly AgentEvent[] {
  switch (event["type"]) {
    case "session":
      return [{ kind: "step", isLast: false, reason: "its turn did not end" }];
    case "update":
      return readUpdate(objectIn(event["update"]) ?? {});
    case "permission":
      return readPermission(event);
    case "usage":
      return usageOf(event).map((usage) => ({ ...usage, message: "turn" }));
    case "end":
      return readEnd(event, silentEnd);
    case "failure":
      return [readFailure(event)];
    default:
      return [];
  }
}

function readUpdate(update: JsonObject): readonly AgentEvent[] {
  switch (update["sessionUpdate"]) {
    case "agent_message_chunk": {
      const text = stringIn(objectIn(update["content"])?.["text"]);
      return text === undefined ? [] : [{ kind: "text", text, isPiece: true }];
    }
    case "agent_thought_chunk":
      return stringIn(objectIn(update["content"])?.["text"]) === "" ? [] : [{ kind: "thinking" }];
    case "plan":
      return [{ kind: "thinking" }];
    case "tool_call":
      return [readCall(update), ...readCallResult(update)];
    case "tool_call_update": {
      const result = readCallResult(update);
      return result.length > 0 ? result : [{ kind: "thinking" }];
    }
    case "notice":
      return readNotice(update);
    default:
      return [];
  }
}

function readCall(call: JsonObject): AgentEvent {
  const tool = stringIn(call["name"]) ?? stringIn(call["kind"]) ?? "tool";
  return { kind: "tool-call", tool, detail: commandOf(call), id: stringIn(call["toolCallId"]) };
}

function readCallResult(call: JsonObject): readonly AgentEvent[] {
  const { status } = call;
  if (status !== "completed" && status !== "failed") return [];
  const said = objectsIn(call["content"]).map(
    (part) => stringIn(objectIn(part["content"])?.["text"]) ?? "",
  );
  return [
    {
      kind: "tool-result",
      ok: status === "completed",
      detail: said.filter((text) => text !== "").join("\n"),
      id: stringIn(call["toolCallId"]),
    },
  ];
}

/** What the agent tells a person beside the conversation. */
function readNotice(notice: JsonObject): readonly AgentEvent[] {
  if (notice["severity"] !== "error") return [];
  const message = [stringIn(notice["title"]), stringIn(notice["description"])]
    .filter((part) => part !== undefined)
    .join(": ");
  return [{ kind: "error", cause: causeOfWording(message), message }];
}

function readPermission(event: JsonObject): readonly AgentEvent[] {
  if (event["isAllowed"] !== false) return [{ kind: "thinking" }];
  return [
    {
      kind: "denied",
      command: stringIn(event["command"]) ?? "",
      call: stringIn(event["call"]),
    },
  ];
}

const USAGE_FIELDS = {
  input: ["inputTokens", "cachedReadTokens", "cachedWriteTokens", "input_tokens"],
  output: ["outputTokens", "thoughtTokens", "output_tokens"],
  cached: ["cachedReadTokens"],
  costUsd: "costUsd",
} as const;

/** An agent may tell what it cost, and no tokens. */
function usageOf(event: JsonObject): readonly Extract<AgentEvent, { kind: "usage" }>[] {
  const told = objectIn(event["usage"]);
  const usage = usageIn(told, USAGE_FIELDS);
  if (usage.length > 0) return usage;
  return usageIn({ ...told, inputTokens: 0 }, USAGE_FIELDS).filter((each) => each.costUsd !== null);
}

/** Why the protocol says that a turn ended, where that is no success. */
const STOPS: ReadonlyMap<string, { readonly cause: FailureCause | null; readonly reason: string }> =
  new Map([
    ["max_tokens", { cause: "context", reason: "the model's tokens for one turn are used up" }],
    [
      "max_turn_requests",
      { cause: "budget", reason: "the agent's requests for one turn are used up" },
    ],
    ["refusal", { cause: null, reason: "the agent refused to continue" }],
    ["cancelled", { cause: "aborted", reason: "cancelled" }],
  ]);

/** A model that has nothing more to say tells so sooner. */
const GIVEN_UP_MS = 60_000;

function readEnd(event: JsonObject, silentEnd?: FailureCause): readonly AgentEvent[] {
  const stop = stringIn(event["stopReason"]);
  const usage = usageOf(event);
  const unansweredMs = numberIn(event["unansweredMs"]) ?? 0;
  if (stop === "end_turn" && silentEnd !== undefined && unansweredMs >= GIVEN_UP_MS) {
    const reason = `its model did not answer for ${Math.round(unansweredMs / 1000)} s, then it ended its turn without a word`;
    return [...usage, { kind: "result", ok: false, cause: silentEnd, reason }];
  }
  if (stop === "end_turn") {
    return [...usage, { kind: "result", ok: true, cause: null, reason: stop }];
  }
  const reason =
    stop === undefined
      ? "it ended its turn without saying why"
      : `it stopped for a reason that Stint does not know: ${stop}`;
  const known = STOPS.get(stop ?? "") ?? { cause: null, reason };
  return [...usage, { kind: "result", ok: false, ...known }];
}

/** By the protocol: whoever uses the agent has to log in first. */
const AUTH_REQUIRED = -32_000;

/** An error that the agent answered with, or what kept the conversation from coming about. */
function readFailure(event: JsonObject): AgentEvent {
  const message = stringIn(event["message"]) ?? "error";
  const data = objectIn(event["data"]) ?? {};
  const details =
    stringIn(data["message"]) ?? stringIn(data["details"]) ?? stringIn(event["data"]) ?? "";
  // "Internal error" is the protocol's word for every failure.
  const reason = details === "" || message.includes(details) ? message : `${message}: ${details}`;
  const hasLeft = event["hasLeft"] === true;
  const cause = hasLeft
    ? (refusalIn(stringIn(event["printed"]) ?? "")?.cause ?? null)
    : causeOfFailure(event, data, reason);
  return { kind: "result", ok: false, cause, reason, ...(hasLeft && { hasLeft }) };
}

function causeOfFailure(event: JsonObject, data: JsonObject, reason: string): FailureCause | null {
  if (event["isSetup"] === true) return "setup";
  const code = numberIn(event["code"]);
  if (code === AUTH_REQUIRED) return "auth";
  if (code === undefined) return null;
  const kind = data["codexErrorInfo"];
  const told = [data["errorKind"], kind, data["type"], data["code"]]
    .map((word) => KINDS.get(word) ?? causeOfWord(word))
    .find((cause) => cause !== null && cause !== undefined);
  // {"httpConnectionFailed": {"httpStatusCode": 503}}: a connection that failed, and perhaps what was answered.
  const [connection, answer] = Object.entries(objectIn(kind) ?? {})[0] ?? [];
  const status =
    numberIn(objectIn(answer)?.["httpStatusCode"]) ??
    numberIn(data["statusCode"]) ??
    numberIn(data["status"]) ??
    code;
  return told ?? causeOfWording(reason, status) ?? (connection === undefined ? null : "overloaded");
}

/** Words of agents that are no words of a provider. */
const KINDS: ReadonlyMap<unknown, FailureCause> = new Map([
  ["usageLimitExceeded", "usage-limit"],
  ["contextWindowExceeded", "context"],
  ["unauthorized", "auth"],
  ["serverOverloaded", "overloaded"],
  ["internalServerError", "overloaded"],
]);

function causeOfWord(word: unknown): FailureCause | null {
  const code = stringIn(word);
  if (code === undefined) return null;
  return readProviderAnswer({
    status: undefined,
    body: JSON.stringify({ error: { code } }),
    toldAtMs: undefined,
  }).cause;
}

/** How agents begin that tell a failure of theirs as if the model had said it. */
const ERROR_TEXT =
  /^(?:(?:api|http|request|provider|model|server|internal|execution|network|authentication|rate limit) )*(?:error|failed)\b\s*[:(]/i;

/** What such a text may be set off with. */
const DECORATION = /[*_`#>]|\uFE0F|\p{Extended_Pictographic}/gu;

/**
 * The protocol has no word for an agent that asks its provider again, and some do so for hours without a sign. But it tells
 * of every tool: an agent that is silent for too long and has none at work waits for its model. That costs no attempt.
 */
function judgeAcpEnd(facts: SessionFacts, judging: Judging, silentEnd?: FailureCause): Outcome {
  const judged = judgeTurn(facts, judging, silentEnd);
  const { openCalls, result, step } = facts.events;
  if (judged.kind !== "idle" || openCalls.length > 0 || result?.ok === true) return judged;
  if (step === null) {
    const reason =
      "it did not begin a session before its idle limit: does it speak the Agent Client Protocol?";
    const never = { kind: "result", ok: false, cause: null, reason, hasLeft: true } as const;
    const ended = { ...facts, endedBy: "itself" } as const;
    return judgeStreamEnd({ ...ended, events: { ...facts.events, result: never } }, judging);
  }
  const reason =
    "it made no progress for too long while no tool was at work: its model does not answer";
  return { kind: "overloaded", reason };
}

/**
 * The protocol has no word for a turn that failed at the provider, and some agents end it as if it were done. That
 * is told where no model can have worked: nothing was said and no tool called; or all that was said is an error's text,
 * no tool was called, and no token and no money was used as far as it was told.
 */
function judgeTurn(facts: SessionFacts, judging: Judging, silentEnd?: FailureCause): Outcome {
  const { result, toolCalls, lastText, usage, denied, openCalls } = facts.events;
  if (result?.ok === true && silentEnd !== undefined && openCalls.length > 0) {
    // Its last answers were cut off: of the tools that they asked for none was started.
    const reason = `it ended its turn with ${counted(openCalls.length, "tool call")} that it never finished`;
    const failure = { kind: "result", ok: false, cause: silentEnd, reason } as const;
    return judgeStreamEnd({ ...facts, events: { ...facts.events, result: failure } }, judging);
  }
  const isFree = usage === null || (usage.output === 0 && (usage.costUsd ?? 0) === 0);
  const isIdle = toolCalls === 0 && denied === null && isFree;
  if (result?.ok !== true || !isIdle) return judgeStreamEnd(facts, judging);
  const failed = failureIn((lastText ?? "").trim(), silentEnd);
  if (failed === null) return judgeStreamEnd(facts, judging);
  const failure = { kind: "result", ok: false, ...failed } as const;
  return judgeStreamEnd({ ...facts, events: { ...facts.events, result: failure } }, judging);
}

/** Null where it may be what a model said. */
function failureIn(
  said: string,
  silentEnd: FailureCause | undefined,
): { readonly cause: FailureCause | null; readonly reason: string } | null {
  if (said === "") {
    const reason = "it ended its turn without a word or a tool call";
    return { cause: silentEnd ?? null, reason };
  }
  const error = objectIn(parseJsonLine(said)?.["error"]);
  if (error !== undefined) {
    const answer = { status: numberIn(error["code"]), body: said, toldAtMs: undefined };
    return { cause: readProviderAnswer(answer).cause, reason: said };
  }
  const text = withoutNotices(said);
  const plain = text.replace(DECORATION, "").trim();
  if (!ERROR_TEXT.test(plain) && !isLimitAlone(plain)) return null;
  return { cause: causeOfWording(plain), reason: text };
}

/** The sentences with which providers say that a limit is reached, and those with which they go on. */
const LIMIT_TOLD =
  /^(?:429 )?(?:you(?:['’]ve| have)? (?:hit|reached|exceeded) your [\w' -]{0,40}(?:limit|quota)s?|(?:[\w-]+ ){0,3}(?:usage|rate|session|weekly|daily|monthly|hour) limit (?:reached|exceeded)|too many requests|quota exceeded|(?:your )?credit balance is too low)(?: for [\w .-]{1,40})?$/i;
const TOLD_WITH_IT =
  /^(?:(?:please )?(?:try again|retry|wait)|(?:your limit |it |your quota )?(?:will )?resets?|upgrade|visit|to (?:continue|get|increase)|add|switch to)\b/i;

/** Nothing but that was said, and in one line: no model talks so. */
function isLimitAlone(text: string): boolean {
  const [first = "", ...others] = text
    .split(/[.!]+ +|[.!]+$| *[·∙•|] */)
    .filter((part) => part !== "");
  return (
    !text.includes("\n") &&
    LIMIT_TOLD.test(first) &&
    others.every((other) => TOLD_WITH_IT.test(other))
  );
}

/** Before its error an agent may have said that it tries again. */
function withoutNotices(text: string): string {
  const at = /^(?:Info|Warning): /.test(text) ? text.lastIndexOf("Error: ") : -1;
  return at === -1 ? text : text.slice(at);
}
