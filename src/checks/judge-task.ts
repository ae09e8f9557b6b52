// The rules by which checks decide about a task, whenever they are run: before a session, after it, on
// the output of an act, and once more on other files. Pure: what was run, changed and seen before comes
// in, one verdict goes out. Nobody's word counts.
import type { Excuse, FailureFound } from "../core/events.ts";
import type { TaskId } from "../core/ids.ts";
import type { Check, Label } from "../core/schema/task.ts";
import type { Sha256 } from "../core/schema/scalar.ts";
import { REPEATING } from "../core/step/blockers.ts";
import { fewOf } from "../core/words/amounts.ts";
import { checkKey, describeCheck } from "./check-text.ts";
import type { CheckRun, FailedRun, UnavailableRun } from "./check-run.ts";
import type { Told } from "./judges.ts";

/** What changed since the task's first attempt began, beside the manifest and Stint's own files. */
export interface DiffFacts {
  /** A path outside docs. */
  readonly substantial: boolean;
  /** A path of docs. */
  readonly docs: boolean;
}

/** What a person is shown; their answer is bound to its digest. */
export interface Subject {
  readonly text: string;
  readonly sha256: Sha256;
}

/** A person's word about the output. */
export interface ReviewFacts {
  /** It is not done without a yes. */
  readonly needed: boolean;
  /** A yes to exactly this output. */
  readonly given: boolean;
  readonly subject: Subject;
  /** The last word about exactly this output was a no. */
  readonly denied: FailureFound | null;
}

/** A check whose judges the task changed, and what came of asking whether that matters. */
export interface JudgedCheck {
  readonly check: Check;
  readonly told: Told | "not-asked";
  /** Why that is so, in words. */
  readonly why: string;
}

/** Everything that a judgement needs, in every situation. */
export interface Found {
  readonly situation: Situation;
  /** As frozen when the session started, where there was one. */
  readonly checks: readonly Check[];
  readonly runs: readonly CheckRun[];
  readonly docsOnly: boolean;
  readonly diff: DiffFacts;
  /** No commit can hold it as it lies there, or others changed the same since. */
  readonly hindrance: FailureFound | null;
  /** Before its first attempt every check passed: passing proves nothing alone. */
  readonly notDiscriminating: boolean;
  /** Keys of the checks that were seen to fail for this task before any work passed them. */
  readonly seenRed: ReadonlySet<string>;
  /** Keys of the checks that went green by themselves before any work. */
  readonly unreliable: ReadonlySet<string>;
  /** Keys of the checks that passed and then failed on exactly these files, after an earlier session. */
  readonly flickered: ReadonlySet<string>;
  /** Checks that went from red to green while nothing in the repository changed. */
  readonly noDiff: readonly { readonly check: Check; readonly isRedTwice: boolean }[];
  /** All that the task made, where that is nothing but files that git ignores; and whether that is allowed. */
  readonly ignoredOnly: readonly string[];
  readonly ignoredIsOk: boolean;
  /** What is known of checks whose judges the task changed. */
  readonly judged: readonly JudgedCheck[];
  /** Work that only judges of its own agree with fails. */
  readonly strict: boolean;
  readonly review: ReviewFacts;
  /** What is beyond the limits, where no person allowed exactly that. */
  readonly excess: { readonly subject: Subject; readonly words: string } | null;
}

export type Situation =
  /** A session would be next; a person may have said yes to what an earlier one left. */
  | {
      readonly at: "before-session";
      /** An attempt at this task was started before: its output may already be there. */
      readonly earlierAttempt: boolean;
      /** Keys of the checks that were seen to fail for this task. */
      readonly seenFailing: ReadonlySet<string>;
      /** It was done, and a person wants it done again: that its checks pass is known to be not enough. */
      readonly isReopened: boolean;
      /** A person checked its box. */
      readonly isMarked: boolean;
      /** It was split, and its chunks are finished: those that are done. */
      readonly chunks: readonly TaskId[];
      /** What its last session asked is answered since, and another session is to be told. */
      readonly isAnswerOwed: boolean;
    }
  | {
      readonly at: "after-session";
      /** The session says that the task cannot be fulfilled. */
      readonly gaveUp: string | null;
      /** Its agent cannot be used in this way; the session itself said nothing. */
      readonly unusable?: string | undefined;
      /** A destructive command that was refused to the session and that nobody allowed. */
      readonly refused: Subject | null;
      readonly excuse: Excuse | null;
      /** How it ended, where it did not come to its end by itself; completes "its session …". */
      readonly unfinished: string | null;
      /** Keys of the checks that failed before the session. */
      readonly failedBefore: ReadonlySet<string>;
      /** It was done, and somebody wants it done again. */
      readonly isReopened?: boolean;
      /** What of it was beyond one session, in words. */
      readonly tooLarge: string | null;
      /** Somebody outside did it: what they changed comes by the person's branch, or is no file at all. */
      readonly isOutside?: boolean;
    }
  /** An act of the manifest succeeded: that is its proof, and its checks may not contradict it. */
  | { readonly at: "act" }
  /** It was verified, and its files are others by now. */
  | { readonly at: "again" };

