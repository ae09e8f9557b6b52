// opencode, headless: `opencode run` with the brief on stdin. It has no terminal event: the last step
// must have ended by `stop`, and a compaction in between ends by `stop` too, so only the exit tells.
import type { AgentEvent, EventSummary, Outcome, SessionFacts, SessionRequest } from "./agent.ts";
import { given, refusedGlobs } from "./session-command.ts";
import { judgeStreamEnd, type Judging } from "./judge-end.ts";
import { type JsonObject, numberIn, objectIn, parseJsonLine, stringIn } from "../core/json-line.ts";
import { streamAgent, toolDetail, usageIn } from "./stream-agent.ts";
import { readProviderAnswer } from "./provider-failure.ts";

export const opencode = streamAgent({
  name: "opencode",
  describe: "opencode",
  installHint: "npm install -g opencode-ai",
  loginHint: "opencode auth login",
  // Keys may also stand in its configuration, so that finding none means nothing.
  login: {
    args: ["auth", "list"],
    isLoggedIn: ({ stdout }) =>
      /\b[1-9]\d* (?:credential|environment variable)s?\b/.test(stdout) ? true : null,
  },
  state: [
    { path: "~/.local/share/opencode", variable: "XDG_DATA_HOME", below: "opencode" },
    { path: "~/.local/state/opencode", variable: "XDG_STATE_HOME", below: "opencode" },
    { path: "~/.config/opencode", variable: "XDG_CONFIG_HOME", below: "opencode" },
  ],
  modes: {
    default: "edits and shell without asking; destructive commands and other folders refused",
    "read-only": "reads files; edits and shell refused",
    dangerous: "every tool without asking (--auto)",
  },
  surroundings: {
    default:
      "the network works; refused: folders other than the work tree and /tmp, and commands that destroy work, such as git reset --hard, git clean and git push --force",
    "read-only": "you can read files; edits and commands are refused",
  },
  args: ({ model, permission }) => [
    "run",
    "--format",
    "json",
    // Its log is the only place where it says that it waits for its provider.
    "--print-logs",
    "--log-level",
    "WARN",
    ...(permission === "dangerous" ? ["--auto"] : []),
    ...given("--model", model),
  ],
  env: (request) => ({
    OPENCODE_DISABLE_AUTOUPDATE: "1",
    ...permissionEnv(request),
    ...serversEnv(request),
  }),
  readEvent,
  readErrorLine,
  judge,
});

function permissionEnv({ permission, approved }: SessionRequest): Record<string, string> {
  switch (permission) {
    case "default": {
      const bash = Object.fromEntries(refusedGlobs(approved).map((glob) => [glob, "deny"]));
      // What is asked for is rejected headless, and ends the session; what is denied does not.
      const outside = { "*": "deny", "/tmp/*": "allow" };
      return { OPENCODE_PERMISSION: JSON.stringify({ bash, external_directory: outside }) };
    }
    case "read-only": {
      const denied = { edit: "deny", bash: "deny", external_directory: "deny" };
      return { OPENCODE_PERMISSION: JSON.stringify(denied) };
    }
    case "dangerous":
      return {};
    default:
      return permission satisfies never;
  }
}

/** Its configuration is a variable, so what the person has in it is kept. */
function serversEnv({ mcp = [], inheritedEnv = {} }: SessionRequest): Record<string, string> {
  if (mcp.length === 0) return {};
  const kept = parseJsonLine(inheritedEnv["OPENCODE_CONFIG_CONTENT"] ?? "{}");
  if (kept === undefined) return {};
  const servers = mcp.map(({ name, command, args, env }) => [
    name,
    { type: "local", command: [command, ...args], environment: env, enabled: true },
  ]);
  const all = { ...objectIn(kept["mcp"]), ...Object.fromEntries(servers) };
  return { OPENCODE_CONFIG_CONTENT: JSON.stringify({ ...kept, mcp: all }) };
}

function readEvent(event: JsonObject): readonly AgentEvent[] {
  const part = objectIn(event["part"]) ?? {};
  switch (event["type"]) {
    case "step_start":
      return [{ kind: "step", isLast: false, reason: "the last step did not end" }];
    case "text":
      // What opencode itself adds to go on after a compaction is not the model's.
      if (part["synthetic"] === true) return [];
      return [{ kind: "text", text: stringIn(part["text"]) ?? "" }];
    case "tool_use":
      return readToolUse(part);
    case "step_finish":
      return readStepFinish(part);
    case "error":
      return readError(event);
    default:
      return [];
  }
}

