// Streams with words that users of each CLI reported, written by somebody who did not know the rules, each with what a careful
// operator would want to happen then. The words were seen in the issues that are named, unless it says "made up"; some are
// shortened, and days and hours are moved to after the moment at which these sessions end.
import {
  areJudgedRight,
  claude,
  claudeFailed,
  cline,
  codex,
  copilot,
  ENDED_FOR_RETRIES,
  FAILED,
  gemini,
  type Line,
  type Made,
  opencode,
  qwen,
  STDERR,
} from "../../test/support/made-up-stream.ts";
import type { Instant } from "../core/instant.ts";

const at = (moment: string): Instant => new Date(moment).toISOString() as Instant;

/** When they end, a Sunday. */
const NOW = at("2026-11-15T19:42:05Z");

const WELL = { exitCode: 0 } as const;
/** What node leaves when its heap is full and a shell stands between. */
const ABORTED = { exitCode: 134 } as const;

const limitEvent = (info: Readonly<Record<string, unknown>>) => ({
  type: "rate_limit_event",
  rate_limit_info: info,
});

const codexBegins: readonly Line[] = [
  { type: "thread.started", thread_id: "01a1de3c-5bb8-77d0-b511-65d922d9c37f" },
  { type: "turn.started" },
];

const codexFailed = (message: string): readonly Line[] => [
  codex.error(message),
  codex.bad(message),
];

const copilotFailed = (data: Readonly<Record<string, unknown>>): readonly Line[] => [
  copilot.error(data),
  copilot.result(1),
];

const qwenFailed = (text: string): readonly Line[] => [qwen.said(text), qwen.bad(text)];

const geminiBegins: Line = {
  type: "init",
  timestamp: "2026-11-15T19:40:00.000Z",
  session_id: "c824d137-bf46-4a83-8c24-4bf040e6749e",
  model: "gemini-2.5-pro",
};

const heapIsFull = (program: string): readonly Line[] => [
  `${STDERR}<--- Last few GCs --->`,
  `${STDERR}[2525992:0x4f1e6000]  2035520 ms: Mark-Compact 3925.0 (4097.4) -> 3918.2 (4097.4) MB, pooled: 3 MB, 100.87 / 0.00 ms  (average mu = 0.102, current mu = 0.105) allocation failure; scavenge might not succeed`,
  `${STDERR}FATAL ERROR: Ineffective mark-compacts near heap limit Allocation failed - JavaScript heap out of memory`,
  `${STDERR}----- Native stack trace -----`,
  `${STDERR} 1: 0x757658 node::OOMErrorHandler(char const*, v8::OOMDetails const&) [${program}]`,
];

