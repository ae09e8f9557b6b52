// Streams that nobody recorded, made up in the formats of the agents: errors and progress in every order, texts of
// errors where they mean nothing, lines that are cut, foreign or worded otherwise. What is right is said by hand.
import { describe, expect, it } from "vitest";
import {
  areJudgedRight,
  claude,
  cline,
  codex,
  copilot,
  ENDED_FOR_RETRIES,
  FAILED,
  gemini,
  isOnlyRetrying,
  type Line,
  type Made,
  opencode,
  qwen,
  STDERR,
} from "../../test/support/made-up-stream.ts";

const CLAUDE: readonly Made[] = [
  {
    what: "retries, then work, then success",
    lines: [claude.retry(1, "overloaded", 529), claude.said("Here."), claude.good],
    is: { kind: "finished" },
  },
  {
    what: "retries, then work, then a crash of its own",
    lines: [
      claude.retry(1, "overloaded", 529),
      claude.said("Here."),
      `${STDERR}TypeError: x is not a function`,
    ],
    end: FAILED,
    is: { kind: "crashed", reason: "it exited with code 1: TypeError: x is not a function" },
  },
  {
    what: "the text of an error in a tool's result, then success",
    lines: [claude.tool("API Error: 529 overloaded_error: ECONNREFUSED", true), claude.good],
    is: { kind: "finished" },
  },
  {
    what: "the text of an error in a tool's result, then a crash",
    lines: [claude.tool("You've hit your usage limit, fetch failed", true)],
    end: FAILED,
    is: { kind: "crashed", reason: "it exited with code 1" },
  },
  {
    what: "no connection, and no retry before it gave up",
    lines: [
      claude.failed("unknown", "API Error: Unable to connect to API (ConnectionRefused)"),
      claude.bad({
        terminal_reason: "api_error",
        api_error_status: null,
        result: "API Error: Unable to connect to API (ConnectionRefused)",
      }),
    ],
    end: FAILED,
    is: { kind: "overloaded" },
  },
  {
    what: "a limit that was reported, then work, then a passing rate",
    lines: [
      {
        type: "rate_limit_event",
        rate_limit_info: { status: "rejected", resetsAt: 1_794_900_000 },
      },
      claude.said("It goes on with another model."),
      claude.bad({ terminal_reason: "api_error", api_error_status: 429, result: "API Error: 429" }),
    ],
    end: FAILED,
    is: { kind: "rate-limited" },
  },
  {
    what: "a limit that was reported, then work, then a crash",
    lines: [
      {
        type: "rate_limit_event",
        rate_limit_info: { status: "rejected", resetsAt: 1_794_900_000 },
      },
      claude.said("It goes on with another model."),
      { type: "result", subtype: "error_during_execution", is_error: true, errors: ["x is null"] },
    ],
    end: FAILED,
    is: { kind: "crashed", reason: "x is null" },
  },
  {
    what: "a line that ends in the middle",
    lines: [claude.said("Here."), JSON.stringify(claude.good).slice(0, 40)],
    is: { kind: "crashed" },
  },
  {
    what: "exit code 0 and a result that is an error",
    lines: [
      claude.said("Here."),
      claude.bad({ subtype: "error_during_execution", errors: ["no"] }),
    ],
    is: { kind: "crashed", reason: "no" },
  },
  {
    what: "what is no JSON between the events",
    lines: ["(node:12) Warning: deprecated", "", claude.said("Here."), "null", "[1]", claude.good],
    is: { kind: "finished" },
  },
  {
    what: "a refused key in another language",
    lines: [
      claude.failed("authentication_failed", "Ungültiger API-Schlüssel"),
      claude.bad({ result: "Ungültiger API-Schlüssel" }),
    ],
    end: FAILED,
    is: { kind: "auth-failed" },
  },
  {
    what: "a prompt that is too long, without the usual word for it",
    lines: [claude.bad({ terminal_reason: "api_error", result: "Prompt is too long" })],
    end: FAILED,
    is: { kind: "context-exhausted" },
  },
  {
    what: "an allowance that is told in words alone",
    lines: [claude.bad({ result: "You've hit your weekly limit · resets Mon 9am (UTC)" })],
    end: FAILED,
    is: { kind: "usage-limited" },
  },
  {
    what: "a model that talks about limits",
    lines: [claude.said("I've hit your usage limit: rate limit exceeded, fetch failed.")],
    end: FAILED,
    is: { kind: "crashed" },
  },
];