/** What is to be known of how a task was verified, and why. */
export interface Labelled {
  readonly label: Label;
  readonly why: string;
}

export type Verdict =
  | { readonly kind: "done"; readonly labels: readonly Labelled[]; readonly why: string }
  | {
      readonly kind: "failed";
      readonly failure: FailureFound;
      readonly excuse?: Excuse;
      /** A check that failed before the session passes now. */
      readonly progressed?: true;
      /** Why it is more than one session can do. */
      readonly tooLarge?: string;
    }
  /** A check cannot be run here, which says nothing about the work. */
  | { readonly kind: "unavailable"; readonly unavailable: UnavailableRun }
  | { readonly kind: "gave-up"; readonly reason: string }
  | { readonly kind: "unusable"; readonly reason: string }
  /** Only a person can go on from here. */
  | {
      readonly kind: "yes-needed";
      readonly to: "output" | "excess" | "command";
      readonly subject: Subject;
      /** What is beyond the limits. */
      readonly words: string;
    }
  | {
      readonly kind: "session-needed";
      /** Checks that passed before any work was done. */
      readonly notDiscriminating: readonly Check[];
      /** A person checked its box, and its checks fail. */
      readonly contradictsBox: boolean;
    };

export function judgeTask(found: Found): Verdict {
  const { situation } = found;
  switch (situation.at) {
    case "before-session":
      return judgeBefore(found, situation);
    case "after-session":
      return judgeAfter(found, situation);
    case "act":
    case "again":
      return judgeOutput(found);
    default:
      return situation satisfies never;
  }
}

/** What the output is, whoever made it and when: the strictest of all situations. */
function judgeOutput(found: Found, isChangeNeeded = needsChange(found)): Verdict {
  const { hindrance, review, excess, checks, runs } = found;
  if (hindrance !== null) return { kind: "failed", failure: hindrance };
  const failure = failureIn(found, isChangeNeeded);
  if (failure !== undefined) return { kind: "failed", failure };
  const unavailable = firstUnavailable(checks, runs);
  if (unavailable !== undefined) return { kind: "unavailable", unavailable };
  // A person's yes answers for a person only.
  const unanswered = pendingChecks(found).find(({ kind }) => kind !== "review");
  if (unanswered !== undefined) return { kind: "failed", failure: notRun(unanswered) };
  const doubted = onlyIgnored(found) ?? flickerIn(found) ?? strictFailure(found);
  if (doubted !== undefined) return { kind: "failed", failure: doubted };
  if (!review.given && (review.needed || pendingChecks(found).length > 0)) {
    const { subject, denied } = review;
    if (denied !== null) return { kind: "failed", failure: denied };
    return { kind: "yes-needed", to: "output", subject, words: "" };
  }
  if (excess !== null) return { kind: "yes-needed", to: "excess", ...excess };
  return { kind: "done", labels: labelsOf(found), why: "done" };
}

/**
 * Whether what is there makes a session needless. Without a person's yes to it, only a check that has
 * proved, or by its kind proves, that it tells work done from work not done can do that.
 */
function judgeBefore(found: Found, situation: SituationAt<"before-session">): Verdict {
  const { review, checks, runs } = found;
  // Where a person says that it is done, checks that pass are enough.
  const isMarkedRightly = situation.isMarked && runs.length > 0 && runs.every((run) => run.passed);
  // What its chunks changed is committed: each was judged on its own.
  const isByChunks = situation.chunks.length > 0;
  const isShown = isMarkedRightly || isByChunks;
  const output = judgeOutput(found, needsChange(found) && !isShown);
  const reason = isByChunks ? "its chunks are done" : skipReason(found, situation);
  const isClaimed = review.given || reason !== null || isMarkedRightly;
  if (output.kind === "done" && isClaimed && !situation.isAnswerOwed) {
    const why = review.given ? "done" : (reason ?? "a person checked its box, and its checks pass");
    return { ...output, why };
  }
  const isAsked = review.given || isByChunks;
  if (output.kind === "yes-needed" && isAsked && !situation.isAnswerOwed) return output;
  // No session could pass.
  const unavailable = firstUnavailable(checks, runs);
  if (unavailable !== undefined) return { kind: "unavailable", unavailable };
  return {
    kind: "session-needed",
    notDiscriminating: reason === null ? tellingNothing(found, situation) : [],
    contradictsBox: situation.isMarked && runs.some(({ result }) => result === "failed"),
  };
}

