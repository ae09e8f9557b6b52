import { describe, expect, it } from "vitest";
import { inBoth, outermost, PathSet } from "./choose-brought.ts";

describe("a set of paths", () => {
  const set = new PathSet(["data/", "a/b/", "file", "c/d"]);

  it.each(["data/", "data", "data/x", "data/x/y/", "a/b/", "a/b/c", "file", "c/d"])(
    "covers %s",
    (path) => expect(set.covers(path)).toBe(true),
  );

  it.each(["a", "a/", "a/bc", "database", "file/", "file/x", "c/d/e", "c/d/", "x"])(
    "does not cover %s",
    (path) => expect(set.covers(path)).toBe(false),
  );

  it("keeps the deeper path where two lists meet", () => {
    expect(inBoth(["config/", "x"], ["config/secret.json", "y"])).toEqual(["config/secret.json"]);
    expect(inBoth(["a/b/c"], ["a/"])).toEqual(["a/b/c"]);
    expect(inBoth(["a/", "b"], ["a/", "b"])).toEqual(["a/", "b"]);
  });

  it("names what lies below another path only once", () => {
    expect(outermost(["a/", "a/b", "a/b/", "ab", "a/", "c/d"])).toEqual(["a/", "ab", "c/d"]);
  });
});
