import { describe, expect, it } from "vitest";
import {
  areNewTests,
  askedAbout,
  type ChangedFile,
  judgesAmong,
  judgesOthers,
  mayJudgeOthers,
  toldBy,
} from "./judges.ts";
import { withDecidingPart } from "./file-roles.ts";
import { executedBy } from "./programs-run.ts";

const FILES: Readonly<Record<string, string>> = {
  "package.json": JSON.stringify({
    scripts: {
      test: "vitest run",
      lint: "eslint src",
      verify: "npm run deep",
      deep: "./ci/deep.sh",
      pretest: "node setup.js",
      report: "node report.js",
    },
  }),
  "web/package.json": JSON.stringify({ scripts: { test: "sh judge.sh", e2e: "x" } }),
  Makefile: "include rules.mk\ncheck: build\n\t@./gate.sh\n\tnode probe.js\n",
  "py/Makefile": "check:\n\tpytest tests\n",
  "ci/deep.sh": "#!/bin/sh\n# see docs/a.txt\npython probe.py && echo ok\n",
  "gate.sh": "sh inner.sh\n",
  "check.mjs": 'execFileSync(process.execPath, ["report.mjs"]); spawnSync("node", ["verify.mjs"]);',
  "inc/Makefile": "R = rules.inc\ninclude $(R) more/*.inc\n-include ${X}.inc\n",
  "inc/rules.inc": "check:\n\tsh gate-inc.sh\n",
  "glob/Makefile":
    "O = a.o\n-include $(sort $(wildcard *.inc))\n-include $(O:.o=.d) $(shell ls)\ncheck:\n\ttrue\n",
  "x.egg-info/entry_points.txt":
    "[console_scripts]\nx = cli:main\n[pytest11]\nx = calc_report\ny = pkg.report:p\n",
  "pytest.ini": "[pytest]\naddopts = -p own_report -q\n",
  "build.rules": "check:\n\ttrue\n",
  justfile: "import 'tasks.inc'\n",
  "cfg/vitest.config.ts":
    'import { a } from "./shared.ts";\nexport default { setupFiles: ["./setup.ts"] };\n',
  "bin/grep": "true\n",
  "docs/grep": "how to search\n",
  "pkg/__init__.py": "",
  "run.sh": "for t in cases/*.sh; do sh $t || exit 1; done\n",
};

/** All of these were read, unless the row says otherwise. */
type Row = readonly [command: string, changed: readonly string[], judges: readonly string[]];

