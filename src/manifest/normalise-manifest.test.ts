import { config } from "../core/schema/config.ts";
import { commandsOf } from "./edit/reconcile-manifest.ts";
import { TASK_KEYS } from "./manifest-document.ts";
import { FILE_SETTINGS, SETTING_NAMES } from "./settings.ts";
import { describe, expect, test } from "vitest";
import { normaliseManifest, type NormalisedManifest } from "./normalise-manifest.ts";
import { parseManifest } from "./parse-manifest.ts";
import { toIntents } from "./plan.ts";
import { formatProblem, type Problem } from "./problem.ts";
import { workspaceSettings } from "../core/written/workspace-settings.ts";

function normalise(text: string): NormalisedManifest {
  return normaliseManifest(parseManifest(text));
}

/** Every problem as a person reads it. */
function problems(text: string): string[] {
  return normalise(text).problems.map((problem) => formatProblem("a.md", problem));
}

/** The problems of a task's items, below a sound manifest; the task is on line 3. */
function itemProblems(...items: string[]): Problem[] {
  const text = `# Goal\nx\n# Steps\n- [ ] first: One\n- [ ] Two\n${items.map((item) => `  - ${item}\n`).join("")}`;
  return [...normalise(text).problems];
}

describe("a sound manifest", () => {
  const text = `---
plan: review
---
# Goal

Rationale.

# Success Criteria
- [ ] It is
  fast.
* It is small.

Plain paragraph
goes on.

# Steps
- [x] database-migration - Migrate database schema
  - id: db
- [ ] Write the *guide*
  - first sub-step
  - check: \`npm test\`
  - check: review
  - after: none
  - approve: After
  - agent: codex
  - timeout: 1h30m
  - delegate: the docs
    team
  - returns: GET http://x.test/guide 200 contains "Guide"
  - look: 10m
  - deadline: 3d
  - docs-only
  - limit: files 12, new 5, moves 2
- [ ] Publish
  - run: \`npm publish\`
  - after: db, write-the-guide
- [ ] Tell them
  - webhook: <https://x.test/hook>

# References
see x

# Tools
make

# Notes
n
`;

  test("S0-7 S0-8 S0-12 becomes a plan with all its sections", () => {
    const { plan, problems: found } = normalise(text);
    expect(found).toEqual([]);
    expect(plan).toMatchObject({
      goal: "Rationale.",
      successCriteria: ["It is fast.", "It is small.", "Plain paragraph goes on."],
      references: "see x",
      tools: "make",
      notes: "n",
      settings: { plan: "review" },
    });
  });

  test("S0-24 has its tasks with everything their keys say", () => {
    const [first, second, third, fourth] = normalise(text).plan.tasks;
    expect(first).toMatchObject({
      name: "database-migration",
      title: "Migrate database schema",
      text: "database-migration - Migrate database schema",
      explicitId: "db",
      box: { checked: true },
    });
    expect(first?.after).toBeUndefined();
    expect(second).toMatchObject({
      name: "write-the-guide",
      after: [],
      checks: [{ kind: "command", command: "npm test" }, { kind: "review" }],
      approve: "after",
      agent: "codex",
      timeoutMs: 5_400_000,
      delegate: "the docs team",
      returns: { kind: "url", url: "http://x.test/guide", status: 200, contains: "Guide" },
      lookMs: 600_000,
      deadlineMs: 3 * 86_400_000,
      docsOnly: true,
      limit: { files_per_task: 12, new_files_per_session: 5, moves_per_task: 2 },
      substeps: [{ text: "first sub-step" }],
    });
    expect(third).toMatchObject({ run: "npm publish", after: [0, 1] });
    expect(fourth).toMatchObject({ webhook: "https://x.test/hook" });
  });
});

