// Thirty more streams that nobody recorded, five for each agent with a stream of its own: limits whose reset is told in
// other ways, logins that expire at work, filters, proxies, certificates, pages instead of answers, ends that are missing.
// What is right was said by hand before any of them was judged. Their neighbours are in the tables of
// provider-failure.test.ts and reset-time.test.ts.
import { expect } from "vitest";
import {
  areJudgedRight,
  claude,
  codex,
  copilot,
  FAILED,
  gemini,
  type Made,
  opencode,
  qwen,
  STDERR,
} from "../../test/support/made-up-stream.ts";
import type { Instant } from "../core/instant.ts";

const until = (instant: string) => instant as Instant;
const page = (status: number, title: string) =>
  `<html>\r\n<head><title>${status} ${title}</title></head>\r\n<body>\r\n<center><h1>${status} ${title}</h1></center>\r\n<hr><center>nginx</center>\r\n</body>\r\n</html>`;

const CLAUDE: readonly Made[] = [
  {
    what: "a limit with its reset in seconds, after a bar",
    lines: [claude.bad({ result: "Claude AI usage limit reached|1794900000" })],
    end: FAILED,
    is: { kind: "usage-limited", until: until("2026-11-17T07:20:00.000Z") },
  },
  {
    what: "a limit whose reset is a date in a named zone",
    lines: [
      claude.failed(
        "rate_limit",
        "You've hit your weekly limit · resets Nov 20, 9am (Europe/Berlin)",
      ),
      claude.bad({
        api_error_status: 429,
        result: "You've hit your weekly limit · resets Nov 20, 9am (Europe/Berlin)",
      }),
    ],
    end: FAILED,
    is: { kind: "usage-limited", until: until("2026-11-20T08:00:00.000Z") },
  },
  {
    what: "a login that expires at work",
    lines: [
      claude.said("I begin."),
      claude.tool("ok"),
      claude.failed(
        "unknown",
        'API Error: 401 {"type":"error","error":{"type":"authentication_error","message":"OAuth token has expired. Please obtain a new token or refresh your existing token."}} · Please run /login',
      ),
      claude.bad({
        terminal_reason: "api_error",
        api_error_status: null,
        result:
          'API Error: 401 {"type":"error","error":{"type":"authentication_error","message":"OAuth token has expired. Please obtain a new token or refresh your existing token."}} · Please run /login',
      }),
    ],
    end: FAILED,
    is: { kind: "auth-failed" },
  },
  {
    what: "the page of a proxy instead of an answer, with exit code 0",
    lines: [
      claude.retry(1, "unknown", 529),
      claude.retry(2, "unknown", 502),
      claude.bad({ terminal_reason: "api_error", result: `API Error: 502 ${page(502, "Oops")}` }),
    ],
    is: { kind: "overloaded" },
  },
  {
    what: "an answer that a filter held back",
    lines: [
      claude.said("I begin."),
      claude.bad({
        terminal_reason: "api_error",
        api_error_status: 400,
        result:
          'API Error: 400 {"type":"error","error":{"type":"invalid_request_error","message":"Output blocked by content filtering policy"}}',
      }),
    ],
    end: FAILED,
    is: { kind: "crashed" },
  },
];

const CODEX: readonly Made[] = [
  {
    what: "a limit that ends in days, hours and minutes",
    lines: [
      codex.error(
        "You've hit your usage limit. To get more access now, send a request to your admin or try again in 3 days, 4 hours and 5 minutes.",
      ),
      codex.bad(
        "You've hit your usage limit. To get more access now, send a request to your admin or try again in 3 days, 4 hours and 5 minutes.",
      ),
    ],
    end: FAILED,
    is: { kind: "usage-limited", until: until("2026-11-18T19:05:00.000Z") },
  },
  {
    what: "a model that there is not",
    lines: [
      codex.bad(
        'unexpected status 404 Not Found: {"error":{"message":"The model `gpt-9` does not exist or you do not have access to it.","type":"invalid_request_error","code":"model_not_found"}}, url: https://api.example/v1/responses',
      ),
    ],
    end: FAILED,
    is: { kind: "crashed" },
  },
  {
    what: "a proxy that asks for a password",
    lines: [
      codex.error("Reconnecting... 1/5 (unexpected status 407 Proxy Authentication Required)"),
      codex.bad("unexpected status 407 Proxy Authentication Required: , url: https://api.example"),
    ],
    end: FAILED,
    is: { kind: "auth-failed" },
  },
  {
    what: "a storm of retries, another transport, then success",
    lines: [
      ...[1, 2, 3, 4, 5].map((n) =>
        codex.error(`Reconnecting... ${n}/5 (unexpected status 503 Service Unavailable: )`),
      ),
      codex.item("error", {
        message:
          "Falling back from WebSockets to HTTPS transport. stream disconnected before completion",
      }),
      codex.error("Reconnecting... 1/5 (connection reset by peer (os error 104))"),
      codex.item("agent_message", { text: "Done." }),
      codex.good,
    ],
    is: { kind: "finished" },
  },
  {
    what: "separators of lines in a text, and a line that is cut, then success",
    lines: [
      codex.item("agent_message", { text: "One\u2028two\u2029three\u0085 😀 usage limit reached" }),
      '{"type":"item.completed","item":{"type":"command_exec',
      codex.item("command_execution", { aggregated_output: "a\u2028b \uD83D" }),
      codex.good,
    ],
    is: { kind: "finished" },
  },
];

