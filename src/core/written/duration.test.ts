import { describe, expect, test } from "vitest";
import { MAX_DURATION_MS, parseDuration } from "./duration.ts";

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
