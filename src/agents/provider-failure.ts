// Why a model provider refused, from what it answered: HTTP status, error code, headers. Agents that
// pass these on are read with the same rules.
import type { AgentEvent, FailureCause } from "./agent.ts";
import { type JsonObject, numberIn, objectIn, parseJsonLine, stringIn } from "../core/json-line.ts";
import { instantOfEpoch, resetAfter } from "./reset-time.ts";

export function causeOfStatus(status: number | undefined): FailureCause | null {
  if (status === undefined) return null;
  if (status === 401 || status === 403) return "auth";
  // Payment required: nothing but money or time brings it back.
  if (status === 402) return "usage-limit";
  if (status === 413) return "context";
  if (status === 429) return "rate-limit";
  // Waiting helps here, and each wait is longer than the one before.
  return status === 408 || (status >= 500 && status < 600) ? "overloaded" : null;
}

const CODES: Readonly<Record<FailureCause, readonly string[]>> = {
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
  budget: [],
  aborted: [],
  loop: [],
  setup: [],
};

const CAUSES: ReadonlyMap<unknown, FailureCause> = new Map(
  Object.entries(CODES).flatMap(([cause, codes]) =>
    codes.map((code) => [code, cause as FailureCause] as const),
  ),
);

function causeOfCode(code: unknown): FailureCause | null {
  return CAUSES.get(code) ?? null;
}

/** The fixed wording of providers and of the programs between, where there is no code. */
const WORDINGS: readonly (readonly [wording: RegExp, cause: FailureCause])[] = [
  [/\bmaximum context length\b/i, "context"],
  [/\bprompt is too long\b/i, "context"],
  [/\binput token count\b.*\bexceeds the maximum\b/is, "context"],
  [/\bcredit balance is too low\b/i, "usage-limit"],
  [/\bexceeded your current quota\b/i, "usage-limit"],
  [/\bexhausted your (?:daily )?(?:quota|capacity)\b/i, "usage-limit"],
  [/\busage limit has been reached\b/i, "usage-limit"],
  [/\bAPI key not valid\b/i, "auth"],
  [/\brate limit (?:reached|exceeded)\b/i, "rate-limit"],
  [/\b(?:server|model) is (?:currently )?overloaded\b/i, "overloaded"],
  // A connection that broke or never came to be.
  [
    /\b(?:fetch failed|cannot connect to API|terminated|socket hang up|other side closed|premature close)\b/i,
    "overloaded",
  ],
  [/\b(?:network|connection) (?:error|refused|reset|closed|failed|lost)\b/i, "overloaded"],
  [/\b(?:stream disconnected|error sending request|request timed out)\b/i, "overloaded"],
  [/\b(?:ECONN[A-Z]+|ENOTFOUND|ETIMEDOUT|EAI_AGAIN|EPIPE)\b/, "overloaded"],
];

/** For what a program or a provider wrote about a request; never for what a model said. */
export function causeOfWording(message: string): FailureCause | null {
  return WORDINGS.find(([wording]) => wording.test(message))?.[1] ?? null;
}

const WAIT = /\b(?:try again|retry|reset) (?:in|after) ((?:\d{1,7}(?:\.\d+)?[dhms])+)/;

/** "retry after 1800s", "quota will reset after 3h20m5s" in such a message. */
export function limitInWording(
  message: string,
  toldAtMs: number | undefined,
): readonly Extract<AgentEvent, { kind: "limit" }>[] {
  const span = WAIT.exec(message)?.[1];
  const resetAt = resetAfter(span === undefined ? undefined : secondsIn(span), toldAtMs);
  return resetAt === null ? [] : [{ kind: "limit", resetAt }];
}

const UNITS = { d: 86_400, h: 3600, m: 60, s: 1 } as const;

function secondsIn(span: string): number {
  let seconds = 0;
  for (const [, count = "", unit = ""] of span.matchAll(/([\d.]+)([dhms])/g)) {
    seconds += Number(count) * UNITS[unit as keyof typeof UNITS];
  }
  return seconds;
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
  const header = (name: string) => Number(stringIn(headers[name]) ?? Number.NaN);
  return (
    instantOfEpoch(numberIn(body["resets_at"])) ??
    resetAfter(numberIn(body["resets_in_seconds"]), toldAtMs) ??
    instantOfEpoch(header("anthropic-ratelimit-unified-reset")) ??
    instantOfEpoch(header("x-codex-primary-reset-at")) ??
    resetAfter(header("retry-after"), toldAtMs)
  );
}
