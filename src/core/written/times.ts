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
