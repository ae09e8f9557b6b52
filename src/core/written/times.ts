// Lengths of time and hours of the day, as a person writes them. A typing error is never read as another time.

// A strict duration: whole numbers with units in falling order, as "1h30m", "45s", "2d".
// Nothing else is accepted, so that a typing error is never read as another length of time.

const DURATION = /^(?:(\d{1,6})d)?(?:(\d{1,6})h)?(?:(\d{1,6})m)?(?:(\d{1,6})s)?$/;

const UNITS_MS = [86_400_000, 3_600_000, 60_000, 1_000] as const;

/** Timers hold a signed 32-bit number of milliseconds; a longer wait would fire at once. */
export const MAX_DURATION_MS = 2_147_483_647;

/** Milliseconds, or undefined when the text is no duration, is zero or exceeds `MAX_DURATION_MS`. */
export function parseDuration(text: string): number | undefined {
  const match = DURATION.exec(text);
  if (match === null) return undefined;
  let totalMs = 0;
  for (const [index, unitMs] of UNITS_MS.entries())
    totalMs += Number(match[index + 1] ?? 0) * unitMs;
  return totalMs > 0 && totalMs <= MAX_DURATION_MS ? totalMs : undefined;
}

/** What is wrong with a text that is no duration, as a sentence; undefined where nothing is. */
export function durationProblem(text: string): string | undefined {
  if (parseDuration(text) !== undefined) return undefined;
  const form = "use whole days, hours, minutes, seconds, such as 1h30m";
  const written = text.trim();
  if (written === "") return `the duration is missing: ${form}`;
  if (/^0+(?:\.0+)?\s*[a-z]*$/i.test(written))
    return `"${written}" must be more than nothing: ${form}`;
  if (/^\d+$/.test(written)) return `"${written}" has no unit: ${form}`;
  const ms = lengthMeant(written);
  if (ms !== undefined && ms > MAX_DURATION_MS) {
    return `"${written}" is longer than ${durationText(MAX_DURATION_MS)}, the longest duration`;
  }
  return `"${written}" is not a duration: ${form}`;
}

const UNIT_WORDS: Readonly<Record<string, number>> = {
  ...unit(604_800_000, "w wk wks week weeks"),
  ...unit(86_400_000, "d day days"),
  ...unit(3_600_000, "h hr hrs hour hours"),
  ...unit(60_000, "m min mins minute minutes"),
  ...unit(1_000, "s sec secs second seconds"),
};

function unit(ms: number, words: string): Record<string, number> {
  return Object.fromEntries(words.split(" ").map((word) => [word, ms]));
}

/** The duration that a person clearly meant, as in "2 hours", "1.5h" or "90 min", written right. Only to be suggested. */
export function durationMeant(text: string): string | undefined {
  const ms = lengthMeant(text.trim());
  if (ms === undefined || ms % 1_000 !== 0) return undefined;
  const meant = durationText(ms);
  return parseDuration(meant) === undefined ? undefined : meant;
}

const LENGTH = /(\d{1,9}(?:\.\d{1,3})?)\s*([a-z]+)/gi;
/** Nothing but lengths, one after another: "1 hour and 30 minutes", "1h, 30m". */
const LENGTHS = /^\d[\d.]*\s*[a-z]+(?:\s*(?:,|\band\b)?\s*\d[\d.]*\s*[a-z]+)*\.?$/i;

function lengthMeant(text: string): number | undefined {
  if (text.length > 60 || !LENGTHS.test(text)) return undefined;
  let totalMs = 0;
  for (const [, count = "", word = ""] of text.matchAll(LENGTH)) {
    const unitMs = UNIT_WORDS[word.toLowerCase()];
    if (unitMs === undefined) return undefined;
    totalMs += Number(count) * unitMs;
  }
  return Math.round(totalMs);
}

/** As a person writes it; what is below a second is left out. */
export function durationText(ms: number): string {
  let leftMs = ms;
  const parts = UNITS_MS.map((unitMs, index) => {
    const count = Math.floor(leftMs / unitMs);
    leftMs -= count * unitMs;
    return count === 0 ? "" : `${count}${"dhms"[index]}`;
  });
  return parts.join("") || "0s";
}

// Hours of the day in which nobody is to be disturbed, as a person writes them: `22:00-07:00`. Minutes
// of the local day come in; which day it is does not matter.

const DAY_MINUTES = 24 * 60;

export interface QuietHours {
  /** Minutes after midnight. */
  readonly from: number;
  readonly to: number;
}

/** Undefined for what is no such time, and for a span of nothing. */
export function parseQuietHours(text: string): QuietHours | undefined {
  const match = /^\s*(\d{1,2}):(\d{2})\s*[-–]\s*(\d{1,2}):(\d{2})\s*$/.exec(text);
  if (match === null) return undefined;
  const [fromHour = 0, fromMinute = 0, toHour = 0, toMinute = 0] = match.slice(1).map(Number);
  const isTime = [fromHour, toHour].every((hour) => hour < 24) && fromMinute < 60 && toMinute < 60;
  const from = fromHour * 60 + fromMinute;
  const to = toHour * 60 + toMinute;
  return isTime && from !== to ? { from, to } : undefined;
}

/** How many minutes of quiet are left; 0 outside of it. */
export function quietMinutesLeft({ from, to }: QuietHours, minuteOfDay: number): number {
  const length = (to - from + DAY_MINUTES) % DAY_MINUTES;
  const passed = (minuteOfDay - from + DAY_MINUTES) % DAY_MINUTES;
  return passed < length ? length - passed : 0;
}
