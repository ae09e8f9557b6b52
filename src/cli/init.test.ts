import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CommandLineBench } from "../../test/support/command-line.ts";
import { git } from "../../test/support/git.ts";
import type { InitView, LintView } from "../core/schema/views.ts";

let bench: CommandLineBench;

beforeEach(() => {
  bench = new CommandLineBench();
});
afterEach(() => bench.close());

async function init(...words: string[]): Promise<InitView> {
  const { out, code } = await bench.run("init", ...words, "--json");
  expect(code).toBe(0);
  return JSON.parse(out) as InitView;
}

async function lint(path: string): Promise<LintView["files"][number]["problems"]> {
  const { out } = await bench.run("lint", path, "--json");
  return (JSON.parse(out) as LintView).files.flatMap(({ problems }) => problems);
}

/** What lint says of a manifest besides that its tasks are still those of the template. */
async function lintBesides(path: string): Promise<readonly string[]> {
  return (await lint(path))
    .map(({ rule, found }) => `${rule}: ${found}`)
    .filter((each) => !TO_REPLACE.includes(each));
}

const TO_REPLACE: readonly string[] = [
  "template-text: - [ ] first - Replace this line with the first piece of work",
  "template-text: - [ ] second - Replace this line with the next piece of work",
];
const GOAL_TO_SAY = "template-text: Say here, in a sentence or two, what the work should achieve.";

function packageJson(scripts: Record<string, string>, more: object = {}): string {
  return JSON.stringify({ name: "shop", scripts, ...more });
}