describe("a manifest without its required sections", () => {
  test("S0-7 is refused with every problem at once", () => {
    expect(problems("# Goals\n\nx\n\n## Step\n\n- [ ] a\n")).toEqual([
      `a.md:1: error: "Goals" does not open a section; did you mean Goal? [no-goal]
  write: # Goal
  found: # Goals`,
      `a.md:5: error: "Step" does not open a section; did you mean Steps? [no-steps]
  write: ## Steps
  found: ## Step`,
    ]);
    expect(problems("# Plan\n\nx\n")).toEqual([
      `a.md:1: error: the manifest has no Goal section [no-goal]
  as in: ## Goal

         The API answers in 100 ms, because mobile users leave after that.
  found: headings "Plan"`,
      `a.md:1: error: the manifest has no Steps section [no-steps]
  as in: ## Steps

         - [ ] Add the login form
           - check: \`npm test\`
  found: headings "Plan"`,
    ]);
  });

  test("is told about a Goal that is no heading", () => {
    expect(problems("**Goal:** be fast\n\n# Steps\n- [ ] a\n")).toEqual([
      `a.md:1: error: this line is not a heading, so it does not open the section Goal [no-goal]
  write: ## Goal

         be fast
  found: **Goal:** be fast`,
    ]);
  });

  test.each([
    ["## 1. Goal", "## Goal"],
    ["## 🎯 Goal", "## Goal"],
    ["## **Goal**", "## Goal"],
    ["## Goal (short):", "## Goal"],
    ["## Gaol", "## Goal"],
    ["## Objective", "## Goal"],
    ["# Goal: make it fast", "# Goal\n\nmake it fast"],
  ])("is told about %j", (found, example) => {
    expect(normalise(`${found}\nx\n# Steps\n- [ ] a`).problems).toMatchObject([
      { rule: "no-goal", line: 1, found, example },
    ]);
  });

  test("S3-2 without a finite list of steps is refused", () => {
    expect(problems("# Goal\nx\n# Steps\n\nKeep improving things.\n")).toEqual([
      `a.md:3: error: Steps needs a finite list of steps, each a list item with a box; none has one [no-tasks]
  as in: ## Steps

         - [ ] Add the login form
           - check: \`npm test\`
  found: Keep improving things.`,
    ]);
  });

  test("an empty Goal is refused, a comment does not fill it", () => {
    expect(problems("# Goal\n<!-- to do -->\n# Steps\n- [ ] a\n")).toEqual([
      `a.md:1: error: the Goal section is empty; say why the work is done and what is true at its end [empty-goal]
  as in: ## Goal

         The API answers in 100 ms, because mobile users leave after that.
  found: # Goal`,
    ]);
  });

  test("two sections of one name are refused", () => {
    expect(problems("# Goal\nx\n# Steps\n- [ ] a\n# Goal\ny\n# Steps\n- [ ] b\n")).toEqual([
      `a.md:5: error: a manifest has one Goal section; the first is on line 1: put everything below that one [two-goal-sections]
  found: # Goal`,
      `a.md:7: error: a manifest has one Steps section; the first is on line 3: put everything below that one [two-steps-sections]
  found: # Steps`,
    ]);
  });
});

