// Every situation in which checks are run, as rows: what was found → the verdict → its event.
import { describe, expect, it } from "vitest";
import { parseTaskId, type TaskId } from "../core/ids.ts";
import { instantFromMs } from "../core/instant.ts";
import type { Check, Task } from "../core/schema/task.ts";
import type { Sha256 } from "../core/schema/scalar.ts";
import { checkKey } from "./check-text.ts";
import type { CheckRun } from "./check-run.ts";
import {
  checksAgain,
  type Found,
  type JudgedCheck,
  judgeTask,
  type Situation,
  type Verdict,
} from "./judge-task.ts";
import { nextStep, verdictEvent } from "./verdict-event.ts";

const TESTS: Check = { kind: "command", command: "npm test" };
const LINT: Check = { kind: "command", command: "npm run lint" };
const REVIEW: Check = { kind: "review" };
const AGENT = { kind: "agent-review", agent: "codex", question: "Good?" } as Check;
const EXISTS: Check = { kind: "file", path: "dist/app.js", expect: { is: "exists" } };
const CHANGED: Check = { kind: "file", path: "dist/app.js", expect: { is: "changed" } };

const NOTHING = { substantial: false, docs: false };
const DOCS = { substantial: false, docs: true };
const WORK = { substantial: true, docs: false };

const ran = {
  output: "",
  startedAt: instantFromMs(0),
  durationMs: 1,
  treeHash: "t",
  summary: "it ran",
};
const pass = (check: Check): CheckRun => ({ ...ran, check, result: "passed", passed: true });
const fail = (check: Check): CheckRun => ({
  ...ran,
  check,
  result: "failed",
  passed: false,
  output: "boom",
  signature: "s1",
});
const pending = (check: Check): CheckRun => ({ ...ran, check, result: "pending", passed: false });
const missing = (check: Check): CheckRun => ({
  ...ran,
  check,
  result: "unavailable",
  passed: false,
  summary: "no browser",
  hint: "install one",
});

const digest = (text: string) => text.padStart(64, "0") as Sha256;
const SUBJECT = { text: "the output", sha256: digest("a") };
const EXCESS = { subject: { text: "too much", sha256: digest("b") }, words: "9 files" };
const COMMAND = { text: "rm -rf /", sha256: digest("c") };
const HINDRANCE = { check: "x/.git cannot be committed", excerpt: "It is one.", signature: "u" };
const DENIED = { check: "review", excerpt: "Still the one.", signature: "denied" };
const keys = (...checks: readonly Check[]) => new Set(checks.map(checkKey));

type At = Situation["at"];
type More = Partial<Omit<Found, "situation" | "review">> & {
  readonly review?: Partial<Found["review"]>;
};

const SITUATIONS: { readonly [A in At]: Extract<Situation, { at: A }> } = {
  "before-session": {
    at: "before-session",
    earlierAttempt: false,
    seenFailing: new Set(),
    isReopened: false,
    isMarked: false,
    isAnswerOwed: false,
    chunks: [],
  },
  "after-session": {
    at: "after-session",
    gaveUp: null,
    refused: null,
    excuse: null,
    unfinished: null,
    failedBefore: new Set(),
    tooLarge: null,
  },
  act: { at: "act" },
  again: { at: "again" },
};

function found(
  situation: Situation,
  checks: readonly Check[],
  { review, ...more }: More = {},
): Found {
  return {
    situation,
    checks,
    runs: checks.map(pass),
    docsOnly: false,
    diff: situation.at === "before-session" ? NOTHING : WORK,
    hindrance: null,
    notDiscriminating: false,
    seenRed: new Set(),
    unreliable: new Set(),
    flickered: new Set(),
    noDiff: [],
    ignoredOnly: [],
    ignoredIsOk: false,
    judged: [],
    strict: false,
    excess: null,
    ...more,
    review: { needed: false, given: false, subject: SUBJECT, denied: null, ...review },
  };
}

