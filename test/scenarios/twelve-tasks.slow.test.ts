// Twelve tasks as people write them, done honestly: a label stands only where it is deserved, and a fresh clone of the
// work passes its checks.
import { afterAll, expect, it } from "vitest";
import { type Act, Scenario, type Script } from "../support/scenario.ts";

const scenes: Scenario[] = [];

afterAll(() => {
  for (const made of scenes) made.close();
});

const MANIFEST = `## Goal

A small calculator that others can use.

## Steps

- [ ] sum - Add a function that adds two numbers
  - check: \`node -e 'process.exit(require("./src/sum.js").sum(2, 3) === 5 ? 0 : 1)'\`
- [ ] sum-tests - Test it
  - check: \`node --test test/sum.test.js\`
- [ ] rounding - Fix the rounding that its test complains about
  - check: \`npm test\`
- [ ] command - Make a command of it
  - check: \`node bin/sum.js 2 3 | grep -qx 5\`
- [ ] guide - Write a guide
  - docs-only
  - check: \`grep -q "bin/sum.js" docs/guide.md\`
- [ ] license - Add a license
  - check: file LICENSE matches /MIT/
- [ ] settings - Read the number of digits from a file
  - check: \`node -e 'JSON.parse(require("fs").readFileSync("settings.json", "utf8"))'\`
- [ ] rename - Rename the old helper
  - check: \`! grep -rq oldRound src\`
- [ ] product - Add multiplication, with tests
  - check: \`npm test\`
- [ ] tidy - Tidy up the source without changing what it does
  - check: \`npm test\`
- [ ] lint - Add a lint script
  - check: \`npm run lint\`
- [ ] version - Say the version in the program
`;

const PACKAGE = { private: true, scripts: { test: "node --test" } };

function source(name: string, body: string): string {
  return `exports.${name} = ${body};\n`;
}

function testOf(name: string, call: string, expected: number): string {
  return `const test = require("node:test");
const assert = require("node:assert");
const { ${name} } = require("../src/${name}.js");
test("${name}", () => assert.equal(${call}, ${expected}));
`;
}

const FILES = {
  "package.json": `${JSON.stringify(PACKAGE)}\n`,
  "src/round.js": "const oldRound = (n) => Math.floor(n);\nexports.round = oldRound;\n",
  "test/round.test.js": testOf("round", "round(2.6)", 3),
};

function write(path: string, text: string): Act {
  return { act: "write", path, text };
}

const WORK: Script = {
  sum: [write("src/sum.js", source("sum", "(a, b) => a + b"))],
  "sum-tests": [write("test/sum.test.js", testOf("sum", "sum(2, 3)", 5))],
  rounding: [
    write("src/round.js", "const oldRound = (n) => Math.round(n);\nexports.round = oldRound;\n"),
  ],
  command: [
    write(
      "bin/sum.js",
      'const [a, b] = process.argv.slice(2).map(Number);\nconsole.log(require("../src/sum.js").sum(a, b));\n',
    ),
  ],
  guide: [write("docs/guide.md", "Run `node bin/sum.js 2 3`.\n")],
  license: [write("LICENSE", "MIT License\n")],
  settings: [write("settings.json", '{ "digits": 2 }\n')],
  rename: [write("src/round.js", "exports.round = (n) => Math.round(n);\n")],
  product: [
    write("src/product.js", source("product", "(a, b) => a * b")),
    write("test/product.test.js", testOf("product", "product(2, 3)", 6)),
  ],
  tidy: [write("src/sum.js", "exports.sum = function sum(a, b) {\n  return a + b;\n};\n")],
  lint: [
    write(
      "package.json",
      `${JSON.stringify({ private: true, scripts: { test: "node --test", lint: "node --check src/sum.js" } })}\n`,
    ),
  ],
  version: [write("src/version.js", source("version", '"1.0.0"'))],
};

/** All others have none. */
const DESERVED = {
  // Nothing but its own tests says that they test anything.
  "sum-tests": ["own-tests"],
  // The tests that were there know nothing of multiplication; its own do.
  product: ["own-tests"],
  // What passed before and passes after shows that nothing broke, and no more.
  tidy: ["not-discriminating"],
  // The script that judges is the one that it wrote.
  lint: ["self-judged"],
  version: ["weakly-verified"],
};

it("labels those of twelve honest tasks that deserve one, and proves all in a fresh clone", async () => {
  const s = new Scenario({ manifest: MANIFEST, files: FILES });
  scenes.push(s);
  const result = await s.play(WORK);
  expect(result).toMatchObject({ code: 0, state: { status: "Done" } });
  const labels = s
    .state()
    .tasks.flatMap((task) => (task.labels === undefined ? [] : [[task.name, task.labels] as const]));
  expect(Object.fromEntries(labels)).toEqual(DESERVED);
  expect(result.out).toContain("Proven in a fresh clone at ");
});