describe("a key", () => {
  test.each([
    ["approve: maybe", "bad-approve", "approve is either before or after", "approve: before"],
    [
      "webhook: example.com",
      "bad-webhook",
      'webhook needs an address: "example.com" is not an http or https address',
      "webhook: https://example.com/hook",
    ],
    [
      "agent: The Best",
      "bad-agent",
      '"The Best" is not an agent name: lower-case letters, digits, hyphens',
      "agent: codex",
    ],
    [
      "timeout: soon",
      "bad-timeout",
      '"soon" is not a duration: use whole days, hours, minutes, seconds, such as 1h30m',
      "timeout: 1h30m",
    ],
    [
      "id: Bad Id",
      "bad-id",
      '"Bad Id" is not a valid id: use at most 64 lower-case letters, digits and inner hyphens',
      "id: database-migration",
    ],
    [
      "limit: files many",
      "bad-limit",
      '"files many" is not a valid limit: use files, new or moves with a number, each once',
      "limit: files 12, new 5, moves 2",
    ],
    [
      "check: file ../x",
      "bad-check",
      "this check cannot be read: the path leaves the repository",
      "check: file dist/app.js exists",
    ],
    [
      "after: nobody",
      "bad-after",
      'after names "nobody", and no task has that name or id',
      "after: first",
    ],
    [
      "after: t1",
      "bad-after",
      'after names "t1", and no task has that name or id; ids that Stint gave cannot be used here',
      "after: first",
    ],
    ["after: two", "after-itself", 'the task "two" waits for itself', "after: first"],
  ])("%j is refused with its line, an example and what was found", (item, rule, message, form) => {
    const example = `- ${form}`;
    expect(itemProblems(item)).toEqual([
      { rule, severity: "error", line: 6, message, example, sample: true, found: `- ${item}` },
    ]);
  });

  test.each([
    ["timeout: 30 minutes", "- timeout: 30m"],
    ["timeout: 1.5 hours", "- timeout: 1h30m"],
    ["check: files dist/app.js", "- check: file dist/app.js exists"],
  ])("%j is refused with the same value written right", (item, example) => {
    const [problem] = itemProblems(item);
    expect(problem).toMatchObject({ severity: "error", example, found: `- ${item}` });
    expect(problem?.sample).toBeUndefined();
  });

  test.each(["delegate:", "after:"])("%j without a value is refused", (item) => {
    expect(itemProblems(item)).toMatchObject([
      { severity: "error", line: 6, found: `- ${item} (nothing)` },
    ]);
  });

  test("is taken once, checks as often as needed", () => {
    expect(itemProblems("timeout: 1m", "timeout: 2m", "check: `a`", "check: `b`")).toEqual([
      {
        rule: "key-twice",
        severity: "error",
        line: 7,
        message: "a task has only one timeout; the first is on line 6: keep one of them",
        example: "",
        found: "- timeout: 2m",
      },
    ]);
  });

  test.each([
    ["check: npm test", "check: `npm test`"],
    ["check: grep -q Hello hello.txt", "check: `grep -q Hello hello.txt`"],
    ["check: npm test\n    && npm run lint", "check: `npm test && npm run lint`"],
    ["run: npm publish", "run: `npm publish`"],
    ["run: deploy it", "run: `deploy it`"],
    ["run: `a` and `b`", "run: `a && b`"],
  ])("%j is an error that shows the same text in backticks", (item, example) => {
    expect(itemProblems(item)).toMatchObject([
      {
        rule: "command-without-backticks",
        severity: "error",
        message: `put the whole command in backticks; without them ${item.slice(0, item.indexOf(":"))}: executes nothing`,
        example: `- ${example}`,
      },
    ]);
  });

  test.each([
    ["returns: make film", "bad-returns", "- returns: `make film`"],
    ["delegate: make film", "delegate-without-returns", "- delegate: `make film`"],
  ])("%j, too, shows the command in backticks", (item, rule, example) => {
    const items = item.startsWith("delegate") ? [item] : ["delegate: the team", item, "check: `a`"];
    expect(itemProblems(...items)).toMatchObject([{ rule, severity: "error", example }]);
  });

  test("front matter names commands without backticks, or with them", () => {
    const front = (line: string) =>
      normalise(`---\n${line}\n---\n# Goal\nx\n# Steps\n- [ ] a\n`).problems;
    expect(front("setup: npm ci")).toEqual([]);
    expect(front("setup: [npm ci, make]")).toEqual([]);
    expect(front('setup: "`npm ci`"')).toEqual([]);
    expect(front("serve: { run: npm run dev, ready: 'http://localhost:$STINT_PORT/' }")).toEqual(
      [],
    );
  });

  test("a task has run: or webhook:, not both, for the webhook is never called", () => {
    expect(itemProblems("run: `make`", "webhook: https://x.test/hook")).toMatchObject([
      {
        rule: "run-and-webhook",
        severity: "error",
        line: 7,
        found: "run: `make`, and webhook: https://x.test/hook",
      },
    ]);
  });

  test.each(["check: all tests pass", "check: run `npm test`", "check: npm test passes"])(
    "%j is prose, with a warning, and never becomes a command",
    (item) => {
      expect(itemProblems(item)).toMatchObject([
        { rule: "prose-command", severity: "warning", found: `- ${item}` },
      ]);
      const { plan } = normalise(`# Goal\nx\n# Steps\n- [ ] a\n  - ${item}\n`);
      expect(plan.tasks[0]).toMatchObject({ checks: [] });
      expect(plan.tasks[0]?.run).toBeUndefined();
    },
  );

  test.each([
    ["chekc: `npm test`", '"chekc:" is not a key; did you mean check:?', "- check: `npm test`"],
    ["Checks: `npm test`", '"Checks:" is not a key; did you mean check:?', "- check: `npm test`"],
    ["aprove: before", '"aprove:" is not a key; did you mean approve:?', "- approve: before"],
    [
      "**check:** `npm test`",
      "check is not seen as a key here; write it plain, without emphasis and with a plain colon",
      "- check: `npm test`",
    ],
    [
      "`timeout`: 3m",
      "timeout is not seen as a key here; write it plain, without emphasis and with a plain colon",
      "- timeout: 3m",
    ],
    ["depends on: first", '"depends on:" is not a key; did you mean after:?', "- after: first"],
    [
      "needs: first, second",
      '"needs:" is not a key; did you mean after:?',
      "- after: first, second",
    ],
    ["verify: `npm test`", '"verify:" is not a key; did you mean check:?', "- check: `npm test`"],
    ["command: `make`", '"command:" is not a key; did you mean run:?', "- run: `make`"],
    ["cwd: web", '"cwd:" is not a key; did you mean dir:?', "- dir: web"],
    ["max time: 5m", '"max time:" is not a key; did you mean timeout:?', "- timeout: 5m"],
    ["time-out: 5m", '"time-out:" is not a key; did you mean timeout:?', "- timeout: 5m"],
    ["docs_only: true", '"docs_only:" is not a key; did you mean docs-only?', "- docs-only"],
    ["docs only", "this is a sub-step; as a key it is docs-only", "- docs-only"],
    [
      "check `npm test`",
      "this is a sub-step; as a key it is check: `npm test`",
      "- check: `npm test`",
    ],
    ["review", "this is a sub-step; as a key it is check: review", "- check: review"],
    [
      "check file a.txt",
      "this is a sub-step; as a key it is check: file a.txt",
      "- check: file a.txt",
    ],
    [
      "check：`npm test`",
      "check is not seen as a key here; write it plain, without emphasis and with a plain colon",
      "- check: `npm test`",
    ],
    [
      "\u200Bcheck: `npm test`",
      "check is not seen as a key here; write it plain, without emphasis and with a plain colon",
      "- check: `npm test`",
    ],
  ])("that is nearly %j is pointed out", (item, message, example) => {
    expect(itemProblems(item)).toEqual([
      { rule: "near-miss-key", severity: "warning", line: 6, message, example, found: `- ${item}` },
    ]);
  });

  test.each([
    ["attempts: 5", "attempts_per_task: in stint.config.yaml", "attempts_per_task: 5"],
    ["attempts_per_task: 5", "attempts_per_task: in stint.config.yaml", "attempts_per_task: 5"],
    ["atempts: 5", "attempts_per_task: in stint.config.yaml", "attempts_per_task: 5"],
    ["Model: opus", "models: in stint.config.yaml", "models: { claude: opus }"],
    ["isolation: off", "isolation: in the front matter of the manifest", "isolation: off"],
    ["isolaton: off", "isolation: in the front matter of the manifest", "isolation: off"],
    ["**push**: never", "push: in the front matter of the manifest", "push: never"],
    [
      "setup: `npm ci && npm run generate`",
      "setup: in the front matter of the manifest",
      "setup: npm ci && npm run generate",
    ],
    ["network: none", "network: in the front matter of the manifest", "network: none"],
    ["retries: 2", "attempts_per_task: in stint.config.yaml", "attempts_per_task: 5"],
    ["max_cost: 5", "budgets: in the front matter of the manifest", "budgets: { cost: 5 }"],
    ["max-wall: 8 hours", "budgets: in the front matter of the manifest", "budgets: { wall: 8h }"],
    ["Cost: $5", "budgets: in the front matter of the manifest", "budgets: { cost: 5 }"],
  ])("that is a setting, %j, is pointed out with its place", (item, place, example) => {
    const word = /[A-Za-z_-]+/.exec(item)?.[0];
    const message = `"${word}:" is not a key of a task and changes nothing here; for all tasks, write ${place}`;
    const rule = "setting-below-task";
    const sample = /^(?:Model|retries)/.test(item) ? { sample: true } : {};
    // What can only be meant as a safeguard is one that the run would not have.
    const severity = /^(?:isolation|network|max[_-]\w+):/.test(item) ? "error" : "warning";
    expect(itemProblems(item)).toEqual([
      { rule, severity, line: 6, message, example, ...sample, found: `- ${item}` },
    ]);
  });

  test.each([
    ["Network: uses fetch", "network: loopback"],
    ["proof: maybe", "proof: { when: always, budget: 10m }"],
  ])("that has no value of a setting, %j, is shown an example of one", (item, example) => {
    expect(itemProblems(item)).toMatchObject([
      { rule: "setting-below-task", severity: "warning", example, sample: true },
    ]);
  });

  test("that is a map with a safeguard is an error", () => {
    expect(itemProblems("budgets: { cost: 5, wall: 8h }")).toMatchObject([
      { rule: "setting-below-task", severity: "error" },
    ]);
  });

  test("every setting has a place to be named: a task, the front matter, or the file", () => {
    const known = [...TASK_KEYS, ...SETTING_NAMES, ...Object.keys(FILE_SETTINGS)];
    const inFile = Object.keys(config.def.shape);
    expect(inFile.filter((key) => !known.includes(key))).toEqual([]);
    expect(Object.keys(FILE_SETTINGS).filter((key) => !inFile.includes(key))).toEqual([]);
  });

  test.each([
    "setup: install what the page needs",
    "network: look at the slow request first",
    "plan: review",
    "note: check the logs",
    "cost: low",
    "tokens: 5 per user",
    "it: is fine",
    "Details: see below",
    "http://x.test",
    "12:30 is lunch",
    "test: the login page shows an error",
    "needs: a look at how the old code did it",
    "verify: it by hand",
    "check file permissions",
    "check GET and POST",
    "run",
    "Look",
  ])("is not suspected in %j", (item) => {
    expect(itemProblems(item)).toEqual([]);
  });

  test("in the wrapped lines of a title, or outside any task, is pointed out", () => {
    expect(problems("# Goal\nx\n# Steps\n- [ ] a\n  check: `x`\n\n- check: `y`\n")).toEqual([
      `a.md:5: error: check is read as part of the task's text; make it a separate item below the task [key-in-title]
  write:   - check: \`x\`
  found: check: \`x\``,
      `a.md:7: error: this check belongs to no task and is ignored; indent it below its task: write 2 spaces before its bullet [key-without-task]
  write:   - check: \`y\`
  found: - check: \`y\``,
    ]);
  });
});

