import { describe, expect, it } from "vitest";
import {
  clock,
  duration,
  labelsText,
  localTime,
  progressBar,
  spending,
  withLocalTimes,
} from "./amounts.ts";

describe("amounts for people", () => {
  it.each([
    [0, "0 s", "0:00"],
    [59_999, "59 s", "0:59"],
    [60_000, "1 min", "1:00"],
    [61_000, "1 min 1 s", "1:01"],
    [3_600_000, "1 h", "1:00:00"],
    [7_830_000, "2 h 10 min", "2:10:30"],
  ])("%i ms are %s, on a clock %s", (ms, text, shown) => {
    expect(duration(ms)).toBe(text);
    expect(clock(ms)).toBe(shown);
  });

  it("have the time of the clock on the wall, with the day where it is another", () => {
    const at = "2026-01-02T22:30:00.000Z";
    expect(localTime(at, "2026-01-02T08:00:00.000Z", "UTC")).toBe("22:30");
    expect(localTime(at, "2026-01-01T23:00:00.000Z", "UTC")).toBe("Fri 2 Jan, 22:30");
    expect(localTime(at, "2026-01-02T08:00:00.000Z", "Asia/Tokyo")).toBe("Sat 3 Jan, 07:30");
    expect(localTime(at, undefined, "UTC")).toBe("Fri 2 Jan, 22:30");
  });

  it("have a bar, labels and a price", () => {
    expect([progressBar(0, 0, 4), progressBar(1, 3, 4), progressBar(3, 3, 4)]).toEqual([
      "░░░░",
      "█░░░",
      "████",
    ]);
    expect(labelsText([])).toBe("");
    expect(labelsText(["weakly-verified", "self-judged"])).toBe("[weakly verified, self-judged] ");
    expect(spending({ tokens: 1234, cost_usd: 0.126 })).toEqual(["1.2k tokens", "$0.126"]);
    expect(spending({ tokens: null, cost_usd: null })).toEqual([]);
  });

  it.each([
    [[null, null, 2, 2], [null, null], ["tokens and price unknown"]],
    [
      [5, null, 0, 2],
      [null, null],
      ["5 tokens", "price unknown"],
    ],
    [
      [5, 1.2, 1, 2],
      [null, null],
      ["5 tokens + 1 session of unknown use", "$1.20 + 2 sessions of unknown price"],
    ],
    [
      [12_345, 0.015, 6, 6],
      [null, 2],
      ["12.3k tokens", "$0.015 of $2.00", "and 6 sessions of unknown cost"],
    ],
    [
      [null, null, 0, 0],
      [1000, 2],
      ["0 of 1k tokens", "$0.00 of $2.00"],
    ],
    [
      [5, 1.2, 0, 2],
      [1000, 2],
      ["5 of 1k tokens", "$1.20 of $2.00 + 2 sessions of unknown price"],
    ],
    [
      [5, null, 0, 2],
      [null, 2],
      ["5 tokens", "price unknown, so the $2.00 cannot be enforced"],
    ],
  ] as const)("never take unknown spending for nothing: %j of %j", (spent, allowed, words) => {
    const [tokens, cost_usd, unknown_tokens, unknown_cost] = spent;
    const most = { tokens: allowed[0], cost_usd: allowed[1] };
    expect(spending({ tokens, cost_usd, unknown_tokens, unknown_cost }, most)).toEqual(words);
  });
});

it("tells the times of a text as the clock on the wall shows them", () => {
  const at = "2026-01-01T22:30:00.000Z";
  expect(withLocalTimes(`Wait until ${at}: it continues`)).toBe(
    `Wait until ${localTime(at)}: it continues`,
  );
});
