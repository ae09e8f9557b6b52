// What a session changed, which check judged it, and the label that its task has then: each label beside a neighbour that
// does not get it. All rows are tasks of one manifest, each in a folder of its own, in one run of the built executable.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Act, type RunResult, Scenario } from "../support/scenario.ts";

interface Row {
  /** What the session does, in words. */
  readonly fact: string;
  readonly check: string;
  /** Below the folder of the row. */
  readonly files?: Readonly<Record<string, string>>;
  readonly writes: Readonly<Record<string, string>>;
  readonly labels: readonly string[];
}

/** Tests without any package: the runner of node itself, and one function. */
const TEST = (expectation: string) =>
  `const { test } = require("node:test");\nconst assert = require("node:assert");\n` +
  `const sum = require("./sum.js");\ntest("it", () => ${expectation});\n`;
const OLD_SUM = "module.exports = (a, b) => a;\n";
const SUM = "module.exports = (a, b) => a + b;\n";
const REAL = TEST("assert.equal(sum(1, 2), 3)");
const WEAK = TEST("assert.ok(true)");
const PACKAGE = (scripts: object, more: object = {}) => `${JSON.stringify({ scripts, ...more })}\n`;

const ROWS: readonly Row[] = [
  // What a check looks at is the product.
  {
    fact: "writes the file that its check searches",
    check: "grep -q Hello hello.txt",
    writes: { "hello.txt": "Hello\n" },
    labels: [],
  },
  {
    fact: "writes the program whose output its check compares",
    check: 'test "$(node app.js)" = hi',
    writes: { "app.js": 'console.log("hi");\n' },
    labels: [],
  },
  {
    fact: "writes the script whose output its check searches",
    check: "sh greet.sh | grep -q hi",
    writes: { "greet.sh": "echo hi\n" },
    labels: [],
  },
  {
    fact: "writes a script, and its check looks at what that leaves",
    check: "sh pack.sh && test -s out.tmp",
    writes: { "pack.sh": "echo all > out.tmp\n" },
    labels: [],
  },
  // Scripts that decide.
  {
    fact: "rewrites the script behind cd",
    check: "sh judge.sh",
    files: { "judge.sh": "grep -q Hello hello.txt\n" },
    writes: { "judge.sh": "true\n" },
    labels: ["self-judged"],
  },
  {
    fact: "does the work and improves the script that judges it",
    check: "sh judge.sh",
    files: { "judge.sh": "grep -q Hello hello.txt\n" },
    writes: { "judge.sh": "grep -q Hello hello.txt\ntest -s hello.txt\n", "hello.txt": "Hello\n" },
    labels: [],
  },
  {
    fact: "does something else and weakens the script that judges it",
    check: "sh judge.sh",
    files: { "judge.sh": "grep -q Hello hello.txt\n" },
    writes: { "judge.sh": "true\n", "hello.txt": "Bye\n" },
    labels: ["self-judged"],
  },
  {
    fact: "rewrites the program that a package script runs",
    check: "npm --prefix web test",
    files: { "web/package.json": PACKAGE({ test: "node judge.js" }), "web/judge.js": "process.exit(1);\n" },
    writes: { "web/judge.js": "process.exit(0);\n" },
    labels: ["self-judged"],
  },
  {
    fact: "does what a package script asks for",
    check: "npm --prefix web test",
    files: {
      "web/package.json": PACKAGE({ test: "node judge.js" }),
      "web/judge.js": 'require("node:fs").readFileSync("page.html");\n',
    },
    writes: { "web/page.html": "<p>hi</p>\n" },
    labels: [],
  },
  {
    fact: "rewrites a package script, with nothing else",
    check: "npm test",
    files: { "package.json": PACKAGE({ test: "grep -q Hello hello.txt" }) },
    writes: { "package.json": PACKAGE({ test: "true" }) },
    labels: ["self-judged"],
  },
  {
    fact: "adds a dependency and a script that nobody calls",
    check: "npm test",
    files: { "package.json": PACKAGE({ test: "grep -q Hello hello.txt" }) },
    writes: {
      "package.json": PACKAGE(
        { test: "grep -q Hello hello.txt", dev: "true" },
        { dependencies: { a: "1.0.0" } },
      ),
      "hello.txt": "Hello\n",
    },
    labels: [],
  },
  {
    fact: "rewrites a program that is called by sh -c",
    check: 'sh -c "node judge.js"',
    files: { "judge.js": "process.exit(1);\n" },
    writes: { "judge.js": "process.exit(0);\n" },
    labels: ["self-judged"],
  },
  {
    fact: "rewrites a script that is found by a pattern",
    check: "for each in gates/*.sh; do sh $each || exit 1; done",
    files: { "gates/one.sh": "test -f made.txt\n" },
    writes: { "gates/one.sh": "true\n" },
    labels: ["self-judged"],
  },
  {
    fact: "makes what a script asks for that is found by a pattern",
    check: "for each in gates/*.sh; do sh $each || exit 1; done",
    files: { "gates/one.sh": "test -f made.txt\n" },
    writes: { "made.txt": "made\n" },
    labels: [],
  },
  {
    fact: "rewrites what a makefile includes",
    check: "make -s check",
    files: { Makefile: "include rules.mk\n", "rules.mk": "check:\n\ttest -f made.txt\n" },
    writes: { "rules.mk": "check:\n\ttrue\n" },
    labels: ["self-judged"],
  },
  {
    fact: "makes what a makefile asks for",
    check: "make -s check",
    files: { Makefile: "include rules.mk\n", "rules.mk": "check:\n\ttest -f made.txt\n" },
    writes: { "made.txt": "made\n" },
    labels: [],
  },
  {
    fact: "rewrites a tool that is committed in node_modules",
    check: "npm test",
    files: {
      "package.json": PACKAGE({ test: "sh node_modules/.bin/judge" }),
      "node_modules/.bin/judge": "#!/bin/sh\ntest -f made.txt\n",
    },
    writes: { "node_modules/.bin/judge": "#!/bin/sh\ntrue\n" },
    labels: ["self-judged"],
  },
  // Tests.
  {
    fact: "writes code that the old tests pass with, and more tests",
    check: "node --test",
    files: { "sum.js": OLD_SUM, "sum.test.js": REAL },
    writes: { "sum.js": SUM, "sum.test.js": REAL.replace("1, 2), 3", "2, 2), 4") },
    labels: [],
  },
  {
    fact: "writes real tests for code of its own",
    check: "node --test more.test.js",
    files: { "sum.js": OLD_SUM },
    writes: { "sum.js": SUM, "more.test.js": REAL },
    labels: ["own-tests"],
  },
  {
    fact: "writes tests that tell nothing for code of its own",
    check: "node --test more.test.js",
    files: { "sum.js": OLD_SUM },
    writes: { "sum.js": SUM, "more.test.js": WEAK },
    labels: ["self-judged"],
  },
  {
    fact: "writes real tests where the tests passed before",
    check: "node --test",
    files: { "sum.js": OLD_SUM, "old.test.js": WEAK },
    writes: { "sum.js": SUM, "more.test.js": REAL },
    labels: ["own-tests"],
  },
  {
    fact: "writes tests that tell nothing where the tests passed before",
    check: "node --test",
    files: { "sum.js": OLD_SUM, "old.test.js": WEAK },
    writes: { "sum.js": SUM, "more.test.js": WEAK },
    labels: ["not-discriminating", "self-judged"],
  },
  {
    fact: "changes code where the tests passed before",
    check: "node --test",
    files: { "sum.js": OLD_SUM, "old.test.js": WEAK },
    writes: { "sum.js": SUM },
    labels: ["not-discriminating"],
  },
  {
    fact: "writes tests, as its task was",
    check: "node --test",
    files: { "sum.js": SUM, "old.test.js": WEAK },
    writes: { "more.test.js": REAL },
    labels: ["own-tests"],
  },
  {
    fact: "makes the test green that was red, by rewriting it",
    check: "node --test",
    files: { "sum.js": OLD_SUM, "sum.test.js": REAL },
    writes: { "sum.test.js": WEAK },
    labels: ["self-judged"],
  },
  {
    fact: "skips the test that was red",
    check: "node --test",
    files: { "sum.js": OLD_SUM, "sum.test.js": REAL },
    writes: { "sum.test.js": REAL.replace("test(", "test.skip(") },
    labels: ["self-judged"],
  },
  {
    fact: "makes the test green that was red, by its work",
    check: "node --test",
    files: { "sum.js": OLD_SUM, "sum.test.js": REAL },
    writes: { "sum.js": SUM },
    labels: [],
  },
  {
    fact: "leaves out a test by the configuration of the runner",
    check: "node --test $(cat runner.config.json)",
    files: { "runner.config.json": "sum.test.js\n", "sum.js": OLD_SUM, "sum.test.js": REAL, "ok.test.js": WEAK },
    writes: { "runner.config.json": "ok.test.js\n" },
    labels: ["self-judged"],
  },
  {
    fact: "rewrites two scripts that judge it, and nothing else",
    check: "sh judge.sh && sh verify.sh",
    files: { "judge.sh": "grep -q Hello hello.txt\n", "verify.sh": "grep -q Hello hello.txt\n" },
    writes: { "judge.sh": "true\n", "verify.sh": "true\n" },
    labels: ["self-judged"],
  },
];

