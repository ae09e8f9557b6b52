import { expect, test } from "vitest";
import { lineOfKey } from "./key-lines.ts";
import { parseManifest } from "./parse-manifest.ts";

const document = parseManifest(
  "# Goal\nx\n# Steps\n- [ ] a\n  - some words\n  - check: `npm test:all`\n  - check: `npm test`\n  - check: GET <http://localhost/> 200\n- [ ] b\n",
);

test.each([
  [0, "check", undefined, 6],
  [0, "check", "npm test", 7],
  [0, "check", "npm test:all", 6],
  [0, "check", "http://localhost/", 8],
  [0, "check", "something else", 6],
  [0, "run", "npm test", 4],
  [1, "check", undefined, 9],
  [7, "check", undefined, 1],
] as const)("of task %i, %s with %j is on line %i", (task, key, value, line) => {
  expect(lineOfKey(document, task, key, value)).toBe(line);
});