/** Files of a repository → each command with the file that told of it. */
const REPOSITORIES: readonly [name: string, files: Record<string, string>, found: string[]][] = [
  [
    "npm",
    {
      "package.json": packageJson({ test: "vitest run", lint: "eslint .", build: "tsc" }),
      "package-lock.json": "{}",
    },
    [
      "setup: npm ci (package-lock.json)",
      "test: npm test (package.json)",
      "lint: npm run lint (package.json)",
      "build: npm run build (package.json)",
    ],
  ],
  [
    "pnpm",
    { "package.json": packageJson({ test: "jest", typecheck: "tsc" }), "pnpm-lock.yaml": "" },
    [
      "setup: pnpm install --frozen-lockfile (pnpm-lock.yaml)",
      "test: pnpm test (package.json)",
      "types: pnpm run typecheck (package.json)",
    ],
  ],
  [
    "yarn 1",
    { "package.json": packageJson({ test: "jest" }), "yarn.lock": "# yarn lockfile v1\n" },
    ["setup: yarn install --frozen-lockfile (yarn.lock)", "test: yarn test (package.json)"],
  ],
  [
    "yarn 4",
    { "package.json": packageJson({ test: "jest" }), "yarn.lock": "__metadata:\n  version: 8\n" },
    ["setup: yarn install --immutable (yarn.lock)", "test: yarn test (package.json)"],
  ],
  [
    "bun",
    { "package.json": packageJson({ test: "vitest run" }), "bun.lock": "" },
    ["setup: bun install --frozen-lockfile (bun.lock)", "test: bun run test (package.json)"],
  ],
  [
    "two lock files, and the package says which counts",
    {
      "package.json": packageJson({ test: "jest" }, { packageManager: "npm@10.0.0" }),
      "package-lock.json": "{}",
      "yarn.lock": "",
    },
    ["setup: npm ci (package-lock.json)", "test: npm test (package.json)"],
  ],
  [
    "dependencies without a lock file",
    { "package.json": packageJson({ build: "tsc" }, { devDependencies: { typescript: "*" } }) },
    ["setup: npm install (package.json)", "build: npm run build (package.json)"],
  ],
  [
    "what npm writes into a new package",
    { "package.json": packageJson({ test: 'echo "Error: no test specified" && exit 1' }) },
    [],
  ],
  [
    "a Makefile alone",
    { Makefile: ".PHONY: test\nCC := gcc\nlint test: build\n\tgo\nbuild:\n\tgo\nchecks = 1\n" },
    ["test: make test (Makefile)", "lint: make lint (Makefile)", "build: make build (Makefile)"],
  ],
  [
    "a Makefile beside a package: only what the package has not",
    { "package.json": packageJson({ test: "jest" }), Makefile: "test:\n\tnpm test\nlint:\n\tx\n" },
    ["test: npm test (package.json)", "lint: make lint (Makefile)"],
  ],
  [
    "uv",
    {
      "pyproject.toml":
        '[project]\ndependencies = []\n[dependency-groups]\ndev = ["pytest>=8", "ruff"]\n[tool.mypy]\n',
      "uv.lock": "",
    },
    [
      "setup: uv sync (uv.lock)",
      "test: uv run pytest (pyproject.toml)",
      "lint: uv run ruff check . (pyproject.toml)",
      "types: uv run mypy . (pyproject.toml)",
    ],
  ],
  [
    "poetry with tox",
    { "pyproject.toml": "[tool.poetry]\n", "poetry.lock": "", "tox.ini": "[tox]\n" },
    ["setup: poetry install (poetry.lock)", "test: poetry run tox (tox.ini)"],
  ],
  [
    "python without a lock file, where a comment names no tool",
    { "pyproject.toml": "# mypy and ruff some day\n[tool.pytest.ini_options]\n" },
    ["test: python3 -m pytest (pyproject.toml)"],
  ],
  [
    "cargo",
    { "Cargo.toml": "[package]\nname = 'x'\n[lints.clippy]\n" },
    [
      "test: cargo test (Cargo.toml)",
      "lint: cargo clippy --all-targets (Cargo.toml)",
      "build: cargo build (Cargo.toml)",
    ],
  ],
  [
    "go",
    { "go.mod": "module x\n" },
    [
      "test: go test ./... (go.mod)",
      "lint: go vet ./... (go.mod)",
      "build: go build ./... (go.mod)",
    ],
  ],
  [
    "go with a Makefile: its targets are what persons run here",
    {
      "go.mod": "module x\n",
      Makefile: "test:\n\tgo test -race ./...\nlint:\n\tgolangci-lint run\n",
    },
    ["test: make test (Makefile)", "lint: make lint (Makefile)", "build: go build ./... (go.mod)"],
  ],
  [
    "a package, a go module and a Makefile with one target for both",
    {
      "package.json": packageJson({ lint: "eslint ." }),
      "go.mod": "module x\n",
      Makefile: "test:\n\tgo test ./...\n\tnpx vitest run\nlint:\n\tnpm run lint\n",
    },
    [
      "test: make test (Makefile)",
      "lint: npm run lint (package.json)",
      "lint: go vet ./... (go.mod)",
      "build: go build ./... (go.mod)",
    ],
  ],
  [
    "ruby",
    { Gemfile: "", ".rspec": "", ".rubocop.yml": "" },
    [
      "setup: bundle install (Gemfile)",
      "test: bundle exec rspec (Gemfile)",
      "lint: bundle exec rubocop (Gemfile)",
    ],
  ],
  [
    "two languages",
    { "package.json": packageJson({ test: "jest" }), "go.mod": "module x\n" },
    [
      "test: npm test (package.json)",
      "test: go test ./... (go.mod)",
      "lint: go vet ./... (go.mod)",
      "build: go build ./... (go.mod)",
    ],
  ],
  [
    "composer",
    { "composer.json": '{ "scripts": { "test": "phpunit" } }' },
    [
      "setup: composer install --no-interaction (composer.json)",
      "test: composer test (composer.json)",
    ],
  ],
  [
    "folders with the names of such files",
    { "Cargo.toml/x": "", "pom.xml/x": "", "Makefile/x": "", "go.mod": "module x\n" },
    [
      "test: go test ./... (go.mod)",
      "lint: go vet ./... (go.mod)",
      "build: go build ./... (go.mod)",
    ],
  ],
  [
    "a justfile",
    { justfile: "version := '1'\ntest filter='': build\n  go\n@lint:\n  go\nbuild:\n  go\n" },
    ["test: just test (justfile)", "lint: just lint (justfile)", "build: just build (justfile)"],
  ],
];

