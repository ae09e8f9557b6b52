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
