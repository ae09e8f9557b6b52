import { describe, expect, test } from "vitest";
import { wholeCodeSpan, pathProblem } from "./written-values.ts";
import { normaliseManifest } from "./normalise-manifest.ts";
import { parseManifest } from "./parse-manifest.ts";

describe("a value that is one whole code span", () => {
  test.each([
    ["`npm test`", "npm test"],
    ["`` echo `date` ``", "echo `date`"],
    ["``a`b``", "a`b"],
    ["` a `", "a"],
    ["`  a  `", " a "],
    ["`npm\ntest`", "npm test"],
    ["`\\`", "\\"],
  ])("%j is the command %j", (value, command) => {
    expect(wholeCodeSpan(value)).toBe(command);
  });

  test.each([
    "npm test",
    "`npm test",
    "npm test`",
    "run `npm test`",
    "`npm test`.",
    "`a` and `b`",
    "`a``b",
    "``",
    "` `",
    "",
    "**`a`**",
  ])("%j is prose, never a command", (value) => {
    expect(wholeCodeSpan(value)).toBeUndefined();
  });
});

test.each(["a", "a/b.txt", "./a", "a/../b", "a//b", "..a", "a..b/c", "~a"])(
  "%j stays inside",
  (path) => {
    expect(pathProblem(path)).toBeUndefined();
  },
);

test.each([
  ["", "the path is empty"],
  ["/etc/passwd", "the path is absolute"],
  ["\\\\host\\share", "the path is absolute"],
  ["C:\\x", "the path is absolute"],
  ["~/x", "the path leads to a home folder"],
  ["..", "the path leaves the repository"],
  ["a/../../b", "the path leaves the repository"],
  ["a\\..\\..\\b", "the path leaves the repository"],
  ["../a/..", "the path leaves the repository"],
  ["a\0b", "the path contains a NUL character"],
])("%j is refused: %s", (path, reason) => {
  expect(pathProblem(path)).toBe(reason);
});

function details(steps: string): string[] {
  const text = `## Goal\n\nIt works.\n\n## Steps\n\n${steps}`;
  return normaliseManifest(parseManifest(text)).plan.tasks.map((task) => task.details);
}

test("what stands below a title is read without its title, its indentation and its line endings", () => {
  expect(details("- [ ] one\n  wrapped\n  - a\n    - b\n\n  Plainly.\n")).toEqual([
    "- a\n  - b\nPlainly.",
  ]);
  expect(details("1. [x] one\r\n   - a\r\n     - b")).toEqual(["- a\n  - b"]);
  expect(details("- [ ] one")).toEqual([""]);
});

test("a task that is nested in another is no part of it", () => {
  expect(details("- [ ] one\n  - a\n  - [ ] two\n    - b\n  - c\n")).toEqual(["- a\n- c", "- b"]);
});