const before = (
  checks: readonly Check[],
  situation: Partial<(typeof SITUATIONS)["before-session"]> = {},
  more: More = {},
) => found({ ...SITUATIONS["before-session"], ...situation }, checks, more);
/** A person said yes to what an earlier session left. */
const approved = (checks: readonly Check[], more: More = {}) =>
  before(checks, { earlierAttempt: true }, { diff: WORK, ...more, review: { given: true } });
const after = (
  checks: readonly Check[],
  more: More = {},
  situation: Partial<(typeof SITUATIONS)["after-session"]> = {},
) => found({ ...SITUATIONS["after-session"], ...situation }, checks, more);
const act = (checks: readonly Check[], more: More = {}) => found(SITUATIONS.act, checks, more);
const again = (checks: readonly Check[], more: More = {}) =>
  found(SITUATIONS.again, checks, { diff: NOTHING, ...more });

const TASK = { id: parseTaskId("t1"), name: "n1", title: "Make it", attempts: 1 } as Task;
const PROOF = { kind: "check", path: "artifacts/1.json", sha256: digest("d") } as const;
const ACT = { kind: "check", path: "artifacts/act.json", sha256: digest("e") } as const;

function eventOf({ situation, checks, runs, review }: Found, verdict: Verdict) {
  const proofs = runs.some(({ passed }) => passed) && checks.length > 0 ? [PROOF] : [];
  return verdictEvent(verdict, {
    asking: { at: instantFromMs(0), by: "stint" },
    task: situation.at === "again" ? ({ ...TASK, status: "done", commit: "c1" } as Task) : TASK,
    at: situation.at,
    attempt: 2,
    proofs,
    tree: "tree",
    approvedBy: review.given ? "ada" : null,
    ...(situation.at === "act"
      ? { act: { text: "make", summary: "exit code 0", output: "said", record: ACT } }
      : {}),
    ...(situation.at === "before-session" ? { chunks: situation.chunks } : {}),
    ...(situation.at === "again" ? { why: "your branch changed since" } : {}),
  });
}

type Row = readonly [fact: string, found: Found, verdict: object, event: object | null];

const done = (...labels: readonly string[]) => ({
  kind: "done",
  labels: labels.map((label) => ({ label })),
});
const judgedAs = (told: JudgedCheck["told"], check = TESTS): JudgedCheck => ({
  check,
  told,
  why: `it is ${told}`,
});
const failed = (check: string) => ({ kind: "failed", failure: { check } });
const yes = (to: string) => ({ kind: "yes-needed", to });
const session = (...notDiscriminating: readonly Check[]) => ({
  kind: "session-needed",
  notDiscriminating,
});

const verified = (evidence: readonly object[]) => ({ kind: "output-verified", evidence });
const recorded = (result: object) => ({ kind: "checks-recorded", attempt: 2, result });
const asked = (kind: string, subject_sha256: Sha256) => ({
  kind: "approval-requested",
  approval: { kind, task_id: "t1", subject_sha256 },
});
const blocked = (kind: string, reason: string) => ({
  kind: "task-blocked",
  task_id: "t1",
  blocker: { kind, reason },
});
const takenBack = (what: string) => ({
  kind: "task-reopened",
  task_id: "t1",
  commit: "c1",
  blocker: { reason: `t1: verified, but your branch changed since, and now ${what}` },
});
const PERSON = { kind: "person", who: "ada" };
const UNAVAILABLE = { kind: "unavailable", unavailable: { hint: "install one" } };
const NOT_RUN = blocked("missing-access", 'the check "`npm test`" of t1 cannot be run: no browser');

function rows(table: readonly Row[]): void {
  it.each(table)("%s", (_, given, verdict, event) => {
    const judged = judgeTask(given);
    expect(judged).toMatchObject(verdict);
    const said = eventOf(given, judged);
    if (event === null) expect(said).toBeNull();
    else expect(said).toMatchObject(event);
  });
}