const CODEX: readonly Made[] = [
  {
    what: "retries without a reason",
    lines: [codex.error("Reconnecting... 1/5"), codex.error("Reconnecting... 2/5")],
    end: ENDED_FOR_RETRIES,
    is: { kind: "overloaded" },
  },
  {
    what: "retries in the words of an earlier version",
    lines: [
      codex.error(
        "stream error: stream disconnected before completion: Transport error: timeout; retrying 1/5 in 206ms…",
      ),
    ],
    end: ENDED_FOR_RETRIES,
    is: { kind: "overloaded" },
  },
  {
    what: "retries without a network in other words",
    lines: [codex.error("Reconnecting... network is unavailable, next try in 60s")],
    end: ENDED_FOR_RETRIES,
    is: { kind: "overloaded" },
  },
  {
    what: "a retry, then success",
    lines: [
      codex.error("Reconnecting... 1/5 (stream disconnected before completion)"),
      codex.item("agent_message", { text: "Done." }),
      codex.good,
    ],
    is: { kind: "finished" },
  },
  {
    what: "an error, then work, then a crash",
    lines: [
      codex.error("We're currently experiencing high demand"),
      codex.item("command_execution", { aggregated_output: "ok" }),
      `${STDERR}thread 'main' panicked at core/src/lib.rs:1`,
    ],
    end: { exitCode: 101 },
    is: {
      kind: "crashed",
      reason: "it exited with code 101: thread 'main' panicked at core/src/lib.rs:1",
    },
  },
  {
    what: "a name that is not found",
    lines: [codex.bad("dns error: failed to lookup address information: Try again")],
    end: FAILED,
    is: { kind: "overloaded" },
  },
  {
    what: "an end after minutes without a network, with a login of its vendor",
    lines: [
      codex.error("Reconnecting... 5/5 (workspace routing discovery failed)"),
      codex.error("workspace routing discovery failed"),
      codex.bad("workspace routing discovery failed"),
    ],
    end: FAILED,
    is: { kind: "overloaded" },
  },
  {
    what: "a token that is not renewed for another reason, and work after it",
    lines: [
      `${STDERR}2026-11-17T21:00:17Z ERROR codex_login::auth::manager: Failed to refresh token: no`,
      codex.item("agent_message", { text: "Done." }),
      codex.good,
    ],
    is: { kind: "finished" },
  },
  {
    what: "a request that took too long",
    lines: [codex.bad("stream disconnected before completion: operation timed out")],
    end: FAILED,
    is: { kind: "overloaded" },
  },
  {
    what: "the text of an error in a command's output, then success",
    lines: [
      codex.item("command_execution", { aggregated_output: "You've hit your usage limit" }),
      codex.good,
    ],
    is: { kind: "finished" },
  },
  {
    what: "an answer of the provider with its reset",
    lines: [
      codex.bad(
        JSON.stringify({
          error: { type: "usage_limit_reached", message: "no", resets_at: 1_794_900_000 },
        }),
      ),
    ],
    end: FAILED,
    is: { kind: "usage-limited", until: "2026-11-17T07:20:00.000Z" as never },
  },
  {
    what: "a warning as an item, then success",
    lines: [codex.item("error", { message: "Model metadata not found" }), codex.good],
    is: { kind: "finished" },
  },
  {
    what: "a success with an exit code that says otherwise",
    lines: [codex.good],
    end: { exitCode: 3 },
    is: { kind: "crashed" },
  },
];

