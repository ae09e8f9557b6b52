// What is said of the front matter: at which line, and with an example that keeps the person's own values.
import { describe, expect, test } from "vitest";
import { findFrontMatter } from "./front-matter.ts";
import { lineTable } from "./line-table.ts";
import type { Problem } from "./problem.ts";
import { readSettings, SETTING_NAMES, settingExample } from "./settings.ts";

function problemsOf(front: string): readonly Problem[] {
  const text = `---\n${front}\n---\n`;
  const problems: Problem[] = [];
  readSettings(findFrontMatter(text, lineTable(text)), problems);
  return problems;
}

function problemOf(front: string): Problem | undefined {
  const [problem, ...others] = problemsOf(front);
  expect(others).toEqual([]);
  return problem;
}

describe("a value that is wrong", () => {
  test.each([
    ["network: off", "network: none"],
    ["workspace: inplace", "workspace: in-place"],
    ["workspace: in_place", "workspace: in-place"],
    ["push: nevr", "push: never"],
    ["push: no", "push: never"],
    ["plan: Review", "plan: review"],
    ["isolation: no", "isolation: off"],
    ["isolation: true", "isolation: on"],
    ["strict: yes", "strict: true"],
    ["trackState: off", "trackState: false"],
    ["agent: Claude", "agent: claude"],
    ["agents: claude, codex", "agents: [claude, codex]"],
    ["session: batch 3", "session: batch:3"],
    ["session: onetask", "session: one-task"],
    ['parallel: "3"', "parallel: 3"],
    ["timeout: 2 hours", "timeout: 2h"],
    ["timeout: 1.5h", "timeout: 1h30m"],
    ["timeout: 90 min", "timeout: 1h30m"],
    ["approvals: 3d", "approvals: { expire: 3d }"],
    ["approvals: { expire: 3 days }", "approvals: { expire: 3d }"],
    ["proof: allways", "proof: always"],
    ["proof: no", "proof: never"],
    ["proof: { when: always, budget: 10 min }", "proof: { when: always, budget: 10m }"],
    ['bring: "!x"', 'bring: [default, "!x"]'],
    ["dir: packages\\web", "dir: packages/web"],
    ["budgets: $5", "budgets: { cost: 5 }"],
    ["budgets: 8 hours", "budgets: { wall: 8h }"],
    ["budgets: { cost: $5, wall: 1.5h }", "budgets: { cost: 5, wall: 1h30m }"],
    ["budgets: { costs: 5, wall: 8h }", "budgets: { cost: 5, wall: 8h }"],
  ])("%j is corrected where it is clear what is meant", (line, example) => {
    const problem = problemOf(line);
    expect(problem).toMatchObject({ rule: "bad-setting", line: 2, example, found: line });
    expect(problem).not.toHaveProperty("sample");
    expect(problemsOf(example)).toEqual([]);
  });

  test.each([
    ["release: never", "release: ask"],
    ["network: sometimes", "network: loopback"],
    ["proof: sometimes", "proof: { when: always, budget: 10m }"],
    ["serve: npm run dev", 'serve: "`npm run dev` ready GET http://localhost:$STINT_PORT/"'],
    ["limits: 4", "limits: strict"],
    ["budgets: 5", "budgets: { cost: 20, wall: 8h }"],
    ["budgets: { cost: 5 USD, sessions: -3 }", "budgets: { cost: 5, sessions: 20 }"],
    ["timeout: 45", "timeout: 45m"],
    ["agent: [a, b]", "agent: codex"],
  ])("%j is shown the form of a right one otherwise", (line, example) => {
    expect(problemOf(line)).toMatchObject({ example, sample: true, found: line });
  });

  test.each(SETTING_NAMES)("the form that is shown of %s is right, and one line", (name) => {
    const example = settingExample(name);
    expect(example).not.toContain("\n");
    expect(problemsOf(example)).toEqual([]);
  });

  const form = "use whole days, hours, minutes, seconds, such as 1h30m";

  test.each([
    ["timeout: 2 hours", `timeout: "2 hours" is not a duration: ${form}`],
    ["timeout: 0", `timeout: "0" must be more than nothing: ${form}`],
    ['timeout: ""', `timeout: the duration is missing: ${form}`],
    ["timeout:", `timeout: the duration is missing: ${form}`],
    ["timeout: 999999d", 'timeout: "999999d" is longer than 24d20h31m23s, the longest duration'],
    ["approvals: { expire: soon }", `approvals: expire: "soon" is not a duration: ${form}`],
    [
      "proof: sometimes",
      "proof: expected auto, always or never, or a map such as { when: always, budget: 10m }",
    ],
    [
      "budgets: { cost: 5 USD, sessions: -3, wall: 8h }",
      'budgets: cost "5 USD" is not a valid amount: write US dollars from 0.01 to 1000000, such as 5; sessions "-3" is not a valid amount: write a whole number from 1 to 1000000, such as 20',
    ],
  ])("%j is told what is wrong", (line, message) => {
    expect(problemOf(line)?.message).toBe(message);
  });

  test("each budget that has its own line is told there", () => {
    expect(problemsOf("plan: auto\nbudgets:\n  cost: 5 USD\n  wall: 8h\n  sessions: -3")).toEqual([
      {
        rule: "bad-setting",
        severity: "error",
        line: 4,
        message:
          'budgets: cost "5 USD" is not a valid amount: write US dollars from 0.01 to 1000000, such as 5',
        example: "cost: 5",
        found: "cost: 5 USD",
      },
      {
        rule: "bad-setting",
        severity: "error",
        line: 6,
        message:
          'budgets: sessions "-3" is not a valid amount: write a whole number from 1 to 1000000, such as 20',
        example: "sessions: 20",
        sample: true,
        found: "sessions: -3",
      },
    ]);
  });

  test.each(["limits: { tasks_per_session: 2 }", "limits:\n  files_per_task: 3\n  extract: false"])(
    "the numbers of %j belong in the file of the repository, as they are",
    (block) => {
      const problem = problemOf(block);
      expect(problem).toEqual({
        rule: "bad-setting",
        severity: "error",
        line: 2,
        message:
          "limits is report or strict in the front matter; the numbers of limits belong in stint.config.yaml: write them there",
        example: block,
        found: block,
      });
    },
  );

  test("a key is found by its whole name", () => {
    expect(problemsOf("timeouts: { check: 20m }\ntimeout: soon")).toMatchObject([
      { line: 3, found: "timeout: soon" },
      { line: 2, found: "timeouts: { check: 20m }" },
    ]);
  });
});

