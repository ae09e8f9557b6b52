// Sixty streams with the words that users of each CLI reported, each with what is right, written by somebody who did not
// know the rules. The comment above a stream says where its words were seen; "trap" marks those that a rule which looks for
// words alone gets wrong. Where a clock is told without a zone, the machine's is UTC.
import type { Instant } from "../core/instant.ts";
import {
  areJudgedRight,
  claude,
  claudeFailed,
  codex,
  copilot,
  ENDED_FOR_RETRIES,
  FAILED,
  gemini,
  type Made,
  opencode,
  qwen,
  STDERR,
} from "../../test/support/made-up-stream.ts";

const at = (iso: string): Instant => iso as Instant;
const FAILED_IN_UTC = { ...FAILED, timeZone: "UTC" } as const;

const CLAUDE: readonly Made[] = [
  {
    // anthropics/claude-code#55876 ("resets May 5 at 9pm (America/New_York)")
    what: "a limit that resets on a named day, with «at» and a named zone",
    lines: claudeFailed(
      "rate_limit",
      "You've hit your limit · resets Nov 18 at 9pm (America/New_York)",
      {
        api_error_status: 429,
        api_error_type: "rate_limit_error",
      },
    ),
    end: FAILED,
    is: { kind: "usage-limited", until: at("2026-11-19T02:00:00.000Z") },
  },
  {
    // anthropics/claude-code#9046, #8835 (older versions)
    what: "the old usage limit with seconds after a bar",
    lines: claudeFailed("rate_limit", "Claude AI usage limit reached|1794772800"),
    end: FAILED,
    is: { kind: "usage-limited", until: at("2026-11-15T20:00:00.000Z") },
  },
  {
    // anthropics/claude-code#21484, #2127: a 400, not a 429
    what: "the spend limit of an API organisation, a 400 that names the moment",
    lines: claudeFailed(
      "invalid_request",
      'API Error: 400 {"type":"error","error":{"type":"invalid_request_error","message":"You have reached your specified API usage limits. You will regain access on 2026-12-01 at 00:00 UTC."},"request_id":"req_011CXZsw1gEgiLBP7DY5qoXF"}',
      { api_error_status: 400, api_error_type: "invalid_request_error" },
    ),
    end: FAILED,
    is: { kind: "usage-limited", until: at("2026-12-01T00:00:00.000Z") },
  },
  {
    // anthropics/claude-code#55114 ("resets May 2, 2pm (Asia/Jerusalem)")
    what: "out of extra usage, after work",
    lines: [
      claude.said("I will run the tests first."),
      claude.tool("12 passed"),
      ...claudeFailed(
        "rate_limit",
        "You're out of extra usage · resets Nov 18, 2pm (Asia/Jerusalem)",
        {
          api_error_status: 429,
          api_error_type: "rate_limit_error",
        },
      ),
    ],
    end: FAILED,
    is: { kind: "usage-limited", until: at("2026-11-18T12:00:00.000Z") },
  },
  {
    // anthropics/claude-code#65044, #65714 (error code oauth_org_not_allowed, 403 permission_error)
    what: "an organisation that allows no subscription",
    lines: claudeFailed(
      "oauth_org_not_allowed",
      "Your organization has disabled Claude subscription access for Claude Code · Use an Anthropic API key instead, or ask your admin to enable access",
      { api_error_status: 403, api_error_type: "permission_error" },
    ),
    end: FAILED,
    is: { kind: "auth-failed" },
  },
  {
    // anthropics/claude-code#74369, #26897
    what: "a proxy with a certificate of its own",
    lines: [
      claude.retry(1, "unknown", null),
      claude.retry(2, "unknown", null),
      ...claudeFailed(
        "unknown",
        "API Error: Unable to connect to API: Self-signed certificate detected. Check your proxy or corporate SSL certificates",
        { api_error_status: null },
      ),
    ],
    end: FAILED,
    is: { kind: "overloaded" }, // or crashed: the docs call every provider that cannot be reached overloaded
  },
  {
    // anthropics/claude-code#3100, #67238. trap: "Usage" without a limit
    what: "a refusal that speaks of the usage policy",
    lines: claudeFailed(
      "invalid_request",
      "API Error: Claude Code is unable to respond to this request, which appears to violate our Usage Policy (https://www.anthropic.com/legal/aup). Please double press esc to edit your last message or start a new session for Claude Code to assist with a different task.",
      { api_error_status: null },
    ),
    end: FAILED,
    is: { kind: "crashed" },
  },
  {
    // wording of anthropics/claude-code#9046 and #50411, here in a log file. trap
    what: "a tool that prints a log full of limits and logins",
    lines: [
      claude.said("I will look at the log of the last run."),
      claude.tool(
        'Claude AI usage limit reached|1794772800\nPlease run /login · API Error: 403 {"error":{"type":"forbidden","message":"Request not allowed"}}',
        true,
      ),
      claude.said("The log shows two refusals. I handle both now."),
      claude.good,
    ],
    is: { kind: "finished" },
  },
  {
    // anthropics/claude-code#81975 (wording). trap: the warning and the last words are about limits
    what: "a warning that the week is nearly used up, and last words about limits",
    lines: [
      {
        type: "rate_limit_event",
        rate_limit_info: {
          status: "allowed_warning",
          resetsAt: 1_795_118_400,
          rateLimitType: "seven_day",
          utilization: 0.93,
          isUsingOverage: false,
        },
      },
      claude.said("You've hit your session limit · resets 12:50pm (Europe/Paris)"),
      {
        type: "result",
        subtype: "success",
        is_error: false,
        result:
          'The parser now reads "You\'ve hit your session limit · resets 12:50pm (Europe/Paris)" and 429 rate_limit_error.',
      },
    ],
    is: { kind: "finished" },
  },
  {
    // anthropics/claude-code#24055: it goes on after this error. trap
    what: "an answer that was too long for one message, then the work goes on",
    lines: [
      claude.failed(
        "max_output_tokens",
        "API Error: Claude's response exceeded the 32000 output token maximum. To configure this behavior, set the CLAUDE_CODE_MAX_OUTPUT_TOKENS environment variable.",
      ),
      claude.retry(1, "overloaded", 529),
      claude.said("I write the file in two parts."),
      claude.tool("File created successfully"),
      claude.said("Both parts are there."),
      claude.good,
    ],
    is: { kind: "finished" },
  },
];