const GEMINI: readonly Made[] = [
  {
    what: "a quota of a day, and how long it lasts",
    lines: [
      {
        ...gemini.bad(
          "[API Error: You exceeded your current quota, please check your plan and billing details. Please retry in 11h2m3.5s.]",
        ),
        timestamp: "2026-11-15T15:00:00.000Z",
      },
    ],
    end: FAILED,
    is: { kind: "usage-limited", until: until("2026-11-16T02:02:03.500Z") },
  },
  {
    what: "an answer that a filter held back, called a success",
    lines: [gemini.error("error", "Response stopped due to prohibited content."), gemini.good],
    is: { kind: "crashed" },
  },
  {
    what: "a certificate that nobody here trusts",
    lines: [
      gemini.said("Here."),
      gemini.bad("[API Error: self-signed certificate in certificate chain]"),
    ],
    end: FAILED,
    is: { kind: "overloaded" },
  },
  {
    what: "the page of a server that is down, called a success",
    lines: [
      gemini.said("Here."),
      gemini.error("error", `[API Error: <!DOCTYPE html>${page(503, "Backend fetch error")}]`),
      gemini.good,
    ],
    is: { kind: "overloaded" },
  },
  {
    what: "a login that expires at work",
    lines: [
      gemini.said("Here."),
      gemini.tool("ok"),
      gemini.bad(
        "[API Error: Request had invalid authentication credentials. Expected OAuth 2 access token, login cookie or other valid authentication credential.]",
      ),
    ],
    end: FAILED,
    is: { kind: "auth-failed" },
  },
];

const OPENCODE: readonly Made[] = [
  {
    what: "a wait that is told as a date",
    lines: [
      opencode.start,
      opencode.error({
        message: "Too Many Requests",
        statusCode: 429,
        isRetryable: true,
        responseHeaders: { "retry-after": "Tue, 17 Nov 2026 07:20:00 GMT" },
        responseBody: '{"error":{"message":"slow down"}}',
      }),
    ],
    end: FAILED,
    is: { kind: "usage-limited", until: until("2026-11-17T07:20:00.000Z") },
  },
  {
    what: "a page instead of an answer, and no status",
    lines: [
      opencode.start,
      opencode.error(
        { message: `AI_APICallError: ${page(504, "Gateway Time-out")}`, isRetryable: false },
        "UnknownError",
      ),
    ],
    is: { kind: "overloaded" },
  },
  {
    what: "an answer that a filter held back",
    lines: [
      opencode.start,
      opencode.said("Well,"),
      { type: "step_finish", part: { reason: "content-filter", tokens: { input: 10, output: 5 } } },
    ],
    is: { kind: "crashed", reason: expect.stringContaining("content-filter") as string },
  },
  {
    what: "a connection that is reset after a storm of retries, with exit code 0",
    lines: [
      opencode.start,
      opencode.said("Here."),
      `${STDERR}timestamp=2026-11-16T21:47:05.281Z level=ERROR message="stream error" error.error="Error: read ECONNRESET" small=false`,
      `${STDERR}timestamp=2026-11-16T21:47:09.281Z level=ERROR message="stream error" error.error="Error: read ECONNRESET" small=false`,
      opencode.error({ message: "Error: read ECONNRESET" }, "UnknownError"),
    ],
    is: { kind: "overloaded" },
    isWaiting: true,
  },
  {
    what: "a last step whose line is cut",
    lines: [opencode.start, opencode.said("Done."), JSON.stringify(opencode.stop).slice(0, 37)],
    is: { kind: "crashed" },
  },
];

