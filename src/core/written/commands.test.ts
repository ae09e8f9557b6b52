import * as fc from "fast-check";
import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { shellWord, splitWords } from "./commands.ts";

describe("a name in a command", () => {
  it.each([
    ["prompt.md", "prompt.md"],
    ["docs/größe.md", "docs/größe.md"],
    ["my file.md", "'my file.md'"],
    ["it's.md", "'it'\\''s.md'"],
    ["-x.md", "./-x.md"],
    ["$(rm -rf x)", "'$(rm -rf x)'"],
    ["~/x", "'~/x'"],
    ["", "''"],
  ])("%j is written %s", (name, word) => {
    expect(shellWord(name)).toBe(word);
  });

  it("is read by a shell as that one name", () => {
    const names = fc.string({ unit: "grapheme-ascii" }).filter((name) => !name.includes("\0"));
    fc.assert(
      fc.property(fc.array(names, { minLength: 1, maxLength: 20 }), (all) => {
        const command = `printf '%s\\0' ${all.map(shellWord).join(" ")}`;
        const read = execFileSync("sh", ["-c", command], { encoding: "utf8" });
        const expected = all.map((name) => (name.startsWith("-") ? `./${name}` : name));
        expect(read).toBe(expected.map((name) => `${name}\0`).join(""));
      }),
      { numRuns: 30 },
    );
  });
});

const CASES: readonly [fact: string, text: string, words: readonly string[]][] = [
  ["nothing", "", []],
  ["blanks only", " \t\n ", []],
  ["plain words", "./agent.sh --flag  x", ["./agent.sh", "--flag", "x"]],
  ["single quotes keep all", `a 'b  \\ "c" $d' e`, ["a", `b  \\ "c" $d`, "e"]],
  ["double quotes keep blanks", `"b  'c'" d`, ["b  'c'", "d"]],
  ["escapes in double quotes", String.raw`"a\"b\\c\$d\x"`, [String.raw`a"b\c$d\x`]],
  ["an escaped blank", String.raw`a\ b c`, ["a b", "c"]],
  ["an escaped quote", String.raw`it\'s`, ["it's"]],
  ["pieces grow together", `a'b'"c"d`, ["abcd"]],
  ["empty words", `'' "" x`, ["", "", "x"]],
  ["a continued line", "a\\\nb \\\n c", ["ab", "c"]],
  ["no expansion, no operators", "$HOME *.ts | a;b >c", ["$HOME", "*.ts", "|", "a;b", ">c"]],
];

describe("splitting a command into words", () => {
  it.each(CASES)("%s", (_, text, words) => {
    expect(splitWords(text)).toEqual({ ok: true, words });
  });

  it.each([
    ["a 'b", "the quote ' at character 3 is never closed"],
    [`"a\\"`, `the quote " at character 1 is never closed`],
    ["a\\", "it ends in a backslash that escapes nothing"],
    ["a\0", "it contains a NUL character"],
  ])("refuses %j", (text, reason) => {
    expect(splitWords(text)).toEqual({ ok: false, reason });
  });

  it("gives back any words that were quoted", () => {
    const words = fc.array(fc.string({ unit: "binary" }).filter((word) => !word.includes("\0")));
    fc.assert(
      fc.property(words, (given) => {
        const quoted = given.map((word) => `'${word.replaceAll("'", String.raw`'\''`)}'`).join(" ");
        expect(splitWords(quoted)).toEqual({ ok: true, words: given });
      }),
    );
  });

  it("never throws", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        expect(splitWords(text)).toHaveProperty("ok");
      }),
    );
  });
});
