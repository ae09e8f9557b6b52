import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { DEFAULT_LIMITS } from "../../core/written/bounds.ts";
import { formatProblem, type Problem } from "../problem.ts";
import { loopbackWithoutServe } from "./workspace-lint.ts";
import { parseManifest } from "../parse-manifest.ts";
import { lintManifest } from "./lint-manifest.ts";
import { splitAtVerb } from "./split-title.ts";

/** A manifest with two sound tasks and the given lines after them; those start on line 8. */
function withSteps(...lines: string[]): string {
  const sound = ["- [ ] first: One", "  - check: `a`", "- [ ] second: Two", "  - check: `b`"];
  return ["# Goal", "x", "# Steps", ...sound, ...lines, ""].join("\n");
}

function found(...lines: string[]): readonly Problem[] {
  return lintManifest(withSteps(...lines)).problems;
}

function shown(...lines: string[]): string[] {
  return found(...lines).map((problem) => formatProblem("a.md", problem));
}

const CHECK = "  - check: `c`";

describe("S3-17 a task with more than one verb", () => {
  test("is advised to split, with the two tasks written out", () => {
    expect(shown("- [ ] Add the form and deploy the service", CHECK)).toEqual([
      `a.md:8: warning: this task has more than one verb; one task, one objective: split it (it crosses local → remote write); in a project: stint edit --split add-the-form-and-deploy-the-service [more-than-one-verb]
  as in: - [ ] Add the form
         - [ ] Deploy the service
  found: - [ ] Add the form and deploy the service`,
    ]);
  });

  test.each([
    ["Design the form and add the page", "planning → execution"],
    ["Add the form and test the page", "write → validation"],
    ["Write the guide and publish it now", "local → remote write"],
    ["Deploy the service and verify its answer", "action → read-back"],
    ["Add the form and update the docs", undefined],
    ["Test the form and verify the page", undefined],
  ])("S3-18 crosses a boundary in %j: %j", (title, boundary) => {
    const message = found(`- [ ] one - ${title}`, CHECK)[0]?.message ?? "";
    expect(/crosses ([^)]+)\)/.exec(message)?.[1]).toBe(boundary);
    expect(message).toContain("stint edit --split one");
  });

  test.each([
    ["Build and test the API", ["Build the API", "Test the API"]],
    ["Write the guide, then publish it", ["Write the guide", "Publish it"]],
    ["Remove the flag; update the docs", ["Remove the flag", "Update the docs"]],
    ["Create tables and then migrate the rows", ["Create tables", "Migrate the rows"]],
  ])("is seen in %j", (title, parts) => {
    expect(splitAtVerb(title)).toEqual(parts);
  });

  test.each([
    "Add search and replace",
    "Write build and test scripts",
    "Support import and export of CSV",
    "Add tests for login and logout",
    "Migrate users and orders",
    "Fix drag and drop in the list",
    "Run the checks until then",
    "Read and write access for guests",
  ])("is not suspected in %j", (title) => {
    expect(splitAtVerb(title)).toBeUndefined();
  });

  test("is left alone once it is done", () => {
    expect(found("- [x] Add the form and deploy the service")).toEqual([]);
  });
});

describe("S3-18 a task that crosses a boundary", () => {
  test("is advised to split there", () => {
    expect(shown("- [ ] Finish the API and the dashboard", CHECK)).toEqual([
      `a.md:8: warning: this task crosses from server to user interface; split it where the boundary changes [mixed-boundaries]
  as in: - [ ] Finish the API and the dashboard (server)
         - [ ] Finish the API and the dashboard (user interface)
  found: - [ ] Finish the API and the dashboard`,
    ]);
  });

  test.each([
    "Write the API docs",
    "Update README and CHANGELOG",
    "Add the database schema",
    "Document the server and the API",
    "Add login and logout",
  ])("is not suspected in %j", (title) => {
    expect(found(`- [ ] ${title}`, CHECK)).toEqual([]);
  });
});

