import { expect, test } from "vitest";
import { normaliseManifest } from "./normalise-manifest.ts";
import { parseManifest } from "./parse-manifest.ts";

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