const EXECUTED: readonly Row[] = [
  // The check names what it runs.
  ["./verify.sh", ["verify.sh", "src/a.ts"], ["verify.sh"]],
  ["sh judge.sh", ["judge.sh"], ["judge.sh"]],
  ["cd web && sh judge.sh", ["web/judge.sh", "web/app.js"], ["web/judge.sh"]],
  ['sh -c "cd web; node judge.js"', ["web/judge.js", "web/app.js"], ["web/judge.js"]],
  ["bash -lc 'python3 tools/judge.py'", ["tools/judge.py"], ["tools/judge.py"]],
  ["bash 'a b.sh'", ["a b.sh"], ["a b.sh"]],
  ["node probe.mjs --in=data/x.json", ["probe.mjs", "data/x.json"], ["probe.mjs"]],
  ["node -r ./hook.js app.js", ["hook.js"], ["hook.js"]],
  ["node judge", ["judge.js"], ["judge.js"]],
  ["env A=1 timeout 5 node judge.js", ["judge.js"], ["judge.js"]],
  ["npx tsx judge.ts", ["judge.ts"], ["judge.ts"]],
  ["if node judge.js; then exit 0; else exit 1; fi", ["judge.js"], ["judge.js"]],
  ["sh ju*.sh", ["judge.sh"], ["judge.sh"]],
  ["node build.js && node judge.js", ["build.js", "judge.js"], ["build.js", "judge.js"]],
  // By the scripts it calls.
  ["npm --prefix web test", ["web/judge.sh", "web/app.js"], ["web/judge.sh"]],
  ["cd web && npm test", ["web/judge.sh"], ["web/judge.sh"]],
  ["npm run verify", ["ci/deep.sh"], ["ci/deep.sh"]],
  ["npm run verify", ["probe.py"], ["probe.py"]],
  ["npm test", ["setup.js"], ["setup.js"]],
  ["cd . && pnpm -s verify", ["ci/deep.sh"], ["ci/deep.sh"]],
  ["make check", ["gate.sh", "inner.sh", "probe.js"], ["gate.sh", "inner.sh", "probe.js"]],
  // By their role.
  ["make check", ["Makefile", "rules.mk", "src/a.c"], ["Makefile", "rules.mk"]],
  ["sh run.sh", ["cases/one.sh"], ["cases/one.sh"]],
  ["npm test", ["node_modules/.bin/vitest"], ["node_modules/.bin/vitest"]],
  ["npm test", ["src/a.test.ts", "src/a.ts"], ["src/a.test.ts"]],
  // What decides by an ordinary name is the work; a folder of tests says that it decides.
  ["npx vitest run", ["src/expect-equal.js", "golden.txt"], []],
  ["python3 -m unittest", ["cases.py", "suite.list", "suite/cases/a.txt"], []],
  ["npx vitest run", ["golden.txt", "tests/golden.txt"], ["tests/golden.txt"]],
  ["python3 -m unittest", ["testdata/cases.py"], ["testdata/cases.py"]],
  ["npx vitest run", ["vitest.config.ts"], ["vitest.config.ts"]],
  ["go test ./...", ["pkg/a_test.go", "pkg/a.go"], ["pkg/a_test.go"]],
  ["python3 -m pytest", ["test_a.py", "a.py", "conftest.py"], ["test_a.py", "conftest.py"]],
  ["cargo test", ["tests/it.rs", "src/lib.rs"], ["tests/it.rs"]],
  ["cd py && make check", ["py/tests/test_a.py"], ["py/tests/test_a.py"]],
  ["npx tsc --noEmit", ["tsconfig.json", "src/a.ts"], ["tsconfig.json"]],
  ["sh count.sh spec/a_spec.rb", ["spec/a_spec.rb"], ["spec/a_spec.rb"]],
  ["grep -q a tests/test_a.py && npm test", ["tests/test_a.py"], ["tests/test_a.py"]],
  ["npm test | grep -q passed", ["tests/a.js", "conftest.py"], ["tests/a.js", "conftest.py"]],
  ["tests/grep -q a b", ["tests/grep", "tests/b"], ["tests/grep", "tests/b"]],
  [
    "npm test && test -f new.js",
    ["package.json", ".mocharc.yml"],
    ["package.json", ".mocharc.yml"],
  ],
  ["sed -n -f tests/a.sed b", ["tests/a.sed"], ["tests/a.sed"]],
  ["git bisect run tests/a.sh", ["tests/a.sh"], ["tests/a.sh"]],
  // By what includes or names it.
  ["make -C inc check", ["inc/rules.inc", "inc/gate-inc.sh"], ["inc/rules.inc", "inc/gate-inc.sh"]],
  ["cd inc && make check", ["inc/more/a.inc", "inc/any.inc"], ["inc/more/a.inc", "inc/any.inc"]],
  ["make -C glob check", ["glob/local.inc", "glob/a.d"], ["glob/local.inc", "glob/a.d"]],
  ["make -f build.rules check", ["build.rules"], ["build.rules"]],
  ["just check", ["tasks.inc"], ["tasks.inc"]],
  [
    "cd cfg && npx vitest run",
    ["cfg/setup.ts", "cfg/shared.ts"],
    ["cfg/setup.ts", "cfg/shared.ts"],
  ],
  ["npx mocha -r ./hook.js --config=own.json", ["hook.js", "own.json"], ["hook.js", "own.json"]],
  ["node --env-file=settings.env --test", ["settings.env"], ["settings.env"]],
  [". ./env.inc && npm test", ["env.inc"], ["env.inc"]],
  // By what decides which program, and which version of it, runs.
  ["npm test", [".npmrc", ".nvmrc", ".mocharc.yml"], [".npmrc", ".nvmrc", ".mocharc.yml"]],
  [
    "yarn test",
    [".yarnrc.yml", ".yarn/releases/yarn.cjs"],
    [".yarnrc.yml", ".yarn/releases/yarn.cjs"],
  ],
  ["go test ./...", ["go.work", ".tool-versions"], ["go.work", ".tool-versions"]],
  ["./mvnw test", [".mvn/jvm.config", "mvnw"], [".mvn/jvm.config", "mvnw"]],
  ["dotnet test", ["nuget.config"], ["nuget.config"]],
  ["nose2", ["unittest.cfg", ".env.test"], ["unittest.cfg", ".env.test"]],
  // By the settings of tools, with a dot or without.
  [
    "npm run lint",
    [".rustfmt.toml", ".ruff.toml", ".mypy.ini", ".clippy.toml", ".eslintignore", ".editorconfig"],
    [".rustfmt.toml", ".ruff.toml", ".mypy.ini", ".clippy.toml", ".eslintignore", ".editorconfig"],
  ],
  [
    "pyright",
    ["pyrightconfig.json", "pylintrc", ".config/nextest.toml", "tslint.json"],
    ["pyrightconfig.json", "pylintrc", ".config/nextest.toml", "tslint.json"],
  ],
  ["prove", [".proverc"], [".proverc"]],
  ["prove | grep -q ok", [".proverc"], [".proverc"]],
  // By what Python runs or loads in place of what stands there.
  [
    "python3 -m unittest",
    ["__pycache__/test_a.cpython-311.pyc", "__pycache__/a.cpython-311-pytest-8.pyc"],
    ["__pycache__/test_a.cpython-311.pyc", "__pycache__/a.cpython-311-pytest-8.pyc"],
  ],
  [
    "pytest -q",
    ["x.egg-info/entry_points.txt", "calc_report.py", "pkg/report.py", "cli.py"],
    ["x.egg-info/entry_points.txt", "calc_report.py", "pkg/report.py"],
  ],
  ["pytest -q", ["pytest.ini", "own_report.py"], ["pytest.ini", "own_report.py"]],
  // By what it stands in for.
  ["python3 -m unittest", ["unittest.py"], ["unittest.py"]],
  ["python3 -m pytest", ["pytest/__main__.py"], ["pytest/__main__.py"]],
  ["python3 test.py", ["lib/sitecustomize.py"], ["lib/sitecustomize.py"]],
  ["prove -l", ["lib/Test/More.pm"], ["lib/Test/More.pm"]],
  ["PATH=bin:$PATH grep -q a b", ["bin/grep"], ["bin/grep"]],
];

