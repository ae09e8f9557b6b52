import { describe, expect, it } from "vitest";
import { limitAfter, MOST_IN_A_ROW } from "./back-off.ts";
import type { Refused } from "./events.ts";
import { type Instant, instantFromMs, msOf } from "./instant.ts";
import type { AgentLimit } from "./schema/items.ts";

const AT = "2026-01-01T00:00:00.000Z" as Instant;
const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

function refused(cause: Refused["cause"], more: Partial<Refused> = {}): Refused {
  return { agent: "claude", cause, reason: "no", jitter: 0, ...more };
}

/** Minutes of each wait when the same refusal comes again and again; null where waiting ends. */
function waits(times: number, refusal: Refused): (number | null)[] {
  let limit: AgentLimit | undefined;
  return Array.from({ length: times }, () => {
    limit = limitAfter(limit, refusal, AT);
    return limit.until === undefined ? null : (msOf(limit.until) - msOf(AT)) / MINUTE_MS;
  });
}

describe("a usage limit", () => {
  it("with a reset lasts until a minute after it", () => {
    const reset_at = instantFromMs(msOf(AT) + 5 * 60 * MINUTE_MS);
    expect(waits(1, refused("usage-limit", { reset_at }))).toEqual([301]);
  });

  it.each([
    ["in the past", -1],
    ["now", 0],
    ["more than eight days ahead", 8 * DAY_MS + 1],
  ])("with a reset %s is not believed", (_, aheadMs) => {
    const reset_at = instantFromMs(msOf(AT) + aheadMs);
    expect(waits(1, refused("usage-limit", { reset_at }))).toEqual([15]);
  });

  it("without a reset is tried after 15, 30, then every 60 minutes, 24 times", () => {
    const found = waits(25, refused("usage-limit"));
    expect(found.slice(0, 4)).toEqual([15, 30, 60, 60]);
    expect(found.slice(4, 24)).toEqual(Array.from({ length: 20 }, () => 60));
    expect(found[24]).toBeNull();
  });

  it("with resets that never help ends as well", () => {
    const reset_at = instantFromMs(msOf(AT) + MINUTE_MS);
    const found = waits(25, refused("usage-limit", { reset_at }));
    expect(found.indexOf(null)).toBe(MOST_IN_A_ROW.usage);
  });
});

describe("a provider that is overloaded or slows down", () => {
  it.each(["overloaded", "rate-limit"] as const)(
    "%s: the wait doubles from 30 s to 15 min, 10 times",
    (cause) => {
      const found = waits(11, refused(cause));
      expect(found).toEqual([0.5, 1, 2, 4, 8, 15, 15, 15, 15, 15, null]);
    },
  );

  it("is asked again up to a quarter sooner, by chance", () => {
    expect(waits(2, refused("overloaded", { jitter: 1 }))).toEqual([0.375, 0.75]);
    expect(waits(2, refused("overloaded", { jitter: 0.5 }))).toEqual([0.4375, 0.875]);
  });

  it("counts apart from usage limits, so that neither ends the patience for the other", () => {
    let limit: AgentLimit | undefined;
    for (let n = 0; n < 12; n += 1) limit = limitAfter(limit, refused("usage-limit"), AT);
    limit = limitAfter(limit, refused("overloaded"), AT);
    expect(limit).toMatchObject({
      in_a_row: { usage: 12, provider: 1 },
      until: instantFromMs(msOf(AT) + 30_000),
    });
  });
});

it("an agent that is not logged in waits for a person", () => {
  expect(limitAfter(undefined, refused("auth", { unblock: "claude /login" }), AT)).toEqual({
    agent: "claude",
    cause: "auth",
    reason: "no",
    at: AT,
    unblock: "claude /login",
    in_a_row: { usage: 0, provider: 0 },
  });
});
