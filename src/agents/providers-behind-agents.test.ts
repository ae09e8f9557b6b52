// Fifty-nine more streams with reported words, each with what is right, written by somebody who did not know the rules:
// providers behind the agents, logins of clouds, crashes, and sessions that only quote such words. "or" marks an outcome
// about which one can argue.
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
  type Made,
  opencode,
  qwen,
  STDERR,
} from "../../test/support/made-up-stream.ts";

/** The moment at which each session ends, as opencode stamps its events. */
const NOW = Date.parse("2026-11-15T15:00:00.000Z");

const opencodeError = (data: Readonly<Record<string, unknown>>, name?: string) => ({
  ...opencode.error(data, name),
  timestamp: NOW,
});

const CLAUDE: readonly Made[] = [
  {
    // anthropics/claude-code#65044, #65714
    what: "the organisation does not allow subscriptions",
    lines: [
      ...claudeFailed(
        "oauth_org_not_allowed",
        "Your organization has disabled Claude subscription access for Claude Code · Use an Anthropic API key instead, or ask your admin to enable access",
        { api_error_status: 403, api_error_type: "permission_error" },
      ),
    ],
    end: FAILED,
    is: { kind: "auth-failed" },
  },
  {
    // anthropics/claude-code#849
    what: "the SSO session of AWS is over",
    lines: [
      ...claudeFailed(
        "unknown",
        "API Error: The SSO session associated with this profile has expired. To refresh this SSO session run aws sso login with the corresponding profile.",
        { api_error_status: null },
      ),
    ],
    end: FAILED,
    is: { kind: "auth-failed" },
  },
  {
    // anthropics/claude-code#1047
    what: "the limit of the workspace, with a day",
    lines: [
      claude.said("I will look at the parser first."),
      claude.tool("src/parser.ts"),
      ...claudeFailed(
        "invalid_request",
        'API Error: 400 {"type":"error","error":{"type":"invalid_request_error","message":"You have reached your specified workspace API usage limits. You will regain access on 2026-12-01 at 00:00 UTC."}}',
        { api_error_status: 400, api_error_type: "invalid_request_error" },
      ),
    ],
    end: FAILED,
    is: { kind: "usage-limited", until: "2026-12-01T00:00:00.000Z" as never },
  },
  {
    // anthropics/claude-code#52908, #52679
    what: "the monthly limit of an organisation",
    lines: [
      ...claudeFailed("rate_limit", "You've hit your org's monthly usage limit", {
        api_error_status: 429,
        api_error_type: "rate_limit_error",
      }),
    ],
    end: FAILED,
    is: { kind: "usage-limited" },
  },
  {
    // anthropics/claude-code#74369, #8054
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
    is: { kind: "overloaded" }, // or crashed: the provider is unreachable, but waiting will not mend a certificate
  },
  {
    // anthropics/claude-code#18373
    what: "an answer of more than 32000 tokens",
    lines: [
      claude.said("I will write the whole file."),
      ...claudeFailed(
        "max_output_tokens",
        "API Error: Claude's response exceeded the 32000 output token maximum. To configure this behavior, set the CLAUDE_CODE_MAX_OUTPUT_TOKENS environment variable.",
      ),
    ],
    end: FAILED,
    is: { kind: "context-exhausted" }, // or crashed; over ACP max_tokens is context-exhausted
  },
  {
    // anthropics/claude-code#15223, #4301
    what: "its heap is full, at work",
    lines: [
      claude.said("Running the tests."),
      claude.tool("429 tests passed, 0 failed"),
      `${STDERR}<--- Last few GCs --->`,
      `${STDERR}[34748:0x5d1c000]  1542276 ms: Mark-Compact 4038.2 (4128.5) -> 4018.9 (4129.0) MB, pooled: 8 MB, 711.53 / 0.00 ms  (average mu = 0.388, current mu = 0.487) task; scavenge might not succeed`,
      `${STDERR}FATAL ERROR: Ineffective mark-compacts near heap limit Allocation failed - JavaScript heap out of memory`,
      `${STDERR} 3: 0xe1c8c1 v8::Isolate::ReportExternalAllocationLimitReached+65`,
    ],
    end: { exitCode: 134 },
    is: { kind: "crashed" },
  },
  {
    // the shape of agent-streams/claude/usage-limit-subscription; from memory: allowed_warning is a status of the unified headers
    what: "warned at 90% of the week, and done",
    lines: [
      {
        type: "rate_limit_event",
        rate_limit_info: {
          status: "allowed_warning",
          resetsAt: 1_795_200_000,
          rateLimitType: "seven_day",
          utilization: 0.9,
          isUsingOverage: false,
        },
      },
      claude.said("The greeting is in place."),
      claude.tool("ok"),
      claude.good,
    ],
    is: { kind: "finished" },
  },
  {
    // the texts are those of anthropics/claude-code#236 and #36648
    what: "works on an error table, and quotes it",
    lines: [
      claude.said("The table lacks two rows."),
      claude.tool(
        "- API Error (429 Too many tokens, please wait before trying again.) · Retrying in 1 seconds… (attempt 1/10)\n- Credit balance is too low\n- Prompt is too long",
        true,
      ),
      claude.said(
        "API Error: 401 OAuth token has expired is now recognised. Credit balance is too low stays a billing error.",
      ),
      {
        ...claude.good,
        result:
          "API Error: 529 Overloaded is covered by a test. You've hit your limit · resets 3am too.",
      },
    ],
    is: { kind: "finished" },
  },
  {
    // agent-streams/claude/overloaded-once, with events that nobody knows yet
    what: "overloaded at first, unknown events, done",
    lines: [
      claude.retry(1, "overloaded", 529),
      claude.retry(2, "overloaded", 529),
      claude.retry(3, "server_error", 500),
      { type: "system", subtype: "model_fallback", from: "claude-opus-5-5", reason: "overloaded" },
      claude.said("Now it answers."),
      { type: "telemetry_notice", error: "rate_limit", status: 429 },
      claude.tool("done"),
      claude.good,
    ],
    is: { kind: "finished" },
  },
];

