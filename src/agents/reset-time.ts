// When a provider can be asked again, from what it or its agent told: seconds, a date, a span in words, the clock on the
// wall. A time that is damaged, implausible or ambiguous is null: a wrong one would wake a run too early or far too late.
import { type Instant, instantFromMs, msOf } from "../core/instant.ts";

const EARLIEST_MS = Date.UTC(2020, 0, 1);
const LATEST_MS = Date.UTC(2100, 0, 1);
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** A shorter wait is a passing rate: the next try comes later than that anyway. */
const SHORTEST_LIMIT_S = 300;
const LONGEST_WAIT_S = 31 * 24 * 60 * 60;

export function instantOfEpoch(seconds: number | undefined): Instant | null {
  return seconds === undefined ? null : plausible(seconds * 1000);
}

export function isShortWait(seconds: number | undefined): boolean {
  return seconds !== undefined && seconds < SHORTEST_LIMIT_S;
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
  if (!HTTP_DATE.test(value)) return resetAfter(decimal(value), toldAtMs);
  return resetAfter((Date.parse(value) - toldAtMs) / 1000, toldAtMs);
}

/** Another way to write a number is not meant. */
export function decimal(value: string | undefined): number | undefined {
  return /^\d+(?:\.\d+)?$/.test(value ?? "") ? Number(value) : undefined;
}

const UNITS = { d: 86_400, h: 3600, m: 60, s: 1 } as const;
const UNIT = "(?:d(?:ays?)?|h(?:ours?|rs?)?|m(?:in(?:ute)?s?)?|s(?:ec(?:ond)?s?)?)(?![a-z])";
const SPAN = new RegExp(
  String.raw`\b(?:(?:try again|retry|resets?|available(?: again)?) (?:in|after)|wait(?: for)?)(?: about| approximately)? ((?:\d{1,7}(?:\.\d+)? ?${UNIT}(?:,? and |,? )?)+)`,
  "i",
);
/** As in the header of that name. */
const BARE_SECONDS = /\bretry[- ]after:? (\d{1,7})(?!\.?\d| ?[a-z])/i;

/** "retry in 3h20m5s", "try again in 2 hours and 5 minutes": the first letter tells the unit. */
export function secondsInWords(text: string): number | undefined {
  const span = SPAN.exec(text)?.[1]?.toLowerCase();
  if (span === undefined) {
    const bare = BARE_SECONDS.exec(text)?.[1];
    return bare === undefined ? undefined : Number(bare);
  }
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

/** A day as it may be told: near, one of the week, or a date with or without its year. */
const NEAR = "(?<near>today|tonight|tomorrow)";
const WEEKDAY = String.raw`(?<weekday>${DAYS.join("|")})(?:s|nes|rs?|ur)?(?:day)?\b`;
const MONTH_DAY = String.raw`(?<month>${MONTHS.join("|")})[a-z]*\.? (?<day>\d{1,2})(?:st|nd|rd|th)?(?:,? (?<year>\d{4}))?`;
const DATE = String.raw`(?<date>\d{4}-\d{2}-\d{2})`;
const DAY = String.raw`(?:(?:${NEAR}|${WEEKDAY}),? (?:at )?|${MONTH_DAY}(?:,| at)? |${DATE}(?:T|,? (?:at )?))?`;
const CLOCK = String.raw`(?<hour>\d{1,2})(?::(?<minute>\d{2})(?::(?<second>\d{2})(?:\.\d+)?)?)? ?(?<half>am|pm)?(?![\w.:]*\d)`;
const BY_CLOCK = new RegExp(
  String.raw`\b(?<word>try again|resets?|regain access|available(?: again)?|wait until) (?:at |on )?${DAY}${CLOCK}(?<after>.?.{0,60})`,
  "is",
);
/** The day may also follow, and the zone may be between. */
const DAY_AFTER = new RegExp(
  String.raw`^,? ?(?:on )?(?:${NEAR}|${WEEKDAY}|${MONTH_DAY}|${DATE})(?![\w:])`,
  "i",
);
const ZONE_BETWEEN = /^(?: ?\([^)]*\)| ?(?:UTC|GMT)?[+-]\d[\d:]*| ?[A-Z]{1,5}(?=[ ,]))/;
/** A day, or a part of one, in words that are not read here: as if nothing followed, it would be another moment. */
const OTHER_DAY = new RegExp(
  String.raw`^,? ?(?:on|next|in the|\d{1,2}(?:st|nd|rd|th)?\.? (?:of )?(?:${MONTHS.join("|")})[a-z]*)\b`,
  "i",
);
/** Older programs give the seconds since 1970. */
const BY_NUMBER = /\blimit reached\|(\d{10})\b/;

/**
 * "try again at 9:02 AM", "resets Nov 20, 9am (Europe/Berlin)", "resets Mon 9am", "regain access on 2026-12-01 at 00:00
 * UTC", "9 p.m. (UTC) on Nov 18", "9pm tomorrow", "try again in 2 hours 5 minutes", "limit reached|1794900000".
 */
