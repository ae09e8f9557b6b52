// Why a model provider refused, from what it answered: HTTP status, error code, its fixed wording. Agents that pass
// these on are read with the same rules. When it can be asked again is read by reset-time.ts.
import type { AgentEvent, FailureCause } from "./agent.ts";
import { type JsonObject, numberIn, objectIn, parseJsonLine, stringIn } from "../core/json-line.ts";
import {
  decimal,
  instantOfEpoch,
  resetAfter,
  resetByHeader,
  secondsInWords,
} from "./reset-time.ts";

export function causeOfStatus(status: number | undefined): FailureCause | null {
  if (status === undefined) return null;
  // 407: a proxy on the way wants to know who asks, and waiting tells it nothing.
  if (status === 401 || status === 403 || status === 407) return "auth";
  // Payment required: nothing but money or time brings it back.
  if (status === 402) return "usage-limit";
  if (status === 413) return "context";
  if (status === 429) return "rate-limit";
  // Waiting helps here, and each wait is longer than the one before.
  return status === 408 || (status >= 500 && status < 600) ? "overloaded" : null;
}

const CODES: Readonly<Partial<Record<FailureCause, readonly string[]>>> = {
  "usage-limit": [
    "usage_limit_reached",
    "insufficient_quota",
    "quota_exceeded",
    "billing_error",
    "billing_not_active",
    "billing_hard_limit_reached",
    "budget_exceeded",
    "insufficient_user_quota",
    "Arrearage",
  ],
  "rate-limit": ["rate_limit_exceeded", "rate_limit_error", "rate_limit"],
  overloaded: [
    "overloaded",
    "overloaded_error",
    "server_is_overloaded",
    "server_error",
    "api_error",
    "internal_server_error",
    "UNAVAILABLE",
    "INTERNAL",
    "DEADLINE_EXCEEDED",
  ],
  context: ["context_length_exceeded", "request_too_large"],
  auth: [
    "invalid_api_key",
    "authentication_error",
    "authentication_failed",
    "permission_error",
    "API_KEY_INVALID",
    "UNAUTHENTICATED",
    "PERMISSION_DENIED",
  ],
};

/** Codes that say no more than that there is an error: gateways put them on every answer, whatever its status. */
const SAYS_NOTHING: ReadonlySet<unknown> = new Set([
  "api_error",
  "server_error",
  "internal_server_error",
]);

const CAUSES: ReadonlyMap<unknown, FailureCause> = new Map(
  Object.entries(CODES).flatMap(([cause, codes]) =>
    codes.map((code) => [code, cause as FailureCause] as const),
  ),
);

/** A status of the client's own error says more than a code that says nothing. */
function causeOfCode(code: unknown, status?: number): FailureCause | null {
  const isRefused = status !== undefined && status >= 400 && status < 500;
  return isRefused && SAYS_NOTHING.has(code) ? null : (CAUSES.get(code) ?? null);
}

/** A span for which something is allowed, or what is given for it. */
const ALLOWED = String.raw`(?:usage|session|free|subscription|plan|premium|extra|hour(?:ly)?|da(?:y|ily)|week(?:ly)?|month(?:ly)?|\d+[- ]hour)`;
const ALLOWANCE = "(?:limit|quota|tier|allowance|credit|usage)s?";
const USED_UP = "(?:reached|exhausted|exceeded|depleted|used up)";
/** Limits of one request, or of a minute. */
const OTHER_LIMIT = "(?:token|rate|context|input|output|max)";

