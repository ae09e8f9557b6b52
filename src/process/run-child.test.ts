import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { Deadlines, type Limits } from "./run-child.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function watch(limits: Partial<Limits>) {
  const due: string[] = [];
  const none = { totalMs: Infinity, idleMs: Infinity, graceMs: Infinity };
  const deadlines = new Deadlines({ ...none, ...limits }, (overrun, reason) =>
    due.push(`${overrun}: ${reason}`),
  );
  return { due, deadlines };
}

it("output puts the idle limit off", async () => {
  const { due, deadlines } = watch({ idleMs: 1500 });
  for (let times = 0; times < 5; times++) {
    await vi.advanceTimersByTimeAsync(1400);
    deadlines.sawOutput();
  }
  await vi.advanceTimersByTimeAsync(1400);
  expect(due).toEqual([]);
  await vi.advanceTimersByTimeAsync(200);
  expect(due).toEqual(["idle-timeout: it printed nothing for 1.5 s"]);
});

it("saying twice that it is finished does not put the grace period off", async () => {
  const { due, deadlines } = watch({ graceMs: 1000 });
  await vi.advanceTimersByTimeAsync(5000);
  deadlines.finishing();
  await vi.advanceTimersByTimeAsync(900);
  deadlines.finishing();
  await vi.advanceTimersByTimeAsync(200);
  expect(due).toEqual(["grace: it still ran 1 s after it said it was finished"]);
});

it("a limit beyond what a timer can hold is not due at once, and nothing is after the end", async () => {
  const { due, deadlines } = watch({ totalMs: 2 ** 40, idleMs: 1000 });
  deadlines.clear();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(due).toEqual([]);
});