describe("a key that is not known", () => {
  const unknown = (key: string): string => `the front matter key "${key}" is unknown and ignored`;
  /** What belongs in another file is a warning; what holds for the work is refused. */
  const told = (key: string, hint: string): string =>
    hint.includes("stint.config.yaml")
      ? `${unknown(key)}; ${hint}`
      : `there is no setting "${key}"; ${hint}`;

  test.each([
    ["plna: auto", "did you mean plan?", "plan: auto"],
    ["Plan: review", "did you mean plan?", "plan: review"],
    ["track_state: true", "did you mean trackState?", "trackState: true"],
    ['"stup": [npm ci]', "did you mean setup?", "setup: [npm ci]"],
    ["budget: $5", "did you mean budgets?", "budgets: { cost: 5 }"],
    ["budget:\n  cost: 5\n  wall: 8h", "did you mean budgets?", "budgets:\n  cost: 5\n  wall: 8h"],
    ["stup:\n- npm ci\n- make", "did you mean setup?", "setup:\n- npm ci\n- make"],
    ["max_attempts: 2", "write attempts_per_task: in stint.config.yaml", "attempts_per_task: 2"],
    ["max-attempts: 2", "write attempts_per_task: in stint.config.yaml", "attempts_per_task: 2"],
    [
      "attempt_per_task: 2",
      "write attempts_per_task: in stint.config.yaml",
      "attempts_per_task: 2",
    ],
    ["cost: 20", "cost is one of the budgets", "budgets: { cost: 20 }"],
    ["wall: 2 hours", "wall is one of the budgets", "budgets: { wall: 2h }"],
    ["max-cost: 20", "cost is one of the budgets", "budgets: { cost: 20 }"],
    ["cost_usd: 20", "cost is one of the budgets", "budgets: { cost: 20 }"],
    ["maxSessions: 4", "sessions is one of the budgets", "budgets: { sessions: 4 }"],
    ["no-push: true", "as a setting it is push: never", "push: never"],
    ["in_place: yes", "as a setting it is workspace: in-place", "workspace: in-place"],
    [
      "chekc: npm test",
      "did you mean check? It is a key of a task: write it below a task",
      "- check: `npm test`",
    ],
  ])("%j keeps its value under the right key", (block, suggestion, example) => {
    const key = /[\w-]+/.exec(block)?.[0] ?? "";
    const problem = problemOf(block);
    expect(problem).toEqual({
      rule: "unknown-setting",
      severity: suggestion.includes("stint.config.yaml") ? "warning" : "error",
      line: 2,
      message: told(key, suggestion),
      example,
      found: block,
    });
  });

  test.each([
    ["model: opus", "write models: in stint.config.yaml", "models: { claude: opus }"],
    ["retries: 3", "write attempts_per_task: in stint.config.yaml", "attempts_per_task: 5"],
    ["budget: lots", "did you mean budgets?", "budgets: { cost: 20, wall: 8h }"],
    ["deliver_to: main", "did you mean deliver?", "deliver: ask"],
    ["cost: much", "cost is one of the budgets", "budgets: { cost: 20 }"],
    ["no_push: false", "as a setting it is push: never", "push: never"],
  ])("%j is shown the form of the right key where its value is another", (line, hint, example) => {
    const key = line.split(":")[0] ?? "";
    const message = told(key, hint);
    expect(problemOf(line)).toMatchObject({ message, example, sample: true });
  });

  test.each([
    "attempts_per_task: 2",
    "timeouts: { check: 20m }",
    "notify:\n  desktop: true\n  on: [blocked]",
  ])("%j belongs in the file of the repository, as it is", (block) => {
    const key = block.split(":")[0];
    const problem = problemOf(`${block}\nplan: auto`);
    expect(problem).toMatchObject({
      line: 2,
      message: `${key} is a key of stint.config.yaml; in the front matter it is ignored: write it in that file`,
      example: block,
      found: block,
    });
    expect(problem).not.toHaveProperty("sample");
  });

  test.each([
    ["check: npm test", "- check: `npm test`"],
    ['check: "`npm test`"', "- check: `npm test`"],
    ["check: file dist/app.js exists", "- check: file dist/app.js exists"],
    ["check: [npm test, review]", "- check: `npm test`\n- check: review"],
    ["run: make install", "- run: `make install`"],
    ["approve: before", "- approve: before"],
    ["after: [a, b]", "- after: a, b"],
    ["docs-only: true", "- docs-only"],
    ["exclusive:", "- exclusive"],
    ["docs-only: false", ""],
    ["check: { run: x }", ""],
    ["approve:", ""],
  ])("%j belongs below a task", (line, example) => {
    const key = line.split(":")[0];
    expect(problemOf(line)).toEqual({
      rule: "unknown-setting",
      severity: "error",
      line: 2,
      message: `${key} is a key of a task and says nothing in the front matter; write it below a task`,
      example,
      found: line,
    });
  });

  test.each([
    ["budgets.cost: 5", "error", "budgets: { cost: 5 }"],
    ["budgets.wall: 8h", "error", "budgets: { wall: 8h }"],
    ["proof.when: always", "error", "proof: { when: always }"],
    ["approvals.expire: 3d", "error", "approvals: { expire: 3d }"],
    ["workspace.dir: /big/disk", "error", "workspace: { dir: /big/disk }"],
    ["limits.files_per_task: 12", "error", "limits: { files_per_task: 12 }"],
    ["notify.on: [done, blocked]", "warning", "notify: { on: [done, blocked] }"],
    ["notify.webhook.secret_env: HOOK", "warning", "notify: { webhook: { secret_env: HOOK } }"],
  ])("%j is one key inside another", (line, severity, example) => {
    const problem = problemOf(line);
    expect(problem).toMatchObject({ rule: "unknown-setting", severity, line: 2, example });
    expect(problem).not.toHaveProperty("sample");
    const isHere = /^(?:budgets|proof|approvals)/.test(example);
    expect(problem?.message.endsWith("in stint.config.yaml")).toBe(!isHere);
    if (isHere) expect(problemsOf(example)).toEqual([]);
  });

  test("several keys inside one are written together", () => {
    expect(problemsOf("budgets.cost: 5\nplan: auto\nbudgets.wall: 8h")).toMatchObject([
      { line: 2, severity: "error", example: "budgets: { cost: 5, wall: 8h }" },
      { line: 4, severity: "error", example: "" },
    ]);
  });

  test.each(["budgets.cost: 5\nbudgets: { wall: 8h }", "budgets.cost: lots", "agent.x: 1"])(
    "%j is shown the form, because the rest is not clear",
    (front) => {
      expect(problemsOf(front)).toMatchObject([{ line: 2, sample: true }]);
    },
  );

  test("is told without an example where nothing is meant, and all known keys are listed once", () => {
    const known = SETTING_NAMES.join(", ");
    expect(problemsOf("plna: auto\ncolour: red\nflavour: sweet")).toMatchObject([
      { line: 2, example: "plan: auto" },
      { line: 3, message: `${unknown("colour")}; known are ${known}`, example: "" },
      { line: 4, message: unknown("flavour"), example: "" },
    ]);
  });
});

