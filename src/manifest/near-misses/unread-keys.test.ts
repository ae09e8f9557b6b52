import { describe, expect, test } from "vitest";
import { lintManifest } from "../lint/lint-manifest.ts";
import type { Problem } from "../problem.ts";

const HEAD = "# Goal\nx\n\n# Steps\n";
const OTHER = "- [ ] z - Last\n  - check: file z\n";
const FIRST_LINE = HEAD.split("\n").length;

/** The lines of a problem with what is suggested in their place; white space before it is only written where it changes. */
function pasted(text: string, { line, example }: Problem): string {
  const lines = text.split("\n");
  const kept = /^\s/.test(example) ? "" : (/^\s*/.exec(lines[line - 1] ?? "")?.[0] ?? "");
  lines[line - 1] = `${kept}${example}`;
  return lines.join("\n");
}

/** Every suggestion in its place, the last line first. */
function corrected(text: string, problems: readonly Problem[]): string {
  return problems
    .filter(({ sample }) => sample === undefined)
    .toReversed()
    .reduce(pasted, text);
}

const lint = (text: string) => lintManifest(text).problems;

const FORMS: readonly ((text: string) => string)[] = [
  (text) => text,
  (text) => text.replaceAll("\n", "\r\n"),
  (text) => text.replaceAll("\n", "\r"),
  (text) => `\uFEFF${text}`,
];

describe("a check that Markdown makes part of something else", () => {
  const CHECK = "- check: `false`";

  test.each([
    ["code", `  - check: file a\n\n        ${CHECK}`, 3, "is indented so far that it is code"],
    ["code behind tabs", `\t- check: file a\n\n\t\t\t${CHECK}`, 3, "is indented so far"],
    ["HTML", `  - check: file a\n  <details>\n  ${CHECK}\n  </details>`, 3, "in a block of HTML"],
    ["HTML in a line", `  - check: file a\n  <p>check: \`false\`</p>`, 2, "in a block of HTML"],
    ["a quote", `  - check: file a\n  > ${CHECK}`, 2, "is in a quote"],
    ["a quote without a bullet", "  - check: file a\n  > check: `false`", 2, "is in a quote"],
    ["a quote below the list", `  - check: file a\n> ${CHECK}`, 2, "is in a quote"],
    ["code in a quote", `  - check: file a\n  >     ${CHECK}`, 2, "is in a quote"],
    ["a fence in a quote", `  - check: file a\n  > ~~~\n  > ${CHECK}\n  > ~~~`, 3, "is in a quote"],
    ["a paragraph", "  - check: file a\n\n  check: `false`", 3, "is not an item"],
    ["a heading", "  - check: file a\n\n  ### check: `false`", 3, "is in a heading"],
    ["a heading of the text", "  - check: file a\n\n### check: `false`", 3, "is in a heading"],
    ["a table", "  - check: file a\n\n  | a |\n  | - |\n  | check: `false` |", 5, "is in a table"],
    ["a sub-step", `  - check: file a\n  - look\n          ${CHECK}`, 3, "part of the item above"],
    [
      "a sub-step, plainly",
      "  - check: file a\n  - look\n    check: `false`",
      3,
      "part of the item",
    ],
    ["another check", `  - check: file a\n          ${CHECK}`, 2, "part of the item above it"],
    [
      "another key",
      `  - check: file a\n  - after: none\n          ${CHECK}`,
      3,
      "part of the item",
    ],
    ["the title", `        ${CHECK}\n  - check: file a`, 1, "part of the task's text"],
    [
      "the title, behind tabs",
      `\t\t${CHECK}\n\n  - check: file a`,
      1,
      "2 spaces before its bullet",
    ],
    ["the title, by its number", "  2. check: `false`\n  - check: file a", 1, "the task's text"],
    ["the title, without a space", "  -check: `false`\n  - check: file a", 1, "the task's text"],
  ])("%s is named, and what is suggested is read", (_, below, line, message) => {
    for (const form of FORMS) {
      const text = `${HEAD}- [ ] a - Write a\n${below}\n${OTHER}`;
      const problems = lint(form(text));
      // A quote may have somebody else's words.
      const severity = message === "is in a quote" ? "warning" : "error";
      expect(problems).toMatchObject([
        { severity, line: FIRST_LINE + line, example: /check: `false`/ },
      ]);
      expect(problems[0]?.message).toContain(message);
      const right = lintManifest(form(corrected(text, problems)));
      expect(right.problems).toEqual([]);
      expect(right.plan.tasks[0]?.checks).toContainEqual({ kind: "command", command: "false" });
    }
  });

  test.each([
    ["an item of an item", `  - see\n      ${CHECK}`],
    ["a numbered item", "  - look\n  2. check: `false`"],
  ])("is read as %s", (_, below) => {
    const text = `${HEAD}- [ ] a - Write a\n${below}\n${OTHER}`;
    expect(lint(text)).toEqual([]);
    expect(lintManifest(text).plan.tasks[0]?.checks).toHaveLength(1);
  });

  test.each([
    ["a comment", `  <!-- ${CHECK} -->`],
    ["a comment of several lines", `  <!--\n  ${CHECK}\n  -->`],
    ["an example", `  ~~~md\n  - [ ] b - B\n    ${CHECK}\n  ~~~`],
    ["a sentence", "  check: the page is fast enough for everybody"],
    ["a quoted sentence", "  > Note: the old check: is slow\n  > after: lunch we ship"],
    ["data in code", "      jobs:\n        in: x y\n        id: 7"],
    ["a quote in the notes", `\n# Notes\n> ${CHECK}\n\n# Steps\n`.replace("\n# Steps\n", "")],
  ])("is not suspected in %s", (_, below) => {
    const text = `${HEAD}${OTHER}- [ ] a - Write a\n  - check: file a\n\n${below}\n`;
    expect(lint(text)).toEqual([]);
  });

  test("is only pointed out in a code block, which may be an example", () => {
    const text = `${HEAD}- [ ] a - A\n  - check: file a\n  ~~~\n  ${CHECK}\n  ~~~\n${OTHER}`;
    expect(lint(text)).toMatchObject([
      { rule: "key-without-task", severity: "warning", line: FIRST_LINE + 3, sample: true },
    ]);
  });

  test("says nothing more of the task than that it is not read", () => {
    const text = `${HEAD}- [ ] a - A\n        ${CHECK}\n${OTHER}`;
    expect(lint(text)).toMatchObject([{ rule: "key-in-title", example: `  ${CHECK}` }]);
  });

  test("is shown as a form where its task is not clear", () => {
    const text = `${HEAD}- [ ] y - First\n  - check: file y\n${OTHER}\nSome\n\n    ${CHECK}\n`;
    expect(lint(text)).toMatchObject([{ severity: "error", example: `  ${CHECK}`, sample: true }]);
  });
});

