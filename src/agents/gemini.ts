// Gemini CLI, headless: the brief on stdin, one JSON event per line. Its result names no cause, but
// its exit code is the HTTP status of the provider, cut to a byte, or a code of its own.
import { join } from "node:path";
import type { AgentEvent, FailureCause, SessionFacts, SessionRequest } from "./agent.ts";
import { given, refusedCommands, rootAbove } from "./session-command.ts";
import { type Failure, judgeStrictEnd } from "./judge-end.ts";
import { type JsonObject, objectIn, stringIn } from "../core/json-line.ts";
import { streamAgent, toolDetail, usageIn } from "./stream-agent.ts";
import { causeOfStatus, causeOfWording } from "./provider-failure.ts";

/** Without a folder for the policy there is no shell in `auto_edit`, and nothing to be refused. */
const APPROVAL_MODES = { default: "auto_edit", "read-only": "plan", dangerous: "yolo" } as const;

const POLICY_FILE = "gemini-policy.toml";

/** Servers for one session it cannot be given: they come from its settings alone. */
export const gemini = streamAgent({
  name: "gemini",
  describe: "Google Gemini CLI",
  installHint: "npm install -g @google/gemini-cli",
  loginHint: "start gemini once and sign in, or set GEMINI_API_KEY",
  state: [{ path: "~/.gemini" }],
  modes: {
    default:
      "edits, shell and web without asking; destructive commands and edits elsewhere refused",
    "read-only": "plan mode: reads only",
    dangerous: "every tool without asking (--approval-mode yolo)",
  },
  surroundings: {
    default:
      "the network works; refused: edits outside the work tree, and commands that destroy work, such as git reset --hard, git clean and git push --force",
    "read-only": "you can read files; edits and commands are refused",
  },
  args(request) {
    const folder = policyFolder(request);
    return [
      "--output-format",
      "stream-json",
      ...given("--include-directories", rootAbove(request)),
      "--approval-mode",
      APPROVAL_MODES[request.permission],
      ...given("--policy", folder && join(folder, POLICY_FILE)),
      ...given("--model", request.model),
      ...given("--session-id", request.sessionId),
    ];
  },
  env: () => ({
    // Else it starts itself a second time, and a signal reaches only the first.
    GEMINI_CLI_NO_RELAUNCH: "true",
    // Else it refuses to work, headless, in a folder that was never opened by hand.
    GEMINI_CLI_TRUST_WORKSPACE: "true",
  }),
  command: (request) =>
    policyFolder(request) === undefined
      ? {}
      : { files: [{ name: POLICY_FILE, text: policyText(request) }] },
  readEvent,
  readErrorLine,
  told: failureTold,
  judge: judgeStrictEnd,
});

function policyFolder({ permission, configFolder }: SessionRequest): string | undefined {
  return permission === "default" ? configFolder : undefined;
}

/** Shell and web may be used, but for the destructive commands, whose rules weigh more. */
function policyText({ approved }: SessionRequest): string {
  const refused = refusedCommands(approved).flatMap(({ start, having }) => {
    if (having === undefined) return [policyRule("deny", 900, "commandPrefix", start)];
    return [
      policyRule("deny", 900, "commandPrefix", `${start} ${having}`),
      // An expression with a group is taken for a dangerous one, and the rule left out.
      policyRule("deny", 900, "commandRegex", `${start} .* ${having}`),
    ];
  });
  return [WEB_RULE, policyRule("allow", 500), ...refused].join("\n");
}

const WEB_RULE =
  '[[rule]]\ntoolName = ["web_fetch", "google_web_search"]\ndecision = "allow"\npriority = 500\n';

function policyRule(
  decision: "allow" | "deny",
  priority: number,
  matcher?: "commandPrefix" | "commandRegex",
  value = "",
): string {
  return [
    "[[rule]]",
    'toolName = "run_shell_command"',
    ...(matcher === undefined ? [] : [`${matcher} = ${JSON.stringify(value)}`]),
    `decision = "${decision}"`,
    `priority = ${priority}\n`,
  ].join("\n");
}

function readEvent(event: JsonObject): readonly AgentEvent[] {
  switch (event["type"]) {
    case "message":
      return readMessage(event);
    case "tool_use":
      return [readToolUse(event)];
    case "tool_result":
      return readToolResult(event);
    case "error":
      return readError(event);
    case "result":
      return readResult(event);
    default:
      return [];
  }
}

function readMessage(event: JsonObject): readonly AgentEvent[] {
  if (event["role"] !== "assistant") return [];
  const text = stringIn(event["content"]) ?? "";
  return [{ kind: "text", text, isPiece: event["delta"] === true }];
}