describe("front matter that is no YAML", () => {
  const indented =
    "this line is indented further than the key above it, which has a value already; keys of one level begin in the same column";
  const noColon =
    "each line of the front matter is a key, a colon and a value; this one has no colon";
  const colon = "in the front matter a value with a colon and a space in it needs quotes";
  const noSpace = "in the front matter a space is needed between the colon of a key and its value";
  const dashes = "the front matter ends with a line of three dashes, and this is not one";
  const starts = (sign: string): string =>
    `in the front matter a value that starts with ${sign} needs quotes`;

  test.each([
    ["plan: auto\ntitle: Fix: the login", 3, colon, 'title: "Fix: the login"'],
    ['title: Fix: the "login"', 2, colon, "title: 'Fix: the \"login\"'"],
    ["serve:\n  run: npm run dev: x", 3, colon, 'run: "npm run dev: x"'],
    ["title: Fix: the login # now", 2, colon, ""],
    ["plan: auto\n  push: ask\nagent: x", 3, indented, "push: ask"],
    ["budgets:\n  cost: 5\n\n   wall: 8h", 5, indented, "  wall: 8h"],
    [
      "budgets:\n  cost: 5\n wall: 8h",
      4,
      "keys of one level begin in the same column, and this one does not",
      "",
    ],
    [
      "plan: auto\npush: ask\nplan: review",
      4,
      "the key plan is written twice; the first is on line 2: keep one of them",
      "",
    ],
    ["plan: auto\n\tpush: ask", 3, "YAML takes no tab as indentation: use spaces", "push: ask"],
    ["budgets:\n\tcost: 5", 3, "YAML takes no tab as indentation: use spaces", "  cost: 5"],
    ["plan: auto\npush ask\nagent: x", 3, noColon, "push: ask"],
    ["plan: auto\nall of it", 3, noColon, ""],
    [
      "agents: [a, b\npush: ask",
      2,
      "what begins with [ on this line needs a ] at its end",
      "agents: [a, b]",
    ],
    ["agents: [", 2, "what begins with [ on this line needs a ] at its end", ""],
    [
      "budgets: { cost: 5\npush: ask",
      2,
      "what begins with { on this line needs a } at its end",
      "budgets: { cost: 5 }",
    ],
    [
      'plan: auto\ntitle: "abc\npush: ask',
      3,
      'the text that begins with " on this line has no " at its end',
      'title: "abc"',
    ],
    [
      "title: 'it's'",
      2,
      "the text in quotes ends at its second ', and more follows",
      'title: "it\'s"',
    ],
    ["title: @x", 2, starts("@"), 'title: "@x"'],
    ["plan: auto\nbring: [*.csv, !a]", 3, starts("*"), 'bring: ["*.csv", "!a"]'],
    ["bring:\n  - data/\n  - *.csv", 4, starts("*"), '- "*.csv"'],
    ["plan: auto\nbring: [default, !x]", 3, starts("!"), 'bring: [default, "!x"]'],
    ["bring: !x", 2, starts("!"), 'bring: "!x"'],
    ["plan: auto\nbring:\n  - default\n  - !x", 5, starts("!"), '- "!x"'],
    ["agent:codex", 2, noSpace, "agent: codex"],
    ["agent:codex\npush:ask", 2, noSpace, "agent: codex"],
    ["plan: auto\nagent:codex", 3, noSpace, "agent: codex"],
    ["plan: auto\n----\n\n# Goal", 3, dashes, "---"],
    ["setup: `npm ci`", 2, starts("a backtick"), 'setup: "`npm ci`"'],
  ])("%j is told at its line, in plain words", (front, line, message, example) => {
    const problem = problemOf(front);
    expect(problem).toMatchObject({ rule: "bad-front-matter", line, message, example });
    expect(problem?.found.trim()).toBe(front.split("\n")[line - 2]?.trim());
  });
});