describe("stint init", () => {
  it.each(REPOSITORIES)(
    "finds the commands of %s, and lint names only what is to be replaced",
    async (...row) => {
      const [, files, expected] = row;
      for (const [path, text] of Object.entries(files)) bench.write(path, text);
      const { found, text, written } = await init();
      expect(found.map((each) => `${each.kind}: ${each.command} (${each.where})`)).toEqual(
        expected,
      );
      expect([written, readFileSync(join(bench.root, "prompt.md"), "utf8")]).toEqual([true, text]);
      for (const { kind, command } of found) {
        if (kind === "setup") expect(text).toContain(`\nsetup: ${command}\n`);
        else expect(text.split(`  - check: \`${command}\`\n`)).toHaveLength(3);
      }
      const problems = (await lint("prompt.md")).map(({ rule, found: at }) => `${rule}: ${at}`);
      expect(problems).toEqual([GOAL_TO_SAY, ...TO_REPLACE]);
    },
  );

  it("says what it found and where, what it left out, and what to do next", async () => {
    const scripts = { test: "vitest run", lint: "eslint --watch .", build: "tsc" };
    bench.write("package.json", packageJson(scripts));
    bench.write("package-lock.json", "{}");
    const { out, code } = await bench.run("init", "Move to Postgres");
    expect([code, out]).toEqual([
      0,
      `Wrote prompt.md
  setup  npm ci         package-lock.json
  test   npm test       package.json
  build  npm run build  package.json
  Left out: npm run lint (package.json): it watches files and never ends
Now write your tasks into it: both tasks there are placeholders.
  Next: stint lint prompt.md
  Then: stint plan prompt.md
  Then: stint run prompt.md`,
    ]);
    expect(readFileSync(join(bench.root, "prompt.md"), "utf8")).toBe(`---
# Run in a new workspace first, and again when a lock file changes.
setup: npm ci
---

## Goal

Move to Postgres

## Steps

<!--
A box is one task: one piece of work, one commit. Replace these two with yours.

The first check of a task fails today and passes when the work is done: it
proves the work. Replace the grep with your own.
The others were found in this repository. Most of them pass today: they show
that nothing else broke.

Left out: npm run lint (package.json):
it watches files and never ends.

Is it right? stint lint <this file>. What would happen? stint plan <this file>.
-->

- [ ] first - Replace this line with the first piece of work
  - check: \`grep -q "a text that only the finished work has" path/to/file\`
  - check: \`npm test\`
  - check: \`npm run build\`
- [ ] second - Replace this line with the next piece of work
  - check: \`grep -q "a text that only the finished work has" path/to/file\`
  - check: \`npm test\`
  - check: \`npm run build\`
`);
  });

  it("says of a repository with nothing that nothing was found, there and in the file", async () => {
    const { out } = await bench.run("init");
    expect(out).toContain(
      "  No command that tests, lints or builds this repository was found; the file says more.\nNow write your goal and tasks",
    );
    const text = readFileSync(join(bench.root, "prompt.md"), "utf8");
    expect(text).toContain("No command that tests, lints or builds this repository was found.");
    // As wide as every terminal is.
    expect(text.split("\n").filter((line) => line.length > 80)).toEqual([]);
    expect(text).not.toContain("---");
    expect(await lintBesides("prompt.md")).toEqual([GOAL_TO_SAY]);
  });

  it("never writes over a file, and follows no link", async () => {
    bench.write("prompt.md", "mine\n");
    symlinkSync(join(bench.root, "elsewhere.md"), join(bench.root, "link.md"));
    for (const name of ["prompt.md", "link.md"]) {
      const { code, err } = await bench.run("init", name);
      expect([code, err]).toEqual([
        2,
        `stint: ${name} exists already; nothing was written\n  Name another file: stint init other.md; or see what would be written: stint init --print`,
      ]);
    }
    expect(readFileSync(join(bench.root, "prompt.md"), "utf8")).toBe("mine\n");
    expect(bench.everything()).not.toContain("repo/elsewhere.md");
  });

  it("prints the text alone with --print, also where a file is there, and writes nothing", async () => {
    bench.write("prompt.md", "mine\n");
    const before = bench.everything();
    const { out } = await bench.run("init", "--print", "Say hello");
    expect(out).toContain("## Goal\n\nSay hello\n\n## Steps\n");
    expect(out.startsWith("## Goal")).toBe(true);
    expect(bench.everything()).toEqual(before);
    expect(await init("--print")).toMatchObject({ written: false, next: ["stint init prompt.md"] });
  });

  it("tells a path from a goal, in either order, and takes a folder", async () => {
    mkdirSync(join(bench.root, "docs"));
    expect(await init("a.md")).toMatchObject({ manifest: "a.md", goal: null });
    expect(await init("Say hello", "b.md")).toMatchObject({ manifest: "b.md", goal: "Say hello" });
    expect(await init("docs")).toMatchObject({ manifest: "docs/prompt.md", goal: null });
    expect(await init("Tidy")).toMatchObject({ manifest: "prompt.md", goal: "Tidy" });
    const { code, err } = await bench.run("init", "Say", "hello");
    expect([code, err]).toEqual([
      2,
      'stint: "Say" and "hello": one goal is enough, and a path ends with .md\n  Put the goal in quotes: stint init \'Say hello\'',
    ]);
  });

  it("is about the repository where the person is, if the manifest is in none", async () => {
    bench.write("web/package.json", packageJson({ test: "jest" }));
    const { next, text } = await init("../move.md");
    expect(next).toEqual([
      "stint lint ../move.md --dir .",
      "stint plan ../move.md --dir .",
      "stint run ../move.md --dir .",
    ]);
    expect(text).not.toContain("dir: ");
    const cwd = join(bench.root, "web");
    const { out } = await bench.runWith({ cwd }, "init", "../../other.md");
    expect(out).toContain("Then: stint run ../../other.md --dir ..");
    const printed = await bench.runWith({ cwd }, "init", "--print", "../../third.md");
    expect(printed.out).toContain("\ndir: web\n");
  });

  it("writes into a folder without git only where the person is", async () => {
    const notes = join(bench.path, "notes");
    mkdirSync(notes);
    const { code, err } = await bench.run("init", "../notes");
    expect([code, err.split("\n")[0]]).toEqual([
      2,
      `stint: ${notes} is in no git repository, so a manifest in it would be about no repository; nothing was written`,
    ]);
    expect(existsSync(join(notes, "prompt.md"))).toBe(false);
    const there = await bench.runWith({ cwd: notes }, "init", ".");
    expect([there.code, there.out.split("\n").at(-1)]).toEqual([
      0,
      "  Then: stint run prompt.md --dir .",
    ]);
  });

  it.each(['{"scripts": {', "[]", '{"scripts": "x"}'])(
    "says that a package.json with %j cannot be read, also where it stands below",
    async (text) => {
      bench.write("web/package.json", text);
      const { out } = await bench.runWith({ cwd: join(bench.root, "web") }, "init");
      expect(out).toContain(
        "Left out: its scripts (web/package.json): it cannot be read, or is not a valid package file",
      );
      // Printed, the text says so itself.
      const cwd = join(bench.root, "web");
      expect((await bench.runWith({ cwd }, "init", "--print")).out).toContain(
        "\n\nLeft out: its scripts (web/package.json):\nit cannot be read, or is not a valid package file.\n",
      );
    },
  );

  it("reads a file that begins with a byte order mark", async () => {
    bench.write("package.json", `\uFEFF${packageJson({ test: "vitest run" })}`);
    expect((await bench.run("init", "--print")).out).toContain("- check: `npm test`");
  });

  it("refuses a folder that is not there, and says how it is made", async () => {
    const missing = await bench.run("init", "no/such/prompt.md");
    expect([missing.code, missing.err]).toEqual([
      2,
      `stint: no/such/prompt.md cannot be written: there is no folder ${bench.root}/no/such\n  Create it: mkdir -p ${bench.root}/no/such`,
    ]);
  });

  it.each(["newdir/", "no/such/"])("takes %j for a folder", async (word) => {
    const folder = join(bench.root, word);
    const { code, err } = await bench.run("init", word);
    expect([code, err]).toEqual([
      2,
      `stint: ${word}prompt.md cannot be written: there is no folder ${folder.slice(0, -1)}\n  Create it: mkdir -p ${folder.slice(0, -1)}`,
    ]);
    mkdirSync(folder, { recursive: true });
    expect((await bench.run("init", word)).code).toBe(0);
    expect(existsSync(join(folder, "prompt.md"))).toBe(true);
  });

  it.each(["x.txt", "docs/plan.rst", "a.md.bak"])(
    "says of %j that a path ends with .md",
    async (word) => {
      const before = bench.everything();
      const { code, err } = await bench.run("init", word);
      expect([code, err.split("\n")[0]]).toEqual([
        2,
        `stint: ${word} is not the name of a manifest: a path ends with .md`,
      ]);
      expect(bench.everything()).toEqual(before);
    },
  );

  it.each(["Upgrade to Node.js", "Make app.js faster", "i18n"])(
    "takes %j for a goal",
    async (goal) => {
      expect((await bench.run("init", "--print", goal)).out).toContain(goal);
    },
  );

  it.each([["init"], ["init", "a.md"]])(
    "writes nothing into a bare repository: %j",
    async (...words) => {
      git(bench.path, "init", "-q", "--bare", "shop.git");
      const { code, err } = await bench.runWith({ cwd: join(bench.path, "shop.git") }, ...words);
      expect([code, err]).toEqual([2, expect.stringContaining(" is in a bare repository, ")]);
    },
  );

  it("looks at the package that the person stands in, with the lock file of the root", async () => {
    bench.write("pnpm-lock.yaml", "");
    bench.write("packages/web/package.json", packageJson({ test: "jest" }));
    mkdirSync(join(bench.root, "packages/web/src"));
    const cwd = join(bench.root, "packages/web/src");
    const { out } = await bench.runWith({ cwd }, "init", "--print");
    expect(out).toContain("setup: pnpm install --frozen-lockfile\n");
    expect(out).toContain("\ndir: packages/web\n");
    expect(out).toContain("  - check: `pnpm test`\n");
  });

  it("sets up a package with a lock file of its own in its own folder", async () => {
    bench.write("web/package.json", packageJson({ test: "jest" }));
    bench.write("web/package-lock.json", "{}");
    const { out } = await bench.runWith({ cwd: join(bench.root, "web") }, "init", "--print");
    expect(out).toContain('setup: "cd web && npm ci"\n');
  });

  it("is right whatever the goal says", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc.string({ minLength: 1, maxLength: 60, unit: "grapheme" }),
          fc.constantFrom("<!-- x", "# x", "- [ ] x", "1. x", "```", "---", "> x", "2) y", "&lt;"),
        ),
        async (goal) => {
          // A path, a file or a folder is told from a goal by its one word.
          fc.pre(!/^[\s./~]*$|\.(?:md|markdown)$|^\S*(?:[\\/]|\.\w*)$/i.test(goal));
          rmSync(join(bench.root, "prompt.md"), { force: true });
          const { code } = await bench.run("init", "--", goal);
          expect(code).toBe(0);
          expect(await lintBesides("prompt.md")).toEqual([]);
        },
      ),
      { numRuns: 60 },
    );
  });
});
