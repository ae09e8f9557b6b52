// When a provider can be asked again, from what it or its agent told: seconds, a date, a span in words, the clock on the
// wall. A time that is damaged, implausible or ambiguous is null: a wrong one would wake a run too early or far too late.
import { type Instant, instantFromMs, msOf } from "../core/instant.ts";

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

const HTTP_DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/** What `retry-after` holds: seconds, or a date. */
export function resetByHeader(
  value: string | undefined,
  toldAtMs: number | undefined,
): Instant | null {
  if (value === undefined || toldAtMs === undefined) return null;
  if (!HTTP_DATE.test(value)) return resetAfter(Number(value), toldAtMs);
  return resetAfter((Date.parse(value) - toldAtMs) / 1000, toldAtMs);
}

const UNITS = { d: 86_400, h: 3600, m: 60, s: 1 } as const;
const UNIT = "(?:d(?:ays?)?|h(?:ours?|rs?)?|m(?:in(?:ute)?s?)?|s(?:ec(?:ond)?s?)?)(?![a-z])";
const SPAN = new RegExp(
  String.raw`\b(?:try again|retry|resets?) (?:in|after) ((?:\d{1,7}(?:\.\d+)? ?${UNIT}(?:,? and |,? )?)+)`,
  "i",
);

/** "retry in 3h20m5s", "try again in 2 hours and 5 minutes": the first letter tells the unit. */
export function secondsInWords(text: string): number | undefined {
  const span = SPAN.exec(text)?.[1]?.toLowerCase();
  if (span === undefined) return undefined;
  let seconds = 0;
  for (const [, count = "", unit = ""] of span.matchAll(/([\d.]+) ?([dhms])/g)) {
    seconds += Number(count) * UNITS[unit as keyof typeof UNITS];
  }
  return seconds;
}

/** When it was told, and where the wall clock hangs. */
export interface ToldAt {
  readonly at: Instant;
  readonly timeZone: string | undefined;
}

const MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split(" ");
const DAYS = "sun mon tue wed thu fri sat".split(" ");

/** The day, as far as it is told: none, one of the week, or a date with or without its year. */
const DAY = String.raw`(?:(?<weekday>${DAYS.join("|")})\w*,? (?:at )?|(?<month>${MONTHS.join("|")})\w* (?<day>\d{1,2})(?:st|nd|rd|th)?(?:,? (?<year>\d{4}))?(?:,| at)? )?`;
const CLOCK = String.raw`(?<hour>\d{1,2})(?::(?<minute>\d{2}))? ?(?<half>am|pm)\b(?: \((?<zone>[\w/+-]+)\))?`;
const BY_CLOCK = new RegExp(
  String.raw`\b(?<word>try again|resets?) (?:at |on )?${DAY}${CLOCK}`,
  "i",
);
/** Older programs give the seconds since 1970. */
const BY_NUMBER = /\blimit reached\|(\d{10})\b/;

/**
 * "try again at 9:02 AM", "resets Nov 20, 9am (Europe/Berlin)", "resets Mon 9am", "try again in 2 hours 5 minutes",
 * "limit reached|1794900000".
 */
export function resetInWords(text: string, { at, timeZone }: ToldAt): Instant | null {
  const number = BY_NUMBER.exec(text)?.[1];
  if (number !== undefined) return instantOfEpoch(Number(number));
  const wait = secondsInWords(text);
  if (wait !== undefined) return resetAfter(wait, msOf(at));
  const clock = BY_CLOCK.exec(text)?.groups;
  const zone = clock?.["zone"] ?? timeZone;
  if (clock === undefined || zone === undefined) return null;
  try {
    return resetByClock(clock, msOf(at), zone);
  } catch {
    // The zone is none that this machine knows.
    return null;
  }
}

type Clock = Readonly<Record<string, string | undefined>>;

function resetByClock(clock: Clock, toldMs: number, timeZone: string): Instant | null {
  const [hour, minute] = [Number(clock["hour"]), Number(clock["minute"] ?? 0)];
  if (hour < 1 || hour > 12 || minute > 59) return null;
  const hours = (hour % 12) + (clock["half"]?.toLowerCase() === "pm" ? 12 : 0);
  const timeMs = (hours * 60 + minute) * MINUTE_MS;
  const earliest = toldMs - 2 * MINUTE_MS;
  for (const dayMs of daysMeant(clock, wallMs(toldMs, timeZone))) {
    const instants = instantsAt(dayMs + timeMs, timeZone);
    const [ms] = instants;
    // Skipped or repeated when clocks change.
    if (ms === undefined || instants.length > 1) return null;
    if (ms >= earliest) return ms - toldMs > LONGEST_WAIT_S * 1000 ? null : plausible(ms);
  }
  return null;
}

/** The days that may be meant, earliest first, as midnights of the wall clock: the first that is not over is. */
function daysMeant({ weekday, month, day, year, word }: Clock, wallNow: number): readonly number[] {
  const today = wallNow - (wallNow % DAY_MS);
  if (month !== undefined) {
    const thisYear = new Date(today).getUTCFullYear();
    const years = year === undefined ? [thisYear, thisYear + 1] : [Number(year)];
    return years.map((each) => Date.UTC(each, MONTHS.indexOf(month.toLowerCase()), Number(day)));
  }
  if (weekday !== undefined) {
    const ahead = (DAYS.indexOf(weekday.toLowerCase()) - new Date(today).getUTCDay() + 7) % 7;
    return [today + ahead * DAY_MS, today + (ahead + 7) * DAY_MS];
  }
  // An hour to try again at is one of today; the hour of a reset is the next one.
  return word?.toLowerCase() === "try again" ? [today] : [today, today + DAY_MS];
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
