import { describe, expect, it } from "vitest";
import { HeadAndTail, LineSplitter } from "./bounded-text.ts";

const redact = (line: string): string => line.replaceAll("hunter2hunter2", "[redacted]");

function linesOf(chunks: readonly Buffer[], longest?: number, redacted = (line: string) => line) {
  const lines: string[] = [];
  const splitter = new LineSplitter(redacted, (line) => lines.push(line), longest);
  for (const chunk of chunks) splitter.push(chunk);
  splitter.end();
  return lines;
}

describe("splitting into lines", () => {
  it("does not depend on how the bytes come", () => {
    const bytes = Buffer.from("eins\nzwei ü 🙂\n\nvier\r\nohne Ende");
    const expected = ["eins", "zwei ü 🙂", "", "vier\r", "ohne Ende"];
    expect(linesOf([bytes])).toEqual(expected);
    expect(linesOf(Array.from(bytes, (byte) => Buffer.from([byte])))).toEqual(expected);
  });

  it("keeps the beginning of a line that is too long, and goes on after it", () => {
    const lines = linesOf([Buffer.from(`${"x".repeat(30_000)}\nnext\n`)], 10_000);
    expect(lines).toHaveLength(2);
    expect(lines[0]?.slice(9990)).toBe(
      "xxxxxxxxxx [stint: the rest of this line is dropped, 20000 bytes or more]",
    );
    expect(lines[1]).toBe("next");
  });

  it("knows a secret that the end of a long line would halve", () => {
    const text = `${"x".repeat(9995)}hunter2hunter2${"y".repeat(30_000)}`;
    expect(linesOf([Buffer.from(text)], 10_000, redact)[0]).not.toContain("hunter");
  });
});

describe("head and tail", () => {
  it("keeps a short text whole", () => {
    const kept = new HeadAndTail(100);
    kept.push("one\n");
    kept.push("two\n");
    expect(kept.text).toBe("one\ntwo\n");
  });

  it("cuts the middle, counts it, and halves no character", () => {
    const kept = new HeadAndTail(20);
    for (const line of ["first\n", "üüüüüüüüüü\n", "last ü\n"]) kept.push(line);
    expect(kept.text).toBe("first\n[stint: 20 bytes cut here]\n\nlast ü\n");
  });
});