describe("S3-10 before a session", () => {
  rows([
    [
      "an earlier attempt left its output",
      before([TESTS], { earlierAttempt: true }),
      done(),
      verified([PROOF]),
    ],
    [
      "the check was seen to fail",
      before([TESTS], { seenFailing: keys(TESTS) }),
      done(),
      verified([PROOF]),
    ],
    ["every check is a file that is there", before([EXISTS]), done(), verified([PROOF])],
    ["the check passes and nothing is known of it", before([TESTS]), session(TESTS), null],
    ["two of them", before([TESTS, LINT]), session(TESTS, LINT), null],
    ["a file is said to be changed", before([CHANGED]), session(CHANGED), null],
    [
      "a file that is there stands beside a command",
      before([EXISTS, TESTS]),
      session(EXISTS, TESTS),
      null,
    ],
    [
      "only one of two checks was seen to fail",
      before([TESTS, LINT], { seenFailing: keys(TESTS) }),
      session(LINT),
      null,
    ],
    [
      "a check fails",
      before([TESTS], { earlierAttempt: true }, { runs: [fail(TESTS)] }),
      session(),
      null,
    ],
    [
      "one of two checks fails",
      before([TESTS, LINT], { earlierAttempt: true }, { runs: [pass(TESTS), fail(LINT)] }),
      session(),
      null,
    ],
    [
      "a check was not run",
      before([TESTS, LINT], { earlierAttempt: true }, { runs: [pass(TESTS)] }),
      session(),
      null,
    ],
    [
      "a check waits for a person",
      before([REVIEW], { earlierAttempt: true }, { runs: [pending(REVIEW)] }),
      session(),
      null,
    ],
    [
      "the runnable one beside one that waits for a person tells nothing",
      before([TESTS, REVIEW], {}, { runs: [pass(TESTS), pending(REVIEW)] }),
      session(TESTS),
      null,
    ],
    ["there is no check", before([], { earlierAttempt: true }, { diff: WORK }), session(), null],
    [
      "the check passed before any work, and no work was done since",
      before(
        [TESTS],
        { earlierAttempt: true, seenFailing: keys(TESTS) },
        { notDiscriminating: true },
      ),
      session(),
      null,
    ],
    [
      "the check passed before any work: work that was done since may be a part of it",
      before([TESTS], { earlierAttempt: true }, { notDiscriminating: true, diff: WORK }),
      session(TESTS),
      null,
    ],
    [
      "an earlier attempt changed what judges it: done, and labelled",
      before([TESTS], { earlierAttempt: true }, { judged: [judgedAs("self-judged")], diff: WORK }),
      done("self-judged"),
      { kind: "output-verified", labels: ["self-judged"] },
    ],
    [
      "a person wants it done again, and nothing was done since",
      before([TESTS], { earlierAttempt: true, isReopened: true }),
      session(TESTS),
      null,
    ],
    [
      "its last session asked, and is answered since",
      before([TESTS], { earlierAttempt: true, isAnswerOwed: true }),
      session(),
      null,
    ],
    [
      "what is there cannot be committed",
      before([TESTS], { earlierAttempt: true }, { hindrance: HINDRANCE }),
      session(),
      null,
    ],
    [
      "what is there is beyond strict limits",
      before([TESTS], { earlierAttempt: true }, { excess: EXCESS }),
      session(),
      null,
    ],
    [
      "what is there needs a person's yes",
      before([TESTS], { earlierAttempt: true }, { review: { needed: true } }),
      session(),
      null,
    ],
    [
      "a check cannot be run here, whatever the others say",
      before([LINT, TESTS], {}, { runs: [fail(LINT), missing(TESTS)] }),
      UNAVAILABLE,
      NOT_RUN,
    ],
    [
      "a person checked its box, and its checks pass",
      before([TESTS], { isMarked: true }),
      { ...done(), why: "a person checked its box, and its checks pass" },
      verified([PROOF]),
    ],
    [
      "a person checked its box, and its checks never told anything",
      before([TESTS], { isMarked: true }, { notDiscriminating: true }),
      done("not-discriminating"),
      verified([PROOF]),
    ],
    [
      "a person checked its box, and it is beyond strict limits",
      before([TESTS], { isMarked: true }, { excess: EXCESS }),
      session(TESTS),
      null,
    ],
    [
      "a person checked its box, and its checks fail",
      before([TESTS], { isMarked: true }, { runs: [fail(TESTS)] }),
      { ...session(), contradictsBox: true },
      null,
    ],
  ]);
});

