// Streams with the words of gateways and of providers that want money, made up from what they are known to answer: codes that
// say nothing next to a status, budgets of a key, limits in Chinese, logins of a cloud, connections of Go and Python. Each
// with what is right, and the neighbours that the same words must not decide.
import {
  areJudgedRight,
  claude,
  claudeFailed,
  codex,
  FAILED,
  gemini,
  type Line,
  type Made,
  opencode,
  qwen,
  STDERR,
} from "../../test/support/made-up-stream.ts";

/** As claude-code-router passes on what a provider behind it answered. */
const routed = (status: number, inner: string): readonly Line[] =>
  claudeFailed(
    "invalid_request",
    `API Error: ${status} ${JSON.stringify({
      error: {
        message: `Error from provider(x,y: ${status}): ${inner}`,
        type: "api_error",
        code: "provider_response_error",
      },
    })}`,
    { api_error_status: status },
  );

const claudeAnswered = (status: number, error: object): readonly Line[] =>
  claudeFailed("unknown", `API Error: ${status} ${JSON.stringify({ error })}`, {
    api_error_status: status,
  });

const codexAnswered = (status: string, error: object): readonly Line[] => {
  const message = `unexpected status ${status}: ${JSON.stringify({ error })}`;
  return [codex.error(message), codex.bad(message)];
};

const opencodeAnswered = (statusCode: number, error: Readonly<Record<string, unknown>>): Line =>
  opencode.error({
    statusCode,
    message: error["message"],
    responseBody: JSON.stringify({ error }),
  });

const qwenFailed = (message: string): readonly Line[] => [qwen.bad(`[API Error: ${message}]`)];

const failedAs = (what: string, lines: readonly Line[], is: Made["is"]): Made => ({
  what,
  lines,
  end: FAILED,
  is,
});

const CRASHED = { kind: "crashed" } as const;
const AUTH = { kind: "auth-failed" } as const;
const RATE = { kind: "rate-limited" } as const;
const OVERLOADED = { kind: "overloaded" } as const;
const CONTEXT = { kind: "context-exhausted" } as const;
const NO_MONEY = { kind: "usage-limited", until: null } as const;

const NOT_PULLED = { message: 'model "qwen3" not found, try pulling it first', type: "api_error" };
const OVER_BUDGET = {
  message: "Budget has been exceeded! Current cost: 12.03, Max budget: 12.0",
  type: "budget_exceeded",
  param: null,
  code: "400",
};

