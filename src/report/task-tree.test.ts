import { expect, it } from "vitest";
import type { TaskId } from "../core/ids.ts";
import { boundsLines, branchSign, inTree } from "./task-tree.ts";

const id = (name: string): TaskId => name as TaskId;
const t = (name: string, chunk_of?: string) => ({
  id: id(name),
  ...(chunk_of !== undefined && { chunk_of: id(chunk_of) }),
});

function tree(tasks: Parameters<typeof inTree>[0]): string[] {
  return inTree(tasks).map(({ task, depth }) => `${branchSign(depth)}${task.id}`);
}

it("S2-26 each chunk stands below its task, also a chunk of a chunk, in the order in which they are done", () => {
  const tasks = [t("t5", "t4"), t("t3", "t1"), t("t4", "t1"), t("t1"), t("t2")];
  expect(tree(tasks)).toEqual(["t1", "└ t3", "└ t4", "  └ t5", "t2"]);
});

it("a chunk whose task is not shown stands by itself, and a list without chunks stays as it is", () => {
  expect(tree([t("t3", "t1"), t("t2")])).toEqual(["t3", "t2"]);
  expect(tree([t("t1"), t("t2")])).toEqual(["t1", "t2"]);
});

it("S2-9 S2-10 S2-11 S2-12 bounds are told in two lines that fit beside a task at 80 columns", () => {
  const bound = (limit: number, planned: number, used: number | null) => ({
    limit,
    planned,
    used,
    left: Math.max(0, limit - (used ?? planned)),
  });
  const planned = {
    session: null,
    with: [],
    tasks: bound(6, 1, null),
    files: bound(8, 2, null),
    new_files: bound(3, 0, null),
    moves: bound(0, 0, null),
  };
  expect(boundsLines(planned)).toEqual([
    "planned 1/6 tasks, 2/8 files, 0/3 new, 0/0 moves",
    "left 5, 6, 3, 0",
  ]);
  const used = { ...planned, session: 1, with: [id("t2")], files: bound(16, 2, 17) };
  expect(boundsLines(used)).toEqual([
    "used 1/6 tasks, 17/16 files, 0/3 new, 0/0 moves",
    "left 5, 0, 3, 0; planned 1, 2, 0, 0; with t2",
  ]);
  for (const line of [...boundsLines(planned), ...boundsLines(used)]) {
    expect(line.length).toBeLessThanOrEqual(54);
  }
});
