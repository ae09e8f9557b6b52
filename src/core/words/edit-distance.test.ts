import { describe, expect, test } from "vitest";
import { editDistance, nearMiss } from "./edit-distance.ts";

describe("edit distance", () => {
  test.each([
    ["check", "check", 0],
    ["chekc", "check", 1],
    ["checks", "check", 1],
    ["aprove", "approve", 1],
    ["", "run", 3],
    ["kitten", "sitting", 3],
  ])("from %j to %j is %d", (a, b, expected) => {
    expect(editDistance(a, b)).toBe(expected);
    expect(editDistance(b, a)).toBe(expected);
  });
});

describe("a near miss", () => {
  const keys = ["check", "approve", "run"] as const;

  test("names the word that was meant", () => {
    expect(nearMiss("chekc", keys)).toBe("check");
    expect(nearMiss("aproove", keys)).toBe("approve");
  });

  test("allows one error in a short word and two in a long one", () => {
    expect(nearMiss("chck", keys)).toBe("check");
    expect(nearMiss("chk", keys)).toBeUndefined();
    expect(nearMiss("aprov", keys)).toBe("approve");
  });

  test("is absent for an unrelated word", () => {
    expect(nearMiss("note", keys)).toBeUndefined();
  });
});