describe("S2-13 of a task whose chunks are finished", () => {
  const CHUNKS = { chunks: [parseTaskId("t2"), parseTaskId("t3")] as TaskId[] };
  const PARTS = { kind: "chunks", tasks: ["t2", "t3"] };
  rows([
    ["its check passes", before([TESTS], CHUNKS), done(), verified([PROOF, PARTS])],
    ["it has no check", before([], CHUNKS), done(), verified([PARTS])],
    [
      "its check tells nothing of itself",
      before([TESTS], CHUNKS, { notDiscriminating: true }),
      done("not-discriminating"),
      verified([PROOF, PARTS]),
    ],
    ["its check fails", before([TESTS], CHUNKS, { runs: [fail(TESTS)] }), session(), null],
    [
      "a person is to look at it",
      before([], CHUNKS, { review: { needed: true } }),
      yes("output"),
      { kind: "approval-requested" },
    ],
    [
      "what its last session asked is answered since",
      before([TESTS], { ...CHUNKS, isAnswerOwed: true }),
      session(),
      null,
    ],
    [
      "others changed the same files",
      before([TESTS], CHUNKS, { hindrance: HINDRANCE }),
      session(),
      null,
    ],
  ]);
});

describe("of an output that a person approved", () => {
  rows([
    ["it passes", approved([TESTS]), done(), verified([PROOF, PERSON])],
    [
      "without a check it is a change",
      approved([]),
      done("weakly-verified"),
      {
        kind: "output-verified",
        evidence: [{ kind: "diff", tree: "tree" }, PERSON],
        labels: ["weakly-verified"],
      },
    ],
    ["without a check and a change", approved([], { diff: NOTHING }), session(), null],
    ["its check fails", approved([TESTS], { runs: [fail(TESTS)] }), session(), null],
    [
      "its check cannot be run",
      approved([TESTS], { runs: [missing(TESTS)] }),
      UNAVAILABLE,
      NOT_RUN,
    ],
    [
      "a second agent did not answer: a person's yes is no answer of it",
      approved([AGENT], { runs: [pending(AGENT)] }),
      session(),
      null,
    ],
    [
      "it is beyond strict limits: that is another yes",
      approved([TESTS], { excess: EXCESS }),
      yes("excess"),
      asked("limit", EXCESS.subject.sha256),
    ],
    ["no commit can hold it", approved([TESTS], { hindrance: HINDRANCE }), session(), null],
    [
      "its last session is owed an answer",
      before(
        [TESTS],
        { earlierAttempt: true, isAnswerOwed: true },
        { diff: WORK, review: { given: true } },
      ),
      session(),
      null,
    ],
  ]);
});