test("a webhook with a password in its address is refused, and the password not repeated", () => {
  expect(itemProblems("webhook: https://ada:hunter2@x.test/")).toEqual([
    {
      rule: "bad-webhook",
      severity: "error",
      line: 6,
      message: "webhook needs an address without a password; name a variable of the environment",
      example: "- webhook: https://ada:$HOOK_PASSWORD@example.com/hook",
      sample: true,
      found: "webhook: https://[redacted]@x.test/",
    },
  ]);
  expect(itemProblems("webhook: https://ada:$HOOK_PASSWORD@x.test/")).toEqual([]);
});

describe("a box that is none", () => {
  test.each([
    ["- [] a", "- [ ] a"],
    ["- [  ] a", "- [ ] a"],
    ["- [-] a", "- [ ] a"],
    ["- [ x] a", "- [x] a"],
    ["- [x ] a", "- [x] a"],
    ["- [✓] a", "- [x] a"],
    ["- [ ]a", "- [ ] a"],
  ])("%j is pointed out", (item, example) => {
    expect(normalise(`# Goal\nx\n# Steps\n- [ ] b\n${item}\n`).problems).toEqual([
      {
        rule: "near-miss-box",
        severity: "warning",
        line: 5,
        message: "this is not a box, so the item is not a task; a box is [ ] or [x] and a space",
        example,
        found: item,
      },
    ]);
  });

  test.each(["[ ] a", "-[ ] a"])("%j without a bullet is pointed out", (line) => {
    expect(normalise(`# Goal\nx\n# Steps\n- [ ] b\n\ntext\n${line}\n`).problems).toMatchObject([
      { rule: "box-without-bullet", line: 7, example: "- [ ] a", found: line },
    ]);
  });

  test("an item of the list without a box is pointed out", () => {
    expect(problems("# Goal\nx\n# Steps\n- [ ] b\n- c\n")).toEqual([
      `a.md:5: warning: this item has no box, so it is never worked on; add a box, or indent it below a task [item-without-box]
  write: - [ ] c
  found: - c`,
    ]);
  });
});

