import { readFileSync, statSync, writeFileSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type TemporaryFolder, temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { BoundedLog, HeadAndTail, LineSplitter } from "./bounded-output.ts";

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

let folder: TemporaryFolder;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => folder.remove());

function isNeverLost(note: string): never {
  throw new Error(note);
}

it("a log has one gap, at its end, and says how much is missing", () => {
  const path = `${folder.path}/log`;
  const log = new BoundedLog(path, 400, isNeverLost);
  log.line("first");
  log.line("x".repeat(500));
  log.line("would fit again");
  log.cut(1000);
  log.close();
  expect(readFileSync(path, "utf8")).toBe(
    "first\n[stint: the log is limited to 400 bytes; the rest is cut]\n[stint: 1517 bytes were cut]\n",
  );
});

it("a log goes on after what is there, within the same limit, for its owner's eyes", () => {
  const path = `${folder.path}/log`;
  writeFileSync(path, `${"x".repeat(280)}\n`, { mode: 0o644 });
  const log = new BoundedLog(path, 300, isNeverLost);
  log.line("more");
  log.close();
  expect(readFileSync(path, "utf8")).toContain("x\n[stint: the log is limited to 300 bytes");
  expect(statSync(path).mode & 0o777).toBe(0o600);
});
