import { describe, expect, it } from "vitest";
import type { Check } from "../core/schema/task.ts";
import { selfJudgedPaths } from "./self-judged.ts";

const FILES: Readonly<Record<string, string>> = {
  "package.json": JSON.stringify({
    scripts: {
      test: "vitest run",
      lint: "eslint src",
      verify: "npm run deep",
      deep: "./ci/deep.sh",
      pretest: "node setup.js",
    },
  }),
  Makefile: "check: build\n\t@./scripts/verify.sh\n\tpytest tests\n",
  "ci/deep.sh": "#!/bin/sh\n# see docs/a.txt\npython tools/probe.py && echo ok\n",
};

type Case = readonly [command: string, changed: readonly string[], found: readonly string[]];

const CASES: readonly Case[] = [
  // A file named in the check.
  ["./verify.sh", ["verify.sh", "src/a.ts"], ["verify.sh"]],
  [
    "node tools/probe.mjs --in=data/x.json",
    ["tools/probe.mjs", "data/x.json"],
    ["data/x.json", "tools/probe.mjs"],
  ],
  ["bash 'a b.sh'", ["a b.sh"], ["a b.sh"]],
  ["grep -q done ./out.txt", ["out.txt"], ["out.txt"]],
  ["sh ci/", ["ci/deep.sh"], ["ci/deep.sh"]],
  ["pytest tests/unit::test_x", ["tests/unit"], ["tests/unit"]],
  ["test -f dist", ["dist/app.js"], []],
  // A script that it calls.
  ["npm run verify", ["ci/deep.sh"], ["ci/deep.sh"]],
  ["npm run verify", ["tools/probe.py"], ["tools/probe.py"]],
  ["npm test", ["setup.js"], ["setup.js"]],
  ["make check", ["scripts/verify.sh"], ["scripts/verify.sh"]],
  ["make check", ["Makefile"], ["Makefile"]],
  ["cd . && pnpm -s verify", ["ci/deep.sh"], ["ci/deep.sh"]],
  // Tests that it runs.
  ["npm test", ["src/a.test.ts", "src/a.ts"], ["src/a.test.ts"]],
  ["npx vitest run", ["vitest.config.ts"], ["vitest.config.ts"]],
  ["go test ./...", ["pkg/a_test.go", "pkg/a.go"], ["pkg/a_test.go"]],
  ["python3 -m pytest", ["test_a.py", "a.py"], ["test_a.py"]],
  ["cargo test", ["tests/it.rs"], ["tests/it.rs"]],
  ["make check", ["tests/test_a.py"], ["tests/test_a.py"]],
  // Judged by others.
  ["npm run lint", ["src/a.test.ts"], []],
  ["npm run build", ["src/a.ts"], []],
  ["curl -f http://localhost/a.html", ["a.html"], []],
  ["cat ../outside.txt /etc/hosts", ["outside.txt", "etc/hosts"], []],
  ["echo 'unbalanced", ["src/a.ts"], []],
];

describe("an attempt is self-judged by", () => {
  it.each(CASES)("%s with %j changed: %j", (command, changed, found) => {
    expect(judged({ kind: "command", command }, changed)).toEqual(found);
  });

  it("a called script of package.json that was changed, and only then", () => {
    const check: Check = { kind: "command", command: "npm test" };
    const changedTo =
      (scripts: object, dependencies = {}) =>
      (path: string) =>
        path === "package.json" ? JSON.stringify({ scripts, dependencies }) : FILES[path];
    const same = JSON.parse(FILES["package.json"] ?? "") as { scripts: object };
    const judge = (after: (path: string) => string | undefined) =>
      selfJudgedPaths({
        checks: [check],
        changed: ["package.json"],
        before: readFile,
        after,
      });
    expect(judge(changedTo({ ...same.scripts, test: "true" }))).toEqual(["package.json"]);
    expect(judge(changedTo({ ...same.scripts, lint: "true" }, { x: "1" }))).toEqual([]);
  });

  it("nothing, when its check asks for the file it made", () => {
    expect(judged({ kind: "file", path: "a.txt", expect: { is: "exists" } }, ["a.txt"])).toEqual(
      [],
    );
  });
});

function judged(check: Check, changed: readonly string[]): string[] {
  return selfJudgedPaths({ checks: [check], changed, before: readFile, after: readFile });
}

function readFile(path: string): string | undefined {
  return FILES[path];
}