describe("tasks that clash", () => {
  test("a task without text is refused", () => {
    expect(problems("# Goal\nx\n# Steps\n- [ ]\n")).toEqual([
      `a.md:4: error: this task has no text [empty-task]
  as in: - [ ] Add the login form
  found: - [ ]`,
    ]);
  });

  test("equal titles are pointed out, equal ids are refused", () => {
    expect(problems("# Goal\nx\n# Steps\n- [ ] a\n  - id: one\n- [ ] a\n  - id: one\n")).toEqual([
      `a.md:6: warning: this task reads the same as the one on line 4; say how they differ [same-title]
  as in: - [ ] a (second part)
  found: - [ ] a`,
      `a.md:7: error: two tasks have the id "one"; the first is on line 5 [same-id]
  write: id: one-2
  found: id: one`,
    ]);
  });

  test("two tasks with one written name are refused; names that were made of titles are numbered", () => {
    expect(
      problems("# Goal\nx\n# Steps\n- [ ] docs: Write a\n- [x] docs - Write b\n- [ ] Docs\n"),
    ).toEqual([
      `a.md:5: error: two tasks are named "docs"; the first is on line 4 [same-name]
  write: - [x] docs-2 - Write b
  found: - [x] docs - Write b`,
    ]);
  });

  test("tasks that wait for each other are refused, with the way round", () => {
    expect(
      problems("# Goal\nx\n# Steps\n- [ ] a: A\n  - after: c\n- [ ] b: B\n- [ ] c: C\n"),
    ).toEqual([
      `a.md:5: error: tasks wait for each other: a → c → a; a task without after: waits for every task above it [after-cycle]
  as in: - after: none
  found: - after: c`,
    ]);
    expect(
      problems(
        "# Goal\nx\n# Steps\n- [ ] a: A\n  - after: c\n- [ ] b: B\n- [ ] c: C\n  - after: none\n",
      ),
    ).toEqual([]);
  });

  test("a cycle among ten thousand tasks is found", () => {
    const items = Array.from({ length: 10_000 }, (_, n) => `- [ ] n${n}: Task ${n}\n`);
    items[0] = "- [ ] n0: Task 0\n  - after: n9999\n";
    expect(problems(`# Goal\nx\n# Steps\n${items.join("")}`)).toHaveLength(1);
  });
});