export function resetInWords(text: string, { at, timeZone }: ToldAt): Instant | null {
  const plain = text.replace(/[\u00A0\u2009\u202F]/g, " ").replace(/\b([ap])\.m\b\.?/gi, "$1m");
  const number = BY_NUMBER.exec(plain)?.[1];
  if (number !== undefined) return instantOfEpoch(Number(number));
  const wait = secondsInWords(plain);
  if (wait !== undefined) return resetAfter(wait, msOf(at));
  const told = clockIn(plain);
  if (told === null) return null;
  const { clock, after } = told;
  const ahead = offsetMs(after);
  if (ahead !== null) return resetAhead(clock, msOf(at), ahead);
  const zone = zoneMeant(after, timeZone);
  if (zone === undefined) return null;
  try {
    return resetByClock(clock, msOf(at), zone);
  } catch {
    // The zone is none that this machine knows.
    return null;
  }
}

/** The clock with its day, which may stand before or after it; and what follows, such as its zone. */
function clockIn(text: string): { readonly clock: Clock; readonly after: string } | null {
  const clock = BY_CLOCK.exec(text)?.groups;
  if (clock === undefined) return null;
  const { after = "", near, weekday, month, date } = clock;
  if ((near ?? weekday ?? month ?? date) !== undefined) return { clock, after };
  const [zone = ""] = ZONE_BETWEEN.exec(after) ?? [];
  const rest = after.slice(zone.length);
  const day = DAY_AFTER.exec(rest);
  if (day === null) return OTHER_DAY.test(rest) ? null : { clock, after };
  const told = Object.entries(day.groups ?? {}).filter(([, value]) => value !== undefined);
  const behind = rest.slice(day[0].length);
  return {
    clock: { ...clock, ...Object.fromEntries(told) },
    after: zone === "" ? behind : zone,
  };
}

/** "+0800", "+05:30", "UTC-3": how far the clock is ahead of UTC. */
function offsetMs(after: string): number | null {
  const [, sign, hours, minutes = "0"] =
    /^ ?\(?(?:UTC|GMT)?([+-])(\d{1,2})(?::?(\d{2}))?(?!\d)/.exec(after) ?? [];
  if (sign === undefined || Number(hours) > 14 || Number(minutes) > 59) return null;
  const ms = (Number(hours) * 60 + Number(minutes)) * MINUTE_MS;
  return sign === "-" ? -ms : ms;
}

/** As if that clock showed UTC. */
function resetAhead(clock: Clock, toldMs: number, aheadMs: number): Instant | null {
  const reset = resetByClock(clock, toldMs + aheadMs, "UTC");
  return reset === null ? null : plausible(msOf(reset) - aheadMs);
}

/** Short names of zones that mean one place; others mean several. */
const SHORT_ZONES: Readonly<Record<string, string>> = {
  Z: "UTC",
  UTC: "UTC",
  GMT: "UTC",
  PT: "America/Los_Angeles",
  PST: "America/Los_Angeles",
  PDT: "America/Los_Angeles",
  ET: "America/New_York",
  CET: "Europe/Berlin",
  CEST: "Europe/Berlin",
  JST: "Asia/Tokyo",
  EST: "America/New_York",
  EDT: "America/New_York",
};

/** The zone that follows the time; the machine's own where none does. */
function zoneMeant(after: string, own: string | undefined): string | undefined {
  const [named, long = ""] = /^ ?\(([\w/+ -]+)\)|^ ?[A-Z]{1,5}\b/.exec(after) ?? [];
  if (named === undefined) return /^ ?[+-]\d/.test(after) ? undefined : own;
  if (/\blocal\b/i.test(long)) return own;
  // In capitals it may mean several, also where the machine knows one of them: BST, IST, AST.
  if (/[a-z]/.test(long)) return long.trim().replaceAll(" ", "_");
  return SHORT_ZONES[long || named.trim()];
}

type Clock = Readonly<Record<string, string | undefined>>;

function resetByClock(clock: Clock, toldMs: number, timeZone: string): Instant | null {
  const timeMs = timeOfDay(clock);
  if (timeMs === null) return null;
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

/** With its half of the day, or as hours and minutes of the whole. */
function timeOfDay({ hour, minute, second, half }: Clock): number | null {
  const [hours, minutes, seconds] = [Number(hour), Number(minute ?? 0), Number(second ?? 0)];
  if (minutes > 59 || seconds > 59) return null;
  const inHour = minutes * MINUTE_MS + seconds * 1000;
  if (half === undefined) {
    return minute === undefined || hours > 23 ? null : hours * HOUR_MS + inHour;
  }
  if (hours < 1 || hours > 12) return null;
  return ((hours % 12) + (half.toLowerCase() === "pm" ? 12 : 0)) * HOUR_MS + inHour;
}

/** The days that may be meant, earliest first, as midnights of the wall clock: the first that is not over is. */
function daysMeant(clock: Clock, wallNow: number): readonly number[] {
  const { near, weekday, month, day, year, date, word } = clock;
  const today = wallNow - (wallNow % DAY_MS);
  if (near !== undefined) return [today + (near.toLowerCase() === "tomorrow" ? DAY_MS : 0)];
  if (date !== undefined) return [Date.parse(date)];
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