const codexFailed = (message: string): Made["lines"] => [codex.error(message), codex.bad(message)];

const CODEX: readonly Made[] = [
  {
    // openai/codex#26668 ("try again at Jul 5th, 2026 8:19 PM")
    what: "a usage limit with the day, an ordinal",
    lines: codexFailed(
      "You've hit your usage limit. Upgrade to Plus to continue using Codex (https://chatgpt.com/explore/plus), or try again at Nov 20th, 2026 8:19 PM.",
    ),
    end: FAILED_IN_UTC,
    is: { kind: "usage-limited", until: at("2026-11-20T20:19:00.000Z") },
  },
  {
    // openai/codex#3899
    what: "a usage limit for days, hours and minutes",
    lines: codexFailed(
      "You've hit your usage limit. Upgrade to Pro (https://openai.com/chatgpt/pricing) or try again in 5 days 22 hours 11 minutes.",
    ),
    end: FAILED_IN_UTC,
    is: { kind: "usage-limited", until: at("2026-11-21T13:11:00.000Z") },
  },
  {
    // openai/codex#10055. trap: it calls itself a disconnect
    what: "tokens per minute, told as a stream that was disconnected",
    lines: [
      codex.item("agent_message", { text: "I will read the module." }),
      ...codexFailed(
        "stream disconnected before completion: Rate limit reached for organization org-BOvpEHVcDPTe8h4lZnwMO5Ly on tokens per min (TPM): Limit 250000, Used 250000, Requested 58487. Please try again in 14.036s. Visit https://platform.openai.com/account/rate-limits to learn more.",
      ),
    ],
    end: FAILED,
    is: { kind: "rate-limited" },
  },
  {
    // openai/codex#9634, #24365
    what: "a refresh token that was used before",
    lines: codexFailed(
      "Your access token could not be refreshed because your refresh token was already used. Please log out and sign in again.",
    ),
    end: FAILED,
    is: { kind: "auth-failed" },
  },
  {
    // jlcodes99/cockpit-tools#611 (body), openai/codex#8516 (frame)
    what: "a region that is not served",
    lines: codexFailed(
      'unexpected status 403 Forbidden: {"error":{"code":"unsupported_country_region_territory","message":"Country, region, or territory not supported","param":null,"type":"request_forbidden"}}, url: https://chatgpt.com/backend-api/codex/responses',
    ),
    end: FAILED,
    is: { kind: "auth-failed" }, // or crashed
  },
  {
    // openai/codex#20866, #13271 (with exec)
    what: "the compaction itself does not fit any more",
    lines: [
      codex.item("command_execution", {
        command: "npm test",
        aggregated_output: "ok",
        exit_code: 0,
      }),
      ...codexFailed(
        'Error running remote compact task: {\n  "error": {\n    "message": "Your input exceeds the context window of this model. Please adjust your input and try again.",\n    "type": "invalid_request_error",\n    "param": "input",\n    "code": "context_length_exceeded"\n  }\n}',
      ),
    ],
    end: FAILED,
    is: { kind: "context-exhausted" },
  },
  {
    // openai/codex#25838, #17642. trap: "account" without a login problem
    what: "a model that was retired for ChatGPT accounts",
    lines: codexFailed(
      '{"type":"error","status":400,"error":{"type":"invalid_request_error","message":"The \'gpt-5.3-codex\' model is not supported when using Codex with a ChatGPT account."}}',
    ),
    end: FAILED,
    is: { kind: "crashed" }, // or auth-failed
  },
  {
    // openai/codex#3229, vm0-ai/vm0#34460
    what: "an answer that falls silent, again and again",
    lines: [
      codex.item("agent_message", { text: "I think about the schema." }),
      codex.error(
        "Reconnecting... 1/5 (stream disconnected before completion: idle timeout waiting for SSE)",
      ),
      codex.error(
        "Reconnecting... 2/5 (stream disconnected before completion: idle timeout waiting for SSE)",
      ),
      ...codexFailed("stream disconnected before completion: idle timeout waiting for SSE"),
    ],
    end: FAILED,
    is: { kind: "overloaded" },
  },
  {
    // wording of openai/codex#30206 and #9634, here from a command. trap
    what: "a failing command that prints a usage limit",
    lines: [
      codex.item("command_execution", {
        command: "codex exec --json hello",
        aggregated_output:
          '{"type":"turn.failed","error":{"message":"You have reached your usage limit. Upgrade your plan or add credits to continue, or try again after November 20, 2026 at 2:45 PM."}}\n',
        exit_code: 1,
        status: "failed",
      }),
      codex.item("agent_message", {
        text: "The nested run hit its usage limit; the code is done.",
      }),
      codex.good,
    ],
    is: { kind: "finished" },
  },
  {
    // openai/codex#3764 (the retry). trap: a retry and a warning, then a good end
    what: "a rate limit that passed, and a warning about the week",
    lines: [
      codex.error(
        "Reconnecting... 5/5 (stream disconnected before completion: Rate limit is exceeded. Try again in 17 seconds.)",
      ),
      codex.item("error", {
        message:
          "Heads up, you have less than 5% of your weekly limit left. Run /status for a breakdown.",
      }),
      codex.item("agent_message", {
        text: "Requests without a key now get 401 Unauthorized, and 429 Too Many Requests above the limit.",
      }),
      codex.good,
    ],
    is: { kind: "finished" },
  },
];

