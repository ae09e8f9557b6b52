import { describe, expect, it } from "vitest";
import { instantOfEpoch, resetAfter, resetInWords } from "./reset-time.ts";
import type { Instant } from "../core/instant.ts";

const at = (instant: string, timeZone: string | undefined) => ({
  at: instant as Instant,
  timeZone,
});

describe("a reset told by the clock on the wall", () => {
  it.each([
    ["UTC", "2026-11-15T08:04:36.000Z", "try again at 10:04 AM.", "2026-11-15T10:04:00.000Z"],
    [
      "Europe/Berlin",
      "2026-11-15T08:04:36.000Z",
      "try again at 9:30 AM.",
      "2026-11-15T08:30:00.000Z",
    ],
    [
      "America/New_York",
      "2026-07-01T20:00:00.000Z",
      "try again at 6:15 PM.",
      "2026-07-01T22:15:00.000Z",
    ],
    [
      "Asia/Kolkata",
      "2026-11-15T18:00:00.000Z",
      "try again at 11:59 PM.",
      "2026-11-15T18:29:00.000Z",
    ],
    ["UTC", "2026-11-15T23:00:00.000Z", "try again at 12:00 AM.", null],
    ["UTC", "2026-11-15T11:00:00.000Z", "try again at 12:00 PM.", "2026-11-15T12:00:00.000Z"],
    [
      "UTC",
      "2026-11-15T08:04:36.000Z",
      "try again at Nov 16th, 2026 9:02 AM.",
      "2026-11-16T09:02:00.000Z",
    ],
    ["UTC", "2026-11-15T10:04:36.000Z", "try again at 10:04 AM.", "2026-11-15T10:04:00.000Z"],
  ])("is read in %s at %s: %s", (zone, told, text, reset) => {
    expect(resetInWords(text, at(told, zone))).toBe(reset);
  });

  it.each([
    ["it has passed today", "UTC", "2026-11-15T15:00:00.000Z", "try again at 10:04 AM."],
    [
      "clocks are turned back over it",
      "Europe/Berlin",
      "2026-10-24T23:00:00.000Z",
      "try again at 2:30 AM.",
    ],
    ["clocks skip it", "Europe/Berlin", "2026-03-29T00:30:00.000Z", "try again at 2:30 AM."],
    ["the zone is none", "Mars/Olympus", "2026-11-15T08:00:00.000Z", "try again at 10:04 AM."],
    ["the zone is not known", undefined, "2026-11-15T08:00:00.000Z", "try again at 10:04 AM."],
    ["there is no such hour", "UTC", "2026-11-15T08:00:00.000Z", "try again at 13:04 AM."],
    ["there is no such minute", "UTC", "2026-11-15T08:00:00.000Z", "try again at 9:75 AM."],
    [
      "there is no such month",
      "UTC",
      "2026-11-15T08:00:00.000Z",
      "try again at Foo 16th, 2026 9:02 AM.",
    ],
    ["nothing is told", "UTC", "2026-11-15T08:00:00.000Z", "try again later."],
  ])("is unknown when %s", (_, zone, told, text) => {
    expect(resetInWords(text, at(told, zone))).toBeNull();
  });

  const told = "2026-11-15T22:30:00.000Z";
  it.each([
    ["its zone is named", "resets 3am (Europe/Berlin)", "2026-11-16T02:00:00.000Z"],
    ["the clock is this machine's", "resets 3:15am", "2026-11-16T03:15:00.000Z"],
    ["it is the next such hour", "resets at 10 PM", "2026-11-16T22:00:00.000Z"],
    ["it is still today", "resets 11pm", "2026-11-15T23:00:00.000Z"],
    ["it is a date", "resets Nov 20, 9am (Europe/Berlin)", "2026-11-20T08:00:00.000Z"],
    ["it is a date in other words", "resets November 20th at 9:30am", "2026-11-20T09:30:00.000Z"],
    ["it is a day of the week", "resets Mon 9am (UTC)", "2026-11-16T09:00:00.000Z"],
    ["that day is today", "resets Sunday 11pm", "2026-11-15T23:00:00.000Z"],
    ["that day is in a week", "resets Sun 9am", "2026-11-22T09:00:00.000Z"],
    ["it is a number", "Claude AI usage limit reached|1794900000", "2026-11-17T07:20:00.000Z"],
    [
      "it is written as in a log",
      "regain access on 2026-12-01 at 00:00 UTC",
      "2026-12-01T00:00:00.000Z",
    ],
    ["it is an instant", "try again at 2026-11-16T04:05:06.789Z", "2026-11-16T04:05:06.000Z"],
    [
      "its month is written out",
      "reset on November 18, 2026 at 2:00 AM or",
      "2026-11-18T02:00:00.000Z",
    ],
    ["the clock has 24 hours", "resets at 03:30", "2026-11-16T03:30:00.000Z"],
    ["the zone has a short name", "resets 6pm PT", "2026-11-16T02:00:00.000Z"],
    ["a sentence follows", "resets 3am. Upgrade", "2026-11-16T03:00:00.000Z"],
    ["a word follows", "resets 3am or LATER", "2026-11-16T03:00:00.000Z"],
    ["seconds have no unit", "retry after 3600", "2026-11-15T23:30:00.000Z"],
    ["it is a wait", "Please wait 45 minutes before", "2026-11-15T23:15:00.000Z"],
    ["the short name has several meanings", "resets 6pm IST", null],
    ["the zone is a number", "resets 2026-11-16 05:30 +05:30", "2026-11-16T00:00:00.000Z"],
    [
      "the number is without a colon",
      "reset at 2026-11-29 23:59:59 +0800 CST",
      "2026-11-29T15:59:59.000Z",
    ],
    ["the number is behind UTC", "resets 9pm UTC-3", "2026-11-16T00:00:00.000Z"],
    ["the number moves the day", "resets at 03:30 +09:00", "2026-11-16T18:30:00.000Z"],
    ["by its number it is over", "resets 2026-11-16 03:30 +05:30", null],
    ["the number is none of a zone", "resets 9pm +25:00", null],
    ["an hour alone is no time", "resets on 3", null],
    ["there are no such hours", "resets at 25:30", null],
    ["the wait is of models", "retry after 3600 models", null],
    ["the year is another", "resets Dec 31, 2027 9am", null],
    ["it is too far away", "resets Nov 1, 9am", null],
    ["it has no hour", "resets on December 1, 2026", null],
    ["its zone is none", "resets 3am (Mars/Olympus)", null],
    ["the number is none", "usage limit reached|17949", null],
    ["its half has dots", "resets at 6:30 p.m.", "2026-11-16T18:30:00.000Z"],
    ["its half has dots and a zone", "resets 6:30 P.M. (UTC)", "2026-11-16T18:30:00.000Z"],
    ["its half has dots, and a day", "resets Nov 16 at 6:30 a.m.", "2026-11-16T06:30:00.000Z"],
    ["a narrow space is before its half", "resets 6:30\u202FPM", "2026-11-16T18:30:00.000Z"],
    ["so with a day", "try again at Nov 16th, 2026 6:30\u202FPM.", "2026-11-16T18:30:00.000Z"],
    ["another space is before it", "resets 6:30\u00A0PM", "2026-11-16T18:30:00.000Z"],
    ["its zone has a space", "resets 9pm (America/New York)", "2026-11-16T02:00:00.000Z"],
    ["its zone is in words", "resets 9pm (Central European Time)", null],
    ["its zone is that of the place", "resets 11pm (local time)", "2026-11-15T23:00:00.000Z"],
    ["its zone is a number in brackets", "resets 9pm (UTC-3)", "2026-11-16T00:00:00.000Z"],
    ["its zone means one place", "resets 9am (CET)", "2026-11-16T08:00:00.000Z"],
    ["its zone is a country", "resets 9am (Japan)", "2026-11-16T00:00:00.000Z"],
    ["the zone in brackets may be in London", "resets 9am (BST)", null],
    ["the zone in brackets may be in India", "resets 9am (IST)", null],
    ["the zone in brackets may be in Arabia", "resets 9am (AST)", null],
    ["the zone in brackets may be in China", "resets 9am (CST)", null],
    ["its date follows", "try again at 9:00 PM on Nov 18.", "2026-11-18T21:00:00.000Z"],
    ["its date follows a comma", "available again at 6:30 pm, Nov 18", "2026-11-18T18:30:00.000Z"],
    ["its date follows, with its year", "resets 9pm Nov 18, 2026", "2026-11-18T21:00:00.000Z"],
    ["its date follows, as in a log", "resets 9pm on 2026-11-18", "2026-11-18T21:00:00.000Z"],
    [
      "its date follows its zone",
      "resets 9pm (Europe/Berlin) on Nov 18",
      "2026-11-18T20:00:00.000Z",
    ],
    [
      "its zone follows its date",
      "resets 9pm on Nov 18 (Europe/Berlin)",
      "2026-11-18T20:00:00.000Z",
    ],
    ["its date follows a short zone", "resets 9pm PT on Nov 18", "2026-11-19T05:00:00.000Z"],
    ["its day follows", "resets at 9pm on Wednesday (UTC)", "2026-11-18T21:00:00.000Z"],
    ["it is tomorrow", "resets 9pm tomorrow", "2026-11-16T21:00:00.000Z"],
    ["it is tomorrow, in a zone", "resets at 11pm tomorrow (UTC)", "2026-11-16T23:00:00.000Z"],
    ["it is tomorrow, told first", "resets tomorrow at 11pm", "2026-11-16T23:00:00.000Z"],
    ["it is today", "try again today at 11pm", "2026-11-15T23:00:00.000Z"],
    ["today it is over", "resets today at 9am", null],
    ["its date is in another order", "resets 11pm on 18 Nov", null],
    ["its date follows in another order", "resets 11pm, 18 November", null],
    ["its day is the next of its name", "resets 11pm next Friday", null],
    ["its half is in words", "resets at 6:30 in the evening", null],
    [
      "the clock has 24 hours, and its date follows",
      "resets 21:00 on Nov 18",
      "2026-11-18T21:00:00.000Z",
    ],
    ["a word like a day follows", "resets 11pm monthly", "2026-11-15T23:00:00.000Z"],
    ["a sentence with a month follows", "resets 11pm. May 5 of you", "2026-11-15T23:00:00.000Z"],
  ])("of an allowance is read where %s: %s", (_, text, reset) => {
    expect(resetInWords(text, at(told, "UTC"))).toBe(reset);
  });

  it("may be a span instead", () => {
    const told = at("2026-11-15T08:00:00.000Z", undefined);
    expect(resetInWords("try again in 1 day 2 hours 5 minutes.", told)).toBe(
      "2026-11-16T10:05:00.000Z",
    );
    expect(resetInWords("try again in 5 seconds.", told)).toBeNull();
  });
});

describe("a reset told by a number", () => {
  it("is taken when it is plausible", () => {
    expect(instantOfEpoch(1_794_734_165)).toBe("2026-11-15T09:16:05.000Z");
    for (const wrong of [undefined, 0, -1, 12, 1e18, Number.NaN, 1_794_734_165_000]) {
      expect(instantOfEpoch(wrong)).toBeNull();
    }
  });

  it("counts from when it was told, and is a passing rate when it is short", () => {
    const told = Date.parse("2026-11-15T08:00:00.000Z");
    expect(resetAfter(1800, told)).toBe("2026-11-15T08:30:00.000Z");
    for (const wrong of [undefined, 1, -1800, 1e12, Number.NaN]) {
      expect(resetAfter(wrong, told)).toBeNull();
    }
    expect(resetAfter(1800, Number.NaN)).toBeNull();
    expect(resetAfter(1800, undefined)).toBeNull();
  });
});
