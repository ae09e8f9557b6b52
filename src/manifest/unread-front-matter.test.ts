import { describe, expect, test } from "vitest";
import { normaliseManifest } from "./normalise-manifest.ts";
import { parseManifest } from "./parse-manifest.ts";

describe("settings that are not read", () => {
  const BODY = "# Goal\nx\n# Steps\n- [ ] a\n";
  const unread = (text: string) => normaliseManifest(parseManifest(text)).problems;

  test.each([
    ["---\nagent: codex\npush: never\n\n", 1, "a line --- must close them"],
    ["\n---\nagent: codex\npush: never\n---\n", 2, "front matter begins in the first line"],
    ["# T\n\n---\nagent: codex\npush: never\n---\n", 3, "front matter begins in the first line"],
    ["---\n- agent: codex\n- push: never\n---\n", 1, "front matter has keys, not a list"],
    ["+++\nagent = codex\npush = never\n+++\n", 1, "front matter is YAML between two lines ---"],
    ["agent: codex\npush: never\n\n", 1, "front matter is YAML between two lines ---"],
    ["agent: codex\npush: never\n---\n\n", 1, "front matter is YAML between two lines ---"],
    ["# My plan\n\nagent: codex\npush: never\n\n", 3, "front matter begins in the first line"],
    ["# My plan\nagent: codex\npush: never\n\n", 2, "front matter begins in the first line"],
    ["```yaml\nagent: codex\npush: never\n```\n", 1, "front matter is YAML between two lines ---"],
    ["# T\n\n~~~yml\nagent: codex\npush: never\n~~~\n", 3, "front matter begins in the first"],
    ["----\nagent: codex\npush: never\n----\n", 1, "front matter is YAML between two lines ---"],
    ["----\nagent: codex\npush: never\n---\n", 1, "front matter is YAML between two lines ---"],
    ["---\nagent: codex\npush: never\n----\n", 1, "front matter is YAML between two lines ---"],
    ["—\nagent: codex\npush: never\n—\n", 1, "front matter is YAML between two lines ---"],
    ["---\n\tagent: codex\n\tpush: never\n---\n", 1, "keys begin in the first column"],
    ["---\n  agent: codex\n  push: never\n---\n", 1, "keys begin in the first column"],
    ["---\nagent = codex\npush = never\n---\n", 1, "a colon is between a key and its value"],
    ["- agent: codex\n- push: never\n\n", 1, "front matter is YAML between two lines ---"],
  ])("%j is refused, and written right", (front, line, why) => {
    const [problem, ...others] = unread(front + BODY);
    expect(others).toEqual([]);
    expect(problem).toMatchObject({ rule: "unread-front-matter", severity: "error", line });
    expect(problem?.message).toContain(why);
    expect(problem?.example).toBe("---\nagent: codex\npush: never\n---");
    expect(unread(`${problem?.example}\n${BODY}`)).toEqual([]);
  });

  test.each([
    "## Goal\nx\n## Steps\n- [ ] a - b\n  - check: `test -f a`\n- [ ] c\n  - check: `d`\n",
    "# Goal\nx\n# Steps\n- [ ] a\n",
    "\n# Goal\nbring: it in\n\n# Steps\n- [ ] a\n",
    "- [ ] a\n\n# Goal\nx\n# Steps\n- [ ] a\n",
  ])("ends before %j, of which nothing is changed", (body) => {
    const front =
      "---\nagent: codex\n# how long\nbudgets:\n  sessions: 5\n\nsetup:\n- npm ci\n- npm run x\npush: never";
    const [problem] = unread(`${front}\n${body}`);
    expect(problem).toMatchObject({ rule: "unread-front-matter", line: 1 });
    expect(problem?.found).toBe(front);
    expect(problem?.example).toBe(`${front}\n---`);
  });

  test("is told of where only one of its keys is known", () => {
    expect(unread(`# T\n\n---\npsuh: never\nagent: codex\n---\n${BODY}`)).toMatchObject([
      { rule: "unread-front-matter", line: 3, example: "---\npsuh: never\nagent: codex\n---" },
    ]);
  });

  test.each([
    ["agent: codex", "agent: codex"],
    ["budgets: { cost: 5 }", "budgets: { cost: 5 }"],
    ["plan: review", "plan: review"],
    ["serve: `npm run dev`", undefined],
    ["attempts_per_task: 2", "attempts_per_task: 2"],
    ["----\nagent: codex\n----", "agent: codex"],
    ["title: Move\npush: never", "title: Move\npush: never"],
  ])("%j alone is refused too", (front, example) => {
    for (const end of ["\n", "\r\n", "\r"]) {
      for (const mark of ["", "\uFEFF"]) {
        const [problem, ...others] = unread(mark + `${front}\n\n${BODY}`.replaceAll("\n", end));
        expect(others).toEqual([]);
        expect(problem).toMatchObject({ rule: "unread-front-matter", severity: "error", line: 1 });
        if (example === undefined) expect(problem?.sample).toBe(true);
        else expect(problem?.example).toBe(`---\n${example}\n---`);
      }
    }
  });

  test.each([
    "title: Move to Postgres",
    "plan: review the docs first, then write",
    "Agent: codex",
    "Note: agent: codex",
    "show: how it works",
    "<!--\nagent: codex\n-->",
    "```sh\nagent: codex\n```",
    "```yaml\nname: ci\n```",
    "We say agent: codex\nin each of them.",
  ])("%j is text for people", (text) => {
    expect(unread(`${text}\n\n${BODY}`)).toEqual([]);
  });

  test("are shown in code below a section, which is not suspected", () => {
    expect(unread(`${BODY}\n# Notes\n\n~~~yaml\nagent: codex\n~~~\n`)).toEqual([]);
  });

  test.each(["---\n\n", "---\nNote: it is late\n\n", "# T\n\n---\n\n", "x\n\n---\n\n"])(
    "%j is a rule",
    (text) => {
      expect(unread(text + BODY)).toEqual([]);
    },
  );
});