/** What the session said counts only where its checks fail. */
function judgeAfter(found: Found, situation: SituationAt<"after-session">): Verdict {
  const cut = cutShort(found, situation);
  const judged = judgeOutput(found);
  const isAccepted = judged.kind === "done" || judged.kind === "yes-needed";
  const output: Verdict =
    isAccepted && cut !== undefined ? { kind: "failed", failure: cut } : judged;
  const failure = failureIn(found, needsChange(found)) ?? cut;
  const isByChecks = found.hindrance === null && failure !== undefined;
  // The first time that a session beside it changed the same, its attempt is given back; so it is for new checks.
  const { excuse: given } = situation;
  const isOthers = given === "conflict" || given === "new-checks";
  if (output.kind === "failed" && found.hindrance !== null && isOthers) {
    return { ...output, excuse: given };
  }
  if (output.kind !== "failed" || !isByChecks) return output;
  const { gaveUp, unusable, refused, excuse, failedBefore, tooLarge } = situation;
  if (unusable !== undefined) return { kind: "unusable", reason: unusable };
  if (gaveUp !== null) return { kind: "gave-up", reason: gaveUp };
  if (refused !== null) return { kind: "yes-needed", to: "command", subject: refused, words: "" };
  const turned = found.runs.some((run) => run.passed && failedBefore.has(checkKey(run.check)));
  return {
    ...output,
    ...(excuse === null ? {} : { excuse }),
    ...(turned ? ({ progressed: true } as const) : {}),
    ...(tooLarge === null ? {} : { tooLarge }),
  };
}

/** Where no check tells whether the work is complete, a session that was cut short left a part of it at best. */
function cutShort(
  { checks, runs, notDiscriminating }: Found,
  { unfinished }: SituationAt<"after-session">,
): FailureFound | undefined {
  const isToldByCheck = !notDiscriminating && checks.some((check) => runOf(check, runs)?.passed);
  if (unfinished === null || isToldByCheck) return undefined;
  return {
    check: `its session ${unfinished}`,
    excerpt: `No check tells whether the work is complete, and the session ${unfinished}. Look at what is there, and finish it.`,
    signature: "unfinished",
  };
}

type SituationAt<At extends Situation["at"]> = Extract<Situation, { at: At }>;

/** Why checks that pass before a session make it needless; null where they do not. */
function skipReason(found: Found, situation: SituationAt<"before-session">): string | null {
  const { checks } = found;
  if (checks.length === 0 || !checks.every((check) => isPassed(check, found))) return null;
  if (situation.isReopened && !counts(found)) return null;
  if (checks.every(isSettledFile))
    return "every file the checks ask for is already as it should be";
  // Checks that passed before anything was done pass after any part of the work, too.
  if (found.notDiscriminating) return null;
  if (situation.earlierAttempt) return "an earlier attempt was started, and its output passes";
  if (checks.every((check) => hasDiscriminated(check, situation))) {
    return "every check was seen to fail before, and passes now";
  }
  return null;
}

/** What only a person can answer does not discriminate either: it says nothing before the session. */
function tellingNothing(found: Found, situation: SituationAt<"before-session">): readonly Check[] {
  const pending = pendingChecks(found);
  const runnable = found.checks.filter((check) => !pending.includes(check));
  const isAllPassed = runnable.length > 0 && runnable.every((check) => isPassed(check, found));
  return isAllPassed ? runnable.filter((check) => !hasDiscriminated(check, situation)) : [];
}

/** It told work done from work not done. */
function hasDiscriminated(
  check: Check,
  { seenFailing }: Pick<SituationAt<"before-session">, "seenFailing">,
): boolean {
  return seenFailing.has(checkKey(check));
}