describe("S3-21 S3-22 S3-30 after a session", () => {
  rows([
    [
      "is done when every check passes",
      after([TESTS, EXISTS]),
      done(),
      recorded({ passed: true, evidence: [PROOF], labels: [] }),
    ],
    [
      "needs no diff when the check discriminates",
      after([TESTS], { diff: NOTHING }),
      done(),
      recorded({ passed: true }),
    ],
    [
      "fails by the first check that fails, with its words and signature",
      after([LINT, TESTS, EXISTS], { runs: [pass(LINT), fail(TESTS), fail(EXISTS)] }),
      failed("`npm test`"),
      recorded({
        passed: false,
        failure: { check: "`npm test`", excerpt: "it ran\nboom", signature: "s1" },
      }),
    ],
    [
      "fails when a frozen check was not run",
      after([TESTS, LINT], { runs: [pass(TESTS)] }),
      { kind: "failed", failure: { check: "`npm run lint`", excerpt: "The check was not run." } },
      recorded({ passed: false }),
    ],
    [
      "a check that was green before, with a change",
      after([TESTS], { notDiscriminating: true }),
      done("not-discriminating"),
      recorded({ passed: true, labels: ["not-discriminating"] }),
    ],
    [
      "of a task that was reopened: nothing changed, and its checks passed before",
      after([TESTS], { diff: NOTHING }, { isReopened: true }),
      failed("no file was changed"),
      recorded({ passed: false }),
    ],
    [
      "of a task that was reopened: changed, and its checks passed before",
      after([TESTS], { diff: WORK }, { isReopened: true }),
      done(),
      recorded({ passed: true }),
    ],
    [
      "of a task that was reopened: a check failed before, and passes now",
      after([TESTS], { diff: NOTHING }, { isReopened: true, failedBefore: keys(TESTS) }),
      done(),
      recorded({ passed: true }),
    ],
    [
      "of a session that was cut short, where a check tells that the work is complete",
      after([TESTS], {}, { unfinished: "timed out" }),
      done(),
      recorded({ passed: true }),
    ],
    [
      "of a session that was cut short, where no check tells it: a change may be a part of the work",
      after([], {}, { unfinished: "crashed (exit 3): boom" }),
      failed("its session crashed (exit 3): boom"),
      recorded({
        passed: false,
        failure: {
          check: "its session crashed (exit 3): boom",
          excerpt:
            "No check tells whether the work is complete, and the session crashed (exit 3): boom. Look at what is there, and finish it.",
          signature: "unfinished",
        },
      }),
    ],
    [
      "of a session that was cut short, where the check was green before",
      after([TESTS], { notDiscriminating: true }, { unfinished: "timed out" }),
      failed("its session timed out"),
      recorded({ passed: false, failure: { signature: "unfinished" } }),
    ],
    [
      "of a session that was cut short, where only a person would tell it: nobody is asked yet",
      after([REVIEW], { runs: [pending(REVIEW)] }, { unfinished: "timed out" }),
      failed("its session timed out"),
      recorded({ passed: false }),
    ],
    [
      "of a session whose run was killed, without a check: its attempt is given back",
      after([], {}, { unfinished: "was cut short", excuse: "stopped" }),
      { ...failed("its session was cut short"), excuse: "stopped" },
      recorded({ passed: false, excuse: "stopped" }),
    ],
    [
      "of a session that changed something and says that it cannot be done, without a check",
      after([], {}, { unfinished: "could not continue: no key", gaveUp: "no key" }),
      { kind: "gave-up", reason: "no key" },
      { kind: "task-blocked" },
    ],
    [
      "a check that was green before, without one",
      after([TESTS], { notDiscriminating: true, diff: NOTHING }),
      failed("no file was changed; its checks pass already, without a change"),
      recorded({ passed: false, failure: { signature: "passes-unchanged" } }),
    ],
    [
      "a check that was green before, with docs alone",
      after([TESTS], { notDiscriminating: true, diff: DOCS }),
      failed("only documents were changed; they count as work only in a task that says docs-only"),
      recorded({ passed: false }),
    ],
    [
      "a check that was green before, with docs that are the task",
      after([TESTS], { notDiscriminating: true, diff: DOCS, docsOnly: true }),
      done("not-discriminating"),
      recorded({ passed: true }),
    ],
    [
      "without a check, weakly: work",
      after([]),
      done("weakly-verified"),
      recorded({ passed: true, evidence: [{ kind: "diff", tree: "tree" }] }),
    ],
    [
      "without a check: nothing",
      after([], { diff: NOTHING }),
      failed("no file was changed"),
      recorded({ passed: false }),
    ],
    [
      "without a check: docs",
      after([], { diff: DOCS }),
      failed("only documents were changed; they count as work only in a task that says docs-only"),
      recorded({ passed: false }),
    ],
    [
      "without a check, weakly: docs, where docs are the task",
      after([], { diff: DOCS, docsOnly: true }),
      done("weakly-verified"),
      recorded({ passed: true }),
    ],
    [
      "without a check: nothing, where docs are the task",
      after([], { diff: NOTHING, docsOnly: true }),
      failed("no file was changed"),
      recorded({ passed: false }),
    ],
    [
      "says when its judges pass without its work",
      after([TESTS], { judged: [judgedAs("self-judged")] }),
      done("self-judged"),
      recorded({ labels: ["self-judged"], label_reasons: { "self-judged": "it is self-judged" } }),
    ],
    [
      "says when only its own tests tell, and nothing else of them",
      after([TESTS], { judged: [judgedAs("own-tests")], notDiscriminating: true }),
      done("own-tests"),
      recorded({ labels: ["own-tests"] }),
    ],
    [
      "says nothing of its own tests where another check tells",
      after([TESTS, LINT], { judged: [judgedAs("own-tests")], seenRed: keys(LINT) }),
      done(),
      recorded({ labels: [] }),
    ],
    [
      "says that it judges itself also where another check tells",
      after([TESTS, LINT], { judged: [judgedAs("self-judged")], seenRed: keys(LINT) }),
      done("self-judged"),
      recorded({ labels: ["self-judged"] }),
    ],
    [
      "says nothing where judges from before agree",
      after([TESTS], { judged: [judgedAs("independent")], seenRed: keys(TESTS) }),
      done(),
      recorded({ labels: [] }),
    ],
    [
      "says that its checks told nothing before, and tell nothing now",
      after([TESTS], { judged: [judgedAs("nothing")], notDiscriminating: true }),
      done("not-discriminating"),
      recorded({ labels: ["not-discriminating"] }),
    ],
    [
      "says that its judges changed and nobody could ask",
      after([TESTS], { judged: [judgedAs("not-asked")] }),
      done("judge-changed"),
      recorded({ labels: ["judge-changed"] }),
    ],
    [
      "says that a check went green by itself before, and nothing else of that",
      after([TESTS], { unreliable: keys(TESTS), notDiscriminating: true }),
      done("unreliable"),
      recorded({ labels: ["unreliable"] }),
    ],
    [
      "says that a check gave both answers on exactly these files",
      after([TESTS], { flickered: keys(TESTS) }),
      done("unreliable"),
      recorded({ labels: ["unreliable"] }),
    ],
    [
      "which alone proves nothing",
      after([TESTS], { unreliable: keys(TESTS), notDiscriminating: true, diff: NOTHING }),
      failed("no file was changed"),
      recorded({ passed: false }),
    ],
    [
      "says that nothing changed where its check turned green",
      after([TESTS], { noDiff: [{ check: TESTS, isRedTwice: true }], diff: NOTHING }),
      done("no-diff"),
      recorded({ labels: ["no-diff"] }),
    ],
    [
      "is not done by a check that was red once, and green with nothing changed",
      after([TESTS], { noDiff: [{ check: TESTS, isRedTwice: false }], diff: NOTHING }),
      failed("no-diff: `npm test`"),
      recorded({ passed: false }),
    ],
    [
      "is not done by a command where all that was made is ignored",
      after([TESTS], { ignoredOnly: ["dist/"], diff: NOTHING }),
      failed("ignored: dist/"),
      recorded({ passed: false, failure: { signature: "ignored dist/" } }),
    ],
    [
      "is done by it where that is what was wanted, and says so",
      after([TESTS], { ignoredOnly: ["dist/"], ignoredIsOk: true, diff: NOTHING }),
      done("ignored"),
      recorded({ labels: ["ignored"] }),
    ],
    [
      "is done by a file that the manifest itself names, and says so",
      after([EXISTS], { ignoredOnly: ["dist/"], diff: NOTHING }),
      done("ignored"),
      recorded({ labels: ["ignored"] }),
    ],
    [
      "fails where it judges itself and that is not enough",
      after([TESTS], { judged: [judgedAs("self-judged")], strict: true }),
      failed("self-judged: `npm test`"),
      recorded({ passed: false, failure: { signature: "self-judged command: `npm test`" } }),
    ],
    [
      "fails where its judges changed, nobody could ask, and that is not enough",
      after([TESTS], { judged: [judgedAs("not-asked")], strict: true }),
      failed("judge-changed: `npm test`"),
      recorded({ passed: false }),
    ],
    [
      "its own tests are enough also there",
      after([TESTS], { judged: [judgedAs("own-tests")], strict: true }),
      done("own-tests"),
      recorded({ passed: true }),
    ],
    [
      "waits for a person when all that could be run has passed",
      after([TESTS, REVIEW], { runs: [pass(TESTS), pending(REVIEW)], review: { needed: true } }),
      yes("output"),
      asked("task-after", SUBJECT.sha256),
    ],
    [
      "does not ask where something else fails",
      after([TESTS, REVIEW], { runs: [fail(TESTS), pending(REVIEW)], review: { needed: true } }),
      failed("`npm test`"),
      recorded({ passed: false }),
    ],
    [
      "a task that asks for it waits for a person, too",
      after([TESTS], { review: { needed: true } }),
      yes("output"),
      asked("task-after", SUBJECT.sha256),
    ],
    [
      "a person said yes: their name is evidence",
      after([TESTS], { review: { needed: true, given: true } }),
      done(),
      recorded({ evidence: [PROOF, PERSON] }),
    ],
    [
      "a person's yes is no answer of a second agent",
      after([TESTS, AGENT], { runs: [pass(TESTS), pending(AGENT)], review: { given: true } }),
      failed('agent codex "Good?"'),
      recorded({ passed: false }),
    ],
    [
      "nobody is asked twice about what they denied",
      after([TESTS], { review: { needed: true, denied: DENIED } }, { gaveUp: "no way" }),
      failed("review"),
      recorded({ passed: false, failure: DENIED }),
    ],
    [
      "what is beyond strict limits is asked",
      after([TESTS], { excess: EXCESS }),
      yes("excess"),
      asked("limit", EXCESS.subject.sha256),
    ],
    [
      "what cannot be run blocks it",
      after([TESTS], { runs: [missing(TESTS)] }),
      UNAVAILABLE,
      NOT_RUN,
    ],
    [
      "what no commit can hold fails, whatever the session said",
      after([TESTS], { runs: [], hindrance: HINDRANCE }, { gaveUp: "no way", excuse: "stopped" }),
      { kind: "failed", failure: HINDRANCE },
      recorded({ passed: false, failure: HINDRANCE }),
    ],
    [
      "the session gave up, and its checks fail",
      after([TESTS], { runs: [fail(TESTS)] }, { gaveUp: "no way" }),
      { kind: "gave-up", reason: "no way" },
      blocked("unfulfillable", "the session says that t1 cannot be done: no way"),
    ],
    [
      "an agent that cannot be used",
      after([TESTS], { runs: [fail(TESTS)] }, { unusable: "it speaks version 9" }),
      { kind: "unusable", reason: "it speaks version 9" },
      blocked(
        "missing-access",
        "the agent cannot be used for t1 as it was started: it speaks version 9",
      ),
    ],
    [
      "the session gave up, and its checks pass",
      after([TESTS], {}, { gaveUp: "no way" }),
      done(),
      recorded({ passed: true }),
    ],
    [
      "the session was refused a command, and its checks fail",
      after([TESTS], { runs: [fail(TESTS)] }, { refused: COMMAND }),
      yes("command"),
      asked("destructive", COMMAND.sha256),
    ],
    [
      "the session was cut short",
      after([TESTS], { runs: [fail(TESTS)] }, { excuse: "stopped" }),
      { kind: "failed", excuse: "stopped" },
      recorded({ passed: false, excuse: "stopped" }),
    ],
    [
      "one check turned green",
      after([TESTS, LINT], { runs: [pass(TESTS), fail(LINT)] }, { failedBefore: keys(TESTS) }),
      { kind: "failed", progressed: true },
      recorded({ passed: false, progressed: true }),
    ],
  ]);
});