const PRODUCTS: readonly Row[] = [
  // What a program of the check starts is what it looks at, unless its name says that it judges.
  ["node check.mjs application", ["report.mjs"], []],
  ["node check.mjs application", ["report.mjs", "verify.mjs"], ["verify.mjs"]],
  ["grep -q done ./out.txt", ["out.txt"], []],
  ["grep -q Hello hello.txt && test -s hello.txt", ["hello.txt"], []],
  ["cat judge.sh", ["judge.sh"], []],
  // A test is the work for what only looks at it.
  ["cat spec/a_spec.rb | wc -l", ["spec/a_spec.rb"], []],
  ["test ! -e tests/test_a.py", ["tests/test_a.py"], []],
  ["grep -q strict pytest.ini", ["pytest.ini"], []],
  ["cmp -s tests/data.txt expected.txt", ["tests/data.txt"], []],
  ['test "$(wc -l < tests/data.txt)" = 3 && cd tests && [ -s data.txt ]', ["tests/data.txt"], []],
  ["! git ls-files --error-unmatch tests/test_a.py", ["tests/test_a.py"], []],
  [
    "grep -q runner tests/unittest.py node_modules/a/b.js",
    ["tests/unittest.py", "node_modules/a/b.js"],
    [],
  ],
  ["grep -q 'set -e' scripts/check.sh", ["scripts/check.sh"], []],
  ['test "$(node app.js)" = hi', ["app.js"], []],
  ["node app.js | grep -q hi", ["app.js", "lib.js"], []],
  ["test `sh greet.sh` = hi", ["greet.sh"], []],
  ["sh backup.sh && test -f out.tar", ["backup.sh"], []],
  ["sh backup.sh; [ -s out.tar ]", ["backup.sh"], []],
  ["npm run report && grep -q total out.md", ["report.js"], []],
  ["make all && test -x app", ["Makefile", "app.c"], []],
  ["npm test", ["src/a.ts", "src/validate.ts", "bin/cli.sh"], []],
  ["bats cases", ["backup.sh"], []],
  ["npm run lint", ["src/a.ts"], []],
  ["npm run build", ["src/tools/a.ts"], []],
  ["curl -f http://localhost/a.html", ["a.html"], []],
  ["cat ../outside.txt /etc/hosts", ["outside.txt", "etc/hosts"], []],
  ["echo 'unbalanced", ["src/a.ts"], []],
  ["make -C inc all && test -x app", ["inc/rules.inc"], []],
  ["cd cfg && npx vitest run", ["cfg/main.ts"], []],
  ["caddy validate --config site.conf", ["site.conf"], []],
  ["node app.js --config own.json", ["own.json"], []],
  ["npm test", [".env", ".env.local", ".gitignore", ".well-known/a.json"], []],
  ["grep -q how docs/grep", ["docs/grep"], []],
  ["npm test", [".github/workflows/ci.yml", "package-lock.json"], []],
  ["python3 -m unittest", ["pkg/unittest.py", "queue.py", "sums.py"], []],
];

