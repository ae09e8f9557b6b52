import { execFileSync } from "node:child_process";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { shellWord } from "./shell-word.ts";

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