const inClaude: readonly Made[] = [
  {
    // anthropics/claude-code#74079
    what: "a session limit that resets shortly after midnight, in Los Angeles",
    lines: claudeFailed(
      "rate_limit",
      "You've hit your session limit · resets 12:50am (America/Los_Angeles)",
      { api_error_status: 429 },
    ),
    end: FAILED,
    is: { kind: "usage-limited", until: at("2026-11-16T08:50:00Z") },
  },
  {
    // anthropics/claude-code#69160: an old name of the zone, which is half an hour off
    what: "a session limit in a zone with half an hour, under its old name",
    lines: [
      claude.said("I read the parser first."),
      claude.tool("ok"),
      ...claudeFailed(
        "rate_limit",
        "You've hit your session limit · resets 3:20am (Asia/Calcutta)",
        {
          api_error_status: 429,
        },
      ),
    ],
    end: FAILED,
    is: { kind: "usage-limited", until: at("2026-11-15T21:50:00Z") },
  },
  {
    // anthropics/claude-code#91376
    what: "the money of the month is spent, and the session's limit resets in Jakarta",
    lines: claudeFailed(
      "rate_limit",
      "You've hit your monthly spend limit · your session limit resets 2:40pm (Asia/Jakarta)\n/usage-credits to adjust your monthly spend limit.",
      { api_error_status: 429 },
    ),
    end: FAILED,
    is: { kind: "usage-limited", until: at("2026-11-16T07:40:00Z") },
  },
  {
    // anthropics/claude-code#79167, the link as it is there
    what: "the money of the month is spent, and only a person can raise it",
    lines: claudeFailed(
      "rate_limit",
      "You've hit your monthly spend limit · raise it at claude.ai/settings/usage?from=cc_cli_limit_message",
      { api_error_status: 429 },
    ),
    end: FAILED,
    is: { kind: "usage-limited" },
  },
  {
    // made up in the style of the captured usage-limit-subscription and of anthropics/claude-code#12789
    what: "nearly used up for five hours, at work, then the week is used up",
    lines: [
      limitEvent({
        status: "allowed_warning",
        resetsAt: 1_794_780_000,
        rateLimitType: "five_hour",
        utilization: 0.91,
      }),
      claude.said("Now the tests."),
      claude.tool("12 passed"),
      limitEvent({
        status: "rejected",
        resetsAt: 1_795_064_400,
        rateLimitType: "seven_day",
        overageStatus: "rejected",
        isUsingOverage: false,
      }),
      ...claudeFailed(
        "rate_limit",
        "Weekly limit reached · /upgrade to Max or turn on /extra-usage",
        {
          api_error_status: 429,
        },
      ),
    ],
    end: FAILED,
    is: { kind: "usage-limited", until: at("2026-11-19T05:00:00Z") },
  },
  {
    // made up in the style of the captured usage-limit-subscription
    what: "over its limit, pays for more, and goes on to a good end",
    lines: [
      limitEvent({
        status: "rejected",
        resetsAt: 1_794_780_000,
        rateLimitType: "five_hour",
        overageStatus: "allowed",
        isUsingOverage: true,
      }),
      claude.said("You're now using extra usage, so I keep the change small."),
      claude.tool("ok"),
      claude.good,
    ],
    end: WELL,
    is: { kind: "finished" },
  },
  {
    // anthropics/claude-code#11345: a 429 that no wait helps
    what: "a provider in between wants to be recharged, as a 429",
    lines: claudeFailed(
      "rate_limit",
      'API Error: 429 {"type":"error","error":{"type":"1113","message":"Insufficient balance or no resource package. Please recharge."},"request_id":"2025111018552386057cb666f04003"}',
      { api_error_status: 429 },
    ),
    end: FAILED,
    is: { kind: "usage-limited" },
  },
  {
    // anthropics/claude-code#3197
    what: "a page of Cloudflare with 520, after retries",
    lines: [
      claude.retry(1, "unknown", null),
      claude.retry(2, "server_error", 520),
      ...claudeFailed(
        "unknown",
        'API Error: 520 <!DOCTYPE html>\n<!--[if lt IE 7]> <html class="no-js ie6 oldie" lang="en-US"> <![endif]-->\n<head>\n<title>api.anthropic.com | 520: Web server is returning an unknown error</title>\n<meta name="robots" content="noindex, nofollow" />\n</head>\n<body>There is an issue between Cloudflare\'s cache and your origin web server.</body>',
        { api_error_status: 520 },
      ),
    ],
    end: FAILED,
    is: { kind: "overloaded" },
  },
  {
    // anthropics/claude-code#54863
    what: "no longer a member of its organisation",
    lines: claudeFailed(
      "authentication_failed",
      'Please run /login · API Error: 403 {"type":"error","error":{"type":"permission_error","message":"Account is no longer a member of the organization associated with this token."},"request_id":"req_011CaaZ"}',
      { api_error_status: 403 },
    ),
    end: FAILED,
    is: { kind: "auth-failed" },
  },
  {
    // anthropics/claude-code#28032
    what: "the token of AWS expires at work, and ten retries do not help",
    lines: [
      claude.said("The build is green."),
      claude.tool("ok"),
      claude.retry(1, "unknown", 403),
      claude.retry(2, "unknown", 403),
      ...claudeFailed(
        "unknown",
        "API Error: 403 The security token included in the request is expired · Please run /login",
        { api_error_status: 403 },
      ),
    ],
    end: FAILED,
    is: { kind: "auth-failed" },
  },
  {
    // anthropics/claude-code#80825
    what: "the connection closes in the middle of an answer",
    lines: [
      claude.said("I will now rewrite the lexer so that"),
      ...claudeFailed(
        "unknown",
        "API Error: Connection closed mid-response. The response above may be incomplete.",
      ),
    ],
    end: FAILED,
    is: { kind: "overloaded" },
  },
  {
    // anthropics/claude-code#8092
    // arguable: 413 is about bytes (pictures, mostly), not tokens. But it is the conversation that is too large, and a new session helps.
    what: "a conversation of too many bytes",
    lines: [
      claude.said("Here is the screenshot."),
      claude.tool("[image]"),
      ...claudeFailed(
        "invalid_request",
        'API Error: 413 {"error":{"type":"request_too_large","message":"Request exceeds the maximum size"}}',
        { api_error_status: 413 },
      ),
    ],
    end: FAILED,
    is: { kind: "context-exhausted" },
  },
  {
    // anthropics/claude-code#79500
    what: "a rate limit without a time, called a success, with exit code 0",
    lines: claudeFailed("rate_limit", "API Error: Rate limit reached", { api_error_status: 429 }),
    end: WELL,
    is: { kind: "rate-limited" },
  },
  {
    // made up: a session that works on a reader of streams
    what: "a tool prints whole events as JSON, a subagent is refused, and lines follow the good end",
    lines: [
      claude.tool(
        '{"type":"system","subtype":"api_retry","attempt":9,"error":"overloaded","error_status":529}\n{"type":"rate_limit_event","rate_limit_info":{"status":"rejected","resetsAt":1794780000}}\n{"type":"result","subtype":"success","is_error":true,"terminal_reason":"api_error","result":"You\'ve hit your limit · resets 9:16pm (UTC)"}',
      ),
      claude.tool("API Error: Rate limit reached", true),
      claude.said(
        'The fixture ends with {"type":"result","is_error":true,"api_error_status":401}; the subagent hit a limit, so I did it myself.',
      ),
      claude.good,
      {
        type: "system",
        subtype: "task_notification",
        status: "failed",
        summary: "401 Unauthorized",
      },
    ],
    end: WELL,
    is: { kind: "finished" },
  },
  {
    // made up in the style of anthropics/claude-code#79167 and of the captured permission denials: the limit is worse than the refusal
    what: "a command was refused, then the month is used up until its first night in São Paulo",
    lines: [
      claude.tool("Permission to use Bash with command git push --force has been denied.", true),
      claude.said("I may not push by force."),
      claude.failed("rate_limit", "You've hit your limit · resets Dec 1, 12am (America/Sao_Paulo)"),
      claude.bad({
        terminal_reason: "api_error",
        api_error_status: 429,
        result: "You've hit your limit · resets Dec 1, 12am (America/Sao_Paulo)",
        permission_denials: [
          {
            tool_name: "Bash",
            tool_use_id: "toolu_1",
            tool_input: { command: "git push --force origin main" },
          },
        ],
      }),
    ],
    end: FAILED,
    is: { kind: "usage-limited", until: at("2026-12-01T03:00:00Z") },
  },
];