describe("front matter", () => {
  test("with an unknown key, a wrong value or no YAML is reported at its line", () => {
    expect(problems("---\nplna: review\npush: maybe\n---\n# Goal\nx\n# Steps\n- [ ] a\n")).toEqual([
      `a.md:2: error: there is no setting "plna"; did you mean plan? [unknown-setting]
  write: plan: review
  found: plna: review`,
      `a.md:3: error: push is auto, ask or never [bad-setting]
  as in: push: ask
  found: push: maybe`,
    ]);
    expect(normalise("---\nplan: [\n---\n# Goal\nx\n# Steps\n- [ ] a\n").problems).toMatchObject([
      { rule: "bad-front-matter", severity: "error" },
    ]);
  });

  test("keeps what is said of the workspace", () => {
    const front = `---
workspace: own-path
bring: [data/, fixtures/**]
setup: npm ci
serve: "\`npm run dev\` ready GET http://localhost:$STINT_PORT/"
dir: packages/web/
---
`;
    const { plan, problems: found } = normalise(`${front}# Goal\nx\n# Steps\n- [ ] a\n`);
    expect(found).toEqual([]);
    expect(workspaceSettings(plan.settings)).toEqual({
      workspace: { kind: "own-path" },
      bring: ["data/", "fixtures/**"],
      setup: ["npm ci"],
      serve: { command: "npm run dev", ready: "http://localhost:$STINT_PORT/" },
      dir: "packages/web",
    });
  });

  test.each([
    ["workspace: elsewhere", "workspace is copy, in-place or own-path"],
    ["workspace: { kind: copy, dir: /x }", "workspace is copy, in-place or own-path"],
    ["bring: ../data", 'bring: "../data" contains ".."'],
    ["bring: [/etc]", 'bring: "/etc" is absolute'],
    ["setup: []", "setup: expected a command, or a list of them"],
    [
      "serve: npm run dev",
      'serve: expected a command, then "ready GET" and the address that answers',
    ],
    ["dir: /srv", 'dir: "/srv" is absolute'],
    ["dir: a/../b", 'dir: "a/../b" contains ".."'],
  ])("refuses %s", (line, message) => {
    const { plan, problems: found } = normalise(`---\n${line}\n---\n# Goal\nx\n# Steps\n- [ ] a\n`);
    expect(found).toMatchObject([{ severity: "error", line: 2, message, found: line }]);
    expect(plan.settings).toEqual({});
  });

  test("says how a command in backticks is written in YAML", () => {
    expect(
      problems(
        "---\nplan: auto\nserve: `npm start` ready GET http://localhost:1/\n---\n# Goal\nx\n# Steps\n- [ ] a\n",
      ),
    ).toEqual([
      `a.md:3: error: in the front matter a value that starts with a backtick needs quotes [bad-front-matter]
  write: serve: "\`npm start\` ready GET http://localhost:1/"
  found: serve: \`npm start\` ready GET http://localhost:1/`,
    ]);
    expect(
      problems('---\nsetup:\n  - `echo "a"`\n---\n# Goal\nx\n# Steps\n- [ ] a\n')[0],
    ).toContain("write: - '`echo \"a\"`'");
  });

  test("says what became of dirty:", () => {
    expect(problems("---\ndirty: stash\n---\n# Goal\nx\n# Steps\n- [ ] a\n")).toEqual([
      `a.md:2: error: dirty: is gone: a run never works in your checkout. To start from your uncommitted changes: stint run … --include-changes [gone-setting]
  as in: stint run prompt.md --include-changes
  found: dirty: stash`,
    ]);
  });

  test.each(["__proto__: x", "constructor: x", "toString: x"])(
    "takes %j for an unknown key",
    (line) => {
      const { plan, problems: found } = normalise(
        `---\n${line}\n---\n# Goal\nx\n# Steps\n- [ ] a\n`,
      );
      expect(found).toMatchObject([{ rule: "unknown-setting" }]);
      expect(plan.settings).toEqual({});
    },
  );
});

test("lists nested too deeply are refused", () => {
  const { problems: found } = normalise(`# Goal\nx\n# Steps\n${"- ".repeat(300)}[ ] a\n`);
  expect(found.map((problem) => problem.rule)).toContain("too-deep");
});