/** It is told when it is over, so the call and its result are one event. */
function readToolUse(part: JsonObject): readonly AgentEvent[] {
  const state = objectIn(part["state"]) ?? {};
  const detail = toolDetail(state["input"]);
  const tool = stringIn(part["tool"]) ?? "";
  const call = { kind: "tool-call", tool, detail } as const;
  const error = stringIn(state["error"]) ?? "";
  if (state["status"] === "error" && REFUSALS.some((start) => error.startsWith(start))) {
    return [call, { kind: "denied", command: detail === "" ? tool : detail }];
  }
  const output = stringIn(state["output"]) ?? error;
  return [call, { kind: "tool-result", ok: state["status"] === "completed", detail: output }];
}

const REFUSALS = [
  "The user rejected permission to use this specific tool call",
  "The user has specified a rule which prevents you from using this specific tool call",
];

function readStepFinish(part: JsonObject): readonly AgentEvent[] {
  const tokens = objectIn(part["tokens"]);
  const cache = objectIn(tokens?.["cache"]);
  const flat = {
    ...tokens,
    read: cache?.["read"],
    write: cache?.["write"],
    cost: part["cost"],
  };
  const used = usageIn(flat, {
    input: ["input", "read", "write"],
    output: ["output", "reasoning"],
    cached: ["read"],
    costUsd: "cost",
  });
  const reason = stringIn(part["reason"]) ?? "unknown";
  const step = { kind: "step", isLast: reason === "stop", reason: `ended by ${reason}` } as const;
  return [...used, step];
}

function readError(event: JsonObject): readonly AgentEvent[] {
  const error = objectIn(event["error"]) ?? {};
  const data = objectIn(error["data"]) ?? {};
  const name = stringIn(error["name"]) ?? "error";
  const message = stringIn(data["message"]) ?? name;
  if (name === "ContextOverflowError") {
    // It would compact and try again without end, so this is taken for the end of the session.
    return [{ kind: "result", ok: false, cause: "context", reason: message }];
  }
  if (name === "MessageAbortedError") return [{ kind: "error", cause: "aborted", message }];
  const { cause, limit } = readProviderAnswer({
    status: numberIn(data["statusCode"]) ?? (name === "ProviderAuthError" ? 401 : undefined),
    body: stringIn(data["responseBody"]) ?? message,
    said: message,
    headers: objectIn(data["responseHeaders"]),
    toldAtMs: numberIn(event["timestamp"]),
  });
  // What it calls worth another try may be answered later, whatever it was.
  const isPassing = data["isRetryable"] === true;
  return [...limit, { kind: "error", cause: cause ?? (isPassing ? "overloaded" : null), message }];
}

/** A request that failed, as its log has it; `small` ones are titles and the like, which it can do without. */
const FAILED_REQUEST =
  /^timestamp=(\S+) (?=.*\bmessage="stream error")(?!.*\bsmall=true\b).*\berror\.error=("(?:[^"\\]|\\.)*"?)/;

/** Of a line of its log; the answer of a provider may be a whole page. */
const LOOKED_AT = 4096;

/** It tries again, and says so nowhere else; where it does not, an error event follows. */
function readErrorLine(line: string): readonly AgentEvent[] {
  const [, told = "", quoted = ""] = FAILED_REQUEST.exec(line.slice(0, LOOKED_AT)) ?? [];
  if (quoted === "") return [];
  const body = unquoted(quoted)
    .replace(/^\w*Error: /, "")
    .replace(/ \(cause: .*\)$/s, "");
  const answer = { status: undefined, body, toldAtMs: Date.parse(told) };
  const { cause, limit } = readProviderAnswer(answer);
  return [...limit, { kind: "retrying", attempt: null, cause, message: body }];
}

function unquoted(text: string): string {
  const value = parseJsonLine(`{"text":${text}}`)?.["text"];
  return stringIn(value) ?? text.slice(1);
}

function judge(facts: SessionFacts, judging: Judging): Outcome {
  const result = resultOf(facts);
  if (result === null) return judgeStreamEnd(facts, judging);
  return judgeStreamEnd({ ...facts, events: { ...facts.events, result } }, judging);
}

/** Of the last step, where nothing else tells how the session ended. */
function resultOf({ events, exitCode, endedBy }: SessionFacts): EventSummary["result"] {
  const { step, lastError, result, denied } = events;
  if (result !== null || lastError !== null || step === null) return null;
  if (step.isLast) return { kind: "result", ok: true, cause: null, reason: step.reason };
  // A filter, or the model's own length, ended a step; it leaves as if all were well.
  if (exitCode !== 0 || endedBy !== "itself" || denied !== null) return null;
  const reason = `it exited with code 0, but its last step is not complete: ${step.reason}`;
  return { kind: "result", ok: false, cause: null, reason };
}
