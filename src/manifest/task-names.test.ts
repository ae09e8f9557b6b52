import { describe, expect, test } from "vitest";
import { nameTasks, splitName } from "./task-names.ts";

const names = (...texts: string[]): string[] => nameTasks(texts.map(splitName));

describe("a task's name", () => {
  test.each([
    [
      "database-migration - Migrate database schema",
      "database-migration",
      "Migrate database schema",
    ],
    ["login: Add the form", "login", "Add the form"],
    ["v2 — Ship it", "v2", "Ship it"],
  ])("S1-3 is written before the title in %j", (text, name, title) => {
    expect(splitName(text)).toEqual({ name, title });
  });

  test.each([
    "Add: a thing",
    "well-known issue",
    "a_b: c",
    "http://x",
    "fix:it",
    "-a - b",
    "name - ",
    "café: x",
  ])("is not written in %j", (text) => {
    expect(splitName(text)).toEqual({ name: undefined, title: text });
  });

  test("is derived from the title otherwise, in at most 48 characters", () => {
    expect(names("Add the Café page!")).toEqual(["add-the-cafe-page"]);
    expect(names("word ".repeat(30))[0]).toHaveLength(48);
  });

  test("is unique in its manifest", () => {
    expect(names("Add tests", "add tests", "Add tests!")).toEqual([
      "add-tests",
      "add-tests-2",
      "add-tests-3",
    ]);
    expect(names("Add tests", "add-tests-2: x", "Add tests")).toEqual([
      "add-tests",
      "add-tests-2",
      "add-tests-3",
    ]);
    expect(names("x: a", "x: b")).toEqual(["x", "x-2"]);
  });

  test("falls back to the task's position for a title without a Latin letter or digit", () => {
    expect(names("Add", "משימה", "🚀")).toEqual(["add", "task-2", "task-3"]);
  });

  test("a derived name never takes a written one", () => {
    expect(names("Add tests", "add-tests: The real one")).toEqual(["add-tests-2", "add-tests"]);
  });
});
