import { describe, expect, it } from "vitest";
import { isNamedBy, readBring } from "./bring.ts";

describe("bring", () => {
  it.each([
    ["all", "all"],
    ["none", "none"],
    ["default", "default"],
    ["data/", ["data/"]],
    [
      ["data/", "fixtures/**"],
      ["data/", "fixtures/**"],
    ],
  ])("reads %j", (written, value) => {
    expect(readBring(written)).toEqual({ ok: true, value });
  });

  it.each([
    [3, "expected all, none, default, or a list of folders and patterns"],
    [null, "expected all, none, default, or a list of folders and patterns"],
    [[], "expected all, none, default, or a list of folders and patterns"],
    [["data", 3], "expected all, none, default, or a list of folders and patterns"],
    [["all", "data/"], '"all" stands alone, as bring: all'],
    ["/etc", '"/etc" is absolute'],
    ["C:\\data", 'write "C:\\data" with forward slashes'],
    ["~/data", '"~/data" leads to a home folder'],
    ["../data", '"../data" holds ".."'],
    ["data/../../x", '"data/../../x" holds ".."'],
    ["", "the path is empty"],
    ["a\nb", "the path holds a control character"],
    [".", '"." is everything; write bring: all'],
    ["!data/", '"!data/": a pattern says what is brought, never what is not'],
  ])("refuses %j", (written, reason) => {
    expect(readBring(written)).toEqual({ ok: false, reason });
  });
});

describe("a path is named by a pattern", () => {
  it.each([
    ["data", "data"],
    ["data/", "data/in.csv"],
    ["./data", "data/a/b/c"],
    ["data/*.csv", "data/in.csv"],
    ["data/*", "data/a/b"],
    ["data/**", "data/a/b"],
    ["**/x.txt", "x.txt"],
    ["**/x.txt", "a/b/x.txt"],
    ["a/**/z", "a/z"],
    ["a/**/z", "a/b/c/z/inside"],
    ["in-?.csv", "in-1.csv"],
    ["*", "anything/below"],
  ])("%s names %s", (pattern, path) => {
    expect(isNamedBy([pattern], path)).toBe(true);
  });

  it.each([
    ["data", "other/data"],
    ["data", "database"],
    ["data/*.csv", "data/in.txt"],
    ["data/*.csv", "data"],
    ["a/**/z", "a/b"],
    ["in-?.csv", "in-12.csv"],
    ["[ab]", "a"],
  ])("%s does not name %s", (pattern, path) => {
    expect(isNamedBy([pattern], path)).toBe(false);
  });

  it("of many stars is judged at once", () => {
    const path = `${"a/".repeat(200)}${"a".repeat(200)}b`;
    expect(isNamedBy([`${"**/".repeat(50)}${"*a".repeat(50)}c`], path)).toBe(false);
  });
});