describe("a task without a check", () => {
  test("is said to be weakly verified", () => {
    expect(shown("- [ ] Third")).toEqual([
      `a.md:8: warning: this task has no check, so it can only be weakly verified: any change would count [no-check]
  as in: - [ ] Third
           - check: \`npm test\`
  found: - [ ] Third`,
    ]);
  });

  test.each(["run: `x`", "webhook: https://x.test", "approve: after"])(
    "is fine with %j",
    (item) => {
      expect(found("- [ ] Third", `  - ${item}`)).toEqual([]);
    },
  );

  test("is fine when it is done", () => {
    expect(found("- [x] Third")).toEqual([]);
  });
});

test("a release that only an agent reviews is refused", () => {
  const review = '  - check: agent codex "Is it good?"';
  expect(shown("- [ ] Publish the package", review)).toEqual([
    `a.md:8: error: an agent's review is never the only check of a release; add one that a person or a program makes [agent-review-of-release]
  write: - [ ] Publish the package
           - check: review
  found: - [ ] Publish the package, checked by agents only`,
  ]);
  expect(found("- [ ] Publish the package", review, CHECK)).toEqual([]);
  expect(found("- [ ] Publish the package", review, "  - approve: before")).toEqual([]);
});

test("a password in the address of a check is pointed out, and not repeated", () => {
  expect(shown("- [ ] Third", "  - check: GET http://ada:hunter2@x.test/ 200")).toEqual([
    `a.md:9: warning: this check has a password in its address, and whoever reads the manifest can read it; name a variable of the environment instead [password-in-check]
  as in: - check: GET https://ada:$API_PASSWORD@example.com/health 200
  found: check: … http://[redacted]@x.test/`,
  ]);
});

describe("a task that is too large", () => {
  const nine = Array.from({ length: 9 }, (_, n) => `src/part-${n}.ts`);

  test("S2-10 names more files than the limit allows", () => {
    expect(found("- [ ] Third", ...nine.map((file) => `  - mend \`${file}\``), CHECK)).toEqual([
      {
        rule: "many-files",
        severity: "warning",
        line: 8,
        message:
          "this task names 9 files, and the limit is 8 per task; split it or raise its limit",
        example: "- limit: files 9",
        found: nine.join(", "),
      },
    ]);
  });

  test("is judged by its own limit and by the project's", () => {
    const items = nine.map((file) => `  - ${file}`);
    expect(found("- [ ] Third", ...items, CHECK, "  - limit: files 9")).toEqual([]);
    const text = withSteps("- [ ] Mend a.ts, b.ts", CHECK);
    expect(lintManifest(text).problems).toEqual([]);
    expect(lintManifest(text, { ...DEFAULT_LIMITS, files_per_task: 1 }).problems).toHaveLength(1);
  });

  test.each(["https://a.test/b.html and 1.5 or e.g. v2.0", "call a.b() and see x.y.z/q"])(
    "does not count %j as files",
    (text) => {
      const problems = lintManifest(withSteps(`- [ ] ${text}`, CHECK), {
        ...DEFAULT_LIMITS,
        files_per_task: 0,
      });
      expect(problems.problems.map((problem) => problem.found)).toEqual([]);
    },
  );

  test("has more sub-steps than one session holds", () => {
    const items = Array.from({ length: 13 }, (_, n) => `  - part ${n}`);
    expect(found("- [ ] Third", ...items, CHECK)).toMatchObject([
      {
        rule: "many-substeps",
        message: "this task has 13 sub-steps; more than 12 seldom fit one session: split it",
      },
    ]);
    expect(found("- [ ] Third", ...items.slice(1), CHECK)).toEqual([]);
  });
});

