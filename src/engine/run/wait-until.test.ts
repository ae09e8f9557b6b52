import { expect, it } from "vitest";
import type { Store } from "../../store/store.ts";
import { waitUntil } from "./wait-until.ts";

const STORE = {
  read: () => ({ state: { revision: 7 }, lease: { held: false } }),
} as unknown as Store;

/** A clock that goes on by `steps`, one for each sleep, whatever was asked for. */
async function woken(untilMs: number, steps: readonly number[]) {
  const asked: number[] = [];
  let nowMs = 0;
  const host = {
    nowMs: () => nowMs,
    sleep: async (ms: number) => {
      asked.push(ms);
      nowMs += steps[asked.length - 1] ?? ms;
    },
  };
  const { signal } = new AbortController();
  const wait = { project: "p-0123456789" as never, revision: 7, untilMs, signal };
  const { by } = await waitUntil({ store: STORE, host: host as never }, wait);
  return { by, asked };
}

it("sleeps in steps and no longer than is left", async () => {
  expect(await woken(70_000, [])).toEqual({ by: "time", asked: [30_000, 30_000, 10_000] });
});

it("notices that the machine slept through the time", async () => {
  expect(await woken(3_600_000, [8 * 3_600_000])).toEqual({ by: "time", asked: [30_000] });
});

it("goes on where the clock was set back by more than any limit lasts", async () => {
  const weeksMs = 30 * 24 * 3_600_000;
  expect(await woken(3_600_000, [-weeksMs])).toEqual({ by: "time", asked: [30_000] });
});