const name = (row: Row): string => `row${ROWS.indexOf(row) + 1}`;

let scene: Scenario;
let result: RunResult;

beforeAll(async () => {
  const tasks = ROWS.map(
    (row) =>
      `- [ ] ${name(row)} - A session ${row.fact.replaceAll("`", "")}\n  - dir: ${name(row)}\n  - check: \`${row.check}\`\n`,
  );
  const files = ROWS.flatMap((row) => [
    [`${name(row)}/.keep`, ""] as const,
    ...Object.entries(row.files ?? {}).map(([path, text]) => [`${name(row)}/${path}`, text] as const),
  ]);
  scene = new Scenario({
    manifest: `# Goal\n\nLabels that mean what they say.\n\n# Steps\n\n${tasks.join("")}`,
    files: Object.fromEntries(files),
  });
  const script = ROWS.map((row) => [
    name(row),
    Object.entries(row.writes).map(
      ([path, text]): Act => ({ act: "write", path, text }),
    ),
  ]);
  result = await scene.play(Object.fromEntries(script));
}, 600_000);

afterAll(() => scene.close());

describe("a session that", () => {
  it.each(ROWS.map((row) => [row.fact, row.check, row] as const))("%s (%s)", (_, _check, row) => {
    const task = scene.task(name(row));
    expect({ status: task.status, labels: task.labels ?? [] }).toEqual({
      status: "done",
      labels: row.labels,
    });
    for (const label of row.labels) expect(task.label_reasons?.[label]).toMatch(/\w/);
  });
});