test("S1-1 S3-2 a manifest with one task is advised against", () => {
  expect(lintManifest("# Goal\nx\n# Steps\n- [ ] Only\n  - check: `a`\n").problems).toEqual([
    {
      rule: "one-task",
      severity: "warning",
      line: 4,
      message:
        "a manifest with one task gains nothing from Stint; ask an agent directly, or split the task",
      example: "- [ ] The first part\n- [ ] The second part",
      sample: true,
      found: "- [ ] Only",
    },
  ]);
});

describe("a box in an unexpected place", () => {
  test("S0-10 nested is a task of its own, and said to be", () => {
    expect(found("- [ ] Third", CHECK, "  - [ ] Inner", "    - check: `d`")).toMatchObject([
      { rule: "nested-box", line: 10, example: "- Inner", found: "- [ ] Inner" },
    ]);
  });

  test.each([
    ["> - [ ] quoted", "this box is in a quote, so it is not a task"],
    [
      "# Notes\n- [ ] later",
      "this box is outside Steps, so it is not a task; move it below Steps (line 3)",
    ],
    [
      "<details><summary>Later</summary>\n- [ ] later\n</details>",
      "this box is in a block of HTML, so it is not a task; put an empty line above it",
    ],
    [
      "| | Task |\n|---|---|\n| [ ] | later |",
      "this box is in a table, so it is not a task; make it an item of a list",
    ],
    ["text\n\n    - [ ] deep", "this box is indented so far that it is code, so it is not a task"],
  ])("%j is said to be no task", (lines, message) => {
    const text = withSteps("", lines);
    expect(lintManifest(text).problems).toMatchObject([
      { rule: "stray-box", severity: "warning", message },
    ]);
  });

  test("is fine among the success criteria", () => {
    expect(found("# Success criteria", "- [ ] fast")).toEqual([]);
  });
});

describe("a task that is to be delegated", () => {
  const outside = ["- [ ] Third", "  - delegate: the docs team", CHECK];
  const rules = (...lines: string[]) => found(...lines).map(({ rule }) => rule);

  test("S4-24 says by what it comes back, where nobody knows otherwise", () => {
    expect(shown(...outside)).toEqual([
      `a.md:9: error: Stint cannot know when work outside is finished; add returns: with a condition, or name an agent or a command in backticks [delegate-without-returns]
  write: - delegate: the docs team
         - returns: message
  found: delegate: the docs team`,
    ]);
    expect(rules(...outside, "  - returns: exit")).toEqual(["delegate-without-returns"]);
  });

  test.each([
    ["message"],
    ["file docs/guide.md"],
    ["file docs/guide.md exists"],
    ["`gh run view 7 --exit-status`"],
    ['GET https://x.test/guide 200 contains "Guide"'],
  ])("comes back by %j", (returns) => {
    expect(rules(...outside, `  - returns: ${returns}`)).toEqual([]);
  });

  test.each([
    ["delegate: codex"],
    ["delegate: `make film`"],
    ["delegate: codex\n  - returns: exit\n  - look: 1m"],
  ])("needs no condition where Stint starts it itself: %j", (keys) => {
    expect(rules("- [ ] Third", `  - ${keys}`, CHECK)).toEqual([]);
  });

  test.each([
    ["file /etc/passwd", "the path is absolute"],
    ["file ../secret", "the path leaves the repository"],
    ["file ~/x", "the path leads to a home folder"],
    ["file a changed", "a file can only exist: write file and its path"],
    ["review", "Stint cannot repeat a review check to see whether work is back"],
    ["when they are ready", '"when they are ready" is not one of these'],
    ["GET http://x.test", "an http check is GET, an address and a status"],
  ])("does not come back by %j", (returns, why) => {
    const [problem, ...others] = found(...outside, `  - returns: ${returns}`);
    expect(others).toEqual([]);
    expect(problem).toMatchObject({ rule: "bad-returns", severity: "error" });
    expect(problem?.message).toContain(why);
    expect(problem?.example).toMatch(/^- returns: /);
  });

  test("has no password in the address that it comes back by", () => {
    const returns = "  - returns: GET https://ada:secret@x.test/guide 200";
    expect(found(...outside, returns)).toMatchObject([
      { rule: "password-in-check", found: "returns: … https://[redacted]@x.test/guide" },
    ]);
  });

  test("is judged by a check or by a person, not by its owner's word", () => {
    const keys = ["- [ ] Third", "  - delegate: ada", "  - returns: message"];
    expect(rules(...keys)).toContain("delegate-without-check");
    expect(rules(...keys, "  - approve: after")).toEqual([]);
  });

  test("is looked at before it is given up", () => {
    const times = ["  - returns: message", "  - look: 1h", "  - deadline: 30m"];
    expect(shown(...outside, ...times)).toEqual([
      `a.md:13: error: the deadline is earlier than the first look [deadline-before-look]
  write: - look: 30m
         - deadline: 1h
  found: look: 1h, deadline: 30m`,
    ]);
    expect(rules(...outside, "  - returns: message", "  - deadline: 1m")).toEqual([]);
  });

  test("is no act of the manifest, and its terms are nobody else's", () => {
    expect(rules(...outside, "  - returns: message", "  - run: `make`")).toEqual([
      "delegate-and-act",
    ]);
    expect(rules("- [ ] Third", CHECK, "  - returns: message", "  - look: 1m")).toEqual([
      "returns-without-delegate",
      "look-without-delegate",
    ]);
  });

  test("is left alone once it is done", () => {
    expect(found("- [x] Third", "  - delegate: the docs team", CHECK)).toEqual([]);
  });
});