const GEMINI: readonly Made[] = [
  {
    what: "a warning about something else, then success",
    lines: [
      gemini.said("Done."),
      gemini.error("warning", "Agent execution blocked: the hook said no"),
      gemini.good,
    ],
    is: { kind: "finished" },
  },
  {
    what: "a loop that was stopped",
    lines: [gemini.error("warning", "Loop detected, stopping execution"), gemini.good],
    is: { kind: "no-progress" },
  },
  {
    what: "a limit of turns that is an event",
    lines: [gemini.error("error", "Maximum session turns exceeded"), gemini.good],
    is: { kind: "budget-exceeded" },
  },
  {
    what: "an error, then success and nothing between",
    lines: [gemini.error("error", "The response was empty"), gemini.good],
    is: { kind: "crashed" },
  },
  {
    what: "an error, then work, then success",
    lines: [gemini.error("error", "fetch failed"), gemini.said("Done."), gemini.good],
    is: { kind: "finished" },
  },
  {
    what: "a name that is not found for now",
    lines: [gemini.bad("[API Error: getaddrinfo EAI_AGAIN api.example]")],
    end: FAILED,
    is: { kind: "overloaded" },
  },
  {
    what: "an answer that was cut in the middle of its JSON",
    lines: [gemini.said("Half"), gemini.bad("[API Error: Incomplete JSON segment at the end]")],
    end: FAILED,
    is: { kind: "overloaded" },
  },
  {
    what: "a quota in another language, known by its exit code",
    lines: [gemini.bad("[API Error: Le quota est dépassé]")],
    end: { exitCode: 429 % 256 },
    is: { kind: "rate-limited" },
  },
  {
    what: "retries of a server that fails, in other words",
    lines: [`${STDERR}Attempt 3 failed with 5xx error. Retrying with backoff...`],
    end: ENDED_FOR_RETRIES,
    is: {
      kind: "overloaded",
      reason: "Attempt 3 failed with 5xx error. Retrying with backoff...",
    },
  },
  {
    what: "retries of a rate, in other words",
    lines: [
      `${STDERR}Attempt 3 failed with 429 error (no Retry-After header). Retrying with backoff...`,
    ],
    end: ENDED_FOR_RETRIES,
    is: { kind: "rate-limited" },
  },
  {
    what: "the text of an error in a tool's result, then success",
    lines: [
      gemini.tool("fetch failed: quota exceeded, Attempt 1 failed with status 503"),
      gemini.good,
    ],
    is: { kind: "finished" },
  },
];

const OPENCODE: readonly Made[] = [
  {
    what: "unreachable, in other words",
    lines: [opencode.error({ message: "Was there a typo in the url or port?", isRetryable: true })],
    end: FAILED,
    is: { kind: "overloaded" },
  },
  {
    what: "worth another try, with a status that tells nothing",
    lines: [opencode.error({ message: "Not here, not now", statusCode: 409, isRetryable: true })],
    end: FAILED,
    is: { kind: "overloaded" },
  },
  {
    what: "not worth another try",
    lines: [opencode.error({ message: "no such model", statusCode: 404, isRetryable: false })],
    end: FAILED,
    is: { kind: "crashed", reason: "it exited with code 1: no such model" },
  },
  {
    what: "an error, then work, then success",
    lines: [
      opencode.error({ message: "Cannot connect to API", isRetryable: true }),
      opencode.start,
      opencode.said("Done."),
      opencode.stop,
    ],
    is: { kind: "finished" },
  },
  {
    what: "an error, then work, then a crash",
    lines: [
      opencode.error({ message: "Cannot connect to API", isRetryable: true }),
      opencode.start,
      opencode.said("Well"),
      `${STDERR}Segmentation fault`,
    ],
    end: { exitCode: 139 },
    is: { kind: "crashed", reason: "it exited with code 139: Segmentation fault" },
  },
  {
    what: "work, then an error, with exit code 0",
    lines: [
      opencode.start,
      opencode.stop,
      opencode.error({ message: "Cannot connect to API: x", isRetryable: true }),
    ],
    is: { kind: "overloaded" },
  },
  {
    what: "the text of an error in a tool's result, then success",
    lines: [opencode.start, opencode.tool("Cannot connect to API: ECONNREFUSED"), opencode.stop],
    is: { kind: "finished" },
  },
  {
    what: "a failed request in its log, in another order of fields",
    lines: [
      `${STDERR}timestamp=2026-11-16T21:47:05.281Z level=ERROR message="stream error" error.error="AI_APICallError: Cannot connect to API: x" small=false`,
    ],
    end: ENDED_FOR_RETRIES,
    is: { kind: "overloaded", reason: "Cannot connect to API: x" },
  },
];

