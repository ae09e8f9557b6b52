import { expect, it } from "vitest";
import type { Task } from "../../core/schema/task.ts";
import { tasksAroundNow } from "./tasks-around-now.ts";

type Statuses = Readonly<Record<number, Task["status"]>>;

/** t0, t1, … : pending, but for those that are named. */
function shown(count: number, statuses: Statuses): number[] {
  const tasks = Array.from({ length: count }, (_, n) => ({
    id: `t${n}`,
    status: statuses[n] ?? "pending",
  })) as unknown as Task[];
  return tasksAroundNow(tasks).map(({ id }) => Number(id.slice(1)));
}

const range = (from: number, to: number): number[] =>
  Array.from({ length: to - from }, (_, n) => from + n);
const done = (from: number, to: number): Statuses =>
  Object.fromEntries(range(from, to).map((n) => [n, "done"]));

it.each<[what: string, count: number, statuses: Statuses, expected: number[]]>([
  ["few", 5, {}, range(0, 5)],
  ["many, none of them begun", 60, {}, range(0, 20)],
  ["many, some of them done", 60, done(0, 10), range(7, 27)],
  ["many, all of them done", 60, done(0, 60), range(40, 60)],
  [
    "what is at work, waits or is blocked further on",
    60,
    { 30: "blocked", 40: "in_progress", 50: "awaiting_approval", 59: "awaiting_result" },
    [...range(0, 20), 30, 40, 50, 59],
  ],
  [
    "one that was blocked long ago, while another is at work",
    60,
    { ...done(1, 45), 0: "blocked", 45: "in_progress" },
    [...range(0, 20), 45],
  ],
])("of %s", (_, count, statuses, expected) => {
  expect(shown(count, statuses)).toEqual(expected);
});