describe("the examples", () => {
  const folder = new URL("../../../examples/", import.meta.url);
  const names = readdirSync(folder).filter((name) => name.endsWith(".md"));

  test("S0-34 are shipped", () => {
    expect(names).toEqual(["EXAMPLE_TASK_MANIFEST.md", "hello.md", "migration.md"]);
  });

  test.each(names)("%s lints clean", (name) => {
    const { plan, problems } = lintManifest(readFileSync(new URL(name, folder), "utf8"));
    expect(problems).toEqual([]);
    const { serve } = plan.settings;
    const document = parseManifest(readFileSync(new URL(name, folder), "utf8"));
    expect(serve === undefined ? loopbackWithoutServe(plan, document) : []).toEqual([]);
    expect(plan.tasks.length).toBeGreaterThanOrEqual(3);
  });

  test("S0-34 the example shows every key that is carried out and every kind of check", () => {
    const { plan } = lintManifest(
      readFileSync(new URL("EXAMPLE_TASK_MANIFEST.md", folder), "utf8"),
    );
    const shownKeys = new Set(plan.tasks.flatMap((task) => Object.keys(task)));
    for (const key of [
      "explicitId",
      "after",
      "approve",
      "run",
      "webhook",
      "agent",
      "timeoutMs",
      "limit",
    ]) {
      expect(shownKeys).toContain(key);
    }
    expect(plan.tasks.some((task) => task.docsOnly)).toBe(true);
    const kinds = new Set(plan.tasks.flatMap((task) => task.checks.map((check) => check.kind)));
    expect([...kinds].toSorted()).toEqual([
      "agent-review",
      "browser",
      "command",
      "file",
      "http",
      "render",
      "review",
    ]);
  });

  test("S1-3 the migration has its three tasks in order", () => {
    const { plan } = lintManifest(readFileSync(new URL("migration.md", folder), "utf8"));
    expect(plan.tasks.map(({ name, title }) => [name, title])).toEqual([
      ["database-migration", "Migrate database schema"],
      ["application-migration", "Migrate application code"],
      ["data-validation", "Validate migrated data"],
    ]);
  });
});