const GEMINI: readonly Made[] = [
  {
    // google-gemini/gemini-cli#22107 (sentence); hours as the quota of a day gives them
    what: "the capacity of a model is used up until tomorrow",
    lines: [
      gemini.bad(
        "[API Error: You have exhausted your capacity on this model. Your quota will reset after 13h27m9s.]",
      ),
    ],
    end: { exitCode: 173 },
    is: { kind: "usage-limited", until: at("2026-11-16T04:27:09.000Z") },
  },
  {
    // router-for-me/CLIProxyAPI#1702. trap: the same sentence, but for less than a minute
    what: "the capacity of a model is used up for less than a minute",
    lines: [
      `${STDERR}Attempt 9 failed: You have exhausted your capacity on this model. Your quota will reset after 53s.. Retrying after 53412ms...`,
      gemini.bad(
        "[API Error: You have exhausted your capacity on this model. Your quota will reset after 53s.]",
      ),
    ],
    end: { exitCode: 173 },
    is: { kind: "rate-limited" },
  },
  {
    // google-gemini/gemini-cli#23980 (code 429)
    what: "no capacity for the model on the server, a 429",
    lines: [
      gemini.bad(
        '[API Error: [{\n  "error": {\n    "code": 429,\n    "message": "No capacity available for model gemini-3-flash-preview on the server",\n    "status": "RESOURCE_EXHAUSTED",\n    "details": [{"reason": "MODEL_CAPACITY_EXHAUSTED"}]\n  }\n}\n]]',
      ),
    ],
    end: { exitCode: 173 },
    is: { kind: "rate-limited" }, // or overloaded: the docs call a 429 rate-limited
  },
  {
    // google-gemini/gemini-cli#11248, #13006
    what: "too many input tokens, told over many lines",
    lines: [
      gemini.said("I read the whole folder."),
      gemini.bad(
        '[API Error: [{\n  "error": {\n    "code": 400,\n    "message": "The input token count (2551556) exceeds the maximum number of tokens allowed (1048576).",\n    "errors": [\n      {\n        "message": "The input token count (2551556) exceeds the maximum number of tokens allowed (1048576).",\n        "domain": "global",\n        "reason": "badRequest"\n      }\n    ],\n    "status": "INVALID_ARGUMENT"\n  }\n}\n]]',
      ),
    ],
    end: { exitCode: 144 },
    is: { kind: "context-exhausted" },
  },
  {
    // google-gemini/gemini-cli#24641, #1993
    what: "a country that is not served",
    lines: [
      gemini.bad(
        '[API Error: {"error":{"message":"{\\n  \\"error\\": {\\n    \\"code\\": 400,\\n    \\"message\\": \\"User location is not supported for the API use.\\",\\n    \\"status\\": \\"FAILED_PRECONDITION\\"\\n  }\\n}\\n","code":400,"status":"Bad Request"}}]',
      ),
    ],
    end: { exitCode: 144 },
    is: { kind: "auth-failed" }, // or crashed
  },
  {
    // google-gemini/gemini-cli#25795
    what: "an account that was disabled, before the session began",
    lines: [
      `${STDERR}Failed to sign in. Message: This service has been disabled in this account for violation of Terms of Service. Please submit an appeal to continue using this product.`,
    ],
    end: { exitCode: 41 },
    is: { kind: "auth-failed" },
  },
  {
    // wording of google-gemini/gemini-cli#15576, here from a tool. trap
    what: "a fetch that was refused with a quota, then a good end",
    lines: [
      gemini.tool(
        "Error during fetch for https://example.com/: Request failed with status 429. [API Error: You have exhausted your daily quota on this model.]",
      ),
      gemini.said("The page answers 429, so I took the copy in the repository."),
      gemini.good,
    ],
    is: { kind: "finished" },
  },
  {
    // google-gemini/gemini-cli#7861, #7851 (with -p)
    what: "a stream without an end",
    lines: [
      gemini.said("I will start with"),
      gemini.bad("[API Error: Model stream ended with an invalid chunk or missing finish reason.]"),
    ],
    end: FAILED,
    is: { kind: "overloaded" }, // or crashed: a broken answer, and asking again helps
  },
  {
    // google-gemini/gemini-cli#13553, #7507. trap: nothing to wait for
    what: "a model that is not there",
    lines: [
      gemini.bad(
        '[API Error: [{\n  "error": {\n    "code": 404,\n    "message": "Requested entity was not found.",\n    "errors": [\n      {\n        "message": "Requested entity was not found.",\n        "domain": "global",\n        "reason": "notFound"\n      }\n    ],\n    "status": "NOT_FOUND"\n  }\n}\n]]',
      ),
      `${STDERR}An unexpected critical error occurred:\n[object Object]`,
    ],
    end: { exitCode: 148 },
    is: { kind: "crashed" },
  },
  {
    // google-gemini/gemini-cli#22107, #13718. trap
    what: "a quota that came back after seconds, and words about it",
    lines: [
      `${STDERR}Attempt 1 failed: You have exhausted your capacity on this model. Your quota will reset after 5s.. Retrying after 6173ms...`,
      gemini.said("The model is overloaded at times, so the client now retries 503 and 429."),
      `${STDERR}Attempt 1 failed: You have exhausted your capacity on this model. Your quota will reset after 0s.. Retrying after 5710ms...`,
      gemini.said(" API Error: You have exhausted your daily quota on this model. is handled too."),
      gemini.good,
    ],
    is: { kind: "finished" },
  },
];

