import { describe, expect, test } from "vitest";
import { normaliseManifest } from "./normalise-manifest.ts";
import { parseManifest } from "./parse-manifest.ts";

function problemsOf(text: string) {
  return normaliseManifest(parseManifest(text)).problems.map(
    ({ rule, severity, line, example }) => ({
      rule,
      severity,
      line,
      example,
    }),
  );
}

const STEPS = "## Steps\n\n- [ ] a\n  - check: `x`\n";

describe("a setting below the front matter", () => {
  test.each([
    ["push: never", "push: never"],
    ["deliver: branch", "deliver: branch"],
    ["plan: review", "plan: review"],
    ["network: none", "network: none"],
    ["push: never # not yet", "push: never # not yet"],
    ["budgets: { cost: 5 }", "budgets: { cost: 5 }"],
    ["budgets:\n  cost: 5", "budgets:\n  cost: 5"],
    ["- strict: true", "strict: true"],
    ["- push: never", "push: never"],
    ["agent: codex", "agent: codex"],
    ["setup: npm ci", "setup: npm ci"],
  ])("is refused in Goal: %j", (line, setting) => {
    const example = `---\n${setting}\n---`;
    const found = [{ rule: "setting-elsewhere", severity: "error", line: 4, example }];
    expect(problemsOf(`## Goal\nKeep it here.\n\n${line}\n\n${STEPS}`)).toEqual(found);
  });

  test.each([
    "## Steps\npush: never\n\n- [ ] a\n",
    "## Steps\n- [ ] a\n- push: never\n",
    "## Steps\n- [ ] a\n  push: never\n",
    "## Steps\n- [ ] a\n  - do b\n    push: never\n",
    `${STEPS}\npush: never\n`,
    `${STEPS}\n## Notes\n\nWe work here.\npush: never\n`,
    `${STEPS}\n## Setup\n\npush: never\n`,
  ])("is refused wherever it is: %j", (rest) => {
    const found = problemsOf(`---\ntitle: T\n---\n## Goal\nx\n${rest}`).filter(isSetting);
    expect(found).toMatchObject([{ severity: "error", example: "push: never" }]);
  });

  test("is refused with front matter above it, too", () => {
    expect(problemsOf(`---\ntitle: T\n---\npush: never\n\n## Goal\nx\n${STEPS}`)).toMatchObject([
      { rule: "setting-elsewhere", severity: "error", line: 4 },
    ]);
  });

  test.each([
    ["Push: Never", "push: never"],
    ["**push**: never", "push: never"],
    ["push = never", "push: never"],
    ["push: no", "push: never"],
    ["push: never.", "push: never"],
    ["push: never (it is secret)", "push: never"],
    ["psuh: never", "push: never"],
    ["we never say\npush: never\nor so", "push: never"],
    ["> push: never", "push: never"],
  ])("is said where it is only likely: %j", (line, setting) => {
    const text = `## Goal\nx\n${STEPS}\n\n${line}\n`;
    expect(problemsOf(text).filter(isSetting)).toMatchObject([
      { severity: "warning", example: `---\n${setting}\n---` },
    ]);
  });

  test("that is no safeguard may describe something else in Notes", () => {
    expect(problemsOf(`## Goal\nx\n${STEPS}\n## Notes\n\nparallel: 4\n`)).toMatchObject([
      { rule: "setting-elsewhere", severity: "warning" },
    ]);
  });

  test.each([
    "push: the button",
    "push: ask the team first",
    "Deliver: branch offices get it, too",
    "limits: what a user may upload",
    "network: slow",
    "plan: first the server",
    "release: tomorrow",
    "title: Move",
    "setup: install it",
    "dir: src",
    "Network: slow",
    "Agent: codex",
    "protect: the users",
    "note: push: never",
    "```\npush: never\n```",
  ])("is not suspected in %j", (line) => {
    expect(problemsOf(`## Goal\nx\n\n${line}\n\n${STEPS}`)).toEqual([]);
  });
});

function isSetting({ rule }: { readonly rule: string }): boolean {
  return rule.startsWith("setting-");
}