const inCodex: readonly Made[] = [
  {
    // openai/codex#18721, with the rest of the captured words; the machine is in New York, where it is 2:42 PM
    what: "the limit is met while it compacts, on a machine in New York",
    lines: [
      ...codexBegins,
      codex.item("agent_message", { text: "Half of the files are moved." }),
      ...codexFailed(
        "Error running remote compact task: You've hit your usage limit. Upgrade to Pro (https://chatgpt.com/explore/pro), visit https://chatgpt.com/codex/settings/usage to purchase more credits or try again at 11:58 PM.",
      ),
    ],
    end: { ...FAILED, timeZone: "America/New_York" },
    is: { kind: "usage-limited", until: at("2026-11-16T04:58:00Z") },
  },
  {
    // made up in the style of the captured usage-limit; openai/codex#47305 shows that a limit may come without a time
    what: "a usage limit that says only later",
    lines: [
      ...codexBegins,
      ...codexFailed(
        "You've hit your usage limit. Upgrade to Plus to continue using Codex (https://chatgpt.com/explore/plus), or try again later.",
      ),
    ],
    end: FAILED,
    is: { kind: "usage-limited" },
  },
  {
    // openai/codex#27598
    what: "the workspace has no credits",
    lines: [
      ...codexBegins,
      ...codexFailed(
        "Your workspace is out of credits. Ask your workspace owner to refill in order to continue.",
      ),
    ],
    end: FAILED,
    is: { kind: "usage-limited" },
  },
  {
    // farion1231/cc-switch#5606
    what: "a free quota is used up, told as a stream that was disconnected",
    lines: [
      ...codexBegins,
      ...codexFailed(
        'stream disconnected before completion: The free quota has been exhausted. To continue accessing the model on a paid basis, please complete your payment information (or disable the "use free tier only" mode in the management console if already completed)',
      ),
    ],
    end: FAILED,
    is: { kind: "usage-limited" },
  },
  {
    // openai/codex#9110
    what: "a page of Cloudflare with 502, over several lines, with the id of the request",
    lines: [
      ...codexBegins,
      codex.item("command_execution", { command: "npm test", exit_code: 0 }),
      ...codexFailed(
        "unexpected status 502 Bad Gateway: <html>\n<head><title>502 Bad Gateway</title></head>\n<body>\n<center><h1>502 Bad Gateway</h1></center>\n<hr><center>cloudflare</center>\n</body>\n</html>\n, request id: 9bcf27732f28ab39-YYZ",
      ),
    ],
    end: FAILED,
    is: { kind: "overloaded" },
  },
  {
    // openai/codex#41895
    what: "an error while processing, which may be retried",
    lines: [
      ...codexBegins,
      codex.item("agent_message", { text: "I start with the schema." }),
      ...codexFailed(
        "stream disconnected before completion: An error occurred while processing your request. You can retry your request, or contact us through our help center at help.openai.com if the error persists. Please include the request ID cfaf2c7c-7a57-4817-92fc-4e18058311df in your message.",
      ),
    ],
    end: FAILED,
    is: { kind: "overloaded" },
  },
  {
    // openai/codex#45012: it speaks of being authorized, but no login helps
    what: "flagged as a risk, with an invitation to get authorized",
    lines: [
      ...codexBegins,
      ...codexFailed(
        "This content was flagged for possible cybersecurity risk. If this seems wrong, try rephrasing your request. To get authorized for security work, join the Trusted Access for Cyber program: https://chatgpt.com/cyber",
      ),
    ],
    end: FAILED,
    is: { kind: "crashed" },
  },
  {
    // openai/codex#5678
    what: "its retries are over, and the last answer was a 401",
    lines: [
      ...codexBegins,
      ...codexFailed(
        "exceeded retry limit, last status: 401 Unauthorized, request id: 99438b5929d256ae-OSL",
      ),
    ],
    end: FAILED,
    is: { kind: "auth-failed" },
  },
  {
    // openai/codex-plugin-cc#281
    what: "somebody has logged in with another account since",
    lines: [
      ...codexBegins,
      codex.item("command_execution", { command: "ls", exit_code: 0 }),
      ...codexFailed(
        "Your access token could not be refreshed because you have since logged out or signed in to another account. Please sign in again.",
      ),
    ],
    end: FAILED,
    is: { kind: "auth-failed" },
  },
  {
    // openai/codex#11851 and bitbonsai/mcpvault#19
    what: "two MCP servers do not start, and the session is fine without them",
    lines: [
      `${STDERR}Reading additional input from stdin...`,
      ...codexBegins,
      codex.item("error", {
        message:
          "MCP client for `playwright` timed out after 10 seconds. Add or adjust `startup_timeout_sec` in your config.toml:\n[mcp_servers.playwright]\nstartup_timeout_sec = XX",
      }),
      codex.item("error", {
        message:
          "MCP client for `obsidian` failed to start: MCP startup failed: handshaking with MCP server failed: connection closed: initialize response",
      }),
      codex.item("agent_message", { text: "Done without the browser." }),
      codex.good,
    ],
    end: WELL,
    is: { kind: "finished" },
  },
  {
    // made up: a session that reads the log of another one
    what: "a command prints the failed turn of another session as JSON, then success",
    lines: [
      ...codexBegins,
      codex.item("command_execution", {
        command: "tail -2 old.jsonl",
        aggregated_output:
          '{"type":"error","message":"Reconnecting... 5/5 (unexpected status 401 Unauthorized)"}\n{"type":"turn.failed","error":{"message":"You\'ve hit your usage limit. Try again at 11:04 PM."}}\n',
        exit_code: 0,
      }),
      codex.item("agent_message", {
        text: 'The old run ended with {"type":"turn.failed"}: usage limit, try again at 11:04 PM.',
      }),
      codex.good,
    ],
    end: { ...WELL, timeZone: "UTC" },
    is: { kind: "finished" },
  },
  {
    // openai/codex#7990
    what: "it panics over a call without an output",
    lines: [
      ...codexBegins,
      codex.item("command_execution", { command: "cargo test", exit_code: 101 }),
      `${STDERR}thread 'tokio-runtime-worker' panicked at core/src/util.rs:21:9:`,
      `${STDERR}Function call output is missing for call id: call_Mx1hEL51XPh0uQKthJIcbenN`,
      `${STDERR}note: run with \`RUST_BACKTRACE=1\` environment variable to display a backtrace`,
    ],
    end: { exitCode: 101 },
    is: { kind: "crashed" },
  },
  {
    // made up: the turn is never completed
    what: "last words that everything is done, exit code 0, and no end of the turn",
    lines: [
      ...codexBegins,
      codex.item("file_change", { changes: [{ path: "a.ts", kind: "update" }] }),
      codex.item("agent_message", { text: "All tests pass. The task is complete." }),
    ],
    end: WELL,
    is: { kind: "crashed" },
  },
];