const CODEX: readonly Made[] = [
  {
    // openai/codex#9634, #24365
    what: "its refresh token was used already",
    lines: [
      codex.error(
        "Your access token could not be refreshed because your refresh token was already used. Please log out and sign in again.",
      ),
      codex.bad(
        "Your access token could not be refreshed because your refresh token was already used. Please log out and sign in again.",
      ),
    ],
    end: FAILED,
    is: { kind: "auth-failed" },
  },
  {
    // openai/codex#17642, #25838
    what: "a model that the account may not use",
    lines: [
      codex.error(
        '{"type":"error","status":400,"error":{"type":"invalid_request_error","message":"The \'gpt-5.3-codex\' model is not supported when using Codex with a ChatGPT account."}}',
      ),
      codex.bad(
        '{"type":"error","status":400,"error":{"type":"invalid_request_error","message":"The \'gpt-5.3-codex\' model is not supported when using Codex with a ChatGPT account."}}',
      ),
    ],
    end: FAILED,
    is: { kind: "crashed" }, // or blocked
  },
  {
    // openai/codex#3920
    what: "a deployment that Azure does not have",
    lines: [
      codex.error(
        'Reconnecting... 1/5 (unexpected status 404 Not Found: {"error":{"code":"DeploymentNotFound","message":"The API deployment for this resource does not exist. If you created the deployment within the last 5 minutes, please wait a moment and try again."}})',
      ),
      codex.error(
        'unexpected status 404 Not Found: {"error":{"code":"DeploymentNotFound","message":"The API deployment for this resource does not exist. If you created the deployment within the last 5 minutes, please wait a moment and try again."}}',
      ),
      codex.bad(
        'unexpected status 404 Not Found: {"error":{"code":"DeploymentNotFound","message":"The API deployment for this resource does not exist. If you created the deployment within the last 5 minutes, please wait a moment and try again."}}',
      ),
    ],
    end: FAILED,
    is: { kind: "crashed" }, // or blocked
  },
  {
    // openai/codex#17615, #17797
    what: "the content filter of Azure",
    lines: [
      codex.item("agent_message", { text: "I'm sorry, but I cannot assist with that request." }),
      codex.error(
        "Reconnecting... 5/5 (stream disconnected before completion: Incomplete response returned, reason: content_filter)",
      ),
      codex.error(
        "stream disconnected before completion: Incomplete response returned, reason: content_filter",
      ),
      codex.bad(
        "stream disconnected before completion: Incomplete response returned, reason: content_filter",
      ),
    ],
    end: FAILED,
    is: { kind: "crashed" }, // or overloaded: it calls itself a broken stream, but it is a refusal
  },
  {
    // openai/codex#19269
    what: "cannot even compact",
    lines: [
      codex.item("command_execution", {
        command: "cargo test",
        aggregated_output: "ok",
        exit_code: 0,
      }),
      codex.error(
        'Error running remote compact task: {\n  "error": {\n    "message": "Your input exceeds the context window of this model. Please adjust your input and try again.",\n    "type": "invalid_request_error",\n    "param": "input",\n    "code": "context_length_exceeded"\n  }\n}',
      ),
      codex.bad(
        'Error running remote compact task: {\n  "error": {\n    "message": "Your input exceeds the context window of this model. Please adjust your input and try again.",\n    "type": "invalid_request_error",\n    "param": "input",\n    "code": "context_length_exceeded"\n  }\n}',
      ),
    ],
    end: FAILED,
    is: { kind: "context-exhausted" },
  },
  {
    // openai/codex#797
    what: "the requests of a day are used up, for seven minutes",
    lines: [
      codex.error(
        "stream disconnected before completion: Rate limit reached for o4-mini in organization org-x on requests per day (RPD): Limit 200, Used 200, Requested 1. Please try again in 7m12s. Visit https://platform.openai.com/account/rate-limits to learn more.",
      ),
      codex.bad(
        "stream disconnected before completion: Rate limit reached for o4-mini in organization org-x on requests per day (RPD): Limit 200, Used 200, Requested 1. Please try again in 7m12s. Visit https://platform.openai.com/account/rate-limits to learn more.",
      ),
    ],
    end: FAILED,
    is: { kind: "usage-limited", until: "2026-11-15T15:07:12.000Z" as never }, // or rate-limited
  },
  {
    // openai/codex#7522
    what: "a folder that it does not trust",
    lines: [`${STDERR}Not inside a trusted directory and --skip-git-repo-check was not specified.`],
    end: FAILED,
    is: { kind: "crashed" }, // or blocked
  },
  {
    // openai/codex#35902; the line before it is made up after PR 24474
    what: "the disk is full",
    lines: [
      { type: "thread.started", thread_id: "01a1de3c-5bb8-77d0-b511-65d922d9c429" },
      `${STDERR}2026-11-15T14:59:59.401429Z ERROR codex_core::rollout: failed to write rollout items: No space left on device (os error 28)`,
      `${STDERR}Error: thread-store internal error: No space left on device (os error 28)`,
    ],
    end: FAILED,
    is: { kind: "crashed" },
  },
  {
    // openai/codex#7464 for the warning, agent-streams/codex/usage-limit for what is quoted
    what: "reconnects, is warned, quotes a limit, done",
    lines: [
      codex.error(
        "Reconnecting... 1/5 (stream disconnected before completion: idle timeout waiting for SSE)",
      ),
      codex.error("Reconnecting... 2/5 (unexpected status 502 Bad Gateway)"),
      codex.item("error", {
        message:
          "Heads up, you've used over 90% of your weekly limit. Run /status for a breakdown.",
      }),
      codex.item("command_execution", {
        command: "curl -s localhost:8787",
        aggregated_output:
          "HTTP/1.1 401 Unauthorized\nexceeded retry limit, last status: 429 Too Many Requests",
        exit_code: 22,
        status: "failed",
      }),
      codex.item("agent_message", {
        text: "You've hit your usage limit. … try again at 3:14 PM is what the new test expects.",
      }),
      codex.good,
    ],
    is: { kind: "finished" },
  },
  {
    // agent-streams/codex/sigkill-pid: the last line is only half there
    what: "killed in the middle of a line",
    lines: [
      codex.item("command_execution", {
        command: "npm test",
        aggregated_output: "ok",
        exit_code: 0,
      }),
      '{"type":"item.completed","item":{"id":"item_3","type":"agent_message","text":"stream disconnected befo',
    ],
    end: { exitCode: null, signal: "SIGKILL" },
    is: { kind: "killed" },
  },
];