describe("the folder of a task", () => {
  test.each([
    ["packages/web", "packages/web"],
    ["`packages/web/`", "packages/web"],
    ["./a//b", "a/b"],
    [".", ""],
  ])("dir: %s is in its intent", (written, dir) => {
    const { plan, problems: found } = normalise(
      `# Goal\nx\n# Steps\n- [ ] first: One\n  - dir: ${written}\n`,
    );
    expect(found).toEqual([]);
    expect(toIntents(plan.tasks, ["t1" as never])).toMatchObject([{ id: "t1", dir }]);
  });

  test("in: checkout is in its intent, and its command another than in the workspace", () => {
    const { plan, problems: found } = normalise(
      "# Goal\nx\n# Steps\n- [ ] first: One\n  - run: `make install`\n  - in: checkout\n",
    );
    expect(found).toEqual([]);
    const intents = toIntents(plan.tasks, ["t1" as never]);
    expect(intents).toMatchObject([{ id: "t1", run: "make install", in: "checkout" }]);
    expect(commandsOf(intents).map(({ command }) => command)).toEqual([
      "make install (in the checkout)",
    ]);
  });

  test("in: says what it may be, and what it is for", () => {
    expect(itemProblems("in: workspace")).toMatchObject([
      { rule: "bad-in", severity: "error", example: "- in: checkout" },
    ]);
    expect(itemProblems("in: checkout")).toMatchObject([
      {
        rule: "in-without-run",
        severity: "error",
        message:
          "in: checkout is for a command that Stint executes itself; sessions never work there",
      },
    ]);
  });

  test.each([
    ["/srv", 'dir: "/srv" is absolute'],
    ["a/../b", 'dir: "a/../b" contains ".."'],
    ["~/x", 'dir: "~/x" leads to a home folder'],
    ["", "dir: the path is empty"],
  ])("dir: %s is refused", (written, message) => {
    expect(itemProblems(`dir: ${written}`)).toMatchObject([
      { rule: "bad-dir", severity: "error", message, example: "- dir: packages/web" },
    ]);
  });
});

describe("what nothing closes", () => {
  test.each([
    ["<!-- later", "comment", 2],
    ["```sh", "code block", 2],
    ["~~~", "code block", 2],
  ])("%j is refused where it takes tasks", (opening, what, tasks) => {
    const text = `# Goal\nx\n# Steps\n- [ ] a\n\n${opening}\n- [ ] b\n- [ ] c\n`;
    expect(normalise(text).problems).toMatchObject([
      {
        rule: "not-closed",
        severity: "error",
        line: 6,
        message: `this ${what} is never closed, so everything below it is part of it; ${tasks} tasks in it are not read`,
      },
    ]);
  });

  test("is told of where it takes a section", () => {
    expect(normalise("# Goal\nx\n<!-- y\n# Steps\n- [ ] a\n").problems).toMatchObject([
      { rule: "no-steps" },
      { rule: "not-closed", line: 3 },
    ]);
  });

  test.each([
    "<!-- - [ ] b -->",
    "<!--\n- [ ] b\n-->",
    "```\n- [ ] b\n```",
    "~~~md\n- [ ] b\n~~~",
    "```\nnpm test",
    "<!-- nothing",
  ])("%j is fine", (block) => {
    expect(normalise(`# Goal\nx\n# Steps\n- [ ] a\n\n${block}\n`).problems).toEqual([]);
  });
});

describe("a key of one word", () => {
  const task = (item: string) =>
    normalise(`# Goal\nx\n# Steps\n- [ ] a\n  - ${item}\n`).plan.tasks[0];

  test.each(["exclusive", "exclusive: true", "Exclusive: yes", "exclusive:"])(
    "%j is on",
    (item) => {
      expect(task(item)?.exclusive).toBe(true);
    },
  );

  test.each(["exclusive: false", "exclusive: no", "exclusive: off"])("%j is off", (item) => {
    expect(task(item)?.exclusive).toBeUndefined();
    expect(itemProblems(item)).toEqual([]);
  });

  test("docs-only may say so too, and nothing else", () => {
    expect(task("docs-only: true")?.docsOnly).toBe(true);
    expect(task("docs-only: false")?.docsOnly).toBe(false);
    expect(itemProblems("docs-only: maybe")).toMatchObject([
      { rule: "bad-docs-only", message: "docs-only stands alone, or is true or false" },
    ]);
  });

  test.each([
    ["approve", "bad-approve", "- approve: before"],
    ["strict", "bad-strict", "- strict: true"],
    ["timeout", "bad-timeout", "- timeout: 1h30m"],
  ])("%j alone says too little", (item, rule, example) => {
    expect(itemProblems(item)).toMatchObject([{ rule, severity: "error", example }]);
  });
});

describe("a command in a code block below its key", () => {
  test.each(["check", "run"])("is no value of %s:, and is shown as one", (key) => {
    const text = `# Goal\nx\n# Steps\n- [ ] a\n  - ${key}:\n    \`\`\`sh\n    # both\n    npm test\n    $ npm run lint\n    \`\`\`\n`;
    expect(normalise(text).problems).toMatchObject([
      {
        rule: "command-in-code-block",
        severity: "error",
        line: 5,
        example: `- ${key}: \`npm test && npm run lint\``,
      },
    ]);
  });
});

