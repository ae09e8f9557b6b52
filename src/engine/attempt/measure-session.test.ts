import { expect, it } from "vitest";
import { DEFAULT_LIMITS } from "../../core/written/bounds.ts";
import { measureWork } from "./measure-session.ts";

const NOTHING = { files: 0, newFiles: 0, moves: 0 };

it("S2-9 S2-10 S2-11 S2-12 by default: six tasks a session, eight files and no move a task, three new files", () => {
  expect(DEFAULT_LIMITS).toEqual({
    tasks_per_session: 6,
    files_per_task: 8,
    new_files_per_session: 3,
    moves_per_task: 0,
  });
});

it("S2-12 one moved file is beyond the limit, unless the task allows it", () => {
  const moved = { ...NOTHING, files: 1, moves: 1 };
  expect(measureWork(moved, [{}], DEFAULT_LIMITS).excess).toEqual(["1 file moved, the limit is 0"]);
  expect(measureWork(moved, [{ limit: { moves_per_task: 1 } }], DEFAULT_LIMITS).excess).toEqual([]);
});

it("S2-10 S2-11 what holds per task adds up over a session, what holds per session does not", () => {
  const { excess } = measureWork({ files: 17, newFiles: 4, moves: 0 }, [{}, {}], DEFAULT_LIMITS);
  expect(excess).toEqual(["17 files changed, the limit is 16", "4 new files, the limit is 3"]);
});

it("S2-10 S2-12 an excess says the bound, what was planned and what it came to", () => {
  const counts = { files: 9, newFiles: 0, moves: 1 };
  const planned = { tasks: 1, files: 2, new_files: 0, moves: 0 };
  expect(measureWork(counts, [{}], DEFAULT_LIMITS, planned).excess).toEqual([
    "9 files changed, the limit is 8 (2 planned)",
    "1 file moved, the limit is 0 (0 planned)",
  ]);
});