/** The fixed wording of providers and of the programs between, where there is no code. */
const WORDINGS: readonly (readonly [wording: RegExp, cause: FailureCause])[] = [
  [/\bmaximum context length\b/i, "context"],
  [/\b(?:prompt|input|request|context|conversation) (?:is |was )?too (?:long|large)\b/i, "context"],
  [
    /\b(?:longer|larger|greater) than the (?:[\w'’]+ )?context (?:window|length|size)\b/i,
    "context",
  ],
  [/\binput token count\b.*\bexceeds the maximum\b/is, "context"],
  [/\b(?:prompt|input|tokens)\b[^.]{0,40}\bexceeds? the (?:\w+ )?(?:limit|maximum)\b/i, "context"],
  [/\brange of input length should be\b/i, "context"],
  [/\bexceed(?:s|ed|ing)? (?:[\w']+ ){0,4}context (?:window|length|limit|size)\b/i, "context"],
  [/\bcontext (?:window|length|limit|size) (?:was |is |has been )?exceeded\b/i, "context"],
  [/\bout of room in\b[^.]*\bcontext\b/i, "context"],
  [/(?:长度|上下文)[^。]{0,12}超[过出][^。]{0,10}(?:上限|限制|最大)/, "context"],
  [/\bcredit balance is too low\b/i, "usage-limit"],
  // Google has one sentence for the quota of a minute and of a day; only the name of the quota tells them apart.
  [/\bexceeded your current quota\b(?=.*PerMinute)(?!.*PerDay)/is, "rate-limit"],
  [/\bexceeded your current quota\b/i, "usage-limit"],
  [/\bexhausted your (?:daily )?(?:quota|capacity)\b/i, "usage-limit"],
  // The same sentence names a passing rate where its span is a minute.
  [/\b(?:limit|quota)\b.*(?:\bper[- ]day\b|PerDay|\b[RT]PD\b)/is, "usage-limit"],
  [/^(?:\w*Error: )?quota exceeded\b(?!.*\bper[- ]minute\b)/is, "usage-limit"],
  [
    new RegExp(String.raw`\b${ALLOWED} (?:[\w-]+ )?${ALLOWANCE}\b[^.]{0,40}\b${USED_UP}\b`, "i"),
    "usage-limit",
  ],
  [
    new RegExp(
      String.raw`\b(?:hit|reached|exceeded|exhausted|used up) (?:your|its|the) (?:(?!${OTHER_LIMIT})[\w'’-]+ ){0,5}(?:limit|quota|allowance|cap)s?\b(?! of \d)`,
      "i",
    ),
    "usage-limit",
  ],
  [/\bout of (?:[\w-]+ )?(?:usage|credits?|quota|requests)\b/i, "usage-limit"],
  [
    /\bused (?:up )?(?:all\b|100 ?%)[^.]{0,30}\b(?:limit|quota|usage|credits|requests)\b/i,
    "usage-limit",
  ],
  // Providers in China answer in their own language: limits of a moment, then allowances and money.
  [/(?:并发|频率|速率|每(?:分钟|秒))[^。]{0,20}(?:上限|限制)/, "rate-limit"],
  [
    /(?:使用|用量|额度|配额|限额|套餐|次数|小时|每[天日周月]|[当本][天日周月])[^。]{0,12}上限/,
    "usage-limit",
  ],
  [/余额不足|预扣费额度失败|欠费|(?:额度|配额)[^。]{0,6}(?:用完|用尽|耗尽|不足)/, "usage-limit"],
  [/\bcredits (?:are |were |have been )?(?:depleted|exhausted|used up)\b/i, "usage-limit"],
  [
    /\b(?:credits?|balance|funds|quota) (?:is |are )?(?:insufficient|not enough|too low)\b/i,
    "usage-limit",
  ],
  [
    /\b(?:does not|doesn['’]t|do not|don['’]t) have (?:any|enough|sufficient) (?:[\w-]+ )?(?:credits?|balance|funds|quota)\b/i,
    "usage-limit",
  ],
  // LiteLLM and OpenRouter limit what a key may cost.
  [/\b(?:budget has been exceeded|exceeded ?budget|crossed budget)\b/i, "usage-limit"],
  [/\bkey limit exceeded\b/i, "usage-limit"],
  [/\btoo many (?:tokens|requests) per day\b/i, "usage-limit"],
  [/\binsufficient (?:credits?|balance|funds|quota)\b/i, "usage-limit"],
  [/\bno (?:[\w-]+ )?(?:requests|credits|quota) (?:remaining|left)\b/i, "usage-limit"],
  [/\b(?:have|has) no (?:[\w-]+ )?(?:credits|quota)\b(?! project)/i, "usage-limit"],
  [/\bAPI key not valid\b/i, "auth"],
  [/\b(?:invalid|incorrect|expired|revoked) (?:x-)?api[- ]key\b/i, "auth"],
  [
    /\b(?:invalid|missing|expired|revoked) (?:authentication|oauth|access|refresh|bearer|auth) (?:credentials?|token)\b/i,
    "auth",
  ],
  [
    /\b(?:token|login|session|credentials|api[- ]key)\b[^.]{0,40}\b(?:has|have|is|are|was|were) (?:been )?(?:expired|revoked|disabled|invalidated)\b/i,
    "auth",
  ],
  [/\b(?:token|login|session|credentials|api[- ]key) (?:expired|revoked)\b/i, "auth"],
  [/\b(?:invalid_grant|invalid_rapt)\b/i, "auth"],
  [
    /\b(?:could not (?:load|resolve)|unable to locate) (?:the )?(?:default )?credentials\b/i,
    "auth",
  ],
  [/\b(?:please run \/login|(?:log|sign) ?in again|not (?:logged|signed) in)\b/i, "auth"],
  [/\b(?:unauthorized|not authorized to use|authentication (?:failed|required))\b/i, "auth"],
  [
    /\b(?:organi[sz]ation|account|workspace) (?:has been |is |was )?(?:disabled|suspended|deactivated|banned)\b/i,
    "auth",
  ],
  [/\b(?:free tier|login|sign-?in|oauth)\b[^.]{0,30}\bdiscontinued\b/i, "auth"],
  // Who asks from there is refused, whoever asks.
  [/\b(?:location|country|region|territory)\b[^.]{0,20}\bnot (?:supported|available)\b/i, "auth"],
  [/\bnot (?:supported|available) in your (?:location|country|region)\b/i, "auth"],
  [/\brate limit (?:reached|exceeded)\b/i, "rate-limit"],
  [/\b(?:hit|reached|exceeded|exceed) (?:an?|the|your) (?:[\w']+ )?rate limit\b/i, "rate-limit"],
  [/\b(?:too many requests|due to rate limit(?:s|ing))\b/i, "rate-limit"],
  [/\bresource has been exhausted\b/i, "rate-limit"],
  [/\b(?:overloaded|at capacity|high demand)\b/i, "overloaded"],
  [/\b(?:temporarily unavailable|service (?:is )?unavailable|bad gateway)\b/i, "overloaded"],
  [/\b(?:internal server error|internal error (?:has )?(?:occurred|encountered))\b/i, "overloaded"],
  [/\b(?:upstream (?:connect )?error|server had an error)\b/i, "overloaded"],
  [/\bno healthy upstream\b|\bupstream request timeout\b/i, "overloaded"],
  // A connection that broke or never came to be.
  [
    /\b(?:fetch failed|connection terminated|socket hang up|other side closed|premature close|incomplete JSON)\b/i,
    "overloaded",
  ],
  // Alone, as the fetch of Node says it: other things are terminated as well.
  [/(?:^\W*|: )terminated(?=\W*$| \()/i, "overloaded"],
  // Go, then Python.
  [
    /\b(?:context deadline exceeded|no such host|i\/o timeout|TLS handshake timeout)\b/i,
    "overloaded",
  ],
  [
    /\b(?:(?<!MCP )server disconnected|socket disconnected|peer closed connection|all connection attempts failed)\b/i,
    "overloaded",
  ],
  [/\b(?:cannot|could not|(?:failed|unable) to) connect\b(?! to (?:the )?MCP\b)/i, "overloaded"],
  [
    /\b(?:network|connection) (?:was |is )?(?:error|refused|reset|closed|failed|lost|down|unreachable|unavailable)\b/i,
    "overloaded",
  ],
  [/\b(?:dns error|failed to lookup address|name resolution)\b/i, "overloaded"],
  [/\b(?:stream disconnected|error sending request)\b/i, "overloaded"],
  [
    /\bstream (?:has )?ended (?:early|unexpectedly|before|without|with (?:an invalid|(?:an )?empty))\b/i,
    "overloaded",
  ],
  [
    /\b(?:request|operation|connection|connect|gateway|read|stream(?:ing)?|sse|socket|response|headers|body) (?:idle |setup )?(?:timed out|time-?out)\b/i,
    "overloaded",
  ],
  [/\b(?:ECONN[A-Z]+|E(?:NET|HOST)UNREACH|ENOTFOUND|ETIMEDOUT|EAI_AGAIN|EPIPE)\b/, "overloaded"],
  // Somebody between answered with a certificate that is not the provider's, or clocks differ.
  [/\b(?:self[- ]signed|(?:local )?issuer|invalid peer|leaf) certificate\b/i, "overloaded"],
  [/\bunable to verify the first certificate\b|\bx509: /i, "overloaded"],
  [/\bcertificate (?:has expired|is not yet valid|verify failed|is not trusted)\b/i, "overloaded"],
  [
    /\b(?:CERT_[A-Z_]+|UNABLE_TO_(?:VERIFY|GET)_[A-Z_]+|(?:DEPTH_ZERO_)?SELF_SIGNED_CERT[A-Z_]*|ERR_(?:TLS|SSL)_[A-Z_]+|EPROTO)\b/,
    "overloaded",
  ],
];

/**
 * For what a program or a provider wrote about a request; never for what a model said.
 * @param answered the status, where it is told beside the message
 */
export function causeOfWording(message: string, answered?: number): FailureCause | null {
  if (isFiltered(message)) return null;
  const status = statusInWords(message) ?? answered;
  return causeInText(message, status) ?? causeOfStatus(status);
}

/** Asked again, it refuses again. */
function isFiltered(message: string): boolean {
  return /\bcontent[ _-]filter/i.test(message);
}

function causeInText(message: string, status: number | undefined): FailureCause | null {
  if (isFiltered(message)) return null;
  const worded = WORDINGS.find(([wording]) => wording.test(message))?.[1];
  return worded ?? causeOfQuotedCode(message, status);
}

/** Programs quote the answer of a provider, some of them twice. */
const QUOTED_CODE = /\\*"(?:code|type|reason|status)\\*"\s*:\s*\\*"([\w.]+)/g;

function causeOfQuotedCode(message: string, status: number | undefined): FailureCause | null {
  const causes = [...message.matchAll(QUOTED_CODE)].map(([, code]) => causeOfCode(code, status));
  return causes.find((cause) => cause !== null) ?? null;
}

/**
 * "429 …", "[provider.auth_error] 401 …", "API Error: 502 …", "unexpected status 407 …", "… (HTTP 401)", "… failed: 403",
 * "… failed with 503", and the page that a server or a proxy answers with.
 */
const STATUS_IN_WORDS = [
  /(?:^\W*(?:\[[\w.-]+\] |\w+: )?|\b(?:\w*Error|(?:status|error)(?: code)?|HTTP(?:\/\d(?:\.\d)?)?):? |<(?:title|h1)>\s*)([45]\d\d)\b/i,
  /(?:: |\b(?:failed|answered|responded) with (?:an? )?(?:HTTP )?)([45]\d\d)(?: [A-Z][\w ]*)?\W*$/,
];

function statusInWords(message: string): number | undefined {
  const status = STATUS_IN_WORDS.map((words) => words.exec(message)?.[1]).find(Boolean);
  return status === undefined ? undefined : Number(status);
}

/** Asked last of all: it says no more than that waiting helps. */
export function asksToTryLater(message: string): boolean {
  return /\b(?:try|retry) (?:again|your request)? ?(?:later|shortly|soon|in a (?:moment|few))\b/i.test(
    message,
  );
}

/** "retry after 1800s", "quota will reset after 3h20m5s", "try again in 2 hours" in such a message. */
function limitInWording(
  message: string,
  toldAtMs: number | undefined,
): readonly Extract<AgentEvent, { kind: "limit" }>[] {
  const resetAt = resetAfter(secondsInWords(message), toldAtMs);
  return resetAt === null ? [] : [{ kind: "limit", resetAt }];
}

export interface ProviderAnswer {
  readonly status: number | undefined;
  /** As text, the way agents pass it on. */
  readonly body: string | undefined;
  /** What the agent says of it beside that. */
  readonly said?: string;
  readonly headers?: JsonObject | undefined;
  /** When the answer came, for waits that are told in seconds. */
  readonly toldAtMs: number | undefined;
}

/** The cause, and the limit where the provider says that an allowance is used up or names a reset. */
export function readProviderAnswer(answer: ProviderAnswer): {
  readonly cause: FailureCause | null;
  readonly limit: readonly Extract<AgentEvent, { kind: "limit" }>[];
} {
  const parsed = parseJsonLine(answer.body ?? "");
  const body = objectIn(parsed?.["error"]) ?? parsed ?? {};
  const message = stringIn(body["message"]) ?? answer.body ?? "";
  const cause = causeIn(body, message, answer);
  const resetAt = resetOf(body, answer);
  if (cause === "usage-limit") return { cause, limit: [{ kind: "limit", resetAt }] };
  if (cause !== "rate-limit") return { cause, limit: [] };
  if (resetAt !== null) return { cause, limit: [{ kind: "limit", resetAt }] };
  return { cause, limit: limitInWording(message, answer.toldAtMs) };
}

/** Its code says most, but one code stands for a passing rate, for a used-up allowance and for a request too large. */
function causeIn(body: JsonObject, message: string, answer: ProviderAnswer): FailureCause | null {
  const { said = "" } = answer;
  const status =
    answer.status ?? statusInWords(message) ?? statusInWords(said) ?? numberIn(body["code"]);
  const coded = causeOfCode(body["code"], status) ?? causeOfCode(body["type"], status);
  const texts = [message, answer.body ?? "", said];
  const causes = texts.map((text) => causeInText(text, status));
  const worded = causes.find((cause) => cause !== null) ?? null;
  // Who has no money is sent away with the words for a passing rate, or for a missing right.
  const isVague = coded === "rate-limit" || coded === "auth";
  if (isVague && worded === "usage-limit") return worded;
  if (coded === "rate-limit" && worded === "context") return worded;
  return coded ?? worded ?? causeOfCode(body["status"], status) ?? causeOfStatus(status);
}

function resetOf(body: JsonObject, { headers = {}, toldAtMs }: ProviderAnswer) {
  const header = (name: string) => stringIn(headers[name]);
  return (
    instantOfEpoch(numberIn(body["resets_at"])) ??
    resetAfter(numberIn(body["resets_in_seconds"]), toldAtMs) ??
    instantOfEpoch(decimal(header("anthropic-ratelimit-unified-reset"))) ??
    instantOfEpoch(decimal(header("x-codex-primary-reset-at"))) ??
    resetByHeader(header("retry-after"), toldAtMs)
  );
}
