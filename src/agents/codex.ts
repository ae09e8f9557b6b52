// Codex, headless: `codex exec --json -` with the brief on stdin. Its failures carry no codes, so the
// fixed wording of its own error messages is what tells them apart; the model's text never does.
import type { AgentEvent, FailureCause, McpServer, SessionRequest } from "./agent.ts";
import { type JsonObject, objectIn, objectsIn, stringIn } from "../core/json-line.ts";
import { streamAgent, usageIn } from "./stream-agent.ts";
import { causeOfWording, readProviderAnswer } from "./provider-failure.ts";
import { given, rootAbove } from "./session-command.ts";

const PERMISSION_ARGS = {
  default: ["--sandbox", "workspace-write"],
  "read-only": ["--sandbox", "read-only"],
  dangerous: ["--dangerously-bypass-approvals-and-sandbox"],
} as const;

export const codex = streamAgent({
  name: "codex",
  describe: "OpenAI Codex CLI",
  installHint: "npm install -g @openai/codex",
  loginHint: "codex login",
  login: { args: ["login", "status"], isLoggedIn: ({ exitCode }) => exitCode === 0 },
  state: [{ path: "~/.codex", variable: "CODEX_HOME" }],
  modes: {
    default: "sandbox: writes in the work tree only, .git read-only, no network",
    "read-only": "sandbox: reads only",
    dangerous: "no sandbox (--dangerously-bypass-approvals-and-sandbox)",
  },
  surroundings: {
    default:
      "no network; you can write only to the work tree, but not to .git, and to temporary folders",
    "read-only": "no network; you can write nothing",
  },
  args: (request) => [
    "exec",
    "--json",
    "--skip-git-repo-check",
    ...PERMISSION_ARGS[request.permission],
    ...writableRoot(request),
    "-c",
    "check_for_update_on_startup=false",
    // Else every session asks GitHub for a list of plugins, and waits when there is no network.
    "-c",
    "features.plugins=false",
    ...(request.mcp ?? []).flatMap((server) => ["-c", mcpSetting(server)]),
    ...given("-m", request.model),
    "-",
  ],
  readEvent,
  readErrorLine,
  // When its allowance is filled again, it tells by the clock on the wall.
});

function writableRoot(request: SessionRequest): readonly string[] {
  const root = request.permission === "default" ? rootAbove(request) : undefined;
  if (root === undefined) return [];
  return ["-c", `sandbox_workspace_write.writable_roots=[${JSON.stringify(root)}]`];
}

/** Strings of JSON are strings of TOML. */
function mcpSetting({ name, command, args, env }: McpServer): string {
  const pairs = Object.entries(env).map(([key, value]) => `${key}=${JSON.stringify(value)}`);
  const fields = `command=${JSON.stringify(command)},args=${JSON.stringify(args)}`;
  return `mcp_servers.${name}={${fields},env={${pairs.join(",")}}}`;
}

function readEvent(event: JsonObject): readonly AgentEvent[] {
  switch (event["type"]) {
    case "item.started":
      return readStarted(objectIn(event["item"]) ?? {});
    case "item.updated":
      return thinking(objectIn(event["item"]) ?? {});
    case "item.completed":
      return readCompleted(objectIn(event["item"]) ?? {});
    case "error":
      return [readError(stringIn(event["message"]) ?? "")];
    case "turn.completed":
      return [
        ...usageIn(objectIn(event["usage"]), USAGE_FIELDS),
        { kind: "result", ok: true, cause: null, reason: "turn completed" },
      ];
    case "turn.failed": {
      const reason = stringIn(objectIn(event["error"])?.["message"]) ?? "turn failed";
      const { cause, limit } = answerIn(reason);
      return [...limit, { kind: "result", ok: false, cause, reason }];
    }
    default:
      return [];
  }
}

function readStarted(item: JsonObject): readonly AgentEvent[] {
  const id = stringIn(item["id"]);
  switch (item["type"]) {
    case "command_execution":
      return [{ kind: "tool-call", tool: "shell", detail: stringIn(item["command"]) ?? "", id }];
    case "file_change":
      return [{ kind: "tool-call", tool: "edit", detail: changedPaths(item), id }];
    case "mcp_tool_call":
      return [{ kind: "tool-call", tool: mcpTool(item), detail: "", id }];
    default:
      return thinking(item);
  }
}

