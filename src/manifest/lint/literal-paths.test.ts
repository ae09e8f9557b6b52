import { expect, test } from "vitest";
import { parseManifest } from "../parse-manifest.ts";
import { literalPaths } from "./literal-paths.ts";

function problemsOf(key: string, box = " ") {
  return literalPaths(parseManifest(`# Goal\nx\n# Steps\n- [${box}] a\n  - ${key}\n`));
}

const VARIABLE = "only a command fills in variables";
const PATTERN = "only a command reads * and ? as a pattern";

test.each([
  ["check: file src\\two.txt", "use forward slashes", "check: file src/two.txt"],
  ["check: file src\\two.txt changed", "use forward slashes", "check: file src/two.txt changed"],
  ['check: render a\\b.html sees "x"', "use forward slashes", 'check: render a/b.html sees "x"'],
  ["returns: file out\\a.txt", "use forward slashes", "returns: file out/a.txt"],
  ["check: file $HOME/x", VARIABLE, 'check: `test -e "$HOME/x"`'],
  ["check: file ${OUT}/x changed", VARIABLE, ""],
  ["check: file src/*.js", PATTERN, "check: `ls src/*.js`"],
  ["check: file src/*.js matches /x/", PATTERN, ""],
  ["returns: file out/?.txt", PATTERN, "returns: `ls out/?.txt`"],
])("%j can never hold, and lint says why", (key, message, example) => {
  expect(problemsOf(key)).toEqual([
    {
      rule: "literal-path",
      severity: "warning",
      line: 5,
      message: expect.stringContaining(message) as string,
      example,
      found: key,
    },
  ]);
});

test.each([
  "check: file src/two.txt",
  "check: file app/[id]/page.tsx",
  "check: file a$.txt",
  "check: `ls src/*.js`",
  "check: all of src/*.js",
  "check: GET http://localhost:$STINT_PORT/ 200",
])("%j is not suspected", (key) => {
  expect(problemsOf(key)).toEqual([]);
});

test("what is done is not advised on", () => {
  expect(problemsOf("check: file src/*.js", "x")).toEqual([]);
});
