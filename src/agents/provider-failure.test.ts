import { describe, expect, it } from "vitest";
import {
  causeOfStatus,
  causeOfWording,
  instantOfEpoch,
  readProviderAnswer,
  resetAfter,
  resetInWords,
} from "./provider-failure.ts";
import type { Instant } from "../core/instant.ts";

const answer = (status: number | undefined, error: object, headers: object = {}) =>
  readProviderAnswer({
    status,
    body: JSON.stringify({ error }),
    headers: headers as Readonly<Record<string, unknown>>,
    toldAtMs: Date.parse("2026-11-15T08:00:00.000Z"),
  });

describe("why a provider refused", () => {
  it.each([
    [401, "auth"],
    [403, "auth"],
    [402, "usage-limit"],
    [408, "overloaded"],
    [413, "context"],
    [429, "rate-limit"],
    [500, "overloaded"],
    [529, "overloaded"],
    [400, null],
    [404, null],
    [999, null],
    [undefined, null],
  ])("status %s alone means %s", (status, cause) => {
    expect(causeOfStatus(status)).toBe(cause);
  });

  it("its code says more than the status", () => {
    expect(answer(429, { code: "insufficient_quota" }).cause).toBe("usage-limit");
    expect(answer(400, { code: "context_length_exceeded" }).cause).toBe("context");
    expect(answer(400, { type: "authentication_error" }).cause).toBe("auth");
    expect(answer(undefined, { type: "overloaded_error" }).cause).toBe("overloaded");
  });

  it("its wording says more where there is no code", () => {
    expect(answer(400, { message: "Your credit balance is too low" }).cause).toBe("usage-limit");
    expect(answer(400, { message: "prompt is too long: 3 > 2" }).cause).toBe("context");
    expect(causeOfWording("connect ECONNREFUSED 127.0.0.1:1")).toBe("overloaded");
    expect(causeOfWording("no such file")).toBeNull();
  });

  it("says when to come back, in its body or its headers", () => {
    const seconds = Date.parse("2026-11-15T09:30:00.000Z") / 1000;
    const at = (instant: string | null) => [{ kind: "limit", resetAt: instant }];
    const half = "2026-11-15T09:30:00.000Z";
    expect(answer(429, { resets_at: seconds }).limit).toEqual(at(half));
    expect(answer(429, { resets_in_seconds: 5400 }).limit).toEqual(at(half));
    const unified = { "anthropic-ratelimit-unified-reset": String(seconds) };
    expect(answer(429, {}, unified).limit).toEqual(at(half));
    expect(answer(429, {}, { "retry-after": "5400" }).limit).toEqual(at(half));
    expect(answer(429, { message: "try again in 5400s" }).limit).toEqual(at(half));
  });

  it("says in words how long to wait", () => {
    const limit = (message: string) => answer(429, { message }).limit[0]?.resetAt;
    expect(limit("Your quota will reset after 3h20m5.5s.")).toBe("2026-11-15T11:20:05.500Z");
    expect(limit("Please retry in 1800s.")).toBe("2026-11-15T08:30:00.000Z");
    expect(limit("Please retry in 30s.")).toBeUndefined();
  });

  it("a short wait, or a failure of another kind, is no limit", () => {
    expect(answer(429, {}, { "retry-after": "2" }).limit).toEqual([]);
    expect(answer(503, {}, { "retry-after": "5400" }).limit).toEqual([]);
    expect(answer(429, { code: "insufficient_quota" }).limit).toEqual([
      { kind: "limit", resetAt: null },
    ]);
  });
});

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
