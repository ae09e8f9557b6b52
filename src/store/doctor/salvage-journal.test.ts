import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { refusal } from "../../../test/support/refusal.ts";
import { instantFromMs } from "../../core/instant.ts";
import { EMPTY_JOURNAL, lineOf, parseLines, readJournal, sealLine } from "../journal.ts";
import { highestTrace, readableLines, rebuildJournal } from "./salvage-journal.ts";

const AT = instantFromMs(0);

function journal(count: number): Buffer {
  let tail = EMPTY_JOURNAL;
  const pieces: Buffer[] = [];
  for (let n = 1; n <= count; n += 1) {
    const line = sealLine(tail, { at: AT, type: "event", kind: `k${n}`, by: "b", summary: "s" });
    pieces.push(line.bytes);
    ({ tail } = line);
  }
  return Buffer.concat(pieces);
}

function kinds(bytes: Buffer): string[] {
  return parseLines(bytes).map((line) => line.kind);
}

describe("a salvaged journal", () => {
  it("S1-18 of any truncated journal keeps every whole line and verifies", () => {
    const whole = journal(6);
    fc.assert(
      fc.property(fc.nat(whole.length), (size) => {
        const left = whole.subarray(0, size);
        const expected = left.toString("utf8").split("\n").length - 1;
        const { bytes, lost } = rebuildJournal(readableLines([left]), 6, AT);
        expect(readJournal(bytes)).toMatchObject({ ok: true, torn: 0, tail: { revision: 6 } });
        // A line cut just before its newline is whole in words.
        expect([6 - expected, 5 - expected]).toContain(lost.length);
        expect(kinds(bytes).slice(0, expected)).toEqual(
          ["k1", "k2", "k3", "k4", "k5", "k6"].slice(0, expected),
        );
      }),
    );
  });

  it("of a whole journal is that journal, byte for byte", () => {
    const whole = journal(5);
    expect(rebuildJournal(readableLines([whole]), 5, AT)).toMatchObject({ bytes: whole, lost: [] });
  });

  it("takes what one source lost from the next, and earlier sources win", () => {
    const [a = "", , c = ""] = journal(3)
      .toString("utf8")
      .split(/(?<=\n)/);
    const other = journal(3).toString("utf8").replaceAll('"by":"b"', '"by":"other"');
    const lines = readableLines([Buffer.from(a + c), Buffer.from(other)]);
    expect([1, 2, 3].map((n) => lines.get(n)?.by)).toEqual(["b", "other", "b"]);
  });

  it("keeps a line that one changed digit would put elsewhere out of that place", () => {
    const text = journal(5).toString("utf8");
    for (const wrong of [1, 4, 5, 6, 9]) {
      const changed = text.replace('{"revision":3,', `{"revision":${wrong},`);
      const lines = readableLines([Buffer.from(changed)]);
      expect([...lines].map(([n, line]) => `${n}:${line.kind}`).toSorted()).toEqual([
        "1:k1",
        "2:k2",
        "4:k4",
        "5:k5",
      ]);
    }
  });

  it("passes over what is no line", () => {
    const rubbish = [
      "",
      "null",
      "7",
      "{",
      '{"revision":0,"at":"x","kind":"k","by":"b","summary":"s","type":"event"}',
      '{"revision":1.5,"at":"x","kind":"k","by":"b","summary":"s","type":"event"}',
      '{"revision":7,"at":"x","kind":7,"by":"b","summary":"s","type":"event"}',
      '{"revision":8,"at":"x","kind":"k","by":"b","summary":"s","type":"lie"}',
    ];
    expect(readableLines([Buffer.from(rubbish.join("\n"))]).size).toBe(0);
  });

  it("knows the highest revision of very many lines", () => {
    const line = parseLines(journal(1))[0];
    if (line === undefined) throw new Error("no line");
    const many = new Map(Array.from({ length: 300_000 }, (_, n) => [n + 1, line] as const));
    expect(highestTrace(7, many)).toBe(300_000);
    expect(highestTrace(400_000, many)).toBe(400_000);
  });

  it("is not made of an absurd number of lost lines", () => {
    expect(refusal(() => rebuildJournal(new Map(), 1_000_001, AT))).toMatchObject({
      code: "state-corrupt",
      message:
        "the state says it is at revision 1000001, but only 0 journal lines are left; that is too little to repair it",
      hint: "Restore the state folder from your backup, or create the project again under another manifest name.",
    });
  });

  it("keeps fields it does not know", () => {
    const line = { ...parseLines(journal(1))[0], extra: { kept: true } };
    const lines = readableLines([lineOf(line as never)]);
    const { bytes } = rebuildJournal(lines, 1, AT);
    expect(parseLines(bytes)[0]).toMatchObject({ extra: { kept: true } });
  });
});
