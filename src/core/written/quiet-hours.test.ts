import { describe, expect, test } from "vitest";
import { parseQuietHours, quietMinutesLeft } from "./quiet-hours.ts";

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
