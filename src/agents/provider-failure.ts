// Why a model provider refused, and when it can be asked again, from what it answered: HTTP status, error code,
// headers, its fixed wording. Agents that pass these on are read with the same rules. A time that is damaged,
// implausible or ambiguous is null: a wrong one would wake a run too early or far too late.
import type { AgentEvent, FailureCause } from "./agent.ts";
import { type JsonObject, numberIn, objectIn, parseJsonLine, stringIn } from "../core/json-line.ts";
import { type Instant, instantFromMs, msOf } from "../core/instant.ts";

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

/** The fixed wording of providers and of the programs between, where there is no code. */
const WORDINGS: readonly (readonly [wording: RegExp, cause: FailureCause])[] = [
  [/\bmaximum context length\b/i, "context"],
  [/\bprompt is too long\b/i, "context"],
  [/\binput token count\b.*\bexceeds the maximum\b/is, "context"],
  [/\bcredit balance is too low\b/i, "usage-limit"],
  [/\bexceeded your current quota\b/i, "usage-limit"],
  [/\bexhausted your (?:daily )?(?:quota|capacity)\b/i, "usage-limit"],
  [/\busage limit (?:has been )?reached\b/i, "usage-limit"],
  [/\bhit your (?:(?!token)[\w-]+ ){0,2}limit\b/i, "usage-limit"],
  [/\binsufficient (?:credits?|balance|funds|quota)\b/i, "usage-limit"],
  [/\bAPI key not valid\b/i, "auth"],
  [/\b(?:invalid|incorrect|expired) (?:x-)?api[- ]key\b/i, "auth"],
  [/\brate limit (?:reached|exceeded)\b/i, "rate-limit"],
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

/** "3h20m5s", "2 hours 5 minutes": the first letter tells the unit. */
function secondsIn(span: string): number {
  let seconds = 0;
  for (const [, count = "", unit = ""] of span.matchAll(/([\d.]+) ?([dhms])/g)) {
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

const EARLIEST_MS = Date.UTC(2020, 0, 1);
const LATEST_MS = Date.UTC(2100, 0, 1);
const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** A shorter wait is a passing rate: the next try comes later than that anyway. */
const SHORTEST_LIMIT_S = 300;
const LONGEST_WAIT_S = 31 * 24 * 60 * 60;

export function instantOfEpoch(seconds: number | undefined): Instant | null {
  return seconds === undefined ? null : plausible(seconds * 1000);
}

export function resetAfter(
  seconds: number | undefined,
  fromMs: number | undefined,
): Instant | null {
  if (seconds === undefined || fromMs === undefined) return null;
  if (!(seconds >= SHORTEST_LIMIT_S && seconds <= LONGEST_WAIT_S)) return null;
  return plausible(fromMs + seconds * 1000);
}

function plausible(ms: number): Instant | null {
  return ms >= EARLIEST_MS && ms <= LATEST_MS ? instantFromMs(ms) : null;
}

/** When it was told, and where the wall clock hangs. */
export interface ToldAt {
  readonly at: Instant;
  readonly timeZone: string | undefined;
}

const MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ");
const AT =
  /\btry again at (?:([A-Z][a-z]{2}) (\d{1,2})(?:st|nd|rd|th)?, (\d{4}) )?(\d{1,2}):(\d{2}) (AM|PM)\b/;
const IN = /\btry again in ((?:\d+ (?:day|hour|minute|second)s?[ ,]*)+)/;

/** "try again at 9:02 AM", with a date when it is not today, or "in 2 hours 5 minutes". */
export function resetInWords(text: string, { at, timeZone }: ToldAt): Instant | null {
  const wait = IN.exec(text)?.[1];
  if (wait !== undefined) return resetAfter(secondsIn(wait), msOf(at));
  const clock = AT.exec(text);
  if (clock === null || timeZone === undefined) return null;
  try {
    return resetByClock(clock, msOf(at), timeZone);
  } catch {
    // The zone is none that this machine knows.
    return null;
  }
}

function resetByClock(clock: RegExpExecArray, toldMs: number, timeZone: string): Instant | null {
  const [, month, day, year, hour = "", minute = "", half] = clock;
  if (Number(hour) < 1 || Number(hour) > 12 || Number(minute) > 59) return null;
  const dateMs =
    month === undefined
      ? wallMs(toldMs, timeZone) - (wallMs(toldMs, timeZone) % DAY_MS)
      : Date.UTC(Number(year), MONTHS.indexOf(month), Number(day));
  const hours = (Number(hour) % 12) + (half === "PM" ? 12 : 0);
  const instants = instantsAt(dateMs + (hours * 60 + Number(minute)) * MINUTE_MS, timeZone);
  const [ms] = instants;
  // Skipped or repeated when clocks change; or gone already, so that it was not meant for today.
  if (ms === undefined || instants.length > 1 || ms < toldMs - 2 * MINUTE_MS) return null;
  return plausible(ms);
}

/** What the wall clock shows, as if it were UTC. */
function wallMs(ms: number, timeZone: string): number {
  const parts = new Intl.DateTimeFormat("en-US", {
    timeZone,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  }).formatToParts(ms);
  const part = (type: string) => Number(parts.find((one) => one.type === type)?.value);
  return Date.UTC(
    part("year"),
    part("month") - 1,
    part("day"),
    part("hour"),
    part("minute"),
    part("second"),
  );
}

function instantsAt(wall: number, timeZone: string): readonly number[] {
  const offsets = [wall - DAY_MS, wall + DAY_MS].map((ms) => wallMs(ms, timeZone) - ms);
  const candidates = [...new Set(offsets)].map((offset) => wall - offset);
  return candidates.filter((ms) => wallMs(ms, timeZone) === wall);
}
