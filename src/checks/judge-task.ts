// The rules by which checks decide about a task. Pure: what was run, changed and seen before comes in;
// whether a session is needed, and whether the task is done, goes out. Nobody's word counts.
import type { FailureFound } from "../core/events.ts";
import type { Check } from "../core/schema/check.ts";
import type { Label } from "../core/schema/task.ts";
import { checkKey, describeCheck } from "./check-text.ts";
import type { CheckRun, FailedRun, UnavailableRun } from "./check-run.ts";

/** What changed since the task's first attempt began, beside the manifest and Stint's own files. */
export interface DiffFacts {
  /** A path outside docs. */
  readonly substantial: boolean;
  /** A path of docs. */
  readonly docs: boolean;
}

interface TaskFacts {
  /** As frozen when the session started. */
  readonly checks: readonly Check[];
  readonly docsOnly: boolean;
  readonly diff: DiffFacts;
}

export interface BeforeSession extends TaskFacts {
  /** The checks as they ran before the session. */
  readonly baseline: readonly CheckRun[];
  /** An attempt at this task was started before: its output may already be there. */
  readonly earlierAttempt: boolean;
  /** Keys of the checks that were seen to fail in this project, at any time before. */
  readonly seenFailing: ReadonlySet<string>;
  /** Keys of the checks that other tasks are done by: they turned from fail to pass for those. */
  readonly alreadyEvidence: ReadonlySet<string>;
  /** At an earlier attempt the checks passed before any work was done. */
  readonly knownNotDiscriminating: boolean;
  /** It was done, and a person wants it done again: that its checks pass is known to be not enough. */
  readonly isReopened: boolean;
}

export type BeforeVerdict =
  | { readonly skipSession: true; readonly reason: string }
  | { readonly skipSession: false; readonly notDiscriminating: readonly Check[] }
  /** No session can pass: a check cannot be run here. */
  | { readonly skipSession: false; readonly unavailable: UnavailableRun };

export interface AfterSession extends TaskFacts {
  readonly after: readonly CheckRun[];
  /** As the verdict before the session, or that of an earlier attempt, had it. */
  readonly notDiscriminating: boolean;
  /** A file that the task names is there now and was not, or was another, before. */
  readonly namedArtifact: boolean;
  readonly selfJudged: boolean;
}

export type AfterVerdict =
  | { readonly verdict: "passed"; readonly labels: readonly Label[] }
  | {
      readonly verdict: "failed";
      readonly labels: readonly Label[];
      readonly failure: FailureFound;
    }
  /** Nothing failed, but a check cannot be run here; the work is not to blame. */
  | {
      readonly verdict: "unavailable";
      readonly labels: readonly Label[];
      readonly unavailable: UnavailableRun;
    }
  /** What Stint could run has passed; the rest waits for a person. */
  | {
      readonly verdict: "waiting";
      readonly labels: readonly Label[];
      readonly waitingFor: readonly Check[];
    };

/**
 * Whether checks that pass before a session make it needless. Only a check that has proved, or by its
 * kind proves, that it tells work done from work not done can do that.
 */
export function judgeBefore(facts: BeforeSession): BeforeVerdict {
  const { checks, baseline } = facts;
  const isPassed = (check: Check) => runOf(check, baseline)?.passed === true;
  if (checks.length > 0 && checks.every(isPassed)) {
    const reason = skipReason(facts);
    if (reason !== undefined) return { skipSession: true, reason };
  }
  const unavailable = firstUnavailable(checks, baseline);
  if (unavailable !== undefined) return { skipSession: false, unavailable };
  // What only a person can answer does not discriminate either: it says nothing before the session.
  const runnable = checks.filter((check) => runOf(check, baseline)?.result !== "pending");
  const tellsNothing = runnable.length > 0 && runnable.every(isPassed);
  return {
    skipSession: false,
    notDiscriminating: tellsNothing
      ? runnable.filter((check) => !hasDiscriminated(check, facts))
      : [],
  };
}

function skipReason(facts: BeforeSession): string | undefined {
  const { checks, earlierAttempt, knownNotDiscriminating, isReopened } = facts;
  if (isReopened && !counts(facts)) return undefined;
  if (checks.every(isSettledFile))
    return "every file the checks ask for is already as it should be";
  // Checks that passed before anything was done pass again after an attempt that did nothing.
  if (knownNotDiscriminating && !counts(facts)) return undefined;
  if (earlierAttempt) return "an earlier attempt was started, and its output passes";
  if (checks.every((check) => hasDiscriminated(check, facts))) {
    return "every check was seen to fail before, and passes now";
  }
  return undefined;
}

/** It told work done from work not done, and not for another task. */
function hasDiscriminated(check: Check, { seenFailing, alreadyEvidence }: BeforeSession): boolean {
  const key = checkKey(check);
  return seenFailing.has(key) && !alreadyEvidence.has(key);
}

/** Whether the task is done, after its session. */
export function judgeAfter(facts: AfterSession): AfterVerdict {
  const labels = labelsOf(facts);
  if (facts.checks.length === 0) {
    return counts(facts) || facts.namedArtifact
      ? { verdict: "passed", labels }
      : { verdict: "failed", labels, failure: nothingChanged(facts) };
  }
  const failure = firstFailure(facts);
  if (failure !== undefined) return { verdict: "failed", labels, failure };
  if (facts.notDiscriminating && !counts(facts)) {
    return { verdict: "failed", labels, failure: nothingChanged(facts) };
  }
  const unavailable = firstUnavailable(facts.checks, facts.after);
  if (unavailable !== undefined) return { verdict: "unavailable", labels, unavailable };
  const waitingFor = facts.checks.filter(
    (check) => runOf(check, facts.after)?.result === "pending",
  );
  return waitingFor.length > 0
    ? { verdict: "waiting", labels, waitingFor }
    : { verdict: "passed", labels };
}

function labelsOf(facts: AfterSession): readonly Label[] {
  return [
    ...(facts.checks.length === 0 ? (["weakly-verified"] as const) : []),
    ...(facts.notDiscriminating ? (["not-discriminating"] as const) : []),
    ...(facts.selfJudged && facts.checks.length > 0 ? (["self-judged"] as const) : []),
  ];
}

function firstFailure({ checks, after }: AfterSession): FailureFound | undefined {
  for (const check of checks) {
    const run = runOf(check, after);
    if (run === undefined) return notRun(check);
    if (run.result === "failed") return failureOf(run);
  }
  return undefined;
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

function failureOf(run: FailedRun): FailureFound {
  const excerpt = run.output === "" ? run.summary : `${run.summary}\n${run.output}`;
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

function nothingChanged({ docsOnly }: TaskFacts): FailureFound {
  const check = docsOnly ? "no change of any file" : "no change outside docs";
  return {
    check,
    excerpt: `The sessions on this task made ${check}, leaving the manifest and Stint's files aside.`,
    signature: "nothing-changed",
  };
}

/** Docs alone are progress only where documentation is the task. */
function counts({ diff, docsOnly }: TaskFacts): boolean {
  return diff.substantial || (docsOnly && diff.docs);
}

/** What it asks for is either there or not, whoever made it. */
function isSettledFile(check: Check): boolean {
  return check.kind === "file" && check.expect.is !== "changed";
}

function runOf(check: Check, runs: readonly CheckRun[]): CheckRun | undefined {
  const key = checkKey(check);
  return runs.findLast((run) => checkKey(run.check) === key);
}