/** What Google answers with 429, twice wrapped, as Gemini CLI prints it. */
const googleQuota = (message: string, quotaId: string, retryDelay: string): string =>
  `[API Error: ${JSON.stringify({
    error: {
      message: JSON.stringify(
        {
          error: {
            code: 429,
            message,
            status: "RESOURCE_EXHAUSTED",
            details: [
              {
                "@type": "type.googleapis.com/google.rpc.QuotaFailure",
                violations: [
                  {
                    quotaMetric:
                      "generativelanguage.googleapis.com/generate_content_free_tier_input_token_count",
                    quotaId,
                    quotaDimensions: { location: "global", model: "gemini-2.5-flash" },
                    quotaValue: "250000",
                  },
                ],
              },
              { "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay },
            ],
          },
        },
        null,
        2,
      ),
      code: 429,
      status: "Too Many Requests",
    },
  })}]`;

const inGemini: readonly Made[] = [
  {
    // RooCodeInc/Roo-Code#3883, wrapped as in google-gemini/gemini-cli#3324: speaks of plan and billing, but it is a minute's quota
    what: "the tokens of a minute, told with plan and billing, in JSON within JSON",
    lines: [
      geminiBegins,
      gemini.bad(
        googleQuota(
          "You exceeded your current quota, please check your plan and billing details. For more information on this error, head to: https://ai.google.dev/gemini-api/docs/rate-limits.",
          "GenerateContentInputTokensPerModelPerMinute-FreeTier",
          "26s",
        ),
      ),
    ],
    end: { exitCode: 173 },
    is: { kind: "rate-limited" },
  },
  {
    // google-gemini/gemini-cli#5377
    what: "the requests of a day and user and tier",
    lines: [
      geminiBegins,
      gemini.said("I look at the tests."),
      gemini.bad(
        '[API Error: [{\n  "error": {\n    "code": 429,\n    "message": "Quota exceeded for quota metric \'Gemini 2.5 Pro Requests\' and limit \'Gemini 2.5 Pro Requests per day per user per tier\' of service \'cloudcode-pa.googleapis.com\' for consumer \'project_number:681255809395\'.",\n    "status": "RESOURCE_EXHAUSTED"\n  }\n}\n]]\nPlease wait and try again later. To increase your limits, request a quota increase through AI Studio, or switch to another /auth method',
      ),
    ],
    end: { exitCode: 173 },
    is: { kind: "usage-limited" },
  },
  {
    // liuw1535/antigravity2api-nodejs#44, in the words of Gemini CLI
    what: "the capacity is used up for more than a hundred hours",
    lines: [
      geminiBegins,
      `${STDERR}Error when talking to Gemini API Full report available at: /tmp/gemini-client-error.json TerminalQuotaError: You have exhausted your capacity on this model. Your quota will reset after 161h39m41s.`,
      gemini.bad(
        "[API Error: You have exhausted your capacity on this model. Your quota will reset after 161h39m41s.]",
      ),
    ],
    end: { exitCode: 173 },
    is: { kind: "usage-limited", until: at("2026-11-22T13:21:46Z") },
  },
  {
    // google-gemini/gemini-cli#5191
    what: "overloaded, with the status spelt out",
    lines: [
      geminiBegins,
      gemini.said("First I read the code."),
      gemini.bad(
        '[API Error: got status: UNAVAILABLE. {"error":{"code":503,"message":"The model is overloaded. Please try again later.","status":"UNAVAILABLE"}}]',
      ),
    ],
    end: { exitCode: 247 },
    is: { kind: "overloaded" },
  },
  {
    // google-gemini/gemini-cli#10664
    what: "a read that times out",
    lines: [geminiBegins, gemini.said("Let me see."), gemini.bad("[API Error: read ETIMEDOUT]")],
    end: FAILED,
    is: { kind: "overloaded" },
  },
  {
    // jenslys/opencode-gemini-auth#63: Google wants a person
    what: "the account has to be verified",
    lines: [
      geminiBegins,
      gemini.bad(
        '[API Error: {"error":{"code":403,"message":"Verify your account to continue.","status":"PERMISSION_DENIED","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"VALIDATION_REQUIRED","domain":"cloudcode-pa.googleapis.com","metadata":{"validation_url":"https://accounts.google.com/signin/continue"}}]}}]',
      ),
    ],
    end: { exitCode: 147 },
    is: { kind: "auth-failed" },
  },
  {
    // google-gemini/gemini-cli#27475
    what: "Vertex wants the login to be repeated",
    lines: [
      geminiBegins,
      gemini.bad(
        '[API Error: {"error":"invalid_grant","error_description":"reauth related error (invalid_rapt)","error_uri":"https://support.google.com/a/answer/9368756","error_subtype":"invalid_rapt"}]',
      ),
    ],
    end: { exitCode: 144 },
    is: { kind: "auth-failed" },
  },
  {
    // Digital-Process-Tools/claude-remember#532
    what: "its login is not served any more, told before the session begins",
    lines: [
      `${STDERR}Loaded cached credentials.`,
      `${STDERR}Error authenticating: IneligibleTierError: This client is no longer supported for Gemini Code Assist for individuals. To continue using Gemini, please migrate to the Antigravity suite of products: https://antigravity.google`,
      `${STDERR}  ineligibleTiers: [ { reasonCode: 'UNSUPPORTED_CLIENT', tierId: 'free-tier' } ]`,
    ],
    end: { exitCode: 41 },
    is: { kind: "auth-failed" },
  },
  {
    // google-gemini/gemini-cli#16132: nothing to wait for, and nobody to ask
    what: "a bad request about the parts of a function call",
    lines: [
      geminiBegins,
      gemini.said("Both files at once."),
      gemini.bad(
        '[API Error: [{\n  "error": {\n    "code": 400,\n    "message": "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.",\n    "status": "INVALID_ARGUMENT"\n  }\n}\n]]',
      ),
    ],
    end: { exitCode: 144 },
    is: { kind: "crashed" },
  },
  {
    // google-gemini/gemini-cli#16396
    what: "no memory left, after work and a quota that came back",
    lines: [
      geminiBegins,
      `${STDERR}Attempt 1 failed: You have exhausted your capacity on this model. Your quota will reset after 5s.. Retrying after 6173ms...`,
      gemini.said("I index the whole tree."),
      ...heapIsFull("node"),
    ],
    end: ABORTED,
    is: { kind: "crashed" },
  },
  {
    // google-gemini/gemini-cli#1747 (its telemetry cannot be sent) and #22107; the line about MCP is made up
    what: "its telemetry does not come through and an MCP server fails, and the end is good",
    lines: [
      `${STDERR}MCP ERROR (github): Error: SSE error: Non-200 status code (401)`,
      geminiBegins,
      `${STDERR}Attempt 1 failed: You have exhausted your capacity on this model. Your quota will reset after 1s.. Retrying after 5119ms...`,
      gemini.tool(
        "fatal: unable to access 'https://github.com/': Could not resolve host: github.com",
      ),
      gemini.said("The push has to wait; everything else is done."),
      gemini.good,
      `${STDERR}Error flushing log events: AggregateError [ETIMEDOUT]:`,
      `${STDERR}    at internalConnectMultiple (node:net:1139:18)`,
      `${STDERR}    Error: connect ETIMEDOUT 216.239.38.223:443`,
    ],
    end: WELL,
    is: { kind: "finished" },
  },
];