const GEMINI: readonly Made[] = [
  {
    // google-gemini/gemini-cli#15498
    what: "Vertex has no resources left",
    lines: [
      `${STDERR}Attempt 10 failed with status 429. Retrying with backoff... _ApiError: {"error":{"code":429,"message":"Resource exhausted. Please try again later. Please refer to https://cloud.google.com/vertex-ai/generative-ai/docs/error-code-429 for more details.","status":"RESOURCE_EXHAUSTED"}}`,
      gemini.bad(
        "[API Error: Resource exhausted. Please try again later. Please refer to https://cloud.google.com/vertex-ai/generative-ai/docs/error-code-429 for more details.]",
      ),
    ],
    end: { exitCode: 173 },
    is: { kind: "rate-limited" },
  },
  {
    // google-gemini/gemini-cli#25179, #24159
    what: "no capacity for its model, until it is ended",
    lines: [
      gemini.said("I will start with the tests."),
      `${STDERR}Attempt 1 failed with status 429. Retrying with backoff... _GaxiosError: [{\n  "error": {\n    "code": 429,\n    "message": "No capacity available for model gemini-3.1-pro-preview on the server",\n    "status": "RESOURCE_EXHAUSTED",\n    "details": [\n      {\n        "reason": "MODEL_CAPACITY_EXHAUSTED",\n        "domain": "cloudcode-pa.googleapis.com"\n      }\n    ]\n  }\n}]`,
      `${STDERR}Attempt 2 failed with status 429. Retrying with backoff... _GaxiosError: [{\n  "error": {\n    "code": 429,\n    "message": "No capacity available for model gemini-3.1-pro-preview on the server",\n    "status": "RESOURCE_EXHAUSTED"\n  }\n}]`,
    ],
    end: ENDED_FOR_RETRIES,
    is: { kind: "rate-limited" }, // or overloaded: 429 by number, a lack of capacity by meaning
  },
  {
    // google-gemini/gemini-cli#1986
    what: "nobody is logged in at Google Cloud",
    lines: [
      gemini.bad(
        "[API Error: Could not load the default credentials. Browse to https://cloud.google.com/docs/authentication/getting-started for more information.]",
      ),
    ],
    end: FAILED,
    is: { kind: "auth-failed" },
  },
  {
    // google-gemini/gemini-cli#24290
    what: "ends well without a word",
    lines: [
      {
        type: "tool_use",
        tool_name: "run_shell_command",
        tool_id: "1",
        parameters: { command: "npm test" },
      },
      {
        type: "tool_result",
        tool_id: "1",
        status: "success",
        output: "401 lines, 429 tests, 0 failed",
      },
      gemini.good,
    ],
    is: { kind: "finished" },
  },
  {
    // google-gemini/gemini-cli#27501; the last two frames are Node's own
    what: "its terminal is gone, and so is it",
    lines: [
      gemini.said("Let me run it."),
      `${STDERR}An unexpected critical error occurred:Error: ioctl(2) failed, EBADF`,
      `${STDERR}    at UnixTerminal.resize (/usr/lib/node_modules/@google/gemini-cli/node_modules/@lydell/node-pty/unixTerminal.js:243:13)`,
      `${STDERR}    at _ShellExecutionService.resizePty (file:///usr/lib/node_modules/@google/gemini-cli/bundle/chunk-BE42OOYM.js:320429:30)`,
      `${STDERR}    at listOnTimeout (node:internal/timers:581:17)`,
      `${STDERR}    at process.processTimers (node:internal/timers:519:7)`,
    ],
    end: FAILED,
    is: { kind: "crashed" },
  },
  {
    // google-gemini/gemini-cli#16195
    what: "may not write its own file, and calls it an API error",
    lines: [
      gemini.said("Hello."),
      gemini.bad(
        "[API Error: EPERM: operation not permitted, open '/home/agent/.gemini/tmp/336885c565a9dbf21a7ac2a1a212f7082472dd2f1c95c2f9e85985880c171cfe/chats/session-2026-11-15T15-00-9c17ca68.json']",
      ),
    ],
    end: FAILED,
    is: { kind: "crashed" },
  },
  {
    // agent-streams/gemini/overloaded-once
    what: "overloaded, then at work, and done",
    lines: [
      `${STDERR}Attempt 1 failed with status 503. Retrying with backoff... _ApiError: {"error":{"code":503,"message":"The model is overloaded. Please try again later.","status":"UNAVAILABLE"}}`,
      `${STDERR}Attempt 2 failed with status 503. Retrying with backoff... _ApiError: {"error":{"code":503,"message":"The model is overloaded. Please try again later.","status":"UNAVAILABLE"}}`,
      gemini.said("The fake server now answers RESOURCE_EXHAUSTED."),
      gemini.tool("Error: You have exhausted your daily quota on this model."),
      gemini.said("The test passes."),
      gemini.good,
    ],
    is: { kind: "finished" },
  },
];

