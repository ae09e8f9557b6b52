import { describe, expect, test } from "vitest";
import {
  durationMeant,
  durationProblem,
  MAX_DURATION_MS,
  parseDuration,
  parseQuietHours,
  quietMinutesLeft,
} from "./times.ts";

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

describe("what is no duration", () => {
  const form = "use whole days, hours, minutes, seconds, such as 1h30m";

  test.each([
    ["", `the duration is missing: ${form}`],
    ["0", `"0" must be more than nothing: ${form}`],
    ["0s", `"0s" must be more than nothing: ${form}`],
    ["0 min", `"0 min" must be more than nothing: ${form}`],
    ["45", `"45" has no unit: ${form}`],
    ["999999d", '"999999d" is longer than 24d20h31m23s, the longest duration'],
    ["30 days", '"30 days" is longer than 24d20h31m23s, the longest duration'],
    ["2 hours", `"2 hours" is not a duration: ${form}`],
    ["1.5h", `"1.5h" is not a duration: ${form}`],
    ["soon", `"soon" is not a duration: ${form}`],
    ["-5m", `"-5m" is not a duration: ${form}`],
  ])("%j is said to be wrong: %s", (text, problem) => {
    expect(durationProblem(text)).toBe(problem);
  });

  test("nothing is wrong with a duration", () => {
    expect(durationProblem("1h30m")).toBeUndefined();
  });

  test.each([
    ["2 hours", "2h"],
    ["1.5h", "1h30m"],
    ["90 min", "1h30m"],
    ["90 minutes", "1h30m"],
    ["30minutes", "30m"],
    ["1H", "1h"],
    ["30m1h", "1h30m"],
    ["1 hour and 30 minutes", "1h30m"],
    ["1 day, 2 hours", "1d2h"],
    ["1h 30m", "1h30m"],
    ["2 weeks", "14d"],
  ])("%j means %s", (text, meant) => {
    expect(durationMeant(text)).toBe(meant);
  });

  test.each([
    "",
    "0",
    "0 min",
    "45",
    "1h30",
    "30 days",
    "0.5s",
    "500ms",
    "soon",
    "-5m",
    "1 and 2 h",
  ])("what %j means is not guessed", (text) => {
    expect(durationMeant(text)).toBeUndefined();
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
