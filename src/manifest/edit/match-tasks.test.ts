import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { numberedTaskId, parseTaskId, type TaskId } from "../../core/ids.ts";
import { assignIds, matchTasks, type KnownTask, type WrittenTask } from "./match-tasks.ts";
import { nameTasks, splitName } from "../task-names.ts";

function named(texts: readonly string[]): { name: string; title: string }[] {
  const titles = texts.map(splitName);
  return nameTasks(titles).map((name, index) => ({ name, title: titles[index]?.title ?? "" }));
}

/** A known task, with the id that assigning needs. */
type Known = KnownTask & { readonly id: TaskId };

const DB = parseTaskId("db") ?? numberedTaskId(0);

function known(...texts: string[]): Known[] {
  return named(texts).map((task, index) => ({
    ...task,
    id: numberedTaskId(index + 1),
    isSettled: false,
  }));
}

function written(...texts: string[]): WrittenTask[] {
  return named(texts);
}

/** The ids the written tasks get, numbering on after the known ones. */
function idsOf(before: readonly Known[], now: readonly WrittenTask[]): string[] {
  return assignIds(before, now, before.length + 1);
}

describe("a task keeps its id", () => {
  test("when nothing changed", () => {
    expect(idsOf(known("a", "b"), written("a", "b"))).toEqual(["t1", "t2"]);
  });

  test("when tasks are reordered, added and removed around it", () => {
    expect(idsOf(known("alpha", "beta", "gamma"), written("gamma", "new thing", "alpha"))).toEqual([
      "t3",
      "t4",
      "t1",
    ]);
    expect(
      matchTasks(known("alpha", "beta", "gamma"), written("gamma", "new thing", "alpha")).removed,
    ).toEqual([1]);
  });

  test("when any tasks are permuted, duplicates in their relative order", () => {
    const titles = fc.array(fc.constantFrom("a", "b c", "b d", "x 1", "x 2", "🚀", "משימה"), {
      maxLength: 9,
    });
    fc.assert(
      fc.property(
        titles.chain((list) =>
          fc.tuple(
            fc.constant(list),
            fc.shuffledSubarray([...list.keys()], { minLength: list.length }),
          ),
        ),
        ([list, order]) => {
          const before = list.map((title, index) => ({
            id: numberedTaskId(index + 1),
            name: `n${index}`,
            title,
            isSettled: false,
          }));
          const now = order.map((at) => ({ name: `m${at}`, title: list[at] ?? "" }));
          const ids = idsOf(before, now);
          expect(new Set(ids).size).toBe(list.length);
          for (const [index, id] of ids.entries()) {
            expect(before.find((task) => task.id === id)?.title).toBe(now[index]?.title);
          }
          for (const title of new Set(list)) {
            const sameTitle = ids.filter((_, index) => now[index]?.title === title);
            expect(sameTitle).toEqual(
              before.filter((task) => task.title === title).map((task) => task.id),
            );
          }
        },
      ),
    );
  });

  test("when it is reworded, wherever it moved", () => {
    const before = known("Add the login form", "Write the user guide", "Deploy");
    expect(
      idsOf(before, written("Write a short user guide", "Deploy", "Add the new login form")),
    ).toEqual(["t2", "t3", "t1"]);
  });

  test("when only its written name or only its title stays", () => {
    const before = known("login: Add a form", "other: Thing");
    expect(idsOf(before, written("other: Thing", "login: Completely different words"))).toEqual([
      "t2",
      "t1",
    ]);
    expect(idsOf(before, written("other: Thing", "sign-in: Add a form"))).toEqual(["t2", "t1"]);
  });

  test("by its explicit id, whatever its text says", () => {
    const before = [...known("a", "b"), { id: DB, name: "c", title: "c", isSettled: false }];
    const now = written("a").map((task) => ({ ...task, explicitId: DB }));
    expect(idsOf(before, now)).toEqual(["db"]);
  });

  test("when it is rewritten in place between the same neighbours", () => {
    const before = known("alpha", "beta", "gamma");
    expect(idsOf(before, written("alpha", "something else", "gamma"))).toEqual(["t1", "t2", "t3"]);
  });
});

describe("a new task", () => {
  test("never takes the id of a settled task in whose place it stands", () => {
    const before = known("alpha", "beta", "gamma").map((task) => ({ ...task, isSettled: true }));
    expect(idsOf(before, written("alpha", "something else", "gamma"))).toEqual(["t1", "t4", "t3"]);
  });

  test("is not taken for one whose name merely came from the same position", () => {
    const before = known("א", "ב").map((task) => ({ ...task, isSettled: true }));
    expect(idsOf(before, written("ג", "ב"))).toEqual(["t3", "t2"]);
  });

  test("is not taken for one that differs in its number", () => {
    const before = known("Migrate table 12", "x");
    expect(idsOf(before, written("x", "Migrate table 13"))).toEqual(["t2", "t3"]);
  });

  test("gets its explicit id, or a number that no other task has", () => {
    const now = written("a", "b", "c").map((task, index) =>
      index === 0 ? { ...task, explicitId: numberedTaskId(1) } : task,
    );
    expect(assignIds([], now, 1)).toEqual(["t1", "t2", "t3"]);
  });
});

test("ten thousand tasks that are all reworded keep their ids", () => {
  const titles = Array.from(
    { length: 10_000 },
    (_, n) => `Convert module number ${n} to strict mode`,
  );
  const before = known(...titles);
  const now = written(...titles.map((title) => title.replace("Convert", "Move"))).toReversed();
  expect(idsOf(before, now)).toEqual(before.map((task) => task.id).toReversed());
});