const opencodeError = (data: Readonly<Record<string, unknown>>, name = "APIError"): Line => ({
  ...opencode.error(data, name),
  timestamp: Date.parse(NOW),
});

const inOpencode: readonly Made[] = [
  {
    // anomalyco/opencode#49170
    what: "the week of Go is used up, for days and hours",
    lines: [
      opencode.start,
      opencodeError({
        message:
          "Weekly usage limit reached. It will reset in 5 days 10 hours. To continue using this model now, enable usage from your available balance - https://opencode.ai/workspace/wrk_1/go",
        statusCode: 429,
        isRetryable: false,
      }),
    ],
    end: FAILED,
    is: { kind: "usage-limited", until: at("2026-11-21T05:42:05Z") },
  },
  {
    // anomalyco/opencode#44099
    what: "the quota of a month, with its second and its zone",
    lines: [
      opencodeError({
        message:
          "You have exceeded the monthly usage quota. It will reset at 2026-11-29 23:59:59 +0800 CST. We recommend upgrading your plan for more quota, or waiting for the reset. Request id: 021787385003028709",
        statusCode: 429,
        isRetryable: true,
      }),
    ],
    end: FAILED,
    is: { kind: "usage-limited", until: at("2026-11-29T15:59:59Z") },
  },
  {
    // made up: the words of anthropics/claude-code#12789, with the headers that Anthropic sends to subscribers
    what: "a subscription of Anthropic, whose reset only the headers tell",
    lines: [
      opencode.start,
      opencode.said("I begin."),
      opencodeError({
        message: "This request would exceed your account's rate limit. Please try again later.",
        statusCode: 429,
        isRetryable: true,
        responseHeaders: {
          "anthropic-ratelimit-unified-status": "rejected",
          "anthropic-ratelimit-unified-reset": "1794790800",
          "retry-after": "19075",
          date: "Sun, 15 Nov 2026 19:42:05 GMT",
        },
        responseBody:
          '{"type":"error","error":{"type":"rate_limit_error","message":"This request would exceed your account\'s rate limit. Please try again later."}}',
      }),
    ],
    end: FAILED,
    is: { kind: "usage-limited", until: at("2026-11-16T01:00:00Z") },
  },
  {
    // anomalyco/opencode#15949 has the words; status 401 and the name of the error are from memory of Zen's source, not seen in an issue
    // arguable: the status is that of a refused key. But no login helps: it takes money, or the next month.
    what: "the spending limit of the workspace, with the status of a refused key",
    lines: [
      opencodeError({
        message:
          "Your workspace has reached its monthly spending limit of $5. Manage your limits here: https://opencode.ai/workspace/wrk_1/billing",
        statusCode: 401,
        isRetryable: false,
        responseBody:
          '{"type":"error","error":{"type":"MonthlyLimitError","message":"Your workspace has reached its monthly spending limit of $5. Manage your limits here: https://opencode.ai/workspace/wrk_1/billing"}}',
      }),
    ],
    end: FAILED,
    is: { kind: "usage-limited" },
  },
  {
    // anomalyco/opencode#14255
    what: "nobody knows this user",
    lines: [
      opencodeError({
        message: 'Unauthorized: {"error":{"message":"User not found.","code":401}}',
        statusCode: 401,
        isRetryable: false,
        responseBody: '{"error":{"message":"User not found.","code":401}}',
      }),
    ],
    end: FAILED,
    is: { kind: "auth-failed" },
  },
  {
    // anomalyco/opencode#2464, with the code of ericc-ch/copilot-api#210
    what: "the tokens of a prompt are counted, and too many",
    lines: [
      opencode.start,
      opencode.said("The bundle has a single line."),
      opencodeError({
        message: "prompt token count of 130389 exceeds the limit of 128000",
        statusCode: 400,
        isRetryable: false,
        responseBody:
          '{"error":{"message":"prompt token count of 130389 exceeds the limit of 128000","code":"model_max_prompt_tokens_exceeded"}}',
      }),
    ],
    end: FAILED,
    is: { kind: "context-exhausted" },
  },
  {
    // anomalyco/opencode#1057
    what: "overloaded, as raw JSON in an unknown error",
    lines: [
      opencode.start,
      opencode.said("Next file."),
      opencodeError(
        {
          message:
            '{"type":"error","error":{"details":null,"type":"overloaded_error","message":"Overloaded"},"request_id":"req_011C"}',
        },
        "UnknownError",
      ),
    ],
    end: FAILED,
    is: { kind: "overloaded" },
  },
  {
    // anomalyco/opencode#13006 and #4022
    what: "the operation timed out, and that is all",
    lines: [
      opencode.start,
      opencode.said("I wait for the model."),
      opencodeError({ message: "TimeoutError: The operation timed out." }, "UnknownError"),
    ],
    end: FAILED,
    is: { kind: "overloaded" },
  },
  {
    // anomalyco/opencode#18344 and #10192
    // arguable: another attempt does not help, and a person has to look; but no outcome says so, and nothing else fits.
    what: "its configuration has keys that it does not know",
    lines: [
      `${STDERR}Error: Configuration is invalid at /home/agent/.config/opencode/opencode.json`,
      `${STDERR}↳ Unrecognized keys: "plugins", "agents"`,
    ],
    end: FAILED,
    is: { kind: "crashed" },
  },
  {
    // anomalyco/opencode#17854
    // arguable: as above, the model's name is for a person to change. Certain is only that exit code 0 is no success.
    what: "it does not find its model, tells it on stderr alone, and ends with exit code 0",
    lines: [
      `${STDERR}ProviderModelNotFoundError: ProviderModelNotFoundError`,
      `${STDERR} data: {`,
      `${STDERR}  providerID: "openrouter",`,
      `${STDERR}  modelID: "hunter-alpha",`,
      `${STDERR}  suggestions: [ "openrouter/hunter-alpha" ],`,
      `${STDERR}},`,
      `${STDERR}Error: Model not found: openrouter/hunter-alpha. Did you mean: openrouter/hunter-alpha?`,
    ],
    end: WELL,
    is: { kind: "crashed" },
  },
  {
    // anomalyco/opencode#3130 (the log), the rest made up
    what: "models cannot be fetched, an MCP server wants a login, a tool prints a 529, done",
    lines: [
      `${STDERR}ERROR 2026-11-15T19:40:07 +229ms service=models.dev error=self signed certificate in certificate chain Failed to fetch models.dev`,
      `${STDERR}ERROR 2026-11-15T19:40:08 +3ms service=mcp key=linear error=Unauthorized failed to get client`,
      opencode.start,
      opencode.tool(
        '{"type":"error","error":{"name":"APIError","data":{"message":"Overloaded","statusCode":529,"isRetryable":true}}}',
      ),
      {
        type: "tool_use",
        part: {
          tool: "bash",
          state: {
            status: "completed",
            input: { command: "cat errors.md" },
            output:
              "429 usage_limit_reached: resets_in_seconds 7200\n401 invalid_api_key\nprompt is too long",
            metadata: { exit: 0 },
          },
        },
      },
      opencode.said("The table now lists 429, 401 and 529: retry, log in, wait."),
      opencode.stop,
    ],
    end: WELL,
    is: { kind: "finished" },
  },
];