describe("a changed file judges its task", () => {
  it.each(EXECUTED)("%s with %j changed: %j", (command, changed, judges) => {
    expect(judged(command, changed)).toEqual(judges);
  });

  it("also where its output is compared, if its name says that it judges", () => {
    expect(judged("sh check.sh | grep -q ok", ["check.sh"])).toEqual(["check.sh"]);
    expect(judged("sh verify-all.sh && test -f x", ["verify-all.sh"])).toEqual(["verify-all.sh"]);
  });

  it("also before a comparison, where that looks at nothing of the work", () => {
    const looked = {
      ...LOOKED,
      command: "sh go.sh && test -f README.md",
      changed: [{ path: "go.sh", change: "modified" as const }],
    };
    const judge = (old: readonly string[]) =>
      judgesAmong({ ...looked, isOld: (path) => old.includes(path) }).length;
    expect([judge(["README.md"]), judge([])]).toEqual([1, 0]);
    const diff = { ...looked, command: "sh go.sh && diff expected.txt out.txt" };
    expect(judgesAmong({ ...diff, isOld: (path) => path === "expected.txt" })).toEqual([]);
    expect(askedAbout(looked)).toEqual(["README.md"]);
    expect(askedAbout({ ...looked, command: "sh go.sh" })).toEqual([]);
    expect(judged("sh go.sh; [ $? -eq 0 ]", ["go.sh"])).toEqual(["go.sh"]);
  });

  it.each([
    ["tar tf out.tar | grep -q README.md", []],
    ["unzip -l out.zip | grep -qe README.md", []],
    ["tar tf out.tar | grep -q -m 1 --regexp=README.md", []],
    ['[ "$(cat name)" = README.md ]', []],
    ["grep -q hello README.md", ["README.md"]],
    ["grep -qf README.md", ["README.md"]],
    ["grep -q -e hello README.md", ["README.md"]],
    ["[ README.md -nt go.sh ]", ["README.md", "go.sh"]],
  ])(
    "also before a comparison, where a name is what is compared: sh go.sh && %s",
    (then, files) => {
      const command = `sh go.sh && ${then}`;
      const looked = {
        ...LOOKED,
        command,
        changed: [{ path: "go.sh", change: "modified" as const }],
        isOld: (path: string) => path === "README.md",
      };
      expect(executedBy(command, "", () => undefined).compared).toEqual(files);
      const isOfWork = files.length === 0 || files.includes("go.sh");
      expect(judgesAmong(looked)).toHaveLength(isOfWork ? 0 : 1);
    },
  );

  it("where it is gone, by its role alone", () => {
    const gone: ChangedFile[] = [
      { path: "a.test.js", change: "deleted" },
      { path: "a.js", change: "deleted" },
    ];
    const paths = judgesAmong({
      ...LOOKED,
      command: "npm test",
      changed: gone,
      isRead: () => false,
    });
    expect(paths.map(({ path }) => path)).toEqual(["a.test.js"]);
  });

  it("by the part of a package.json that tools read, and by no other", () => {
    const was = { scripts: { test: "vitest run" }, dependencies: { a: "1" }, version: "1.0.0" };
    const judge = (is: object) =>
      judgesAmong({
        ...LOOKED,
        command: "npm test",
        changed: [{ path: "package.json", change: "modified" }],
        before: () => JSON.stringify(was),
        after: () => JSON.stringify(is),
      }).length;
    expect(judge({ ...was, dependencies: { a: "2" }, version: "1.1.0" })).toBe(0);
    expect(judge({ ...was, scripts: { test: "true" } })).toBe(1);
    expect(judge({ ...was, jest: { testMatch: [] } })).toBe(1);
  });

  const UNREAD: readonly (readonly [
    command: string,
    added: readonly string[],
    judges: readonly string[],
  ])[] = [
    ["make -C made check", ["made/check", "made/checked", "check"], ["made/check"]],
    [
      "make -C made",
      ["made/all/a.txt", "made/build/b.txt"],
      ["made/all/a.txt", "made/build/b.txt"],
    ],
    ["make -C made lint", ["made/lint/a.py", "made/main.c"], []],
    ["make -C made all && test -f out", ["made/all"], []],
    ["pytest -q", ["tests/unit/pyvenv.cfg", "tests/unit/b.txt"], ["tests/unit/pyvenv.cfg"]],
    ["go test ./...", ["pkg/a/go.mod", "go.mod"], ["pkg/a/go.mod"]],
  ];

  it.each(UNREAD)("%s, by being there, with %j added: %j", (command, paths, judges) => {
    const files: Readonly<Record<string, string>> = {
      "made/Makefile":
        ".PHONY: lint\nall: build\n\ttrue\nbuild: main.c\n\tcc main.c\ncheck:\n\tpytest\nlint:\n\tpytest\n",
    };
    const looked = {
      ...LOOKED,
      command,
      isRead: () => false,
      after: (path: string) => files[path],
    };
    const added = paths.map((path) => ({ path, change: "added" as const }));
    expect(judgesAmong({ ...looked, changed: added }).map(({ path }) => path)).toEqual(judges);
    const modified = paths.map((path) => ({ path, change: "modified" as const }));
    expect(judgesAmong({ ...looked, changed: modified })).toEqual([]);
  });

  it("that is new, and has the name of a module that the runner loads", () => {
    const judge = (path: string, change: ChangedFile["change"]) =>
      judgesAmong({ ...LOOKED, command: "python3 -m pytest", changed: [{ path, change }] }).length;
    expect(judge("argparse.py", "added")).toBe(1);
    expect(judge("argparse.py", "modified")).toBe(0);
    expect(judge("src/argparse.py", "added")).toBe(0);
    expect(judge("statistics.py", "added")).toBe(0);
  });

  it("through links: the link, and the file behind it", () => {
    const links: Readonly<Record<string, string>> = {
      "judge.sh": "data/x",
      "checks/a.sh": "other/a.sh",
      "test/a.test.js": "data/t.js",
    };
    const judge = (command: string, ...paths: string[]) =>
      judgesAmong({
        ...LOOKED,
        command,
        changed: paths.map((path) => ({ path, change: "added" })),
        leadsTo: (path) => links[path],
      }).map(({ path }) => path);
    expect(judge("sh judge.sh", "judge.sh", "data/x", "data/y")).toEqual(["judge.sh", "data/x"]);
    expect(judge("sh judge.sh", "data/x")).toEqual(["data/x"]);
    expect(judge("sh checks/a.sh", "checks", "other/a.sh")).toEqual(["checks", "other/a.sh"]);
    expect(judge("node --test", "test/a.test.js", "data/t.js", "data/u.js")).toEqual([
      "test/a.test.js",
      "data/t.js",
    ]);
  });

  it("by its role, where it is a program no longer: to ask for that opens nothing", () => {
    const command = "for f in checks/*.sh; do [ -x $f ] || continue; $f || exit 1; done";
    const judges = (path: string, switched?: true) =>
      judgesAmong({
        ...LOOKED,
        command,
        changed: [{ path, change: "modified", switched }],
        isRead: () => false,
      }).map((judge) => judge.path);
    expect(judges("checks/a.sh", true)).toEqual(["checks/a.sh"]);
    expect(judges("checks/a.sh")).toEqual([]);
    expect(judges("src/a.js", true)).toEqual([]);
  });

  it("by a name of package.json that leads somewhere else now", () => {
    const was = { imports: { "#a": "./src/a.js" }, exports: { ".": { import: "./src/b.js" } } };
    const judge = (is: object, gone: readonly string[] = []) =>
      judgesAmong({
        ...LOOKED,
        command: "npm test",
        changed: [
          { path: "package.json", change: "modified" },
          ...gone.map((path) => ({ path, change: "deleted" as const })),
        ],
        before: () => JSON.stringify(was),
        after: () => JSON.stringify(is),
      }).length;
    const other = { "#a": "./mock/a.js" };
    expect(judge({ ...was, imports: other })).toBe(1);
    expect(judge({ ...was, exports: { ".": { import: "./mock/b.js" } } })).toBe(1);
    expect(judge({ ...was, imports: { ...was.imports, "#new": "./src/new.js" } })).toBe(0);
    expect(judge({ imports: was.imports, main: "./src/b.js" })).toBe(0);
    // It follows what was moved.
    expect(judge({ ...was, imports: other }, ["src/a.js"])).toBe(0);
  });

  it("by the sections of a Cargo.toml that are about neither the package nor its dependencies", () => {
    const was = '[package]\nname = "a"\n\n[dependencies]\nserde = "1"\n';
    const judge = (is: string) =>
      judgesAmong({
        ...LOOKED,
        command: "cargo test",
        changed: [{ path: "Cargo.toml", change: "modified" }],
        before: () => was,
        after: () => is,
      }).length;
    expect(judge(was.replace('"1"', '"2"'))).toBe(0);
    expect(judge(`${was}\n[[test]]\nname = "it"\ntest = false\n`)).toBe(1);
    expect(judge(was.replace("[dep", "autotests = false\n\n[dep"))).toBe(1);
    expect(judge(was.replace("[dep", 'build = "gen.rs"\nrust-version = "1.80"\n\n[dep'))).toBe(1);
    expect(judge(was.replace("[dep", 'rust-version = "1.80"\n\n[dep'))).toBe(0);
    expect(judge(`package.autotests = false\n${was}`)).toBe(1);
    expect(judge(`# Calculates.\n\n${was}`)).toBe(0);
  });
});

