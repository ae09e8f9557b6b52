import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { mergeLines } from "./merge-lines.ts";

const BASE = "one\ntwo\nthree\nfour\n";

describe("two changes of one text", () => {
  it("are put together where they touch different lines", () => {
    const ours = BASE.replace("one", "ONE");
    const theirs = BASE.replace("four", "FOUR");
    expect(mergeLines(BASE, ours, theirs)).toBe("ONE\ntwo\nthree\nFOUR\n");
  });

  it("count once where they are the same", () => {
    const both = BASE.replace("two", "TWO");
    expect(mergeLines(BASE, both, `${both}five\n`)).toBe("one\nTWO\nthree\nfour\nfive\n");
    expect(mergeLines(BASE, `${both}five\n`, both)).toBe("one\nTWO\nthree\nfour\nfive\n");
  });

  it("are not put together where they contradict each other", () => {
    expect(mergeLines(BASE, BASE.replace("two", "2"), BASE.replace("two", "zwei"))).toBeUndefined();
    expect(mergeLines(BASE, `${BASE}a\n`, `${BASE}b\n`)).toBeUndefined();
    expect(mergeLines(BASE, BASE.replace("two\n", ""), BASE.replace("two", "TWO"))).toBeUndefined();
  });

  it("keep every byte that nobody changed", () => {
    const base = "\uFEFFone\r\ntwo \r\n\tthree\rfour";
    const theirs = base.replace("two ", "2 ");
    expect(mergeLines(base, base, theirs)).toBe(theirs);
    expect(mergeLines(base, theirs, base)).toBe(theirs);
    const ours = `${base}\n`;
    expect(mergeLines(base, ours, theirs)).toBe(`${theirs}\n`);
  });

  it("lose no line that only one of them put in, and keep none that one took out", () => {
    const text = fc.array(fc.constantFrom("a", "b", "c"), { maxLength: 8 });
    const join = (lines: readonly string[]) => lines.map((line) => `${line}\n`).join("");
    fc.assert(
      fc.property(text, fc.nat(8), fc.nat(8), (lines, at, other) => {
        const base = lines.map((line, index) => `${line}${index}`);
        const ours = base.toSpliced(Math.min(at, base.length), 0, "mine");
        const theirs = base.toSpliced(Math.min(other, base.length), 0, "theirs");
        const merged = mergeLines(join(base), join(ours), join(theirs));
        if (Math.min(at, base.length) === Math.min(other, base.length)) {
          expect(merged).toBeUndefined();
          return;
        }
        const got = (merged ?? "").split("\n").filter((line) => line !== "");
        expect(got.toSorted()).toEqual([...base, "mine", "theirs"].toSorted());
        expect(got.filter((line) => base.includes(line))).toEqual(base);
      }),
      { seed: 1 },
    );
  });
});
