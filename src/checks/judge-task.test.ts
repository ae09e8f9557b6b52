import { describe, expect, it } from "vitest";
import { instantFromMs } from "../core/instant.ts";
import type { Check } from "../core/schema/check.ts";
import { checkKey } from "./check-text.ts";
import type { CheckRun } from "./check-run.ts";
import { type AfterSession, type BeforeSession, judgeAfter, judgeBefore } from "./judge-task.ts";

const TESTS: Check = { kind: "command", command: "npm test" };
const LINT: Check = { kind: "command", command: "npm run lint" };
const REVIEW: Check = { kind: "review" };
const EXISTS: Check = { kind: "file", path: "dist/app.js", expect: { is: "exists" } };
const CHANGED: Check = { kind: "file", path: "dist/app.js", expect: { is: "changed" } };

const NOTHING = { substantial: false, docs: false };
const DOCS = { substantial: false, docs: true };
const WORK = { substantial: true, docs: false };

const facts = {
  output: "",
  startedAt: instantFromMs(0),
  durationMs: 1,
  treeHash: "t",
  summary: "it ran",
};
const pass = (check: Check): CheckRun => ({ ...facts, check, result: "passed", passed: true });
const fail = (check: Check): CheckRun => ({
  ...facts,
  check,
  result: "failed",
  passed: false,
  output: "boom",
  signature: "s1",
});
const pending = (check: Check): CheckRun => ({
  ...facts,
  check,
  result: "pending",
  passed: false,
});

function before(checks: readonly Check[], more: Partial<BeforeSession> = {}): BeforeSession {
  return {
    checks,
    baseline: checks.map(pass),
    docsOnly: false,
    diff: NOTHING,
    earlierAttempt: false,
    seenFailing: new Set(),
    alreadyEvidence: new Set(),
    knownNotDiscriminating: false,
    isReopened: false,
    ...more,
  };
}

function after(checks: readonly Check[], more: Partial<AfterSession> = {}): AfterSession {
  return {
    checks,
    after: checks.map(pass),
    docsOnly: false,
    diff: WORK,
    notDiscriminating: false,
    namedArtifact: false,
    selfJudged: false,
    ...more,
  };
}

const keys = (...checks: readonly Check[]) => new Set(checks.map(checkKey));

describe("before a session", () => {
  it.each<readonly [fact: string, facts: BeforeSession, skips: boolean]>([
    ["S3-10 an earlier attempt left its output", before([TESTS], { earlierAttempt: true }), true],
    ["S3-10 the check was seen to fail", before([TESTS], { seenFailing: keys(TESTS) }), true],
    ["S3-10 every check is a file that is there", before([EXISTS]), true],
    ["the check passes and nothing is known of it", before([TESTS]), false],
    ["a file is said to be changed", before([CHANGED]), false],
    ["a file that is there stands beside a command", before([EXISTS, TESTS]), false],
    [
      "only one of two checks was seen to fail",
      before([TESTS, LINT], { seenFailing: keys(TESTS) }),
      false,
    ],
    ["a check fails", before([TESTS], { baseline: [fail(TESTS)], earlierAttempt: true }), false],
    [
      "one of two checks fails",
      before([TESTS, LINT], { baseline: [pass(TESTS), fail(LINT)], earlierAttempt: true }),
      false,
    ],
    [
      "a check was not run",
      before([TESTS, LINT], { baseline: [pass(TESTS)], earlierAttempt: true }),
      false,
    ],
    [
      "a check waits for a person",
      before([REVIEW], { baseline: [pending(REVIEW)], earlierAttempt: true }),
      false,
    ],
    ["there is no check", before([], { earlierAttempt: true }), false],
    [
      "the check turned from fail to pass for another task",
      before([TESTS], { seenFailing: keys(TESTS), alreadyEvidence: keys(TESTS) }),
      false,
    ],
    [
      "the check passed before any work, and no work was done since",
      before([TESTS], {
        earlierAttempt: true,
        seenFailing: keys(TESTS),
        knownNotDiscriminating: true,
      }),
      false,
    ],
    [
      "the check passed before any work, and work was done since",
      before([TESTS], { earlierAttempt: true, knownNotDiscriminating: true, diff: WORK }),
      true,
    ],
  ])("%s", (_, given, skips) => {
    expect(judgeBefore(given).skipSession).toBe(skips);
  });

  it.each<readonly [fact: string, facts: BeforeSession, checks: readonly Check[]]>([
    ["a pass that proves nothing", before([TESTS]), [TESTS]],
    ["two of them", before([TESTS, LINT]), [TESTS, LINT]],
    [
      "none when one check fails",
      before([TESTS, LINT], { baseline: [pass(TESTS), fail(LINT)] }),
      [],
    ],
    [
      "the runnable one beside one that waits for a person",
      before([TESTS, REVIEW], { baseline: [pass(TESTS), pending(REVIEW)] }),
      [TESTS],
    ],
    ["none when there is no check", before([]), []],
  ])("records as not discriminating %s", (_, given, checks) => {
    expect(judgeBefore(given)).toEqual({ skipSession: false, notDiscriminating: checks });
  });
});

