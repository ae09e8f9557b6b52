import { describe, expect, test } from "vitest";
import { wholeCodeSpan } from "./code-span.ts";

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
