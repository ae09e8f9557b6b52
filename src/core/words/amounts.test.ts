import { describe, expect, it } from "vitest";
import { counted, dataSize, fileCount, money, tokenCount } from "./amounts.ts";

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

describe("what was spent", () => {
  it.each([
    [0, "$0.00"],
    [0.015_000_000_1, "$0.015"],
    [0.1 + 0.2, "$0.30"],
    [0.0012, "$0.0012"],
    [0.000_01, "less than $0.0001"],
    [2, "$2.00"],
    [1.2345, "$1.2345"],
    [9.995, "$9.995"],
    [9.999_99, "$10.00"],
    [12.3456, "$12.35"],
    [1200, "$1200.00"],
  ])("%d dollars are shown as %s", (usd, shown) => {
    expect(money(usd)).toBe(shown);
  });

  it.each([
    [0, "0"],
    [999, "999"],
    [1000, "1k"],
    [12_345, "12.3k"],
    [99_960, "100k"],
    [999_499, "999k"],
    [999_500, "1M"],
    [1_234_567, "1.2M"],
    [2_500_000_000, "2.5G"],
  ])("%d tokens are shown as %s", (tokens, shown) => {
    expect(tokenCount(tokens)).toBe(shown);
  });
});