describe("the questions that were asked", () => {
  const folder = (): string => join(scene.root, "agents/stint/projects/prompt");
  const evidence = (fact: string, file: string) => {
    const row = ROWS.find((each) => each.fact === fact);
    const { id } = scene.task(row === undefined ? "" : name(row));
    const path = join(folder(), "artifacts/evidence", id, "1", file);
    return existsSync(path) ? (JSON.parse(readFileSync(path, "utf8")) as Record<string, unknown>) : null;
  };

  it("are kept as evidence beside that of the check, each with the judges and its result", () => {
    const fact = "writes real tests for code of its own";
    expect(evidence(fact, "1-command-old-judges.json")).toMatchObject({
      asked: "old-judges",
      judges: [expect.stringMatching(/\/more\.test\.js$/)],
      result: "failed",
    });
    expect(evidence(fact, "1-command-new-judges.json")).toMatchObject({
      asked: "new-judges",
      result: "failed",
    });
    const rows = readFileSync(join(folder(), "validation.md"), "utf8");
    expect(rows).toMatch(/with its old judges on the new work \| fail \|/);
  });

  it("are not asked where no judge was changed", () => {
    expect(evidence("makes the test green that was red, by its work", "1-command-old-judges.json")).toBeNull();
  });

  it("are told in the run, with the label and why", () => {
    const out = result.out.replaceAll(/\s+/g, " ");
    expect(out).toContain("is labelled self-judged: row5/judge.sh, which decides `sh judge.sh`, is all that it changed");
    const two = `row${ROWS.length}`;
    expect(out).toContain(
      `is labelled self-judged: ${two}/judge.sh, ${two}/verify.sh, which decide \`sh judge.sh && sh verify.sh\`, are all that it changed`,
    );
    expect(out).toMatch(/is labelled own-tests: `node --test more\.test\.js` passes only together with row\d+\/more\.test\.js, which it changed/);
  });

  it("are explained by what was done to tests, in the result of the session and beside the label", () => {
    const at = ROWS.findIndex(({ fact }) => fact === "skips the test that was red") + 1;
    const weakened = new RegExp(`row${at}/sum\\.test\\.js: .*skipped`);
    expect(result.out).toMatch(/session \d+ weakened tests: row\d+\/sum\.test\.js: .*skipped/);
    expect(scene.task(`row${at}`).label_reasons?.["self-judged"]).toMatch(weakened);
  });

  it("leave evidence that verifies", async () => {
    expect((await scene.say("verify")).code).toBe(0);
  });
});
