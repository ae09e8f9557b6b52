import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { columnsOf, padTo, shorten, visibleLine, visibleText } from "./visible.ts";

const HIDDEN =
  // oxlint-disable-next-line no-control-regex -- looking for control characters is the purpose
  /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/;

describe("text from outside", () => {
  it("is shown on one line without a character that moves or hides", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        const line = visibleLine(text);
        expect(line).not.toMatch(HIDDEN);
        expect(line).not.toContain("\n");
      }),
    );
  });

  it("is shown on several lines without a character that moves or hides", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        expect(visibleText(text)).not.toMatch(HIDDEN);
      }),
    );
  });

  it.each([
    ["\u001b[31mred", "\\u001b[31mred"],
    ["a\r\n  b\tc", "a b c"],
    ["\u202eevil", "\\u202eevil"],
    ["\u009b2J", "\\u009b2J"],
    ["  kept  as  is  ", "  kept  as  is  "],
    ["ümläut 日本 👩‍👩‍👧", "ümläut 日本 👩‍👩‍👧"],
  ])("%j becomes %j", (text, line) => {
    expect(visibleLine(text)).toBe(line);
  });

  it("keeps its line breaks where several lines are meant", () => {
    expect(visibleText("a\r\nb\rc\n\td")).toBe("a\nb\nc\n  d");
  });

  it("is read once, however many spaces it has", () => {
    const long = " ".repeat(300_000);
    expect(visibleLine(`${long}x`)).toBe(`${long}x`);
  });
});

describe("the columns of a line", () => {
  it.each([
    ["plain", 5],
    ["ümläut", 6],
    ["日本", 4],
    ["👩‍👩‍👧", 2],
    ["e\u0301", 1],
    ["░█✓·…", 5],
    ["", 0],
  ])("of %j are %i", (line, columns) => {
    expect(columnsOf(line)).toBe(columns);
  });

  it("are cut to a width, never inside a character", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "grapheme" }),
        fc.integer({ min: 3, max: 30 }),
        (line, width) => {
          const cut = shorten(line, width);
          expect(columnsOf(cut)).toBeLessThanOrEqual(width);
          expect(cut).not.toMatch(/\p{Surrogate}/u);
          expect(cut === line || cut.endsWith("…")).toBe(true);
        },
      ),
    );
    expect(shorten("日本語", 4)).toBe("日…");
    expect(shorten("hello", 5)).toBe("hello");
    expect(shorten("hello", 4)).toBe("hel…");
    expect(shorten("hello", undefined)).toBe("hello");
  });

  it("are filled to a width", () => {
    expect(padTo("日", 4)).toBe("日  ");
    expect(padTo("long", 2)).toBe("long");
  });
});