describe("a task without a check that can only change documents", () => {
  const rules = (...lines: string[]) => found(...lines).map(({ rule }) => rule);

  test("is told what docs-only means and how to write it", () => {
    expect(found("- [ ] readme - Write the README")).toEqual([
      {
        rule: "docs-only",
        severity: "warning",
        line: 8,
        message:
          "this task has no check and seems to change documents only; without docs-only that does not count as work, and the task would be blocked",
        example: "- [ ] readme - Write the README\n  - docs-only",
        found: "- [ ] readme - Write the README",
      },
    ]);
  });

  test.each([
    ["Describe the API", "docs-only"],
    ["Add docs/install.md", "docs-only"],
    ["Add CHANGELOG.txt", "docs-only"],
    ["Update the docs and write a guide", "more-than-one-verb, docs-only"],
    ["Document the API in src/api.ts", "no-check"],
    ["Write requirements.txt", "no-check"],
    ["Write hello.txt", "no-check"],
    ["Fix the parser", "no-check"],
  ])("is one by its title: %s (%s)", (title, expected) => {
    expect(rules(`- [ ] ${title}`).join(", ")).toBe(expected);
  });

  test("is no matter where it has a check, says docs-only, or is judged by a person", () => {
    expect(rules("- [ ] Write the README", "  - check: `test -s README.md`")).toEqual([]);
    expect(rules("- [ ] Write the README", "  - docs-only")).toEqual([]);
    expect(rules("- [ ] Write the README", "  - approve: after")).toEqual([]);
  });
});

test("a check or run that cannot be read is said once, not also as a missing check", () => {
  expect(found("- [ ] Fix it", "  - check: npm test").map(({ rule }) => rule)).toEqual([
    "command-without-backticks",
  ]);
  expect(found("- [ ] Ship it", "  - run: ./ship").map(({ rule }) => rule)).toEqual([
    "command-without-backticks",
  ]);
  expect(found("- [ ] Fix it", "  - check: it looks good").map(({ rule }) => rule)).toEqual([
    "prose-command",
  ]);
  expect(found("- [ ] Fix it", "  - depends on: one").map(({ rule }) => rule)).toEqual([
    "no-check",
    "near-miss-key",
  ]);
  expect(found("- [ ] Fix it", "  - **check:** `a`").map(({ rule }) => rule)).toEqual([
    "near-miss-key",
  ]);
});

test.each(["*", "+", "1.", "1)"])("is shown with the bullet of the person: %s", (bullet) => {
  expect(found(`${bullet} [ ] es - e`)).toMatchObject([
    { rule: "no-check", found: `${bullet} [ ] es - e` },
  ]);
  expect(found(`${bullet} [ ] es - e`, `     ${bullet} chekc: \`a\``).at(-1)).toMatchObject({
    rule: "near-miss-key",
    found: `${bullet} chekc: \`a\``,
  });
});

test("a box without a text is told once", () => {
  expect(found("- [ ]").map(({ rule }) => rule)).toEqual(["empty-task"]);
});

test("a task that is struck out is pointed out", () => {
  expect(found("- [ ] ~~Fix it~~", CHECK)).toMatchObject([
    { rule: "struck-out", line: 8, example: "- [x] ~~Fix it~~" },
  ]);
});

describe("a section that sessions are not told", () => {
  test("is pointed out, with a place that they are told", () => {
    expect(
      found("- [ ] Third", CHECK, "", "# Constraints", "", "- never use lodash"),
    ).toMatchObject([{ rule: "unread-section", line: 11, example: "## Notes\n\n### Constraints" }]);
  });

  test("is none where it is part of one that they are told, empty, or the title", () => {
    expect(found("- [ ] Third", CHECK, "", "# Notes", "## Constraints", "- never")).toEqual([]);
    expect(found("- [ ] Third", CHECK, "", "# Later", "---")).toEqual([]);
    const text =
      "# The shop\n\nWhat it is.\n\n## Goal\nx\n## Steps\n- [ ] A\n  - check: `a`\n- [ ] B\n  - check: `b`\n";
    expect(lintManifest(text).problems).toEqual([]);
  });
});

