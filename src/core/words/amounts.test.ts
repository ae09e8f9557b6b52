import { describe, expect, it } from "vitest";
import { counted, dataSize, fileCount } from "./amounts.ts";

describe("an amount of data", () => {
  it.each([
    [0, "0 bytes"],
    [999, "999 bytes"],
    [1_000, "1.0 kB"],
    [9_949, "9.9 kB"],
    [9_960, "10 kB"],
    [999_499, "999 kB"],
    [999_500, "1.0 MB"],
    [140_200_000, "140 MB"],
    [10 * 1024 ** 3, "11 GB"],
    [5e18, "5000 PB"],
  ])("%d is shown as %s", (bytes, shown) => {
    expect(dataSize(bytes)).toBe(shown);
  });

  it.each([
    [0, "0 files"],
    [1, "1 file"],
    [999, "999 files"],
    [12_000, "12,000 files"],
    [1_234_567, "1,234,567 files"],
  ])("%d is shown as %s", (files, shown) => {
    expect(fileCount(files)).toBe(shown);
  });
});

it("one task is a task, and more are tasks", () => {
  expect([0, 1, 2].map((count) => counted(count, "task"))).toEqual([
    "0 tasks",
    "1 task",
    "2 tasks",
  ]);
});