function readToolUse(event: JsonObject): AgentEvent {
  return {
    kind: "tool-call",
    tool: stringIn(event["tool_name"]) ?? "",
    detail: toolDetail(event["parameters"]),
    id: stringIn(event["tool_id"]),
  };
}

function readToolResult(event: JsonObject): readonly AgentEvent[] {
  const id = stringIn(event["tool_id"]);
  const error = objectIn(event["error"]);
  if (error?.["type"] === "policy_violation") {
    return [{ kind: "denied", command: stringIn(error["message"]) ?? "", call: id }];
  }
  const detail = stringIn(event["output"]) ?? "";
  return [{ kind: "tool-result", ok: event["status"] === "success", detail, id }];
}

/** What it calls a warning, but for one, keeps no session from success. */
function readError(event: JsonObject): readonly AgentEvent[] {
  const message = stringIn(event["message"]) ?? "";
  const own = OWN_ERRORS.find(([start]) => message.startsWith(start))?.[1];
  if (own === undefined && event["severity"] === "warning") return [];
  return [{ kind: "error", cause: own ?? causeOfWording(message), message }];
}

const OWN_ERRORS: readonly (readonly [start: string, cause: FailureCause])[] = [
  ["Loop detected", "loop"],
  ["Maximum session turns exceeded", "budget"],
];

function readResult(event: JsonObject): readonly AgentEvent[] {
  const used = usageIn(objectIn(event["stats"]), {
    input: ["input_tokens"],
    output: ["output_tokens"],
    cached: ["cached"],
  });
  if (event["status"] === "success") {
    return [...used, { kind: "result", ok: true, cause: null, reason: "success" }];
  }
  const error = objectIn(event["error"]);
  const reason = stringIn(error?.["message"]) ?? "it reported an error";
  const cause = RESULT_CAUSES.get(error?.["type"]) ?? causeOfWording(reason);
  return [...used, { kind: "result", ok: false, cause, reason }];
}

/** "with status 503", "with 429 error", "with 5xx error". */
const FAILED_ATTEMPT = /^Attempt (\d+) failed\b(?: with (?:status )?(\d(?:\d\d|xx))\b)?(.*)$/;

/** That it tries again it says on stderr alone. */
function readErrorLine(line: string): readonly AgentEvent[] {
  const failed = FAILED_ATTEMPT.exec(plainText(line));
  if (failed === null) return [];
  const [message, attempt, status, said = ""] = failed;
  const cause = causeOfStatus(
    status === undefined ? undefined : Number(status.replace("xx", "00")),
  );
  return [
    {
      kind: "retrying",
      attempt: Number(attempt),
      cause: cause ?? causeOfWording(said),
      message: message.slice(0, LONGEST_REASON),
    },
  ];
}

/** The answer of a provider may follow in the same line. */
const LONGEST_REASON = 300;

const RESULT_CAUSES: ReadonlyMap<unknown, FailureCause> = new Map([
  ["FatalTurnLimitedError", "budget"],
  ["FatalAuthenticationError", "auth"],
  ["FatalCancellationError", "aborted"],
  ["FatalUntrustedWorkspaceError", "setup"],
]);

const EXIT_CAUSES: ReadonlyMap<number | null, FailureCause> = new Map([
  [41, "auth"],
  [53, "budget"],
  [55, "setup"],
]);

const STATUSES = [401, 402, 403, 408, 413, 429, 500, 502, 503, 504, 529];

function failureTold({ exitCode, events, stderrTail }: SessionFacts): Failure | null {
  if (exitCode === 0 && events.result === null) {
    // So it ends on SIGTERM and SIGINT; what stands on stderr then has nothing to do with it.
    return { cause: null, reason: "it exited with code 0 but never reported a result" };
  }
  const status = STATUSES.find((known) => known % 256 === exitCode);
  const cause = EXIT_CAUSES.get(exitCode) ?? causeOfStatus(status);
  if (cause === null) return null;
  const said = stderrTail.split("\n").find((line) => line.trim() !== "" && !isNotice(line));
  return { cause, reason: events.result?.reason ?? plainText(said ?? `exit code ${exitCode}`) };
}

function isNotice(line: string): boolean {
  return /^(?:Warning:|YOLO mode|Ripgrep is not|\[STARTUP\])/.test(line);
}

function plainText(text: string): string {
  // oxlint-disable-next-line no-control-regex -- colours are made of control characters
  return text.replace(/\u001B\[[\d;]*m/g, "").trim();
}
