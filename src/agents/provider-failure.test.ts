import { describe, expect, it } from "vitest";
import { causeOfStatus, causeOfWording, readProviderAnswer } from "./provider-failure.ts";

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