const inCopilot: readonly Made[] = [
  {
    // microsoft/vscode-copilot-release#6479
    what: "a rate limit for 587 hours",
    lines: copilotFailed({
      errorType: "rate_limit",
      message:
        "Sorry, your request was rate-limited. Please wait 587 hours 33 minutes before trying again.",
      statusCode: 429,
    }),
    end: FAILED,
    is: { kind: "usage-limited", until: at("2026-12-10T07:15:05Z") },
  },
  {
    // github/copilot-cli#2769: a user waited an hour, and it was the same
    // arguable: it is called the week's limit, but it asks for two minutes, and less than five minutes is a rate, whatever it is called.
    what: "the limit of the week, which asks for two minutes",
    lines: copilotFailed({
      errorType: "rate_limit",
      message:
        "Sorry, you have been rate-limited. Please wait 2 minutes before trying again or consider switching to Auto.\nServer Error: Sorry, you've exceeded your weekly rate limit. Please review our Terms of Service.\nError Code: user_weekly_rate_limited",
      statusCode: 429,
    }),
    end: FAILED,
    is: { kind: "rate-limited" },
  },
  {
    // github/copilot-cli#46
    what: "its token may not make requests",
    lines: copilotFailed({
      errorType: "query",
      message:
        "Execution failed: 401 401 unauthorized: Personal Access Token does not have Copilot Requests permission",
      statusCode: 401,
    }),
    end: FAILED,
    is: { kind: "auth-failed" },
  },
  {
    // github/copilot-cli#4527
    what: "it may not even list the models, told on stderr before the session begins",
    lines: [
      `${STDERR}Error loading models: Error: 401 "unauthorized: AuthenticateToken authentication failed\\n"`,
    ],
    end: FAILED,
    is: { kind: "auth-failed" },
  },
  {
    // github/copilot-cli#4183: the conversation is too long, and only a new one helps
    what: "a conversation of five megabytes",
    lines: [
      copilot.said("Everything is verified."),
      ...copilotFailed({
        errorType: "query",
        message:
          "Execution failed: Error: The request is too large to send through CAPI Responses. Try shortening the conversation or prompt. (5.0 MB request; 5.0 MB limit)",
      }),
    ],
    end: FAILED,
    is: { kind: "context-exhausted" },
  },
  {
    // github/copilot-cli#1704
    what: "the unicorn of GitHub",
    lines: [
      copilot.said("I open the file."),
      ...copilotFailed({
        errorType: "query",
        message:
          "Execution failed: CAPIError: 502 502 <!DOCTYPE html>\n<!--\n\nHello future GitHubber! I bet you're here to remove those nasty inline styles,\nDRY up these templates and make 'em nice and re-usable, right?\n\nPlease, don't. https://github.com/styleguide/templates/2.0\n\n-->\n<html>\n  <head>\n    <title>Unicorn! &middot; GitHub</title>\n",
        statusCode: 502,
      }),
    ],
    end: FAILED,
    is: { kind: "overloaded" },
  },
  {
    // github/copilot-cli#2166 has the 503 and its words, the sentence around them is the captured one
    what: "the other side says GOAWAY, five times",
    lines: [
      copilot.failure({
        statusCode: 503,
        failureKind: "api",
        errorMessage: '{"message":"HTTP/2 GOAWAY connection terminated","type":"connection_error"}',
      }),
      ...copilotFailed({
        errorType: "query",
        message:
          "Failed to get response from the AI model; retried 5 times (total retry wait time: 5.94 seconds) Last error: CAPIError: 503 HTTP/2 GOAWAY connection terminated",
        statusCode: 503,
      }),
    ],
    end: FAILED,
    is: { kind: "overloaded" },
  },
  {
    // github/copilot-cli#4725
    what: "no memory left, at work",
    lines: [copilot.said("I compare the two trees."), ...heapIsFull("copilot")],
    end: ABORTED,
    is: { kind: "crashed" },
  },
  {
    // github/copilot-cli#1237 and #1941: "I got the error but then copilot just kept going"
    what: "a subagent asks for a model that is not supported, and the session does it without",
    lines: [
      copilot.tool(
        "Failed to get response from the AI model; retried 5 times (total retry wait time: 94.15796158848828 seconds) Last error: CAPIError: 400 The requested model is not supported.",
      ),
      copilot.said("The explore agent failed (CAPIError: 400), so I searched myself. Done."),
      copilot.result(0),
    ],
    end: WELL,
    is: { kind: "finished" },
  },
  {
    // github/copilot-cli#4663, the shape of the events made up
    what: "its compaction fails with a limit of tokens, and it ends well all the same",
    lines: [
      copilot.said("Still a few files."),
      { type: "session.compaction_start", data: { trigger: "threshold" } },
      {
        type: "session.compaction_complete",
        data: {
          success: false,
          error: "CAPIError: 400 prompt token count of 130389 exceeds the limit of 128000",
        },
      },
      copilot.said("All files are converted."),
      copilot.result(0),
      { type: "session.background_tasks_changed", data: {} },
    ],
    end: WELL,
    is: { kind: "finished" },
  },
  {
    // made up: success is exit code 0 and a positive end
    what: "its last event says 0, and the process 1",
    lines: [
      copilot.said("Done."),
      copilot.result(0),
      `${STDERR}Error: EPIPE: broken pipe, write`,
      `${STDERR}    at process.processTicksAndRejections (node:internal/process/task_queues:103:5)`,
    ],
    end: FAILED,
    is: { kind: "crashed" },
  },
];

