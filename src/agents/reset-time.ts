// When an allowance is filled again: from numbers, or from the time of day that Codex prints. What is
// damaged, implausible or ambiguous is null; a wrong time would wake a run too early or far too late.
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

/** When it was told, and where the wall clock hangs. */
export interface ToldAt {
  readonly at: Instant;
  readonly timeZone: string | undefined;
}

const MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ");
const AT =
  /\btry again at (?:([A-Z][a-z]{2}) (\d{1,2})(?:st|nd|rd|th)?, (\d{4}) )?(\d{1,2}):(\d{2}) (AM|PM)\b/;
const IN = /\btry again in ((?:\d+ (?:day|hour|minute|second)s?[ ,]*)+)/;
const UNIT_S = { day: 86_400, hour: 3600, minute: 60, second: 1 } as const;

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

function secondsIn(words: string): number {
  let seconds = 0;
  for (const [, count = "", unit = ""] of words.matchAll(/(\d+) (day|hour|minute|second)/g)) {
    seconds += Number(count) * UNIT_S[unit as keyof typeof UNIT_S];
  }
  return seconds;
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