const COPILOT: readonly Made[] = [
  {
    what: "a failed call, then work, then success",
    lines: [copilot.failure({ statusCode: 503 }), copilot.said("Done."), copilot.result(0)],
    is: { kind: "finished" },
  },
  {
    what: "no connection, and no failed call before it",
    lines: [
      copilot.error({
        errorType: "query",
        message: "Could not connect to model provider at http://x.",
      }),
      copilot.result(1),
    ],
    end: FAILED,
    is: { kind: "overloaded" },
  },
  {
    what: "no network before its session began, told on stderr alone",
    lines: [
      `${STDERR}Error: Authentication token found but could not be validated.`,
      `${STDERR}  Failed to fetch login: error sending request for url (https://api.example/user)`,
      `${STDERR}Your token may still be valid. Check your network connection and try again.`,
    ],
    end: FAILED,
    is: {
      kind: "overloaded",
      reason: "Failed to fetch login: error sending request for url (https://api.example/user)",
    },
  },
  {
    what: "a warning about the network on stderr, and another reason to end",
    lines: [
      `${STDERR}Warning: no update was found: fetch failed`,
      `${STDERR}error: unknown option '--no-color'`,
    ],
    end: FAILED,
    is: { kind: "crashed", reason: "it exited with code 1: error: unknown option '--no-color'" },
  },
  {
    what: "work, then a crash, with a word about the network on stderr",
    lines: [copilot.said("Here."), `${STDERR}ECONNRESET`],
    end: FAILED,
    is: { kind: "crashed", reason: "it exited with code 1: ECONNRESET" },
  },
  {
    what: "a long wait that was told, then work, then a passing rate",
    lines: [
      {
        ...copilot.failure({ statusCode: 429, errorMessage: "Please try again in 3600s." }),
        timestamp: "2026-11-16T21:45:39.049Z",
      },
      copilot.said("It goes on."),
      copilot.error({ errorType: "rate_limit", message: "Slow down" }),
      copilot.result(1),
    ],
    end: FAILED,
    is: { kind: "rate-limited" },
  },
  {
    what: "an error, then work, then success",
    lines: [
      copilot.error({ errorType: "query", message: "oops" }),
      copilot.said("Done."),
      copilot.result(0),
    ],
    is: { kind: "finished" },
  },
  {
    what: "an error, then a success that is none",
    lines: [copilot.error({ errorType: "query", message: "oops" }), copilot.result(0)],
    is: { kind: "crashed" },
  },
  {
    what: "an allowance in other words",
    lines: [copilot.error({ errorType: "quota", message: "Plus de crédits" }), copilot.result(1)],
    end: FAILED,
    is: { kind: "usage-limited" },
  },
  {
    what: "the text of an error in a tool's result, then success",
    lines: [copilot.tool("Rate limit exceeded"), copilot.result(0)],
    is: { kind: "finished" },
  },
];