const OPENCODE: readonly Made[] = [
  {
    // dirge-code/dirge#818, anomalyco/opencode#33029
    what: "the five hours of GLM, in Chinese",
    lines: [
      opencodeError({
        message: "已达到 5 小时的使用上限。您的限额将在 2026-11-15 23:41:44 重置。",
        statusCode: 429,
        isRetryable: true,
        responseBody:
          '{"error":{"code":"1308","message":"已达到 5 小时的使用上限。您的限额将在 2026-11-15 23:41:44 重置。"}}',
      }),
    ],
    end: FAILED,
    is: { kind: "usage-limited" }, // or rate-limited: the moment has no zone, and the text is not English
  },
  {
    // MiniMax-AI/MiniMax-M2.7#36
    what: "the five hours of MiniMax",
    lines: [
      opencode.start,
      opencode.said("Reading."),
      opencodeError({
        message:
          "usage limit exceeded, 5-hour usage limit reached for Token Plan Starter (0/0 used), resets at 2026-11-15T20:00:00Z (2056)",
        statusCode: 429,
        isRetryable: true,
        responseBody:
          '{"type":"error","error":{"type":"rate_limit_error","message":"usage limit exceeded, 5-hour usage limit reached for Token Plan Starter (0/0 used), resets at 2026-11-15T20:00:00Z (2056)"}}',
      }),
    ],
    end: FAILED,
    is: { kind: "usage-limited", until: "2026-11-15T20:00:00.000Z" as never },
  },
  {
    // anomalyco/opencode#25458, #24462
    what: "the account at Moonshot is suspended",
    lines: [
      opencodeError({
        message: "Error from provider: Provider returned error",
        statusCode: 429,
        isRetryable: true,
        responseBody:
          '{"error":{"message":"Error from provider: Provider returned error","code":429,"metadata":{"raw":"{\\"error\\":{\\"message\\":\\"Your account org-x <ak-x> is suspended due to insufficient balance, please recharge your account or check your plan and billing details\\",\\"type\\":\\"exceeded_current_quota_error\\"}}","provider_name":"Moonshot AI","is_byok":true}}}',
      }),
    ],
    end: FAILED,
    is: { kind: "usage-limited" },
  },
  {
    // anomalyco/opencode#39620, #39621
    what: "Bedrock throttles and speaks of tokens",
    lines: [
      opencodeError({
        message: "Too many tokens, please wait before trying again.",
        statusCode: 429,
        isRetryable: true,
        responseHeaders: { "x-amzn-errortype": "ThrottlingException" },
        responseBody: '{"message":"Too many tokens, please wait before trying again."}',
      }),
    ],
    end: FAILED,
    is: { kind: "rate-limited" },
  },
  {
    // anomalyco/opencode#38059, continuedev/continue#10218
    what: "one request is more than Groq gives in a minute",
    lines: [
      opencodeError({
        message:
          "Request too large for model `openai/gpt-oss-20b` in organization `org_x` service tier `on_demand` on tokens per minute (TPM): Limit 8000, Requested 38369, please reduce your message size and try again. Need more tokens? Upgrade to Dev Tier today at https://console.groq.com/settings/billing",
        statusCode: 413,
        isRetryable: false,
        responseBody:
          '{"error":{"message":"Request too large for model `openai/gpt-oss-20b`","type":"tokens","code":"rate_limit_exceeded"}}',
      }),
    ],
    end: FAILED,
    is: { kind: "context-exhausted" }, // or rate-limited: that is its code, but no wait makes the request smaller
  },
  {
    // anomalyco/opencode#11080, #10909
    what: "its token cannot be refreshed",
    lines: [opencodeError({ message: "Error: Token refresh failed: 401" }, "UnknownError")],
    end: FAILED,
    is: { kind: "auth-failed" },
  },
  {
    // anomalyco/opencode#47162
    what: "a model that is not there, called a server error",
    lines: [
      `${STDERR}ProviderModelNotFoundError: Model not found: openrouter/does-not-exist-xyz. Did you mean: openrouter/hunter-alpha?`,
      opencodeError(
        {
          message: "Unexpected server error. Check server logs for details.",
          ref: "err_00111007",
        },
        "UnknownError",
      ),
    ],
    end: FAILED,
    is: { kind: "crashed" }, // or blocked; overloaded would be wrong: it is its own server
  },
  {
    // anomalyco/opencode#33827
    what: "Bun has crashed",
    lines: [
      opencode.start,
      opencode.said("I edit the file."),
      `${STDERR}Features: Bun.stderr(4) Bun.stdin(4) Bun.stdout(4) fetch(429) http_server jsc spawn(401) standalone_executable`,
      `${STDERR}panic(main thread): Segmentation fault at address 0x2455D932AA2`,
      `${STDERR}oh no: Bun has crashed. This indicates a bug in Bun, not your code.`,
    ],
    end: { exitCode: 139 },
    is: { kind: "crashed" },
  },
  {
    // anomalyco/opencode#35991
    what: "the input is longer than the model's context",
    lines: [
      opencode.start,
      opencode.said("Going on."),
      opencodeError({
        message:
          'Bad Request: {"detail":"Invalid request. Please check the parameters and try again. Details: The input (514881 tokens) is longer than the model\'s context length (262144 tokens)."}',
        statusCode: 400,
        isRetryable: false,
        responseBody:
          '{"detail":"Invalid request. Please check the parameters and try again. Details: The input (514881 tokens) is longer than the model\'s context length (262144 tokens)."}',
      }),
    ],
    end: FAILED,
    is: { kind: "context-exhausted" },
  },
  {
    // anomalyco/opencode#7463 for what Cerebras says
    what: "a tool and the model quote Cerebras, done",
    lines: [
      opencode.start,
      opencode.tool(
        "429 Tokens per minute limit exceeded - too many tokens processed. AI_APICallError: insufficient_quota",
      ),
      {
        type: "reasoning",
        part: { text: "Unauthorized? No: Token refresh failed: 401 is the fixture." },
      },
      opencode.said(
        "Cannot connect to API: connect ECONNREFUSED 127.0.0.1:11434 was the fixture; the retry works now.",
      ),
      { type: "snapshot_pruned", part: {} },
      opencode.stop,
    ],
    is: { kind: "finished" },
  },
];