const OPENCODE: readonly Made[] = [
  {
    // anomalyco/opencode#32971, #33495. trap: it calls itself a rate limit, but asks for nine hours
    what: "the free usage of a day, told as a rate limit",
    lines: [
      opencode.error({
        message: "Rate limit exceeded. Please try again later.",
        statusCode: 429,
        isRetryable: true,
        responseHeaders: { "content-type": "application/json", "retry-after": "32400" },
        responseBody:
          '{"type":"error","error":{"type":"FreeUsageLimitError","message":"Rate limit exceeded. Please try again later."},"metadata":{}}',
      }),
    ],
    end: FAILED,
    is: { kind: "usage-limited" },
  },
  {
    // anomalyco/opencode#27593
    what: "no balance",
    lines: [
      opencode.error({
        message: "Insufficient Balance",
        statusCode: 402,
        isRetryable: false,
        responseBody:
          '{"error":{"message":"Insufficient Balance","type":"unknown_error","param":null,"code":"invalid_request_error"}}',
      }),
    ],
    end: FAILED,
    is: { kind: "usage-limited" },
  },
  {
    // anomalyco/opencode#4992 (Copilot as the provider)
    what: "a token that expired at work",
    lines: [
      opencode.start,
      opencode.said("I carry on with the second file."),
      opencode.error({
        message: "Unauthorized: unauthorized: token expired\n",
        statusCode: 401,
        isRetryable: false,
        responseBody: "unauthorized: token expired\n",
      }),
    ],
    end: FAILED,
    is: { kind: "auth-failed" },
  },
  {
    // anomalyco/opencode#8293
    what: "a context that is too long, as raw JSON in an unknown error",
    lines: [
      opencode.start,
      opencode.error(
        {
          message:
            '{"type":"error","sequence_number":2,"error":{"type":"invalid_request_error","code":"context_length_exceeded","message":"Your input exceeds the context window of this model. Please adjust your input and try again.","param":"input"}}',
        },
        "UnknownError",
      ),
    ],
    end: FAILED,
    is: { kind: "context-exhausted" },
  },
  {
    // anomalyco/opencode#43327 (body). trap: an error, then work and a good end
    what: "an endpoint that was away once, then the work goes on",
    lines: [
      opencode.start,
      opencode.error({
        message: "Rate limit exceeded",
        statusCode: 429,
        isRetryable: true,
        responseBody:
          '{"error":{"type":"server_error","message":"Upstream request failed: Endpoint is unavailable."}}',
      }),
      opencode.start,
      opencode.said("Both files are changed and the tests pass."),
      opencode.stop,
    ],
    is: { kind: "finished" }, // the docs: an error that was followed by work is forgotten
  },
  {
    // anomalyco/opencode#21643, #39557
    what: "a socket that was closed",
    lines: [
      opencode.start,
      opencode.said("I will look at"),
      opencode.error({
        message:
          "Cannot connect to API: The socket connection was closed unexpectedly. For more information, pass `verbose: true` in the second argument to fetch()",
        isRetryable: true,
        metadata: { url: "https://opencode.ai/zen/v1/chat/completions" },
      }),
    ],
    end: FAILED,
    is: { kind: "overloaded" },
  },
  {
    // anomalyco/opencode#17318
    what: "events that stopped coming",
    lines: [opencode.start, opencode.error({ message: "SSE read timed out" }, "UnknownError")],
    end: FAILED,
    is: { kind: "overloaded" },
  },
  {
    // anomalyco/opencode#6691, #916. trap: nothing to wait for
    what: "a model that is not known",
    lines: [opencode.error({ message: "Model not found: minimax/MiniMax-M2.1." }, "UnknownError")],
    end: FAILED,
    is: { kind: "crashed" },
  },
  {
    // anomalyco/opencode#12346
    what: "no quota with a provider, as raw JSON in an unknown error",
    lines: [
      opencode.start,
      opencode.error(
        {
          message:
            '{"type":"error","sequence_number":2,"error":{"type":"insufficient_quota","code":"insufficient_quota","message":"You exceeded your current quota, please check your plan and billing details. For more information on this error, read the docs: https://platform.openai.com/docs/guides/error-codes/api-errors.","param":null}}',
        },
        "UnknownError",
      ),
    ],
    end: FAILED,
    is: { kind: "usage-limited" },
  },
  {
    // wording of anomalyco/opencode#45324 and #164, here from a tool. trap
    what: "a tool that fails with the words of a limit and of a revoked token",
    lines: [
      opencode.start,
      opencode.tool(
        "AI_APICallError: OAuth token has been revoked. Please obtain a new token.\nFree usage exceeded, subscribe to Go\nprompt is too long: 201082 tokens > 200000 maximum",
      ),
      opencode.start,
      opencode.said("The script fails because its token was revoked; I documented that."),
      opencode.stop,
    ],
    is: { kind: "finished" },
  },
];