const QWEN: readonly Made[] = [
  {
    what: "a retry, then work, then success",
    lines: [qwen.retry, qwen.said("Done."), qwen.good],
    is: { kind: "finished" },
  },
  {
    what: "a request that took too long",
    lines: [qwen.bad("[API Error: Request timeout after 120s. Try a longer one.]")],
    end: FAILED,
    is: { kind: "overloaded" },
  },
  {
    what: "no connection, told without brackets",
    lines: [qwen.bad("Connection error.")],
    end: FAILED,
    is: { kind: "overloaded" },
  },
  {
    what: "retries whose cause is told in another language",
    lines: [
      `${STDERR}Neuer Versuch in 60s (Versuch 1/10): [API Error: 429 Zu viele Anfragen]`,
      qwen.retry,
    ],
    end: ENDED_FOR_RETRIES,
    is: { kind: "rate-limited" },
  },
  {
    what: "its own time ran out while it waited for its provider",
    lines: [
      `${STDERR}Retrying in 60s (attempt 1/10): [API Error: 429 You exceeded your current quota]`,
      qwen.retry,
      `${STDERR}Run aborted: wall-clock budget of 95s exceeded (--max-wall-time).`,
    ],
    end: { exitCode: 55 },
    is: { kind: "usage-limited" },
    isWaiting: true,
  },
  {
    what: "its own time ran out at work",
    lines: [
      qwen.retry,
      qwen.said("Here."),
      `${STDERR}Run aborted: wall-clock budget of 95s exceeded (--max-wall-time).`,
    ],
    end: { exitCode: 55 },
    is: { kind: "timed-out" },
  },
  {
    what: "retries without a word of why",
    lines: [qwen.retry, qwen.retry],
    end: ENDED_FOR_RETRIES,
    is: { kind: "overloaded" },
  },
];

const CLINE: readonly Made[] = [
  {
    what: "an error, then work, then success",
    lines: [cline.error("Connection error."), cline.said("Done."), cline.result("completed")],
    is: { kind: "finished" },
  },
  {
    what: "work, then no connection",
    lines: [
      cline.said("Here."),
      cline.error("Unable to connect. Is the computer able to access the url?"),
      cline.result("error", "Unable to connect. Is the computer able to access the url?"),
    ],
    end: FAILED,
    is: { kind: "overloaded" },
  },
  {
    what: "the text of an error in a tool's result, then a crash",
    lines: [
      cline.event({
        type: "content_end",
        contentType: "tool",
        output: { success: false, error: "fetch failed" },
      }),
    ],
    end: FAILED,
    is: { kind: "crashed" },
  },
];

areJudgedRight({
  claude: CLAUDE,
  codex: CODEX,
  gemini: GEMINI,
  opencode: OPENCODE,
  copilot: COPILOT,
  qwen: QWEN,
  cline: CLINE,
});

describe("the clock of a session that only retries", () => {
  it.each<readonly [string, Line, readonly Line[]]>([
    [
      "claude",
      claude.retry(1, "unknown", null),
      [{ type: "keep_alive" }, { type: "system", subtype: "status" }],
    ],
    [
      "codex",
      codex.error("Reconnecting... 1/5 (x)"),
      [{ type: "turn.started" }, codex.item("error", { message: "x" })],
    ],
    [
      "gemini",
      `${STDERR}Attempt 1 failed. Retrying with backoff...`,
      [{ type: "message", role: "user", content: "x" }],
    ],
    [
      "copilot",
      copilot.failure({ failureKind: "transport" }),
      [
        { type: "model.call_start", data: {} },
        { type: "session.background_tasks_changed", data: {} },
      ],
    ],
    ["qwen", qwen.retry, [{ type: "stream_event", event: {} }, "no JSON"]],
  ])("%s: goes on over signs of life", (name, retry, signs) => {
    expect(isOnlyRetrying(name, [retry, ...signs, retry, ...signs])).toBe(true);
  });

  it.each<readonly [string, string, Line]>([
    ["codex", "a thought", codex.item("reasoning", { text: "Let me see" })],
    ["codex", "a search", { type: "item.started", item: { type: "web_search", query: "x" } }],
    [
      "codex",
      "a list of what to do",
      { type: "item.updated", item: { type: "todo_list", items: [] } },
    ],
  ])("%s: is set back by %s", (name, _, line) => {
    expect(isOnlyRetrying(name, [codex.error("Reconnecting... 1/5 (x)"), line])).toBe(false);
  });
});