const SORRY =
  "Sorry, you've hit a rate limit that restricts the number of Copilot model requests you can make within a specific time period.";
const TERMS =
  "Please review our Terms of Service (https://docs.github.com/site-policy/github-terms/github-terms-of-service). (Request ID: AF08:1CC094:79C2BF:8F5AB7:69C609B2)";

const COPILOT: readonly Made[] = [
  {
    // github/copilot-cli#2144, #2336
    what: "a limit for two hours",
    lines: [
      copilot.error({
        errorType: "rate_limit",
        message: `${SORRY} Please try again in 2 hours. ${TERMS}`,
        statusCode: 429,
      }),
      copilot.result(1),
    ],
    end: FAILED,
    is: { kind: "usage-limited", until: "2026-11-15T17:00:00.000Z" as never },
  },
  {
    // github/copilot-cli#2828
    what: "the limit of a week, with its day",
    lines: [
      copilot.said("I have changed two files."),
      copilot.error({
        errorType: "rate_limit",
        message:
          "You've reached your weekly rate limit. Please wait for your limit to reset on November 20, 2026 at 2:00 AM or switch to auto model to continue. Learn More (https://docs.github.com/en/copilot/concepts/rate-limits). (Request ID: D0BC:2556F:2EE648C:3A017D8:69E3DE2E)",
        statusCode: 429,
      }),
      copilot.result(1),
    ],
    end: { exitCode: 1, timeZone: "UTC" },
    is: { kind: "usage-limited", until: "2026-11-20T02:00:00.000Z" as never },
  },
  {
    // github/copilot-cli#2101, #2073
    what: "a limit for one minute",
    lines: [
      copilot.failure({ statusCode: 429, retryAttempt: 0, errorMessage: "rate_limited" }),
      copilot.error({
        errorType: "rate_limit",
        message: `${SORRY} Please try again in 1 minute. ${TERMS}`,
        statusCode: 429,
      }),
      copilot.result(1),
    ],
    end: FAILED,
    is: { kind: "rate-limited" },
  },
  {
    // github/copilot-cli#2306, #1526
    what: "the organisation does not allow it",
    lines: [
      copilot.error({
        errorType: "authorization",
        message:
          "You are not authorized to use this Copilot feature, it requires an enterprise or organization policy to be enabled.",
        statusCode: 403,
      }),
      copilot.result(1),
    ],
    end: FAILED,
    is: { kind: "auth-failed" }, // or blocked
  },
  {
    // github/copilot-cli#2641
    what: "its provider sends it away",
    lines: [
      copilot.failure({
        statusCode: 503,
        retryAttempt: 5,
        errorMessage:
          '{"error":{"message":"HTTP/2 GOAWAY connection terminated","type":"connection_error"}}',
      }),
      copilot.error({
        errorType: "query",
        message:
          'Failed to get response from the AI model; retried 5 times (total retry wait time: 95.06408330678565 seconds) Last error: CAPIError: 503 {"error":{"message":"HTTP/2 GOAWAY connection terminated","type":"connection_error"}}',
        statusCode: 503,
      }),
      copilot.result(1),
    ],
    end: FAILED,
    is: { kind: "overloaded" },
  },
  {
    // github/gh-aw#25313, github/copilot-cli#2859
    what: "a bad request, after work",
    lines: [
      copilot.said("I have read the issues."),
      copilot.failure({ statusCode: 400, retryAttempt: 0, errorMessage: "400 Bad Request" }),
      copilot.error({
        errorType: "query",
        message:
          "Execution failed: CAPIError: 400 400 Bad Request\n (Request ID: C818:3ED429:19D401B:1C446B7:69D653CA)",
        statusCode: 400,
      }),
      copilot.result(1),
    ],
    end: FAILED,
    is: { kind: "crashed" }, // or overloaded: those who reported it call it transient
  },
  {
    // microsoft/vscode#311847, github/copilot-cli#2827 for the warning
    what: "warned of the week, one failed call, done",
    lines: [
      {
        type: "session.warning",
        data: {
          warningType: "rate_limit",
          message:
            "You've used 90% of your weekly rate limit. Your weekly rate limit will reset on November 20 at 8:00 AM. Learn More",
        },
      },
      copilot.failure({ statusCode: 502, retryAttempt: 0, errorMessage: "502 Bad Gateway" }),
      { type: "assistant.turn_retry", data: { reason: "transient_error" } },
      copilot.tool(
        "API rate limit exceeded for 127.0.0.1. (But here's the good news: Authenticated requests get a higher rate limit.)",
      ),
      copilot.said("CAPIError: 401 is handled now; so is user_weekly_rate_limited."),
      copilot.result(0),
    ],
    is: { kind: "finished" },
  },
  {
    // agent-streams/copilot/permission-denied
    what: "a tool that nobody can allow",
    lines: [
      {
        type: "tool.execution_complete",
        data: {
          success: false,
          error: {
            message:
              "Permission denied because no interactive user response was available. Retry in an interactive session so the user can approve it, or try an alternative that does not require this permission.",
            code: "denied",
          },
        },
      },
      copilot.said("I could not push."),
      copilot.result(0),
    ],
    is: { kind: "denied" },
  },
];

