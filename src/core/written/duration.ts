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