describe("after a session", () => {
  it("S3-30 is done when every check passes", () => {
    expect(judgeAfter(after([TESTS, EXISTS]))).toEqual({ verdict: "passed", labels: [] });
  });

  it("needs no diff when the check discriminates", () => {
    expect(judgeAfter(after([TESTS], { diff: NOTHING })).verdict).toBe("passed");
  });

  it("S3-30 fails by the first check that fails, with its words and signature", () => {
    const runs = [pass(LINT), fail(TESTS), fail(EXISTS)];
    expect(judgeAfter(after([LINT, TESTS, EXISTS], { after: runs }))).toEqual({
      verdict: "failed",
      labels: [],
      failure: { check: "`npm test`", excerpt: "it ran\nboom", signature: "s1" },
    });
  });

  it("S3-22 fails when a frozen check was not run", () => {
    expect(judgeAfter(after([TESTS, LINT], { after: [pass(TESTS)] }))).toMatchObject({
      verdict: "failed",
      failure: { check: "`npm run lint`", excerpt: "The check was not run." },
    });
  });

  it("S3-22 a check that was green before needs a diff as well", () => {
    const green = { notDiscriminating: true };
    expect(judgeAfter(after([TESTS], green))).toEqual({
      verdict: "passed",
      labels: ["not-discriminating"],
    });
    for (const diff of [NOTHING, DOCS]) {
      expect(judgeAfter(after([TESTS], { ...green, diff }))).toMatchObject({
        verdict: "failed",
        labels: ["not-discriminating"],
        failure: { check: "no change outside docs", signature: "nothing-changed" },
      });
    }
    expect(judgeAfter(after([TESTS], { ...green, diff: DOCS, docsOnly: true })).verdict).toBe(
      "passed",
    );
  });

  it.each([
    ["work", WORK, false, false, "passed"],
    ["nothing", NOTHING, false, false, "failed"],
    ["docs", DOCS, false, false, "failed"],
    ["docs, where docs are the task", DOCS, true, false, "passed"],
    ["nothing, where docs are the task", NOTHING, true, false, "failed"],
    ["a named artifact", NOTHING, false, true, "passed"],
  ] as const)("S3-21 without a check, weakly: %s", (_, diff, docsOnly, namedArtifact, verdict) => {
    expect(judgeAfter(after([], { diff, docsOnly, namedArtifact }))).toMatchObject({
      verdict,
      labels: ["weakly-verified"],
    });
  });

  it("waits for a person when all that could be run has passed", () => {
    const runs = [pass(TESTS), pending(REVIEW)];
    expect(judgeAfter(after([TESTS, REVIEW], { after: runs }))).toEqual({
      verdict: "waiting",
      labels: [],
      waitingFor: [REVIEW],
    });
    expect(
      judgeAfter(after([TESTS, REVIEW], { after: [fail(TESTS), pending(REVIEW)] })).verdict,
    ).toBe("failed");
  });

  it("says when the attempt had a hand in its own check", () => {
    expect(judgeAfter(after([TESTS], { selfJudged: true })).labels).toEqual(["self-judged"]);
    expect(judgeAfter(after([], { selfJudged: true })).labels).toEqual(["weakly-verified"]);
  });
});
