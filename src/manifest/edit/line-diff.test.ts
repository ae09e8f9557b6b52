import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { diffLines } from "./line-diff.ts";

function lines(word: string): string {
  return Array.from({ length: 5000 }, (_, n) => `${word}${n}`).join("\n");
}

describe("a line diff", () => {
  test("shows what was taken out and put in, with the line where it stood", () => {
    expect(diffLines("a\nb\nc\nd\n", "a\nB\nc\nd\ne\n")).toEqual({
      added: 2,
      removed: 1,
      text: "@@ line 2 @@\n-b\n+B\n@@ line 5 @@\n+e",
    });
  });

  test("is empty for equal texts and says so for other line endings", () => {
    expect(diffLines("a\n", "a\n")).toEqual({ added: 0, removed: 0, text: "" });
    expect(diffLines("a\n", "a\r\n").text).toBe("only line endings or a byte order mark differ");
  });

  test("counts as many lines as the texts differ in length", () => {
    const text = fc.array(fc.constantFrom("a", "b", "c"), { maxLength: 12 });
    fc.assert(
      fc.property(text, text, (before, after) => {
        const { added, removed } = diffLines(before.join("\n"), after.join("\n"));
        expect(added - removed).toBe(after.length - before.length);
        expect(added).toBeLessThanOrEqual(after.length);
      }),
    );
  });

  test("stays quick for texts that have nothing in common", () => {
    expect(diffLines(lines("a"), lines("b"))).toMatchObject({ added: 5000, removed: 5000 });
  });
});