describe("S2-13 S3-19 after a session that went beyond its bounds", () => {
  const WORDS = { tooLarge: "9 files changed, the limit is 8" };
  rows([
    ["its check passes", after([TESTS], {}, WORDS), done(), { result: { passed: true } }],
    [
      "its check fails",
      after([TESTS], { runs: [fail(TESTS)] }, WORDS),
      { ...failed("`npm test`"), ...WORDS },
      { kind: "checks-recorded", result: { passed: false, ...WORDS } },
    ],
  ]);
});

describe("of an act of the manifest", () => {
  rows([
    ["it succeeded", act([], { diff: NOTHING }), done(), verified([ACT])],
    ["it succeeded and its check passes", act([TESTS]), done(), verified([ACT, PROOF])],
    [
      "its check fails",
      act([TESTS], { runs: [fail(TESTS)] }),
      failed("`npm test`"),
      blocked("unfulfillable", 't1: "make" failed (`npm test`: it ran): said'),
    ],
    ["its check cannot be run", act([TESTS], { runs: [missing(TESTS)] }), UNAVAILABLE, NOT_RUN],
    [
      "no commit can hold what it left",
      act([], { runs: [], hindrance: HINDRANCE }),
      { kind: "failed", failure: HINDRANCE },
      blocked("unfulfillable", 't1: "make" failed (x/.git cannot be committed: It is one.): said'),
    ],
    [
      "a person is to say yes",
      act([], { review: { needed: true } }),
      yes("output"),
      {
        ...asked("task-after", SUBJECT.sha256),
        approval: { reason: "t1 was done (exit code 0) and needs your yes to its result" },
      },
    ],
    [
      "a person said yes: their name is evidence",
      act([], { review: { needed: true, given: true } }),
      done(),
      verified([ACT, PERSON]),
    ],
    [
      "it is beyond strict limits",
      act([], { excess: EXCESS }),
      yes("excess"),
      asked("limit", EXCESS.subject.sha256),
    ],
  ]);
});

