import * as fc from "fast-check";
import { describe, expect, test, it } from "vitest";
import { diffLines, mergeLines, rewriteBytes } from "./line-diff.ts";

function lines(word: string): string {
  return Array.from({ length: 5000 }, (_, n) => `${word}${n}`).join("\n");
}

function counted(diff: string) {
  const signs = diff.split("\n").map((line) => line.charAt(0));
  const of = (sign: string) => signs.filter((each) => each === sign).length;
  return { added: of("+"), removed: of("-") };
}

describe("a line diff", () => {
  test("shows what was taken out and put in, with the line where it stood", () => {
    expect(diffLines("a\nb\nc\nd\n", "a\nB\nc\nd\ne\n")).toBe(
      "@@ line 2 @@\n-b\n+B\n@@ line 5 @@\n+e",
    );
  });

  test("is empty for equal texts and says so for other line endings", () => {
    expect(diffLines("a\n", "a\n")).toBe("");
    expect(diffLines("a\n", "a\r\n")).toBe("only line endings or a byte order mark differ");
  });

  test("counts as many lines as the texts differ in length", () => {
    const text = fc.array(fc.constantFrom("a", "b", "c"), { maxLength: 12 });
    fc.assert(
      fc.property(text, text, (before, after) => {
        const { added, removed } = counted(diffLines(before.join("\n"), after.join("\n")));
        expect(added - removed).toBe(after.length - before.length);
        expect(added).toBeLessThanOrEqual(after.length);
      }),
    );
  });

  test("stays quick for texts that have nothing in common", () => {
    expect(counted(diffLines(lines("a"), lines("b")))).toEqual({ added: 5000, removed: 5000 });
  });
});

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

describe("a text written over bytes", () => {
  it("is the text where the bytes were one", () => {
    const bytes = Buffer.from("\uFEFFé\r\n- [ ] a\n");
    expect(rewriteBytes(bytes, bytes.toString("utf8"), "b\n").toString()).toBe("b\n");
  });

  it("leaves every byte of the lines it does not touch, in any encoding", () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 60 }),
        fc.uint8Array({ maxLength: 60 }),
        (above, below) => {
          const of = (box: string): Buffer =>
            Buffer.concat([above, Buffer.from(`\n- [${box}] task\n`), below]);
          const bytes = of(" ");
          const read = bytes.toString("utf8");
          const at = read.lastIndexOf("\n- [ ] task\n") + 4;
          const wanted = `${read.slice(0, at)}x${read.slice(at + 1)}`;
          expect(rewriteBytes(bytes, read, wanted)).toEqual(of("x"));
        },
      ),
    );
  });
});