const COPILOT: readonly Made[] = [
  {
    // github/copilot-cli#2063, #3431
    what: "no quota of premium requests",
    lines: [
      copilot.error({
        errorType: "quota",
        message: "402 You have no quota (Request ID: 0DAE:25E807:31A9BC6:3EB561C:69B79179)",
        statusCode: 402,
      }),
      copilot.result(1),
    ],
    end: FAILED,
    is: { kind: "usage-limited" },
  },
  {
    // github/copilot-cli#2336, #2144
    what: "a rate limit for two hours",
    lines: [
      copilot.said("I start a background agent."),
      copilot.error({
        errorType: "rate_limit",
        message:
          "Sorry, you've hit a rate limit that restricts the number of Copilot model requests you can make within a specific time period. Please try again in 2 hours. Please review our Terms of Service (https://docs.github.com/site-policy/github-terms/github-terms-of-service). (Request ID: AF08:1CC094:79C2BF:8F5AB7:69C609B2)",
        statusCode: 429,
      }),
      copilot.result(1),
    ],
    end: FAILED,
    is: { kind: "usage-limited", until: at("2026-11-15T17:00:00.000Z") },
  },
  {
    // github/copilot-cli#2073, #2101. trap: the same sentence, but for one minute
    what: "a rate limit for one minute",
    lines: [
      copilot.error({
        errorType: "rate_limit",
        message:
          "Sorry, you've hit a rate limit that restricts the number of Copilot model requests you can make within a specific time period. Please try again in 1 minute. Please review our Terms of Service (https://docs.github.com/site-policy/github-terms/github-terms-of-service). (Request ID: C858:3A27C6:7D315B:9A01F2:69B79564)",
        statusCode: 429,
      }),
      copilot.result(1),
    ],
    end: FAILED,
    is: { kind: "rate-limited" },
  },
  {
    // github/copilot-cli#2828 ("reset on April 20, 2026 at 2:00 AM")
    what: "the limit of a week, with the date in full",
    lines: [
      copilot.error({
        errorType: "rate_limit",
        message:
          "You've reached your weekly rate limit. Please wait for your limit to reset on November 18, 2026 at 2:00 AM or switch to auto model to continue. Learn More (https://docs.github.com/en/copilot/concepts/rate-limits). (Request ID: D0BC:2556F:2EE648C:3A017D8:69E3DE2E)",
        statusCode: 429,
      }),
      copilot.result(1),
    ],
    end: FAILED_IN_UTC,
    is: { kind: "usage-limited", until: at("2026-11-18T02:00:00.000Z") },
  },
  {
    // github/copilot-cli#2306, #1561
    what: "a policy that is not enabled",
    lines: [
      copilot.error({
        errorType: "authorization",
        message:
          "You are not authorized to use this Copilot feature, it requires an enterprise or organization policy to be enabled. (Request ID: C342:1EAB:31D6D7:423F9D:69E56EBE)",
        statusCode: 403,
      }),
      copilot.result(1),
    ],
    end: FAILED,
    is: { kind: "auth-failed" },
  },
  {
    // github/copilot-cli#1316: the status is only in the text
    what: "the models are not shown to this account",
    lines: [
      copilot.error({
        errorType: "query",
        message: "Execution failed: Error: Failed to list models: 403",
      }),
      copilot.result(1),
    ],
    end: FAILED,
    is: { kind: "auth-failed" },
  },
  {
    // github/copilot-cli#3117, #2641: the status is only in the text
    what: "a connection that the other side ends",
    lines: [
      copilot.said("Now I write the document."),
      copilot.error({
        errorType: "query",
        message:
          'Execution failed: Error: Failed to get response from the AI model; retried 5 times (total retry wait time: 95.06408330678565 seconds) Last error: CAPIError: 503 {"error":{"message":"HTTP/2 GOAWAY connection terminated","type":"connection_error"}}',
      }),
      copilot.result(1),
    ],
    end: FAILED,
    is: { kind: "overloaded" },
  },
  {
    // microsoft/vscode#325598 (the same service)
    what: "the limit of five hours, in seconds",
    lines: [
      copilot.error({
        errorType: "rate_limit",
        message:
          "Sorry, you've exceeded your 5 hour session limits. Please retry after 2733 seconds. (user_global_rate_limited:pro)",
        statusCode: 429,
      }),
      copilot.result(1),
    ],
    end: FAILED,
    is: { kind: "usage-limited", until: at("2026-11-15T15:45:33.000Z") },
  },
  {
    // wording of github/copilot-cli#3101 and #730, here from a tool. trap
    what: "a tool that fails with the words of a quota and of a policy",
    lines: [
      copilot.tool(
        'Model call failed: {"message":"You have no quota","code":"quota_exceeded"}\nFailed to load models: access denied by Copilot policy. (Request ID: DD28:396A99:1D5848:6BFB96:69F85427)',
      ),
      copilot.said("The fixture reproduces the 402 and the denied policy; the tests are green."),
      copilot.result(0),
    ],
    is: { kind: "finished" },
  },
  {
    // github/copilot-cli#3562 (the failure), earendil-works/pi#3643 (the warning). trap
    what: "a model that was away once, a warning about premium requests, a good end",
    lines: [
      copilot.failure({
        statusCode: 503,
        errorMessage:
          '{"error":{"message":"Claude Opus 4.8 is currently experiencing issues. We are actively working to resolve the issue. In the meantime, you might want to use a different model.","code":"model_degraded"}}',
      }),
      {
        type: "session.warning",
        data: {
          warningType: "quota",
          message:
            "You have exceeded your premium request allowance. We have automatically switched you to GPT-4.1 which is included with your plan. Enable additional paid premium requests to continue using premium models.",
        },
      },
      copilot.said("Done with the included model."),
      copilot.result(0),
    ],
    is: { kind: "finished" },
  },
];