const QWEN: readonly Made[] = [
  {
    // QwenLM/qwen-code#378
    what: "its refresh token is over",
    lines: [
      qwen.said(
        "[API Error: Refresh token expired or invalid. Please use '/auth' to re-authenticate.]",
      ),
      qwen.bad(
        "[API Error: Refresh token expired or invalid. Please use '/auth' to re-authenticate.]",
      ),
    ],
    end: FAILED,
    is: { kind: "auth-failed" },
  },
  {
    // QwenLM/qwen-code#73
    what: "OpenRouter wants more credits, or fewer tokens",
    lines: [
      qwen.bad(
        "[API Error: 402 This request requires more credits, or fewer max_tokens. You requested up to 225702 tokens, but can only afford 92985. To increase, visit https://openrouter.ai/settings/credits and add more credits]",
      ),
    ],
    end: FAILED,
    is: { kind: "usage-limited" },
  },
  {
    // QwenLM/qwen-code#2068, #98
    what: "DashScope names a range for the input",
    lines: [
      qwen.said("Reading all of it."),
      qwen.bad(
        "[API Error: 400 <400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 983616]]",
      ),
    ],
    end: FAILED,
    is: { kind: "context-exhausted" },
  },
  {
    // from memory: Alibaba Cloud Model Studio, error codes, DataInspectionFailed
    what: "the inspection of DashScope",
    lines: [
      qwen.bad(
        "[API Error: 400 <400> InternalError.Algo.DataInspectionFailed: Input data may contain inappropriate content.]",
      ),
    ],
    end: FAILED,
    is: { kind: "crashed" },
  },
  {
    // QwenLM/qwen-code#1742; the retry as in agent-streams/qwen/usage-limit
    what: "the free quota is used up, until it is ended",
    lines: [
      qwen.said("I look at the tests."),
      `${STDERR}Retrying in 60s (attempt 1/10): [API Error: 429 Free allocated quota exceeded.]`,
      qwen.retry,
      `${STDERR}Retrying in 120s (attempt 2/10): [API Error: 429 Free allocated quota exceeded.]`,
      qwen.retry,
    ],
    end: ENDED_FOR_RETRIES,
    is: { kind: "usage-limited" }, // or rate-limited
  },
  {
    // QwenLM/qwen-code#471, QwenLM/Qwen3-Coder#526
    what: "its Node is too old",
    lines: [
      `${STDERR}/usr/lib/node_modules/@qwen-code/qwen-code/node_modules/undici/lib/web/webidl/index.js:512`,
      `${STDERR}webidl.is.File = webidl.util.MakeTypeAssertion(File)`,
      `${STDERR}ReferenceError: File is not defined`,
      `${STDERR}    at Object.<anonymous> (/usr/lib/node_modules/@qwen-code/qwen-code/node_modules/undici/lib/web/webidl/index.js:512:48)`,
      `${STDERR}    at Object.<anonymous> (/usr/lib/node_modules/@qwen-code/qwen-code/node_modules/undici/lib/web/fetch/util.js:12:20)`,
      `${STDERR}    at Module._compile (node:internal/modules/cjs/loader:1159:14)`,
      `${STDERR}Node.js v18.12.1`,
    ],
    end: FAILED,
    is: { kind: "crashed" },
  },
  {
    // the warnings of agent-streams/qwen/*.meta.json; gustavodiasdev/opencode-qwencode-auth#8 for what is quoted
    what: "warnings, quotes, an answer in one more event, done",
    lines: [
      `${STDERR}Ripgrep not available: spawn /opt/qwen/vendor/ripgrep/x64-linux/rg EACCES. Falling back to built-in grep.`,
      `${STDERR}Warning: running headless with --yolo / approval-mode=yolo and no sandbox.`,
      { type: "stream_event", event: { type: "goal_state", goal_state: { v: 2, goal: null } } },
      claude.tool(
        'HTTP 429: {"error":{"code":"insufficient_quota","message":"You exceeded your current quota, please check your plan and billing details."}}',
        true,
      ),
      qwen.said("429 tests, 401 lines: [API Error: 503 overloaded] is in the fixture now."),
      qwen.good,
    ],
    is: { kind: "finished" },
  },
  {
    // a launcher that dies leaves half a line (shared/agents.md, "Orphans"); a zero is no positive end
    what: "half a line, and exit code 0",
    lines: [
      qwen.said("I will write the file."),
      '{"type":"result","subtype":"success","is_error":fal',
    ],
    end: { exitCode: 0 },
    is: { kind: "crashed" },
  },
];

