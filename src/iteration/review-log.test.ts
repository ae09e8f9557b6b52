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

  test("takes items with their own id below a heading that is an item, and leaves it its details", () => {
    const text = [
      "# Review",
      "",
      "## DOC-1 Fix the readme",
      "Words.",
      "- [ ] only a detail",
      "- DOC-1: seen again",
      "- [ ] DOC-2: rename foo",
      "  - in src",
      "- DOC-3: say why",
      "",
      "### Expected",
      "- DOC-4: and this",
      "- plain",
      "### Notes",
      "- DOC-5: seen",
      "",
      "## Resolution Log",
      "",
      "- DOC-1: done",
      "",
    ].join("\n");
    const { items, problems } = readReviewLog(text);
    expect(items).toEqual([
      {
        id: "DOC-1",
        title: "Fix the readme",
        details:
          "Words.\n- [ ] only a detail\n- DOC-1: seen again\n\n### Expected\n- plain\n### Notes\n- DOC-5: seen",
        line: 3,
        isResolved: true,
      },
      { id: "DOC-2", title: "rename foo", details: "  - in src", line: 7, isResolved: false },
      { id: "DOC-3", title: "say why", details: "", line: 9, isResolved: false },
      { id: "DOC-4", title: "and this", details: "", line: 12, isResolved: false },
    ]);
    expect(problems).toEqual([]);
  });

  const OPEN = "## Open items\n";
  test.each<[what: string, text: string, ids: string, loose: readonly number[]]>([
    ["one entry of its list", `${OPEN}- DOC-1: a\n- done: no\n- DOC-2: b\n`, "DOC-1 DOC-2", [3]],
    ["one before them", `${OPEN}- done: no\n- DOC-1: a\n- [ ] b\n`, "DOC-1 b", [2]],
    ["one item", `${OPEN}- DOC-1: a\n  - done: yes\n- DOC-2: b\n`, "DOC-2", []],
    [
      "one item, in the line below",
      `${OPEN}- DOC-1: a\ndone: no\n- DOC-2: b\n`,
      "DOC-1 DOC-2",
      [3],
    ],
    ["the section", `${OPEN}done: no\n\n- DOC-1: a\n`, "open-items DOC-1", []],
    ["the section, at its end", `${OPEN}- [ ] step\n\ndone: no\n`, "open-items", []],
    ["a section that is done", `${OPEN}- plain\n- done: yes\n`, "", []],
    ["a heading with an id", "## DOC-1: a\n- scope: docs\n- done: yes\n- DOC-2: b\n", "DOC-2", []],
  ])("takes a done line for what it is below: %s", (_what, text, ids, loose) => {
    const log = readReviewLog(text);
    expect(
      openItems(log)
        .map(({ id }) => id)
        .join(" "),
    ).toBe(ids);
    expect(log.problems.map(({ rule, line }) => [rule, line])).toEqual(
      loose.map((line) => ["loose-done", line]),
    );
  });

  test.each<[line: string, told: string | null]>([
    ["- UX1 no hyphen", "near-miss-id UX-1"],
    ["- UX1: no hyphen", "near-miss-id UX-1"],
    ["- bug-12: in small letters", "near-miss-id BUG-12"],
    ["- **Bug-12** — in bold", "near-miss-id BUG-12"],
    ["## bug-12: a heading", "near-miss-id BUG-12"],
    ["- plain words", null],
    ["- utf-8 is used", null],
    ["- A4 paper", null],
    ["- see DOC-1", null],
    ["- words: more", null],
    ["- [ ] bug-12: with a box", null],
    ["```\n- UX1 in code\n```", null],
    ["## Notes\n- UX1 seen", null],
  ])("names what is nearly an item: %s", (line, told) => {
    const { problems } = readReviewLog(`## Findings\n\n- DOC-1: a\n\n${line}\n`);
    const found = problems.map(({ rule, message }) => `${rule} ${message.split(" ").at(-1)}`);
    expect(found).toEqual(told === null ? [] : [told]);
  });

  test("names an id that is given twice in one list, or to two headings", () => {
    const twice = (text: string) =>
      readReviewLog(text).problems.map(({ rule, line }) => `${line} ${rule}`);
    expect(twice("## Findings\n- BUG-10: a\n- BUG-10: b\n")).toEqual(["3 id-twice"]);
    expect(twice("## BUG-10: a\n\n## BUG-10: b\n")).toEqual(["3 id-twice"]);
    expect(twice("## Findings\n- BUG-10: a\n\n## Tasks\n- BUG-10: b\n")).toEqual([]);
    expect(twice("## BUG-10: a\n- BUG-10: b\n")).toEqual([]);
  });

  test("asks for nothing in code, in notes, in what it tells of, and in plain lists", () => {
    const text =
      "# Log\n\n```\n- [ ] code\n## DOC-1: code\n```\n\n- plain\n- words: more\n\n## Notes\n- DOC-5: seen\n### Also\n- [ ] DOC-6: seen\n";
    expect(readReviewLog(text)).toEqual({ items: [], resolutions: new Map(), problems: [] });
    expect(readReviewLog("")).toEqual({ items: [], resolutions: new Map(), problems: [] });
  });
});