function labelsOf(found: Found): readonly Labelled[] {
  const { situation, checks, notDiscriminating, judged } = found;
  const isByChunks = situation.at === "before-session" && situation.chunks.length > 0;
  const isUnchecked = checks.length === 0 && situation.at !== "act" && !isByChunks;
  const isOwn = isByOwnTests(found);
  const flickering = checks.filter((check) => found.unreliable.has(checkKey(check)));
  const torn = checks.filter((check) => found.flickered.has(checkKey(check)));
  const whyUnreliable = [
    ...saidOf(flickering, "turned green by itself before any work"),
    ...saidOf(torn, "passed, failed and passes again on exactly these files"),
  ];
  return [
    ...labelled(isUnchecked, "weakly-verified", "it has no check"),
    ...labelled(
      notDiscriminating && !isOwn && flickering.length === 0,
      "not-discriminating",
      "its checks passed before any work",
    ),
    ...labelled(isOwn, "own-tests", whyOf(judged, "own-tests")),
    ...labelled(isTold(judged, "self-judged"), "self-judged", whyOf(judged, "self-judged")),
    ...labelled(isTold(judged, "not-asked"), "judge-changed", whyOf(judged, "not-asked")),
    ...labelled(whyUnreliable.length > 0, "unreliable", whyUnreliable.join("; ")),
    ...labelled(
      found.noDiff.length > 0,
      "no-diff",
      `${named(found.noDiff.map(({ check }) => check))} failed before and passes now, and nothing in the repository changed`,
    ),
    ...labelled(
      found.ignoredOnly.length > 0,
      "ignored",
      `${fewOf(found.ignoredOnly)}, which git ignores, ${found.ignoredOnly.length === 1 ? "is" : "are"} all that it made`,
    ),
  ];
}

function labelled(isSo: boolean, label: Label, why: string): readonly Labelled[] {
  return isSo ? [{ label, why }] : [];
}

function saidOf(checks: readonly Check[], why: string): readonly string[] {
  return checks.length === 0 ? [] : [`${named(checks)} ${why}`];
}

function named(checks: readonly Check[]): string {
  return checks.map(describeCheck).join(", ");
}

function isTold(judged: readonly JudgedCheck[], told: JudgedCheck["told"]): boolean {
  return judged.some((each) => each.told === told);
}

function whyOf(judged: readonly JudgedCheck[], told: JudgedCheck["told"]): string {
  return judged
    .filter((each) => each.told === told)
    .map(({ why }) => why)
    .join("; ");
}

/** Nothing but judges that it changed tells its work from nothing. */
function isByOwnTests({ checks, runs, judged, seenRed }: Found): boolean {
  if (!isTold(judged, "own-tests")) return false;
  return !checks.some((check) => {
    const key = checkKey(check);
    const own = judged.find((each) => checkKey(each.check) === key);
    const isIndependent = own === undefined || own.told === "independent";
    return isIndependent && seenRed.has(key) && runOf(check, runs)?.passed === true;
  });
}

/** What a command sees of it, nobody gets. */
function onlyIgnored({ checks, ignoredOnly, ignoredIsOk }: Found): FailureFound | undefined {
  const check = checks.find(({ kind }) => kind === "command");
  if (check === undefined || ignoredOnly.length === 0 || ignoredIsOk) return undefined;
  const names = fewOf(ignoredOnly);
  return {
    check: `ignored: ${names}`,
    excerpt: `${describeCheck(check)} passes, but the work is only files that git ignores: ${names}. No commit contains them, so a clone would not have them. Make the change in files that git tracks. If the task is to build exactly this, a person writes \`ignored: ok\` below it.`,
    signature: `${REPEATING.onlyIgnored} ${names}`,
  };
}

/** A check that was red once, and is green in the same files, may be green by chance. */
function flickerIn({ noDiff }: Found): FailureFound | undefined {
  const found = noDiff.find(({ isRedTwice }) => !isRedTwice);
  if (found === undefined) return undefined;
  const described = describeCheck(found.check);
  return {
    check: `no-diff: ${described}`,
    excerpt: `${described} failed before the session and passes now, but nothing in the repository changed, and it was seen to fail only once: it may have passed by chance.`,
    signature: `no-diff ${checkKey(found.check)}`,
  };
}

/** What only its own judges agree with is not enough where a person wants more. */
function strictFailure({ strict, judged }: Found): FailureFound | undefined {
  const found = strict
    ? judged.find(({ told }) => told === "self-judged" || told === "not-asked")
    : undefined;
  if (found === undefined) return undefined;
  const label = found.told === "self-judged" ? "self-judged" : "judge-changed";
  return {
    check: `${label}: ${describeCheck(found.check)}`,
    excerpt: `The check passes, but this task is strict and ${found.why}. Leave the tests and scripts that judge the work as they were, or write tests that fail without the work.`,
    signature: `${label} ${checkKey(found.check)}`,
  };
}

