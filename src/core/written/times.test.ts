import { describe, expect, test } from "vitest";
import { MAX_DURATION_MS, parseDuration, parseQuietHours, quietMinutesLeft } from "./times.ts";

describe("a duration", () => {
  test.each([
    ["45s", 45_000],
    ["30m", 1_800_000],
    ["1h30m", 5_400_000],
    ["2d", 172_800_000],
    ["1d2h3m4s", 93_784_000],
    ["90m", 5_400_000],
  ])("%s is %d milliseconds", (text, expected) => {
    expect(parseDuration(text)).toBe(expected);
  });

  test.each([
    "",
    "0s",
    "30",
    "30 m",
    "1h -5m",
    "-5m",
    "30m1h",
    "1.5h",
    "30minutes",
    "1H",
    "25d",
    "9999999s",
  ])("%j is refused", (text) => {
    expect(parseDuration(text)).toBeUndefined();
  });

  test("the longest is what a timer can hold", () => {
    expect(parseDuration(`${Math.floor(MAX_DURATION_MS / 3_600_000)}h`)).toBe(2_145_600_000);
    expect(parseDuration(`${Math.floor(MAX_DURATION_MS / 3_600_000) + 1}h`)).toBeUndefined();
  });
});

const at = (time: string): number => {
  const [hour = 0, minute = 0] = time.split(":").map(Number);
  return hour * 60 + minute;
};

describe("quiet hours", () => {
  test.each([
    ["22:00-07:00", "21:59", 0],
    ["22:00-07:00", "22:00", 540],
    ["22:00-07:00", "23:30", 450],
    ["22:00-07:00", "00:00", 420],
    ["22:00-07:00", "06:59", 1],
    ["22:00-07:00", "07:00", 0],
    ["9:00 – 17:30", "08:59", 0],
    ["9:00 – 17:30", "17:29", 1],
    ["9:00 – 17:30", "17:30", 0],
  ])("%s at %s leave %i minutes", (written, time, left) => {
    const quiet = parseQuietHours(written);
    expect(quiet === undefined ? undefined : quietMinutesLeft(quiet, at(time))).toBe(left);
  });

  test.each(["", "22-7", "24:00-07:00", "22:60-07:00", "22:00", "22:00-22:00", "10pm-7am"])(
    "%j are none",
    (written) => {
      expect(parseQuietHours(written)).toBeUndefined();
    },
  );
});
