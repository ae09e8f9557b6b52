import { describe, expect, it, test } from "vitest";
import { inBackticks, readsAsCommand } from "./unquoted-command.ts";

describe("a text where prose may stand", () => {
  test.each([
    "npm test",
    "npm run lint",
    "npm test && npm run lint",
    "npm --prefix web test",
    "CI=1 npm test",
    "! grep -q TODO src/app.ts",
    "npx vitest run",
    "yarn build",
    "pytest",
    "pytest tests/unit -q",
    "python -m pytest",
    "python3 scripts/check.py",
    "node scripts/check.mjs",
    "tsc --noEmit",
    "cargo test",
    "cargo clippy -- -D warnings",
    "go test ./...",
    "go vet ./...",
    "make test",
    "make",
    "make -C web check",
    "just test",
    "mvn verify",
    "./gradlew test",
    "./check.sh",
    "scripts/verify.sh --fast",
    "tools/verify --fast",
    "grep -q Hello hello.txt",
    "grep -q the hello.txt",
    'grep -q "is the end" hello.txt',
    "test -f dist/app.js",
    "git diff --exit-code",
    "docker build .",
    "docker compose up -d",
    "curl -fsS http://localhost:3000",
    "bash -n run.sh",
    "bundle exec rspec",
    "true",
    "ls dist/",
    "find . -name '*.tmp'",
    "timeout 30 npm test",
  ])("can only be a command: %s", (text) => {
    expect(readsAsCommand(text)).toBe(true);
  });

  test.each([
    "",
    "all tests pass",
    "npm test passes",
    "npm test is green",
    "npm package installs cleanly",
    "run `npm test`",
    "`a` and `b`",
    "make sure it works",
    "make it fast",
    "Make the page load",
    "go to the page and look",
    "test that it works",
    "tests are green",
    "find every caller",
    "just look at it",
    "docker image smaller than 100 MB",
    "docker build under 5 minutes",
    "bundle size below 100 kB",
    "diff is small",
    "git log shows one commit",
    "git history stays linear",
    "node version 20",
    "python 3.12 support",
    "timeout after 30 s",
    "curl the page",
    "cat pictures",
    "time to first byte",
    "pytest passes.",
    "src/index.ts",
    "./dist",
    "dist/app.js",
    "https://example.com/guide",
    "see https://example.com/guide",
    "the command npm test",
    "reviewed by Bob",
  ])("stays prose: %j", (text) => {
    expect(readsAsCommand(text)).toBe(false);
  });
});

describe("the same text in backticks", () => {
  it.each([
    ["npm test", "`npm test`"],
    ["run `npm test`", "`npm test`"],
    ["`a` and `b`", "`a && b`"],
    ["deploy it", "`deploy it`"],
    ["", undefined],
    ["it's done", undefined],
  ])("%j is %j", (text, expected) => {
    expect(inBackticks(text)).toBe(expected);
  });
});