/** The first check that failed or was not run; or that there is nothing that checks alone could prove. */
function failureIn(found: Found, isChangeNeeded: boolean): FailureFound | undefined {
  for (const check of found.checks) {
    const run = runOf(check, found.runs);
    if (run === undefined) return notRun(check);
    if (run.result === "failed") return failureOf(run);
  }
  return isChangeNeeded && !counts(found) ? nothingChanged(found) : undefined;
}

/** Whether it takes a change to tell that the task is done. */
function needsChange({ situation, checks, notDiscriminating, review }: Found): boolean {
  if (situation.at === "act" || situation.at === "again") return false;
  // That it came back is not what its worker says, and a check or a person has to agree.
  if (situation.at === "after-session" && situation.isOutside === true) {
    return checks.length === 0 && !review.needed;
  }
  return checks.length === 0 || notDiscriminating || isOnlyReopened(situation);
}

/** Its checks passed before the session, too: they cannot tell that what it was reopened for is done. */
function isOnlyReopened(situation: Situation): boolean {
  if (situation.at !== "after-session" || situation.isReopened !== true) return false;
  return situation.failedBefore.size === 0;
}

function firstUnavailable(
  checks: readonly Check[],
  runs: readonly CheckRun[],
): UnavailableRun | undefined {
  for (const check of checks) {
    const run = runOf(check, runs);
    if (run?.result === "unavailable") return run;
  }
  return undefined;
}

function pendingChecks({ checks, runs }: Found): readonly Check[] {
  return checks.filter((check) => runOf(check, runs)?.result === "pending");
}

function failureOf(run: FailedRun): FailureFound {
  // What is told of a file is all that was seen of it.
  const isAll = run.output === "" || run.output.trim() === run.summary;
  const excerpt = isAll ? run.summary : `${run.summary}\n${run.output}`;
  return { check: describeCheck(run.check), excerpt, signature: run.signature };
}

function notRun(check: Check): FailureFound {
  const described = describeCheck(check);
  return {
    check: described,
    excerpt: "The check was not run.",
    signature: `not-run: ${described}`,
  };
}

function nothingChanged(found: Found): FailureFound {
  const { docsOnly, diff, checks, notDiscriminating, unreliable } = found;
  const isDocs = diff.docs && !docsOnly;
  const what = isDocs ? "only documents were changed" : "no file was changed";
  if (notDiscriminating && checks.length > 0 && unreliable.size === 0 && !isDocs) {
    return {
      check: `${what}; its checks pass already, without a change`,
      excerpt:
        "Its checks passed before any work, too. So they do not show that its sessions did anything.",
      signature: REPEATING.passesUnchanged,
    };
  }
  return {
    check: isDocs ? `${what}; they count as work only in a task that says docs-only` : what,
    excerpt: `Apart from the manifest and Stint's files, its sessions changed ${isDocs ? "only documents" : "nothing"}.`,
    signature: isDocs ? REPEATING.onlyDocs : "nothing-changed",
  };
}

/** Docs alone are progress only where documentation is the task. */
function counts({ diff, docsOnly }: Pick<Found, "diff" | "docsOnly">): boolean {
  return diff.substantial || (docsOnly && diff.docs);
}

/** What it asks for is either there or not, whoever made it. */
function isSettledFile(check: Check): boolean {
  return check.kind === "file" && check.expect.is !== "changed";
}

function isPassed(check: Check, { runs }: Found): boolean {
  return runOf(check, runs)?.passed === true;
}

function runOf(check: Check, runs: readonly CheckRun[]): CheckRun | undefined {
  const key = checkKey(check);
  return runs.findLast((run) => checkKey(run.check) === key);
}

/**
 * Which checks of verified work run once more where it has other files. Neither a person nor a second agent is
 * asked again: what a person approved is compared with what is there, and an agent looked at what the task made,
 * not at what stands beside it. `known` are the files whose state from before its sessions is known.
 */
export function checksAgain(
  checks: readonly Check[],
  known: Readonly<Record<string, unknown>>,
): readonly Check[] {
  return checks.filter((check) => {
    if (check.kind === "review" || check.kind === "agent-review") return false;
    const isCompared = check.kind === "file" && check.expect.is === "changed";
    return !isCompared || known[check.path] !== undefined;
  });
}
