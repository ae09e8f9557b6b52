// Why a model provider refused, from what it answered: HTTP status, error code, its fixed wording. Agents that pass
// these on are read with the same rules. When it can be asked again is read by reset-time.ts.
import type { AgentEvent, FailureCause } from "./agent.ts";
import { type JsonObject, numberIn, objectIn, parseJsonLine, stringIn } from "../core/json-line.ts";
import { instantOfEpoch, resetAfter, resetByHeader, secondsInWords } from "./reset-time.ts";

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

const CAUSES: ReadonlyMap<unknown, FailureCause> = new Map(
  Object.entries(CODES).flatMap(([cause, codes]) =>
    codes.map((code) => [code, cause as FailureCause] as const),
  ),
);

function causeOfCode(code: unknown): FailureCause | null {
  return CAUSES.get(code) ?? null;
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
  // Providers in China answer in their own language.
  [/上限|余额不足|(?:额度|配额)[^。]{0,6}(?:用完|用尽|耗尽|不足)/, "usage-limit"],
  [/\bcredits (?:are |were |have been )?(?:depleted|exhausted|used up)\b/i, "usage-limit"],
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
  [/\b(?:invalid_grant|invalid_rapt|could not load the default credentials)\b/i, "auth"],
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
  [/\btoo many requests\b/i, "rate-limit"],
  [/\bresource has been exhausted\b/i, "rate-limit"],
  [/\b(?:overloaded|at capacity|high demand)\b/i, "overloaded"],
  [/\b(?:temporarily unavailable|service (?:is )?unavailable|bad gateway)\b/i, "overloaded"],
  [/\b(?:internal server error|internal error (?:has )?(?:occurred|encountered))\b/i, "overloaded"],
  [/\b(?:upstream (?:connect )?error|server had an error)\b/i, "overloaded"],
  // A connection that broke or never came to be.
  [
    /\b(?:fetch failed|terminated|socket hang up|other side closed|premature close|incomplete JSON)\b/i,
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
  [/\bunable to verify the first certificate\b/i, "overloaded"],
  [/\bcertificate (?:has expired|is not yet valid|verify failed|is not trusted)\b/i, "overloaded"],
  [
    /\b(?:CERT_[A-Z_]+|UNABLE_TO_(?:VERIFY|GET)_[A-Z_]+|(?:DEPTH_ZERO_)?SELF_SIGNED_CERT[A-Z_]*|ERR_(?:TLS|SSL)_[A-Z_]+|EPROTO)\b/,
    "overloaded",
  ],
];

/** For what a program or a provider wrote about a request; never for what a model said. */
export function causeOfWording(message: string): FailureCause | null {
  // Asked again, it refuses again.
  if (/\bcontent[ _-]filter/i.test(message)) return null;
  const worded = WORDINGS.find(([wording]) => wording.test(message))?.[1];
  return worded ?? causeOfQuotedCode(message) ?? causeOfStatus(statusInWords(message));
}

/** Programs quote the answer of a provider, some of them twice. */
const QUOTED_CODE = /\\*"(?:code|type|reason|status)\\*"\s*:\s*\\*"([\w.]+)/g;

function causeOfQuotedCode(message: string): FailureCause | null {
  const causes = [...message.matchAll(QUOTED_CODE)].map(([, code]) => causeOfCode(code));
  return causes.find((cause) => cause !== null) ?? null;
}

/**
 * "429 …", "[provider.auth_error] 401 …", "API Error: 502 …", "unexpected status 407 …", "… (HTTP 401)", "… failed: 403",
 * "… failed with 503", and the page that a server or a proxy answers with.
 */
const STATUS_IN_WORDS = [
  /(?:^\W*(?:\[[\w.-]+\] |\w+: )?|\b(?:\w*Error|status(?: code)?|HTTP(?:\/\d(?:\.\d)?)?):? |<(?:title|h1)>\s*)([45]\d\d)\b/i,
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
  const coded = causeOfCode(body["code"]) ?? causeOfCode(body["type"]);
  const worded = causeOfWording(message) ?? causeOfWording(answer.body ?? "");
  if (coded === "rate-limit" && (worded === "usage-limit" || worded === "context")) return worded;
  return coded ?? worded ?? causeOfCode(body["status"]) ?? causeOfStatus(answer.status);
}

function resetOf(body: JsonObject, { headers = {}, toldAtMs }: ProviderAnswer) {
  const header = (name: string) => stringIn(headers[name]);
  return (
    instantOfEpoch(numberIn(body["resets_at"])) ??
    resetAfter(numberIn(body["resets_in_seconds"]), toldAtMs) ??
    instantOfEpoch(Number(header("anthropic-ratelimit-unified-reset"))) ??
    instantOfEpoch(Number(header("x-codex-primary-reset-at"))) ??
    resetByHeader(header("retry-after"), toldAtMs)
  );
}
