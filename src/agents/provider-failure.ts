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
const ALLOWED = String.raw`(?:usage|session|free|hourly|daily|weekly|monthly|\d+-hour)`;
const ALLOWANCE = "(?:limit|quota|tier|allowance|credits)";
const USED_UP = "(?:reached|exhausted|exceeded|used up)";

/** The fixed wording of providers and of the programs between, where there is no code. */
const WORDINGS: readonly (readonly [wording: RegExp, cause: FailureCause])[] = [
  [/\bmaximum context length\b/i, "context"],
  [/\b(?:prompt|input|request|context|conversation) (?:is|was) too (?:long|large)\b/i, "context"],
  [/\binput token count\b.*\bexceeds the maximum\b/is, "context"],
  [/\brange of input length should be\b/i, "context"],
  [/\bexceed(?:s|ed|ing)? (?:[\w']+ ){0,4}context (?:window|length|limit|size)\b/i, "context"],
  [/\bcontext (?:window|length|limit|size) (?:was |is |has been )?exceeded\b/i, "context"],
  [/\bcredit balance is too low\b/i, "usage-limit"],
  [/\bexceeded your current quota\b/i, "usage-limit"],
  [/\bexhausted your (?:daily )?(?:quota|capacity)\b/i, "usage-limit"],
  [
    new RegExp(String.raw`\b${ALLOWED} (?:[\w-]+ )?${ALLOWANCE}\b[^.]{0,40}\b${USED_UP}\b`, "i"),
    "usage-limit",
  ],
  [
    /\b(?:hit|reached|exceeded|exhausted|used up) your (?:(?!token|rate|context|input|output|max)[\w-]+ ){0,3}(?:limit|quota|allowance)\b/i,
    "usage-limit",
  ],
  [/\binsufficient (?:credits?|balance|funds|quota)\b/i, "usage-limit"],
  [/\bno (?:[\w-]+ )?(?:requests|credits) (?:remaining|left)\b/i, "usage-limit"],
  [/\bAPI key not valid\b/i, "auth"],
  [/\b(?:invalid|incorrect|expired) (?:x-)?api[- ]key\b/i, "auth"],
  [/\b(?:invalid|missing|expired) (?:authentication|oauth) (?:credentials?|token)\b/i, "auth"],
  [/\b(?:token|login|credentials|api[- ]key) (?:has |have |is |are )?expired\b/i, "auth"],
  [/\brate limit (?:reached|exceeded)\b/i, "rate-limit"],
  [/\b(?:hit|reached|exceeded) (?:an?|the|your) rate limit\b/i, "rate-limit"],
  [/\btoo many requests\b/i, "rate-limit"],
  [/\bresource has been exhausted\b/i, "rate-limit"],
  [/\b(?:server|model) is (?:currently )?overloaded\b/i, "overloaded"],
  [/\b(?:service (?:is )?(?:temporarily )?unavailable|bad gateway)\b/i, "overloaded"],
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
  [/\b(?:request|operation|connection|connect|gateway) (?:timed out|time-?out)\b/i, "overloaded"],
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
  const worded = WORDINGS.find(([wording]) => wording.test(message))?.[1];
  return worded ?? causeOfStatus(statusInWords(message));
}

/**
 * "429 …", "[provider.auth_error] 401 …", "API Error: 502 …", "unexpected status 407 …", "… (HTTP 401)", and the page that
 * a server or a proxy answers with.
 */
const STATUS_IN_WORDS =
  /(?:^\W*(?:\[[\w.-]+\] |\w+: )?|\b(?:\w*Error|status(?: code)?|HTTP(?:\/\d(?:\.\d)?)?):? |<(?:title|h1)>\s*)([45]\d\d)\b/i;

function statusInWords(message: string): number | undefined {
  const status = STATUS_IN_WORDS.exec(message)?.[1];
  return status === undefined ? undefined : Number(status);
}

/** "retry after 1800s", "quota will reset after 3h20m5s", "try again in 2 hours" in such a message. */
export function limitInWording(
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
  const cause =
    causeOfCode(body["code"]) ??
    causeOfCode(body["type"]) ??
    causeOfWording(message) ??
    causeOfCode(body["status"]) ??
    causeOfStatus(answer.status);
  const resetAt = resetOf(body, answer);
  if (cause === "usage-limit") return { cause, limit: [{ kind: "limit", resetAt }] };
  if (cause !== "rate-limit") return { cause, limit: [] };
  if (resetAt !== null) return { cause, limit: [{ kind: "limit", resetAt }] };
  return { cause, limit: limitInWording(message, answer.toldAtMs) };
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