describe("a changed file is the product of its task", () => {
  it.each(PRODUCTS)("%s with %j changed", (command, changed, judges) => {
    expect(judged(command, changed)).toEqual(judges);
  });

  it("where the check did not read it", () => {
    const changed: ChangedFile[] = [{ path: "a.test.js", change: "modified" }];
    expect(judgesAmong({ ...LOOKED, command: "sh x.sh", changed, isRead: () => false })).toEqual(
      [],
    );
  });
});

describe("the deciding part of a file", () => {
  it("is put back alone: what a package needs stays as it is", () => {
    const old = JSON.stringify({
      name: "a",
      scripts: { test: "vitest" },
      dependencies: { a: "1" },
    });
    const now = JSON.stringify({ name: "a", scripts: { test: "true" }, dependencies: { b: "2" } });
    expect(JSON.parse(withDecidingPart("package.json", now, old) ?? "")).toEqual({
      name: "a",
      dependencies: { b: "2" },
      scripts: { test: "vitest" },
    });
    expect(withDecidingPart("package.json", now, undefined)).toBeUndefined();
    const led = (imports: object, exports: unknown) => JSON.stringify({ imports, exports });
    expect(
      JSON.parse(
        withDecidingPart(
          "package.json",
          led({ "#a": "./mock.js", "#b": "./b.js" }, "./mock.js"),
          led({ "#a": "./a.js" }, "./a.js"),
        ) ?? "",
      ),
    ).toEqual({ imports: { "#a": "./a.js", "#b": "./b.js" }, exports: "./a.js" });
    expect(
      withDecidingPart(
        "pyproject.toml",
        '[project]\ndependencies = ["b"]\n\n[tool.pytest.ini_options]\naddopts = "-k no"\n',
        '[project]\ndependencies = ["a"]\n\n[tool.pytest.ini_options]\naddopts = ""\n',
      ),
    ).toBe('[project]\ndependencies = ["b"]\n\n[tool.pytest.ini_options]\naddopts = ""\n');
    expect(
      withDecidingPart(
        "Cargo.toml",
        'package.autolib = false\n[package]\nname = "b"\nautotests = false\n\n[[test]]\nname = "x"\n',
        '[package]\nname = "a"\nautobins = true\n\n[lib]\ntest = true\n',
      ),
    ).toBe('[package]\nautobins = true\nname = "b"\n\n[lib]\ntest = true\n');
  });
});

