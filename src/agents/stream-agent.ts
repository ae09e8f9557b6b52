// What the streams of agents have in common: one JSON object a line, messages of blocks, tokens and money. What is cut
// off or damaged is told, and never guessed at.
import type {
  Agent,
  AgentCommand,
  AgentEvent,
  AgentProgram,
  Outcome,
  SessionFacts,
  SessionRequest,
  Usage,
} from "./agent.ts";
import { type FailureTold, judgeStreamEnd, type Judging } from "./judge-end.ts";
import { sessionEnv } from "./session-command.ts";
import {
  type JsonObject,
  numberIn,
  objectIn,
  objectsIn,
  parseJsonLine,
  stringIn,
} from "../core/json-line.ts";

/** What is specific to one such agent. */
export interface StreamAgent extends Pick<
  Agent,
  | "name"
  | "describe"
  | "installHint"
  | "loginHint"
  | "modes"
  | "surroundings"
  | "state"
  | "readUsageFile"
  | "readErrorLine"
> {
  /** How it is asked whether somebody is logged in, where it has a command for that. */
  readonly login?: AgentProgram["login"];
  readonly args: (request: SessionRequest) => readonly string[];
  /** Beside what every session gets. */
  readonly env?: (request: SessionRequest) => Readonly<Record<string, string>>;
  /** What else its command has, or has otherwise. */
  readonly command?: (request: SessionRequest) => Partial<AgentCommand>;
  readonly readEvent: (event: JsonObject) => readonly AgentEvent[];
  /** What only its exit code or its stderr tells; asked when its stream does not. */
  readonly told?: FailureTold;
  readonly judge?: (facts: SessionFacts, judging: Judging) => Outcome;
}

/** An agent that gets its brief on stdin and prints one JSON object a line. */
export function streamAgent(own: StreamAgent): Agent {
  const {
    args,
    env,
    command,
    readEvent,
    told,
    login = null,
    judge = judgeStreamEnd,
    ...shown
  } = own;
  const judging: Judging = { installHint: own.installHint, ...(told !== undefined && { told }) };
  return {
    ...shown,
    program: { name: own.name, versionArgs: ["--version"], login },
    buildCommand: (request) => ({
      program: own.name,
      args: args(request),
      env: { ...sessionEnv(request), ...env?.(request) },
      stdin: request.brief,
      ...command?.(request),
    }),
    readLine: jsonLines(readEvent),
    outcome: (facts) => judge(facts, judging),
  };
}

export function jsonLines(read: StreamAgent["readEvent"]): Agent["readLine"] {
  return (line) => {
    if (line.trim() === "") return [];
    const event = parseJsonLine(line);
    return event === undefined ? [{ kind: "unreadable" }] : read(event);
  };
}

export function contentOf(event: JsonObject): readonly JsonObject[] {
  return objectsIn(objectIn(event["message"])?.["content"]);
}

/** What the model said and which tools it called. */
export function readAssistantBlocks(event: JsonObject): readonly AgentEvent[] {
  return contentOf(event).flatMap((block): readonly AgentEvent[] => {
    if (block["type"] === "text") return [{ kind: "text", text: stringIn(block["text"]) ?? "" }];
    if (block["type"] !== "tool_use") return [];
    const tool = stringIn(block["name"]) ?? "";
    const id = stringIn(block["id"]);
    const detail = toolDetail(block["input"]);
    return [{ kind: "tool-call", tool, detail, ...(id !== undefined && { id }) }];
  });
}

export function readToolResults(event: JsonObject): readonly AgentEvent[] {
  return contentOf(event)
    .filter((block) => block["type"] === "tool_result")
    .map((block) => ({
      kind: "tool-result",
      ok: block["is_error"] !== true,
      detail: stringIn(block["content"]) ?? "",
      id: stringIn(block["tool_use_id"]),
    }));
}

/** What a message used so far, under its id. */
export function readMessageUsage(event: JsonObject, fields: UsageFields): readonly AgentEvent[] {
  const message = objectIn(event["message"]);
  const id = stringIn(message?.["id"]);
  if (id === undefined) return [];
  return usageIn(objectIn(message?.["usage"]), fields).map((usage) => ({ ...usage, message: id }));
}

/** The commands that were refused, as a result lists them. */
export function readDenials(event: JsonObject): readonly AgentEvent[] {
  return objectsIn(event["permission_denials"]).map((denial) => ({
    kind: "denied",
    command: toolDetail(denial["tool_input"]) || (stringIn(denial["tool_name"]) ?? ""),
  }));
}

/** The command, path or the like in a tool's input: what a person wants to see of it. */
export function toolDetail(input: unknown): string {
  const fields = objectIn(input) ?? {};
  const known = ["command", "file_path", "filePath", "path", "pattern", "url"];
  return known.map((name) => stringIn(fields[name])).find((text) => text !== undefined) ?? "";
}

const MOST_TOKENS = 1e10;
const MOST_USD = 1e5;

function tokensIn(value: unknown): number | undefined {
  const tokens = numberIn(value);
  return tokens !== undefined && Number.isInteger(tokens) && tokens >= 0 && tokens <= MOST_TOKENS
    ? tokens
    : undefined;
}

function usdIn(value: unknown): number | null {
  const usd = numberIn(value);
  return usd !== undefined && usd >= 0 && usd <= MOST_USD ? usd : null;
}

/** Which fields of an object hold what; several are added up. */
export interface UsageFields {
  readonly input: readonly string[];
  readonly output: readonly string[];
  readonly cached: readonly string[];
  readonly costUsd?: string;
}

/** Undefined when none of the fields is there: unknown is not zero. */
export function readUsage(source: JsonObject | undefined, fields: UsageFields): Usage | undefined {
  if (source === undefined) return undefined;
  const sum = (names: readonly string[]) => {
    const found = names
      .map((name) => tokensIn(source[name]))
      .filter((count) => count !== undefined);
    return found.length === 0 ? undefined : found.reduce((total, count) => total + count, 0);
  };
  const [input, output, cached] = [sum(fields.input), sum(fields.output), sum(fields.cached)];
  if (input === undefined && output === undefined) return undefined;
  return {
    input: input ?? 0,
    output: output ?? 0,
    cached: cached ?? 0,
    costUsd: fields.costUsd === undefined ? null : usdIn(source[fields.costUsd]),
  };
}

/** The same as events: one, or none. */
export function usageIn(
  source: JsonObject | undefined,
  fields: UsageFields,
): readonly Extract<AgentEvent, { kind: "usage" }>[] {
  const usage = readUsage(source, fields);
  return usage === undefined ? [] : [{ kind: "usage", ...usage }];
}

export function addUsage(before: Usage | null, more: Usage): Usage {
  const { input, output, cached, costUsd } = more;
  if (before === null) return { input, output, cached, costUsd };
  return {
    input: before.input + input,
    output: before.output + output,
    cached: before.cached + cached,
    costUsd:
      before.costUsd === null && costUsd === null ? null : (before.costUsd ?? 0) + (costUsd ?? 0),
  };
}