describe("text of Steps that is in no task", () => {
  const NOTE = "Every task keeps the old page working.";

  test.each([NOTE, `> ${NOTE}`, `Every task keeps\nthe old page working.`, `### Rules\n\n${NOTE}`])(
    "%j is pointed out",
    (text) => {
      const problems = found("- [ ] Third", CHECK, "", ...text.split("\n"), "", `> ${NOTE}`);
      expect(problems).toMatchObject([
        { rule: "unread-text", severity: "warning", example: `## Notes\n\n${NOTE}`, found: NOTE },
      ]);
      expect(problems[0]?.message).toContain("this text and 1 other in Steps");
    },
  );

  test.each([
    "### Phase 2: the server, all of it",
    "First the server:",
    "Phase two",
    "<!-- all of it is secret -->",
  ])("%j only groups tasks", (text) => {
    expect(found("- [ ] Third", CHECK, "", text, "", "- [ ] Fourth", CHECK)).toEqual([]);
  });

  test("is not told twice", () => {
    const rules = found(
      "- [ ] Third",
      CHECK,
      "",
      "One more thing to do:",
      "[ ] write the whole guide",
    );
    expect(rules.map(({ rule }) => rule)).toEqual(["box-without-bullet"]);
  });

  test("is none where it is below a task, or another section has it", () => {
    expect(found("- [ ] Third", CHECK, "", `  ${NOTE}`, "", "# Notes", NOTE)).toEqual([]);
  });
});

test("every rule is in force, and a sound manifest passes them all", () => {
  const substeps = Array.from({ length: 13 }, (_, n) => `  - part ${n}`);
  const files = Array.from({ length: 9 }, (_, n) => `a/${n}.ts`).join(" ");
  const all = found(
    "- [ ] Add the form and deploy the service",
    "- [ ] Docs and the database",
    `- [ ] Touch ${files}`,
    "  - check: GET http://ada:secret@example.com/ 200",
    ...substeps,
    "  - [ ] Nested",
    "- [ ] Publish it",
    '  - check: agent codex "Good?"',
    "> - [ ] Quoted",
  );
  const only = lintManifest("# Goal\nx\n# Steps\n- [ ] Alone\n  - check: `a`\n").problems;
  expect(new Set([...all, ...only].map(({ rule }) => rule))).toEqual(
    new Set([
      "more-than-one-verb",
      "mixed-boundaries",
      "no-check",
      "agent-review-of-release",
      "password-in-check",
      "many-files",
      "many-substeps",
      "one-task",
      "nested-box",
      "stray-box",
    ]),
  );
  expect(found()).toEqual([]);
});

describe("S2-19 a step of a workflow", () => {
  const workflow = (...items: string[]) =>
    `---\nworkflow: w\n---\n# Goal\n\nG\n\n# Steps\n\n- [ ] one - Add a\n${items.map((item) => `  - ${item}\n`).join("")}  - check: \`t\`\n- [ ] two - Add b\n  - inputs: a\n  - actions: b\n  - outputs: c\n  - status: done\n  - check: \`t\`\n`;
  const problems = (text: string) =>
    lintManifest(text).problems.map(({ line, rule, message }) => `${line} ${rule} ${message}`);

  test("says its inputs, actions, outputs and status", () => {
    expect(problems(workflow("inputs: x", "actions: y", "outputs: z", "status: planned"))).toEqual(
      [],
    );
  });

  test.each([
    [["actions: y", "outputs: z", "status: planned"], "inputs is"],
    [["inputs: x", "actions:", "outputs: z", "status: planned"], "actions is"],
    [["inputs: x", "status: planned"], "actions and outputs are"],
    [["inputs: x", "actions: y", "outputs: z", "status: soon"], "status is"],
  ])("%j is refused", (items, what) => {
    expect(problems(workflow(...items))).toEqual([
      `10 workflow-step a step of a workflow needs inputs, actions, outputs and status; here ${what} missing or not understood`,
    ]);
  });
});
