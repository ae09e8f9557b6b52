import { describe, expect, test } from "vitest";
import { openItems, readReviewLog } from "./review-log.ts";

const STEPS = `# Workflow: Create DOC-001 — Vocabulary
status: draft
done: true

## Purpose
- [ ] not an item

## Step 1 — Analyse what is there
done: true

Task:
Look at the docs.

## Step 2 — Update the feedback
done: false

Task:
Record DOC-001.

### Expected
- [ ] part of step 2

## Status

- DOC-001: resolved
- DOC-009: resolved

## Resolution Log

- DOC-001: created \`docs/vocabulary.md\`.
`;

describe("S2-16 a review log", () => {
  test("has an item for each heading with a done line; the header's claim decides nothing", () => {
    const log = readReviewLog(STEPS);
    expect(log.items.map(({ id, isResolved, line }) => [id, isResolved, line])).toEqual([
      ["step-1-analyse-what-is-there", true, 8],
      ["step-2-update-the-feedback", false, 14],
    ]);
    expect(openItems(log)[0]).toMatchObject({
      title: "Step 2 — Update the feedback",
      details: "Task:\nRecord DOC-001.\n\n### Expected\n- [ ] part of step 2",
    });
    expect(log.problems.map(({ line, rule, message }) => `${line} ${rule}: ${message}`)).toEqual([
      "3 claims-done: the header says done, and one item is not: step-2-update-the-feedback (line 14)",
      "26 no-resolution: DOC-009 is marked resolved, but the Resolution Log has no entry for it",
    ]);
  });

  test.each([
    [
      "a heading",
      "## DOC-002 — Write the guide\n\nWith examples.\n",
      "DOC-002",
      "Write the guide",
      "With examples.",
    ],
    ["a heading with a colon", "### MF-001: Fix the link\n", "MF-001", "Fix the link", ""],
    [
      "a list item",
      "## Findings\n- DOC-003: Title — words\n  - scope: docs\n",
      "DOC-003",
      "Title — words",
      "  - scope: docs",
    ],
    ["bold", "- **API-7** — Return 404\n", "API-7", "Return 404", ""],
    ["bold with a colon inside", "- **API-7:** Return 404\n", "API-7", "Return 404", ""],
    ["a box", "- [ ] Rename the flag\n", "rename-the-flag", "Rename the flag", ""],
    ["a numbered item", "1. DOC-4: Say why\n", "DOC-4", "Say why", ""],
    [
      "an id with a date",
      "- REVIEW-2026-02-04: look again\n",
      "REVIEW-2026-02-04",
      "look again",
      "",
    ],
  ])("takes %s in its own words", (_name, text, id, title, details) => {
    for (const newline of ["\n", "\r\n", "\r"]) {
      const { items } = readReviewLog(text.replaceAll("\n", newline));
      expect(items).toMatchObject([{ id, title, details, isResolved: false }]);
    }
  });

  test("joins a finding and the task that is proposed for it", () => {
    const { items } = readReviewLog(
      "## Findings\n- DOC-2: No guide\n\n## Proposed Tasks\n- DOC-2: Write a guide\n  - inputs: README.md\n",
    );
    expect(items).toEqual([
      {
        id: "DOC-2",
        title: "No guide",
        details: "  - inputs: README.md",
        line: 2,
        isResolved: false,
      },
    ]);
  });

  test.each([
    ["its entry in the Resolution Log", "- DOC-1: a\n\n## Resolution Log\n- DOC-1: did it\n"],
    ["its own done line", "## DOC-1: a\ndone: true\n"],
    ["its box", "- [x] DOC-1: a\n"],
    [
      "the entry of an item without an id",
      "- [ ] Rename the flag\n\n## Resolution Log\n- rename-the-flag: did it\n",
    ],
  ])("knows an item as resolved by %s", (_name, text) => {
    expect(openItems(readReviewLog(text))).toEqual([]);
    expect(readReviewLog(text).items).toHaveLength(1);
  });

  test("asks for nothing in code, in notes, in what it tells of, and in plain lists", () => {
    const text =
      "# Log\n\n```\n- [ ] code\n## DOC-1: code\n```\n\n- plain\n- words: more\n\n## Notes\n- DOC-5: seen\n### Also\n- [ ] DOC-6: seen\n";
    expect(readReviewLog(text)).toEqual({ items: [], resolutions: new Map(), problems: [] });
    expect(readReviewLog("")).toEqual({ items: [], resolutions: new Map(), problems: [] });
  });
});