const COPILOT: readonly Made[] = [
  {
    what: "an allowance of the month, whose reset is a day without an hour",
    lines: [
      copilot.error({
        errorType: "query",
        statusCode: 402,
        message:
          "You have no premium requests remaining this month. Your allowance resets on December 1, 2026.",
      }),
      copilot.result(1),
    ],
    end: FAILED,
    is: { kind: "usage-limited", until: null },
  },
  {
    what: "a rate that lasts for hours, in words",
    lines: [
      {
        ...copilot.error({
          errorType: "rate_limit",
          message:
            "Sorry, you've hit a rate limit that restricts the number of Copilot model requests you can make within a specific time period. Please try again in 2 hours 5 minutes.",
        }),
        timestamp: "2026-11-15T15:00:00.000Z",
      },
      copilot.result(1),
    ],
    end: FAILED,
    is: { kind: "usage-limited", until: until("2026-11-15T17:05:00.000Z") },
  },
  {
    what: "a token that expires at work",
    lines: [
      copilot.said("I begin."),
      copilot.failure({ errorMessage: "401 unauthorized: token expired" }),
      copilot.error({
        errorType: "query",
        message: "Execution failed: CAPIError: 401 unauthorized: token expired (Request ID: 1A2B)",
      }),
      copilot.result(1),
    ],
    end: FAILED,
    is: { kind: "auth-failed" },
  },
  {
    what: "an answer that a filter held back",
    lines: [
      copilot.said("I begin."),
      copilot.error({
        errorType: "query",
        statusCode: 422,
        message:
          "Execution failed: CAPIError: 422 Sorry, the response was filtered by the Responsible AI Service.",
      }),
      copilot.result(0),
    ],
    is: { kind: "crashed" },
  },
  {
    what: "a line of two megabytes about a limit, then success",
    lines: [
      copilot.said("I begin."),
      copilot.tool(`rate limit exceeded ${"x".repeat(2_000_000)}`),
      copilot.said("Done."),
      copilot.result(0),
    ],
    is: { kind: "finished" },
  },
];

const QWEN: readonly Made[] = [
  {
    what: "a free allowance that is used up, told as forbidden",
    lines: [
      qwen.bad(
        '[API Error: 403 The free tier of the model has been exhausted. If you wish to continue access the model on a paid basis, please disable the "use free tier only" mode in the management console.]',
      ),
    ],
    end: FAILED,
    is: { kind: "usage-limited" },
  },
  {
    what: "an answer that a filter held back",
    lines: [
      qwen.said("I begin."),
      qwen.bad(
        "[API Error: 400 <400> InternalError.Algo.DataInspectionFailed: Output data may contain inappropriate content.]",
      ),
    ],
    end: FAILED,
    is: { kind: "crashed" },
  },
  {
    what: "an input that is too long, in the words of another provider",
    lines: [
      qwen.said("I begin."),
      qwen.bad(
        "[API Error: 400 <400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 258048]]",
      ),
    ],
    end: FAILED,
    is: { kind: "context-exhausted" },
  },
  {
    what: "the page of a gateway, over several lines",
    lines: [qwen.said("I begin."), qwen.bad(`[API Error: ${page(504, "Oops")}]`)],
    end: FAILED,
    is: { kind: "overloaded" },
  },
  {
    what: "a free allowance of the day, after retries that helped",
    lines: [
      `${STDERR}Retrying in 60s (attempt 1/10): [API Error: 429 Throttling.RateQuota]`,
      qwen.retry,
      qwen.said("I begin."),
      qwen.bad(
        "Qwen OAuth quota exceeded: Your free daily quota has been reached.\n\nTo continue using Qwen Code without waiting, upgrade to the Qwen Code Plan.",
      ),
    ],
    end: FAILED,
    is: { kind: "usage-limited" },
  },
];

areJudgedRight({
  claude: CLAUDE,
  codex: CODEX,
  gemini: GEMINI,
  opencode: OPENCODE,
  copilot: COPILOT,
  qwen: QWEN,
});
