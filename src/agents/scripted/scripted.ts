// The built-in agent: a program that does what a script says, without a model or credentials. Demos
// and tests use it; the format of a script is in docs/scripted-agent.md.
import { resolve } from "node:path";
import type { Agent, AgentEvent, FailureCause } from "../agent.ts";
import { judgeStreamEnd } from "../judge-end.ts";
import { jsonLines, readUsage } from "../stream-agent.ts";
import { sessionEnv } from "../session-command.ts";
import { parseInstant } from "../../core/instant.ts";
import { type JsonObject, numberIn, stringIn } from "../../core/json-line.ts";

export interface ScriptedOptions {
  /** The bundled program, absolute. */
  readonly program: string;
  /** Relative to `calledFrom`; without one the agent does nothing, successfully. */
  readonly script: string | undefined;
  readonly calledFrom: string;
}

const INSTALL_HINT = "it is part of Stint; install Stint again";
const SCRIPT = "does what the script says";

export function scriptedAgent({ program, script, calledFrom }: ScriptedOptions): Agent {
  const args = script === undefined ? [program] : [program, resolve(calledFrom, script)];
  return {
    name: "scripted",
    describe: "does what a script says; no model, no credentials",
    installHint: INSTALL_HINT,
    loginHint: "change the script: it plays this refusal",
    modes: { default: SCRIPT, "read-only": SCRIPT, dangerous: SCRIPT },
    buildCommand: (request) => ({
      program: process.execPath,
      args,
      env: sessionEnv(request),
      stdin: request.brief,
    }),
    readLine: jsonLines((event) => [readScriptedEvent(event)]),
    outcome: (facts) => judgeStreamEnd(facts, { installHint: INSTALL_HINT }),
  };
}

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
    case "thinking":
      return { kind: "thinking" };
    case "result":
      return { kind: "result", ok: event["ok"] === true, cause, reason: text("reason") };
    default:
      return { kind: "unreadable" };
  }
}