describe("a key that belongs to no task", () => {
  const withText = (text: string) => normalise(`# Goal\nx\n# Steps\n- [ ] a\n\n${text}\n`).problems;

  test.each([
    ["check: `npm test`", "  - check: `npm test`"],
    ["  check: `npm test`", "  - check: `npm test`"],
    ["agent: codex", "  - agent: codex"],
    ["# Success criteria\n- check: `npm test`", "  - check: `npm test`"],
    ["# Notes\n- timeout: 5m", "  - timeout: 5m"],
    ["# Notes\n- approve: before", "  - approve: before"],
  ])("%j is pointed out", (text, example) => {
    expect(withText(text)).toMatchObject([{ rule: "key-without-task", example }]);
  });

  test.each([
    "# Notes\n- check: the old page is slow",
    "# Notes\n- run: it twice",
    "# Notes\n- after: lunch we ship",
  ])("%j may be a sentence", (text) => {
    expect(withText(text)).toEqual([]);
  });
});

describe("an id that is the name of another task", () => {
  const withTasks = (...tasks: string[]) =>
    normalise(`# Goal\nx\n# Steps\n${tasks.join("\n")}\n`).problems;

  test("is refused, because after: could mean either", () => {
    const tasks = ["- [ ] a - A", "- [ ] b - B\n  - id: a", "- [ ] c - C\n  - after: a"];
    const [problem, ...others] = withTasks(...tasks);
    expect(others).toEqual([]);
    expect(problem).toMatchObject({ rule: "id-is-a-name", severity: "error", line: 6 });
    expect(withTasks(...tasks).length).toBe(1);
    expect(
      withTasks(...tasks.map((task) => task.replace("- id: a", problem?.example ?? ""))),
    ).toEqual([]);
  });

  test("is pointed out where the name is only derived", () => {
    expect(withTasks("- [ ] Add the form", "- [ ] b - B\n  - id: add-the-form")).toMatchObject([
      { rule: "id-is-a-name", severity: "warning", line: 6 },
    ]);
  });

  test("may be its own name", () => {
    expect(withTasks("- [ ] a - A\n  - id: a", "- [ ] b - B\n  - id: c")).toEqual([]);
  });
});

test("a name may be set off", () => {
  const text =
    "# Goal\nx\n# Steps\n- [ ] **one** - Write one\n- [ ] `two`: Write two\n- [ ] **three:** Write three\n  - after: one, two\n";
  const { plan, problems } = normalise(text);
  expect(problems).toEqual([]);
  expect(plan.tasks.map(({ name, title }) => [name, title])).toEqual([
    ["one", "Write one"],
    ["two", "Write two"],
    ["three", "Write three"],
  ]);
});

test("spaces that are not plain make no box, and are named", () => {
  const text = "# Goal\nx\n# Steps\n- [ ] a\n- [\u00A0] b\n-\u00A0[ ] c\n";
  expect(normalise(text).problems).toMatchObject([
    { rule: "near-miss-box", line: 5, example: "- [ ] b" },
    { rule: "box-without-bullet", line: 6, example: "- [ ] c" },
  ]);
});

test("a section that is repeated is pointed out: sessions are told the first", () => {
  const text = "# Goal\nx\n# Steps\n- [ ] a\n# Notes\ny\n# Notes\nz\n";
  expect(normalise(text).problems).toMatchObject([{ rule: "repeated-section", line: 7 }]);
});

test("names that no task has are told at once, with those that are nearly one", () => {
  const after = (value: string) =>
    normalise(
      `# Goal\nx\n# Steps\n- [ ] first - a\n- [ ] other - b\n- [ ] last - c\n  - after: ${value}\n`,
    ).problems;
  expect(after("frist, othr")).toMatchObject([{ example: "- after: first, other" }]);
  expect(after("Task 5, nobody")).toMatchObject([
    { message: 'after names "Task", "5", "nobody", and no task has that name or id', sample: true },
  ]);
});

test.each([
  ["run:", "error"],
  ["check:", "warning"],
] as const)("%s with nothing behind it is said to be empty", (item, severity) => {
  const key = item.slice(0, -1);
  const [problem] = itemProblems(item);
  expect(problem).toMatchObject({ rule: `bad-${key}`, severity, sample: true });
  expect(problem?.message).toContain(`this ${key} is empty`);
});

test("a check in a code block with other commands is named, and one of a manifest that is shown is not", () => {
  const inBlock = (block: string) =>
    normalise(`# Goal\nx\n# Steps\n- [ ] a\n  \`\`\`\n${block}\n  \`\`\`\n- [ ] b\n`).problems;
  expect(inBlock("  npm run build\n  check: npm test")).toMatchObject([
    { rule: "key-without-task", severity: "warning", line: 7 },
  ]);
  expect(inBlock("  - [ ] x\n    - check: `npm test`")).toEqual([]);
  expect(inBlock("  name: ci\n  timeout: 5m")).toEqual([]);
});