const CLINE: readonly Made[] = [
  {
    // cline/cline#8501
    what: "no credits at Cline",
    lines: [
      cline.error("Insufficient balance. Your Cline Credits balance is $0.00"),
      cline.result("error", "Insufficient balance. Your Cline Credits balance is $0.00"),
    ],
    end: FAILED,
    is: { kind: "usage-limited" },
  },
  {
    // cline/cline#4080
    what: "Vertex wants a new login",
    lines: [
      cline.error(
        '400 - {"error":"invalid_grant","error_description":"reauth related error (invalid_rapt)","error_uri":"https://support.google.com/a/answer/9368756","error_subtype":"invalid_rapt"}',
      ),
      cline.result("error"),
    ],
    end: FAILED,
    is: { kind: "auth-failed" },
  },
  {
    // Gitlawb/openclaude#353 for what LM Studio says, cline/cline#3664
    what: "LM Studio loaded the model with too short a context",
    lines: [
      cline.error(
        '400 {"error":"The number of tokens to keep from the initial prompt is greater than the context length (n_keep: 13055>= n_ctx: 4096). Try to load the model with a larger context length, or provide a shorter input."}',
      ),
      cline.result("error"),
    ],
    end: FAILED,
    is: { kind: "context-exhausted" },
  },
  {
    // cline/cline#6973
    what: "a module of another Node",
    lines: [
      `${STDERR}CRITICAL ERROR: Failed to initialize SQLite database at /home/agent/.cline/data/locks.db: Error: The module '/usr/lib/node_modules/cline/node_modules/better-sqlite3/build/Release/better_sqlite3.node'`,
      `${STDERR}was compiled against a different Node.js version using`,
      `${STDERR}NODE_MODULE_VERSION 137. This version of Node.js requires`,
      `${STDERR}NODE_MODULE_VERSION 127. Please try re-compiling or re-installing`,
      `${STDERR}the module (for instance, using \`npm rebuild\` or \`npm install\`).`,
      `${STDERR}    at Object..node (node:internal/modules/cjs/loader:1865:18)`,
      `${STDERR}    at TracingChannel.traceSync (node:diagnostics_channel:328:14)`,
    ],
    end: FAILED,
    is: { kind: "crashed" },
  },
  {
    // cline/cline#651 for what Vertex says; "completed" is its finish reason
    what: "a quota at first, then work, done",
    lines: [
      cline.event({
        type: "error",
        recoverable: true,
        error: {
          message:
            '429 [{"error":{"code":429,"message":"Quota exceeded for aiplatform.googleapis.com/online_prediction_requests_per_base_model with base model: anthropic-claude-3-5-sonnet-v2. Please submit a quota increase request.","status":"RESOURCE_EXHAUSTED"}}]',
        },
      }),
      cline.said("It answers again: insufficient balance was not the reason."),
      cline.result("completed", "Done: 402 and 429 are told apart."),
    ],
    is: { kind: "finished" },
  },
  {
    // continuedev/continue#11679, the AI SDK's "Cannot connect to API" (shared/agents.md, 11)
    what: "Ollama is not started",
    lines: [
      cline.error("Cannot connect to API: connect ECONNREFUSED 127.0.0.1:11434"),
      cline.result("error", "Cannot connect to API: connect ECONNREFUSED 127.0.0.1:11434"),
    ],
    end: FAILED,
    is: { kind: "overloaded" },
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
