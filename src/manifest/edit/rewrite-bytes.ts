// A changed text as bytes, over a file that may not be what it was read as: lines that the change does
// not touch keep the bytes they had, also where those are no UTF-8 and no text can say what they were.
import { changedRanges } from "./line-diff.ts";
import { wholeLines } from "./merge-lines.ts";

/** @param read the text that `bytes` were read as */
export function rewriteBytes(bytes: Buffer, read: string, wanted: string): Buffer {
  const plain = Buffer.from(wanted, "utf8");
  if (Buffer.from(read, "utf8").equals(bytes)) return plain;
  // One character for each byte; no byte of a broken character is a line end.
  const raw = wholeLines(bytes.toString("latin1"));
  const lines = wholeLines(read);
  if (raw.length !== lines.length) return plain;
  for (const { start, end, lines: put } of changedRanges(lines, wholeLines(wanted)).toReversed()) {
    const as = put.map((line) => Buffer.from(line, "utf8").toString("latin1"));
    raw.splice(start, end - start, ...as);
  }
  return Buffer.from(raw.join(""), "latin1");
}