/** A request that Qwen Code gave up on, as it prints it: as a text and as the result. */
const qwenFailed = (message: string): Made["lines"] => [qwen.said(message), qwen.bad(message)];

const QWEN: readonly Made[] = [
  {
    // QwenLM/qwen-code#1742
    what: "the free quota is used up",
    lines: qwenFailed("[API Error: 429 Free allocated quota exceeded.]"),
    end: FAILED,
    is: { kind: "usage-limited" },
  },
  {
    // QwenLM/qwen-code#1919, #3343
    what: "a token that expired",
    lines: qwenFailed("[API Error: 401 invalid access token or token expired]"),
    end: FAILED,
    is: { kind: "auth-failed" },
  },
  {
    // QwenLM/qwen-code#98, #2481
    what: "an input that is too long, told as a range",
    lines: [
      qwen.said("I read all of it."),
      ...qwenFailed(
        "[API Error: 400 <400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 983616]]",
      ),
    ],
    end: FAILED,
    is: { kind: "context-exhausted" },
  },
  {
    // QwenLM/qwen-code#3145. trap: "InternalError" and a 400, but a filter
    what: "a filter of contents",
    lines: qwenFailed(
      "[API Error: 400 <400> InternalError.Algo.DataInspectionFailed: Input text data may contain inappropriate content.]",
    ),
    end: FAILED,
    is: { kind: "crashed" },
  },
  {
    // Kilo-Org/kilocode#5871 (the same service). trap: a range, but of a setting
    what: "a setting out of its range",
    lines: qwenFailed(
      "[API Error: 400 <400> InternalError.Algo.InvalidParameter: Range of max_tokens should be [1, 32768]]",
    ),
    end: FAILED,
    is: { kind: "crashed" },
  },
  {
    // QwenLM/qwen-code#882
    what: "a 429 without a word",
    lines: qwenFailed("[API Error: 429 status code (no body)]"),
    end: FAILED,
    is: { kind: "rate-limited" },
  },
  {
    // no thread found; the frame is that of the recordings
    what: "the provider's name is not found",
    lines: qwenFailed(
      "[API Error: Connection error. (cause: getaddrinfo ENOTFOUND dashscope.aliyuncs.com)]",
    ),
    end: FAILED,
    is: { kind: "overloaded" },
  },
  {
    // no thread found; wording of Alibaba's Coding Plan for its window of five hours
    what: "the hours of a coding plan are used up, and it retries",
    lines: [
      `${STDERR}Retrying in 60s (attempt 1/10): [API Error: 429 hour allocated quota exceeded.]`,
      qwen.retry,
    ],
    end: ENDED_FOR_RETRIES,
    is: { kind: "usage-limited" }, // or rate-limited
  },
  {
    // wording of QwenLM/qwen-code#3309, here from a command. trap
    what: "a command that fails with the words of an expired token",
    lines: [
      qwen.said("I try the call by hand."),
      claude.tool(
        "Command: qwen -p hi\nDirectory: (root)\nOutput: [API Error: 401 invalid access token or token expired]\nError: 429 Free allocated quota exceeded.\nExit Code: 1",
        true,
      ),
      qwen.said(
        "[API Error: 401 invalid access token or token expired] is what it prints; I wrote that down.",
      ),
      qwen.good,
    ],
    is: { kind: "finished" },
  },
  {
    // trap: the docs want exit code 0 and a positive end; the words on stderr are only a warning
    what: "a good end, but exit code 1 after a warning",
    lines: [
      qwen.said("All tests pass."),
      qwen.good,
      `${STDERR}Warning: running headless with --yolo / approval-mode=yolo and no sandbox.`,
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
});