const inQwen: readonly Made[] = [
  {
    // QwenLM/qwen-code#8920
    // arguable: exit code 0 and a result that is no error are a success by the letter, and what the model said never counts. But no model said this: there are no tokens, and the text is the program's.
    what: "a refused key, called a success, with exit code 0 and no tokens",
    lines: [
      qwen.said("[API Error: 401 status code (no body)]"),
      {
        type: "result",
        subtype: "success",
        is_error: false,
        result: "[API Error: 401 status code (no body)]",
        usage: { input_tokens: 0, output_tokens: 0, cache_read_input_tokens: 0 },
      },
    ],
    end: WELL,
    is: { kind: "auth-failed" },
  },
  {
    // QwenLM/qwen-code#681: it speaks of the length of the input, but it is a time that ran out
    what: "the setup of a stream takes too long, with advice to reduce the input",
    lines: qwenFailed(
      "[API Error: Streaming setup timeout after 483s. Try reducing input length or increasing timeout in config.\n\nStreaming setup timeout troubleshooting:\n- Reduce input length or complexity\n- Increase timeout in config: contentGenerator.timeout\n- Check network connectivity and firewall settings\n- Consider using non-streaming mode for very long inputs]",
    ),
    end: FAILED,
    is: { kind: "overloaded" },
  },
  {
    // QwenLM/qwen-code#5950
    what: "OpenRouter counts text, tools and output, and it is too much",
    lines: [
      qwen.said("I plan the sessions."),
      ...qwenFailed(
        "[API Error: 400 This endpoint’s maximum context length is 131072 tokens. However, you requested about 135349 tokens (60662 of text input, 10687 of tool input, 64000 in the output). Please reduce the length of either one, or use the context-compression plugin to compress your prompt automatically.]",
      ),
    ],
    end: FAILED,
    is: { kind: "context-exhausted" },
  },
  {
    // MiniMax-AI/MiniMax-M2.7#36
    what: "the hours of a token plan, with the moment in full",
    lines: qwenFailed(
      "[API Error: 429 usage limit exceeded, 5-hour usage limit reached for Token Plan Starter (0/0 used), resets at 2026-11-15T23:00:00Z (2056)]",
    ),
    end: FAILED,
    is: { kind: "usage-limited", until: at("2026-11-15T23:00:00Z") },
  },
  {
    // continuedev/continue#11823
    what: "no balance, in Chinese alone, as a 429",
    lines: qwenFailed("[API Error: 429 余额不足或无可用资源包,请充值。]"),
    end: FAILED,
    is: { kind: "usage-limited" },
  },
  {
    // QwenLM/qwen-code#3316, the second sentence as in the README that decolua/9router#626 quotes
    // arguable: nothing was revoked, the vendor gave up this way to log in. A person has to choose another one.
    what: "its way to log in was discontinued",
    lines: [
      qwen.bad(
        "Qwen OAuth free tier was discontinued on 2026-04-15. To continue using Qwen Code, switch to Alibaba Cloud Coding Plan, OpenRouter, Fireworks AI, or bring your own API key. Run qwen auth to configure.",
      ),
    ],
    end: FAILED,
    is: { kind: "auth-failed" },
  },
  {
    // QwenLM/qwen-code#1111
    what: "an answer is terminated after a minute",
    lines: [qwen.said("第一步，我先"), ...qwenFailed("[API Error: terminated]")],
    end: FAILED,
    is: { kind: "overloaded" },
  },
  {
    // made up in the style of the captured rate-limit-forever, with the words of a proxy (Envoy)
    what: "a proxy without a healthy upstream, until it is ended",
    lines: [
      qwen.said("I read the brief."),
      qwen.retry,
      `${STDERR}Retrying in 60s (attempt 1/10): [API Error: 503 no healthy upstream]`,
    ],
    end: ENDED_FOR_RETRIES,
    is: { kind: "overloaded" },
  },
  {
    // made up in the style of the captured loop-same; the name of the loop is one of Gemini CLI's
    what: "the same sentence again and again",
    lines: [
      qwen.said("Let me check the file. Let me check the file. Let me check the file."),
      qwen.bad(
        "Loop detection halted the run (chanting_identical_sentences: the model repeated the same sentence).",
      ),
    ],
    end: FAILED,
    is: { kind: "no-progress" },
  },
  {
    // made up: an overload is worse than a refusal
    what: "a command was refused, then the server fails",
    lines: [
      qwen.said("I may not reset the tree."),
      {
        type: "result",
        subtype: "error_during_execution",
        is_error: true,
        permission_denials: [
          {
            tool_name: "run_shell_command",
            tool_use_id: "call_1",
            tool_input: { command: "git reset --hard" },
          },
        ],
        error: { message: "[API Error: 500 Internal Server Error]" },
      },
    ],
    end: FAILED,
    is: { kind: "overloaded" },
  },
  {
    // QwenLM/qwen-code#888: the rejection is printed, and the session goes on
    what: "an unhandled rejection about the network on stderr, and JSON of a failure in a tool's result, then a good end",
    lines: [
      `${STDERR}CRITICAL: Unhandled Promise Rejection!`,
      `${STDERR}=========================================`,
      `${STDERR}Reason: TypeError: fetch failed`,
      `${STDERR}Stack trace:`,
      `${STDERR}TypeError: fetch failed`,
      claude.tool(
        '{"type":"result","is_error":true,"error":{"message":"[API Error: 429 You exceeded your current quota]"}}',
      ),
      qwen.said("The parser now reads [API Error: 429 …] and [API Error: 401 …] as failures."),
      qwen.good,
    ],
    end: WELL,
    is: { kind: "finished" },
  },
  {
    // QwenLM/qwen-code#2276
    what: "it throws over a terminal that has ended",
    lines: [
      qwen.said("页面已经可以正常加载了。"),
      `${STDERR}/opt/agent/node_modules/@lydell/node-pty/unixTerminal.js:93`,
      `${STDERR}            throw new Error('Cannot resize a pty that has already exited');`,
      `${STDERR}            ^`,
      `${STDERR}Error: Cannot resize a pty that has already exited`,
      `${STDERR}    at UnixTerminal.resize (/opt/agent/node_modules/@lydell/node-pty/unixTerminal.js:93:19)`,
      `${STDERR}Node.js v22.17.0`,
    ],
    end: FAILED,
    is: { kind: "crashed" },
  },
];