describe("another key that Markdown makes part of something else", () => {
  test.each([
    ["approve: after", "error"],
    ["strict: true", "error"],
    ["run: `make ship`", "error"],
    ["webhook: https://x.test/", "error"],
    ["check: npm test", "error"],
    ["check: it looks good", "warning"],
    ["after: none", "warning"],
    ["agent: codex", "warning"],
    ["timeout: 5m", "warning"],
    ["delegate: codex", "warning"],
    ["returns: message", "warning"],
    ["look: 10m", "warning"],
    ["deadline: 3d", "warning"],
    ["id: a-b", "warning"],
    ["docs-only", "warning"],
    ["exclusive", "warning"],
    ["ignored: ok", "warning"],
    ["limit: files 3", "warning"],
    ["dir: packages/web", "warning"],
    ["in: checkout", "warning"],
    ["protect: off", "warning"],
    ["child: name", "warning"],
    ["resolves: DOC-002", "warning"],
    ["chekc: `npm test`", "warning"],
    ["depends on: z", "warning"],
    ["**check:** `npm test`", "warning"],
  ])("%s is named everywhere (%s)", (key, severity) => {
    const quoted = `${HEAD}${OTHER}- [ ] a - A\n  - check: file a\n  > - ${key}\n`;
    expect(lint(quoted)).toMatchObject([{ severity: "warning" }]);
    for (const below of [
      `\n        - ${key}`,
      `  <div>\n  - ${key}\n  </div>`,
      `  - look\n          - ${key}`,
    ]) {
      const text = `${HEAD}${OTHER}- [ ] a - A\n  - check: file a\n${below}\n`;
      expect([below, lint(text)]).toMatchObject([below, [{ severity }]]);
    }
  });
});

describe("what is suggested below a task", () => {
  test.each([
    ["1. [ ] c - C\n  - check: `false`", "   - check: `false`"],
    ["10. [ ] c - C\n   - check: `false`", "    - check: `false`"],
    ["1) [ ] c - C\n  - chekc: `false`", "   - check: `false`"],
    ["- - [ ] c - C\n  - check: `false`", "    - check: `false`"],
    ["-   [ ] c - C\n- check: `false`", "    - check: `false`"],
    ["-\t[ ] c - C\n- check: `false`", "    - check: `false`"],
    ["10. [ ] c - C\n    check: `false`", "    - check: `false`"],
    ["1. [ ] c - C, check: `false`", "1. [ ] c - C\n   - check: `false`"],
    ["- x\n  1. [ ] c - C, check: `false`", "1. [ ] c - C\n     - check: `false`"],
    ["1. [ ] Write the README", "1. [ ] Write the README\n   - docs-only"],
  ])("%j is indented as the list needs it", (task, example) => {
    const text = `${HEAD}${OTHER}\n<!-- -->\n\n${task}\n`;
    const problems = lint(text);
    expect(problems).toMatchObject([{ example }]);
    for (const form of FORMS) {
      expect(lint(form(corrected(text, problems)))).toEqual([]);
    }
    const { plan } = lintManifest(corrected(text, problems));
    expect(plan.tasks.at(-1)?.checks.length).toBe(example.includes("docs-only") ? 0 : 1);
  });
});

test("an item that only groups tasks needs no box", () => {
  const text = `${HEAD}- Phase one\n  - [ ] a - A\n    - check: file a\n- Later\n${OTHER}`;
  expect(lint(text)).toMatchObject([{ rule: "item-without-box", found: "- Later" }]);
});

test("a task that a line below makes a heading is named, and is one with an empty line", () => {
  const text = `${HEAD}${OTHER}- [ ] a - A\n  ---\n  - check: file a\n- [ ] b - B\n  - check: file b\n`;
  const [box, ...others] = lint(text);
  expect(box).toMatchObject({ rule: "stray-box", example: "- [ ] a - A\n" });
  expect(others).toMatchObject([{ rule: "key-without-task", sample: true }]);
  expect(lint(box === undefined ? text : pasted(text, box))).toEqual([]);
});