/** An item of type `error` is a warning; good sessions have them too. */
function readCompleted(item: JsonObject): readonly AgentEvent[] {
  const isOk = item["status"] === "completed";
  const id = stringIn(item["id"]);
  switch (item["type"]) {
    case "agent_message":
      return [{ kind: "text", text: stringIn(item["text"]) ?? "" }];
    case "command_execution":
      if (item["status"] === "declined") {
        return [{ kind: "denied", command: stringIn(item["command"]) ?? "", call: id }];
      }
      return [
        { kind: "tool-result", ok: isOk, detail: stringIn(item["aggregated_output"]) ?? "", id },
      ];
    case "file_change":
      return [{ kind: "tool-result", ok: isOk, detail: changedPaths(item), id }];
    case "mcp_tool_call":
      return [{ kind: "tool-result", ok: isOk, detail: mcpTool(item), id }];
    default:
      return thinking(item);
  }
}

/** A thought, a list of what to do, a search of its own: whatever else it tells of, the model answered. */
function thinking({ type }: JsonObject): readonly AgentEvent[] {
  return type === "error" || typeof type !== "string" ? [] : [{ kind: "thinking" }];
}

/** "Reconnecting... 2/5 (why)", "Reconnecting... waiting for network (why)"; "why; retrying 2/5 in 206ms…". */
const RECONNECTING = /^Reconnecting\b[. ]*(?:(\d+)\/\d+)?[^(]*(?:\((.*)\))?/s;
const RETRYING_IN = /^(.*); retrying (\d+)\/\d+\b/s;

/** A top-level error is final only when it announces no other try. */
function readError(message: string): AgentEvent {
  const [, attempt, why = ""] = RECONNECTING.exec(message) ?? [];
  const [, earlier = "", count = attempt] = RETRYING_IN.exec(message) ?? [];
  const said = why || earlier;
  if (count !== undefined) {
    // A provider that stays silent is not known to be overloaded; how long to bear it is not ours.
    const cause = said.includes("idle timeout waiting for") ? null : answerIn(said).cause;
    return { kind: "retrying", attempt: Number(count), cause, message: said || message };
  }
  // Without a network it tries again for ever, and counts no more.
  if (RECONNECTING.test(message)) {
    return { kind: "retrying", attempt: null, cause: "overloaded", message };
  }
  return { kind: "error", cause: answerIn(message).cause, message };
}

/** Its log: with a login of its vendor it asks for a new token first, again and again, and says so nowhere else. */
const FAILED_REFRESH = /^\S+ +ERROR codex_login\S*: (Failed to refresh token: .*)$/;

function readErrorLine(line: string): readonly AgentEvent[] {
  const message = FAILED_REFRESH.exec(line)?.[1];
  if (message === undefined) return [];
  return [{ kind: "retrying", attempt: null, cause: causeOfWording(message), message }];
}

/** The beginnings of the messages Codex writes itself. */
const CAUSES: readonly (readonly [start: RegExp, cause: FailureCause])[] = [
  [/^You[’']ve hit your usage limit/, "usage-limit"],
  [/^Quota exceeded/, "usage-limit"],
  [/^exceeded retry limit, last status: 429\b/, "rate-limit"],
  [/^rate limit exceeded\b/, "rate-limit"],
  [/^exceeded retry limit, last status: 40[13]\b/, "auth"],
  [/^Missing environment variable: /, "auth"],
  [/^To use Codex with your ChatGPT plan, upgrade/, "auth"],
  [/^Your access token could not be refreshed/, "auth"],
  [/^exceeded retry limit, last status: 5\d\d\b/, "overloaded"],
  [/^unexpected status 5\d\d\b/, "overloaded"],
  [/^workspace routing discovery failed/, "overloaded"],
];

/** Where it has no words of its own, Codex passes on what the provider answered. */
function answerIn(message: string): ReturnType<typeof readProviderAnswer> {
  const own = CAUSES.find(([start]) => start.test(message))?.[1];
  if (own !== undefined) return { cause: own, limit: [] };
  return readProviderAnswer({ status: undefined, body: message, toldAtMs: undefined });
}

const USAGE_FIELDS = {
  input: ["input_tokens"],
  output: ["output_tokens"],
  cached: ["cached_input_tokens"],
} as const;

function changedPaths(item: JsonObject): string {
  return objectsIn(item["changes"])
    .map((change) => stringIn(change["path"]) ?? "")
    .join(", ");
}

function mcpTool(item: JsonObject): string {
  return `${stringIn(item["server"]) ?? ""}.${stringIn(item["tool"]) ?? ""}`;
}