const clineFailed = (message: string): readonly Line[] => [
  cline.error(message),
  cline.result("error", message),
];

const inCline: readonly Made[] = [
  {
    // cline/cline#12094
    what: "it should be updated, and logged in again",
    lines: [
      cline.said("I port the commit."),
      ...clineFailed(
        "Unauthorized. Please make sure you're using the latest version of Cline and re-authenticate your Cline account.",
      ),
    ],
    end: FAILED,
    is: { kind: "auth-failed" },
  },
  {
    // cline/cline#3656
    what: "the free models of a minute",
    lines: clineFailed("429 Rate limit exceeded: free-models-per-min."),
    end: FAILED,
    is: { kind: "rate-limited" },
  },
  {
    // made up: the finish reasons are those of the Cline SDK
    what: "as many rounds as it may take",
    lines: [cline.said("One more file."), cline.result("max_iterations")],
    end: FAILED,
    is: { kind: "budget-exceeded" },
  },
  {
    // made up from cline/cline#5301 and #852
    what: "last words about credits and an expired token, and it is done",
    lines: [
      cline.said(
        "I documented: 429 Rate limit exceeded: free-models-per-day. Add 10 credits to unlock 1000 free model requests per day.",
      ),
      cline.result(
        "completed",
        "Also documented: 403 The security token included in the request is expired.",
      ),
    ],
    end: WELL,
    is: { kind: "finished" },
  },
];

const atThatMoment = (made: readonly Made[]): readonly Made[] =>
  made.map((one) => ({ ...one, end: { endedAt: NOW, ...one.end } }));

areJudgedRight({
  claude: atThatMoment(inClaude),
  codex: atThatMoment(inCodex),
  gemini: atThatMoment(inGemini),
  opencode: atThatMoment(inOpencode),
  copilot: atThatMoment(inCopilot),
  qwen: atThatMoment(inQwen),
  cline: atThatMoment(inCline),
});