describe("once more, on other files", () => {
  rows([
    ["it holds", again([TESTS, EXISTS]), done(), null],
    ["it has no check", again([]), { kind: "done" }, null],
    [
      "its check fails",
      again([LINT, TESTS], { runs: [pass(LINT), fail(TESTS)] }),
      failed("`npm test`"),
      takenBack("`npm test` fails: it ran"),
    ],
    [
      "a check was not run",
      again([TESTS, LINT], { runs: [pass(TESTS)] }),
      failed("`npm run lint`"),
      takenBack("`npm run lint` fails: The check was not run."),
    ],
    [
      "its check cannot be run any more: nobody knows",
      again([TESTS], { runs: [missing(TESTS)] }),
      UNAVAILABLE,
      takenBack("`npm test` cannot be run: no browser; install one"),
    ],
  ]);
});

describe("the table of validations", () => {
  it("never says done of what is not", () => {
    const steps = [
      after([TESTS], { runs: [fail(TESTS)] }),
      after([TESTS], { excess: EXCESS }),
      act([TESTS], { runs: [fail(TESTS)] }),
      after([TESTS], { runs: [missing(TESTS)] }),
    ].map((given) => nextStep(judgeTask(given), given.situation.at));
    expect(steps).toEqual([
      "another attempt with this failure",
      "a person allows the excess",
      "a person looks at it",
      "install one",
    ]);
  });
});

describe("checks that run once more", () => {
  it("are those that can look at something; nobody is asked again", () => {
    expect(checksAgain([TESTS, REVIEW, EXISTS, AGENT], {})).toEqual([TESTS, EXISTS]);
  });

  it("compare a file only where its state from before is known, also where it was not there", () => {
    expect(checksAgain([CHANGED], {})).toEqual([]);
    expect(checksAgain([CHANGED], { "dist/app.js": null })).toEqual([CHANGED]);
  });
});
