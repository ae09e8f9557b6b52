import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { LABEL_WORDS } from "./labels.ts";

it("docs/checks.md has every label in the same words", () => {
  const text = readFileSync(join(import.meta.dirname, "../../../docs/checks.md"), "utf8");
  const rows = Object.entries(LABEL_WORDS).map(
    ([label, { means, whatToDo }]) => `| **${label}** | ${means} | ${whatToDo} |`,
  );
  expect(rows.filter((row) => !text.includes(row))).toEqual([]);
});
