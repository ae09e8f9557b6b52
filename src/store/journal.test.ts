import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { instantFromMs } from "../core/instant.ts";
import type { JournalEntry } from "../core/schema/project.ts";
import {
  advance,
  EMPTY_JOURNAL,
  type JournalTail,
  lineOf,
  parseLines,
  readJournal,
  sealLine,
  tailBefore,
} from "./journal.ts";

const texts = fc.string({ unit: "binary", minLength: 1, maxLength: 40 });
const bodies = fc.array(
  fc.record({ kind: texts, by: texts, summary: texts, data: fc.dictionary(texts, fc.jsonValue()) }),
  { minLength: 1, maxLength: 8 },
);

interface Written {
  readonly bytes: Buffer;
  readonly entries: JournalEntry[];
  readonly tail: JournalTail;
}

function write(all: readonly object[]): Written {
  let tail = EMPTY_JOURNAL;
  const pieces: Buffer[] = [];
  const entries: JournalEntry[] = [];
  for (const body of all) {
    const line = sealLine(tail, {
      at: instantFromMs(0),
      type: "event",
      kind: "k",
      by: "b",
      summary: "s",
      ...body,
    });
    pieces.push(line.bytes);
    entries.push(line.entry);
    ({ tail } = line);
  }
  return { bytes: Buffer.concat(pieces), entries, tail };
}

describe("a journal", () => {
  it("reads back as it was written, whatever the words", () => {
    fc.assert(
      fc.property(bodies, (all) => {
        const { bytes, entries, tail } = write(all);
        expect(parseLines(bytes)).toEqual(JSON.parse(JSON.stringify(entries)));
        expect(readJournal(bytes)).toMatchObject({ ok: true, tail, torn: 0 });
      }),
    );
  });

  it("gives the same bytes for an entry that was read as for one that was written", () => {
    fc.assert(
      fc.property(bodies, (all) => {
        const { bytes } = write(all);
        expect(Buffer.concat(parseLines(bytes).map(lineOf))).toEqual(bytes);
      }),
    );
  });

  it("notices any flipped bit in any line", () => {
    fc.assert(
      fc.property(bodies, fc.nat(), fc.nat(7), (all, where, bit) => {
        const { bytes, tail } = write(all);
        const changed = Buffer.from(bytes);
        const at = where % bytes.length;
        changed[at] = (changed[at] ?? 0) ^ (1 << bit);
        const reading = readJournal(changed);
        expect(reading.ok && reading.torn === 0 && reading.tail.crc === tail.crc).toBe(false);
      }),
    );
  });

  it("notices a line that is missing, doubled or out of place", () => {
    const { bytes } = write([{ kind: "a" }, { kind: "b" }, { kind: "c" }]);
    const [a = "", b = "", c = ""] = bytes.toString("utf8").split(/(?<=\n)/);
    const wrong = {
      ok: false,
      reason: "a line was changed, lost or added: the checksum does not match",
    };
    for (const lines of [
      [a, c],
      [b, c],
      [a, a, b, c],
      [b, a, c],
      [a, b, c, c],
    ]) {
      expect(readJournal(Buffer.from(lines.join("")))).toEqual(wrong);
    }
  });

  it("cut anywhere reads as its whole lines and a torn rest", () => {
    const { bytes, entries } = write([{ kind: "a" }, { kind: "b" }]);
    for (let size = 0; size < bytes.length; size += 1) {
      const reading = readJournal(bytes.subarray(0, size));
      const whole = size >= (entries[1]?.offset ?? 0) ? 1 : 0;
      expect(reading).toMatchObject({ ok: true, tail: { revision: whole } });
      expect(reading.ok && reading.torn + reading.tail.size).toBe(size);
    }
  });

  it("that is empty is at revision 0", () => {
    expect(readJournal(Buffer.alloc(0))).toEqual({
      ok: true,
      tail: EMPTY_JOURNAL,
      last: null,
      torn: 0,
    });
  });

  it("whose last line is sealed but no JSON is refused, not crashed on", () => {
    const open = Buffer.from('not json, "crc": ');
    const forged = sealLine(EMPTY_JOURNAL, {} as never).bytes;
    expect(readJournal(Buffer.concat([open, forged])).ok).toBe(false);
  });

  it("before a line is known by that line's checksum alone", () => {
    const { bytes, entries } = write([{ kind: "a" }, { kind: "b" }, { kind: "c" }]);
    const last = entries[2];
    if (last === undefined) throw new Error("no line");
    const before = tailBefore(last, bytes);
    expect(before).toMatchObject({ revision: 2, size: last.offset });
    expect(before && advance(before, lineOf(last))).toEqual(
      write([{ kind: "a" }, { kind: "b" }, { kind: "c" }]).tail,
    );
    expect(tailBefore(last, bytes.subarray(0, last.offset - 1))).toBeUndefined();
    const changed = Buffer.from(bytes);
    changed[5] = 0x20;
    expect(tailBefore(last, changed)).toBeUndefined();
  });
});