it("work that is nothing but new tests is known", () => {
  expect(areNewTests([{ path: "a.test.js", change: "added" }])).toBe(true);
  expect(areNewTests([{ path: "a.test.js", change: "modified" }])).toBe(false);
  const around: ChangedFile[] = [
    { path: "tests/conftest.py", change: "added" },
    { path: "pytest.ini", change: "added" },
  ];
  expect(areNewTests(around)).toBe(false);
  expect(areNewTests([...around, { path: "tests/test_a.py", change: "added" }])).toBe(true);
  expect(areNewTests([])).toBe(false);
});

it("new tests alone are its own, unless what came with them passes without them", () => {
  const changed: ChangedFile[] = [
    { path: "tests/test_a.py", change: "added" },
    { path: "pytest.ini", change: "added" },
  ];
  const judges = changed.map((each) => ({ ...each, role: "test" as const }));
  const answers = { wasRed: true, oldJudges: false, newJudges: true, judges, changed };
  expect(toldBy(answers)).toBe("own-tests");
  expect(toldBy({ ...answers, isBySettings: true })).toBe("self-judged");
  expect(toldBy({ ...answers, changed: changed.slice(1) })).toBe("self-judged");
  expect(toldBy({ ...answers, newJudges: false })).toBe("own-tests");
  expect(toldBy({ ...answers, oldJudges: true })).toBe("independent");
});

it("what a task did to tests, and to what is around all of them, may count for another task", () => {
  const judge = (path: string, change: ChangedFile["change"], role: "test" | "configuration") =>
    [mayJudgeOthers({ path, change }), judgesOthers({ path, change, role })].join();
  expect(judge("tests/test_a.py", "modified", "test")).toBe("true,true");
  expect(judge("tests/test_a.py", "added", "test")).toBe("true,false");
  expect(judge("conftest.py", "added", "configuration")).toBe("true,true");
  expect(judge("unittest.py", "added", "test")).toBe("true,true");
  expect(judge("test/helpers.py", "added", "configuration")).toBe("true,true");
  expect(judge("src/a.py", "added", "configuration")).toBe("false,false");
});

const LOOKED = {
  dir: "",
  isRead: () => true,
  before: (path: string) => FILES[path],
  after: (path: string) => FILES[path],
};

function judged(command: string, paths: readonly string[]): string[] {
  const changed = paths.map((path) => ({ path, change: "modified" as const }));
  // A partly deciding file is another one than before.
  const before = (path: string) => (FILES[path] === undefined ? undefined : "{}");
  return judgesAmong({ ...LOOKED, command, changed, before }).map(({ path }) => path);
}