areJudgedRight({
  claude: [
    failedAs(
      "a router: an argument is wrong",
      routed(400, '{"status":"INVALID_ARGUMENT"}'),
      CRASHED,
    ),
    failedAs(
      "a router: no such user",
      routed(401, '{"error":{"message":"User not found."}}'),
      AUTH,
    ),
    failedAs("a router: to be paid", routed(402, '{"error":{"message":"Pay first"}}'), NO_MONEY),
    failedAs("a router: no such model", routed(404, '{"error":{"message":"none"}}'), CRASHED),
    failedAs("a router: too fast", routed(429, '{"error":{"message":"Provider error"}}'), RATE),
    failedAs("a router: it is down", routed(500, '{"error":{"message":"none"}}'), OVERLOADED),
    failedAs(
      "a router: the context is full",
      routed(400, "This model's maximum context length is 131072 tokens"),
      CONTEXT,
    ),
    failedAs(
      "an api_error of the provider, its status told beside it",
      [
        claude.bad({
          result: 'API Error: {"error":{"type":"api_error","message":"x"}}',
          api_error_status: 404,
        }),
      ],
      CRASHED,
    ),
    failedAs("the budget of a key, as a bad request", claudeAnswered(400, OVER_BUDGET), NO_MONEY),
    failedAs(
      "the budget of a user, as a passing rate",
      claudeFailed(
        "rate_limit",
        `API Error: 429 ${JSON.stringify({
          error: { ...OVER_BUDGET, message: "ExceededBudget: User=anna over budget. Spend=101.2" },
        })}`,
        { api_error_status: 429 },
      ),
      NO_MONEY,
    ),
    failedAs(
      "a quota of new-api",
      claudeAnswered(403, {
        message: "user quota is not enough (request id: 2026)",
        type: "new_api_error",
        code: "insufficient_user_quota",
      }),
      NO_MONEY,
    ),
    failedAs(
      "a quota of new-api, in Chinese",
      claudeAnswered(403, {
        type: "new_api_error",
        message: "预扣费额度失败, 用户剩余额度: ＄0.012",
      }),
      NO_MONEY,
    ),
    failedAs(
      "no credentials of AWS",
      claudeFailed("unknown", "API Error: Could not load credentials from any providers"),
      AUTH,
    ),
    failedAs(
      "no profile of AWS",
      claudeFailed(
        "unknown",
        "API Error: Could not resolve credentials using profile: [dev] in configuration/credentials file(s).",
      ),
      AUTH,
    ),
    failedAs(
      "the tokens of a day at Bedrock",
      claudeFailed(
        "rate_limit",
        "API Error: 429 Too many tokens per day, please wait before trying again.",
        { api_error_status: 429 },
      ),
      NO_MONEY,
    ),
    failedAs(
      "tokens at Bedrock",
      claudeFailed(
        "rate_limit",
        "API Error: 429 Too many tokens, please wait before trying again.",
        {
          api_error_status: 429,
        },
      ),
      RATE,
    ),
    failedAs(
      "a hook terminated it",
      [
        {
          type: "result",
          subtype: "error_during_execution",
          is_error: true,
          errors: ["Stop hook terminated the session: lint failed"],
        },
      ],
      CRASHED,
    ),
    failedAs(
      "it cannot reach a bus, then its settings are wrong",
      [
        `${STDERR}Failed to connect to the bus: Could not parse server address`,
        `${STDERR}Error: Invalid settings: settings.json is not valid JSON`,
      ],
      CRASHED,
    ),
    {
      what: "all of these words in a tool and in its text, and it is done",
      lines: [
        claude.tool("403 Key limit exceeded: no such host, Budget has been exceeded!", true),
        claude.said("The gateway's 404 with api_error is handled; i/o timeout as well."),
        claude.good,
      ],
      is: { kind: "finished" },
    },
  ],
  codex: [
    failedAs(
      "a model that Ollama did not pull",
      codexAnswered("404 Not Found", NOT_PULLED),
      CRASHED,
    ),
    failedAs(
      "a bad schema, called a server error",
      codexAnswered("400 Bad Request", { message: "bad schema", type: "server_error" }),
      CRASHED,
    ),
    failedAs(
      "the limit of a key at OpenRouter",
      codexAnswered("403 Forbidden", { message: "Key limit exceeded (total limit).", code: 403 }),
      NO_MONEY,
    ),
    failedAs("the budget of a user", codexAnswered("400 Bad Request", OVER_BUDGET), NO_MONEY),
    failedAs(
      "a runner terminated for want of a kernel",
      [codex.bad("command runner terminated: landlock not supported on this kernel")],
      CRASHED,
    ),
    failedAs(
      "a server of tools wants a login, then its provider is not known",
      [
        `${STDERR}2026-11-15T15:00:00.1Z ERROR rmcp::transport::worker: worker quit with fatal: Transport channel closed, when AuthRequired(AuthRequiredError { error_description="Missing or invalid access token" })`,
        `${STDERR}Error: Model provider azur not found`,
      ],
      CRASHED,
    ),
    failedAs(
      "a server of tools wants a login, and nothing else is said",
      [
        `${STDERR}2026-11-15T15:00:00.1Z ERROR rmcp::transport::worker: worker quit with fatal: 401 Unauthorized`,
      ],
      CRASHED,
    ),
    failedAs(
      "its models are not refreshed, then it panics",
      [
        `${STDERR}2026-11-15T15:00:00.1Z ERROR codex_models_manager: failed to refresh available models: stream disconnected before completion: error sending request for url (https://chatgpt.com/backend-api/codex/models)`,
        `${STDERR}thread 'main' panicked at core/src/x.rs:1:1:`,
        `${STDERR}index out of bounds`,
      ],
      CRASHED,
    ),
    failedAs(
      "a log that warns, then the network is gone",
      [
        `${STDERR}2026-11-15T15:00:00.1Z ERROR codex_core: could not read its history`,
        `${STDERR}Error: error sending request for url (https://api.example/v1)`,
      ],
      OVERLOADED,
    ),
  ],
  gemini: [
    failedAs(
      "no host of that name",
      [gemini.bad("lookup gw on 10.0.0.1:53: no such host")],
      OVERLOADED,
    ),
  ],
  opencode: [
    failedAs("a model that Ollama did not pull", [opencodeAnswered(404, NOT_PULLED)], CRASHED),
    failedAs(
      "no access, called an api_error",
      [opencodeAnswered(401, { message: "no access here", type: "api_error" })],
      AUTH,
    ),
    failedAs(
      "no credits yet at xAI",
      [
        opencode.error({
          message: "Your newly created team doesn't have any credits or licenses yet.",
          statusCode: 403,
          responseBody: "{}",
        }),
      ],
      NO_MONEY,
    ),
    failedAs(
      "all credits used at xAI, said beside an empty answer",
      [
        opencode.error({
          message:
            "Your team has either used all available credits or reached its monthly spending limit.",
          statusCode: 429,
          responseBody: "{}",
        }),
      ],
      NO_MONEY,
    ),
    failedAs(
      "a right that is missing for want of money",
      [opencodeAnswered(403, { type: "permission_error", message: "insufficient balance" })],
      NO_MONEY,
    ),
    failedAs(
      "a wait that is not a decimal number",
      [
        opencode.error({
          message: "slow down",
          statusCode: 429,
          responseBody: "{}",
          responseHeaders: { "retry-after": "0x7080" },
        }),
      ],
      RATE,
    ),
    ...[
      'Post "http://10.0.0.4:11434/api/chat": context deadline exceeded',
      "dial tcp: lookup ollama.example on 10.0.0.1:53: no such host",
      "dial tcp 10.0.0.1:443: i/o timeout",
      "net/http: TLS handshake timeout",
      "Server disconnected without sending a response.",
      "peer closed connection without sending complete message body",
      "All connection attempts failed",
      "no healthy upstream",
      "Client network socket disconnected before secure TLS connection was established",
    ].map((message) =>
      failedAs(message, [opencode.error({ message }, "UnknownError")], OVERLOADED),
    ),
  ],
  qwen: [
    failedAs(
      "SiliconFlow",
      qwenFailed("403 Sorry, your account balance is insufficient"),
      NO_MONEY,
    ),
    failedAs("too much at once", qwenFailed("429 您的账户并发请求数已达到上限，请稍后重试"), RATE),
    failedAs("too fast", qwenFailed("429 请求频率超过每分钟上限，请稍后再试"), RATE),
    failedAs("too long", qwenFailed("400 输入内容长度超过模型上限，请缩短输入"), CONTEXT),
    failedAs("too many tools", qwenFailed("400 工具数量超过上限"), CRASHED),
    failedAs("its hours", qwenFailed("429 已达到 5 小时的使用上限。"), NO_MONEY),
    failedAs("its month", qwenFailed("429 当月用量已达上限"), NO_MONEY),
    failedAs(
      "an answer in the words of Python",
      qwenFailed("Error code: 404 - {'error': {'message': 'no', 'type': 'api_error'}}"),
      CRASHED,
    ),
    failedAs(
      "a passing rate in the words of Python",
      qwenFailed("Error code: 429 - {'error': {'message': 'no'}}"),
      RATE,
    ),
  ],
});
