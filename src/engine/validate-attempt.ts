// The checks of an attempt that ended, and what they decide. The checks frozen at the session's start
// are the ones that count.
import { isDestructive } from "../agents/destructive-commands.ts";
import type { CheckRun } from "../checks/check-run.ts";
import { checkKey } from "../checks/check-text.ts";
import { type AfterVerdict, judgeAfter } from "../checks/judge-task.ts";
import { selfJudgedPaths } from "../checks/self-judged.ts";
import { isNonEmpty, type NonEmpty } from "../core/brand.ts";
import type { Excuse, FailureFound, ProjectEvent } from "../core/events.ts";
import type { Check } from "../core/schema/check.ts";
import type { Evidence, Grant, Task } from "../core/schema/task.ts";
import { sha256Of } from "../store/digest.ts";
import { grantOf, hasGrant, needsReview } from "../core/task-moves.ts";
import { fewOf } from "../core/few-of.ts";
import { approvalRequested } from "./approval-request.ts";
import { outputGrant, outputSubject } from "./output-subject.ts";
import { measureWork } from "./measured-limits.ts";
import { cannotBeChecked, failingKeys, keepRuns, runChecks } from "./run-checks.ts";
import { asking, fact, type RunContext } from "./run-context.ts";
import { readEnd, readStart, type SessionStart } from "./session-record.ts";
import {
  keepTaskFacts,
  keepVerified,
  type TaskFacts,
  taskFacts,
  withFailing,
} from "./task-facts.ts";
import { saidUnseen } from "./unseen-end.ts";
import type { StartPoint, WorkDone } from "./work-tree.ts";

type Validating = Extract<Task, { status: "validating" }>;

export interface Verdict {
  readonly event: ProjectEvent;
  readonly rows: readonly string[];
  /** Done, so that its box may be checked. */
  readonly passed: boolean;
}

export async function validateAttempt(context: RunContext, task: Validating): Promise<Verdict> {
  const { holder, store } = context;
  const id = holder.state.project_id;
  const { session, number } = task.attempt;
  const start = readStart(store, id, session);
  const end = readEnd(store, id, session);
  const frozen = start?.tasks.find(({ task_id }) => task_id === task.id);
  const checks = frozen?.checks ?? task.checks ?? [];
  const facts = taskFacts(store, id, task.id);
  const since = facts.first ?? start?.start;
  const review = outputGrant(context.tree, task, holder.state.approval_items);
  const workNow = async () =>
    since === undefined ? NO_WORK : await context.tree.workSince(since, facts.own);
  const made = await workNow();
  const runs = await runChecks(
    context,
    checks,
    "after",
    new Map(Object.entries(frozen?.files ?? {})),
    { task, paths: made.paths, ...(review === null ? {} : { approved: review }) },
  );
  const work = await workNow();
  if (since !== undefined) await tellOfChecks(context, task, { ...since, tree: made.tree }, facts);
  const selfJudged = await isSelfJudged(context, start, checks, work);
  const judged = judgeWork(task, { checks, runs, work, facts, selfJudged });
  rememberFailures(context, task, runs);
  // A check may itself have changed what a person said yes to.
  const isStill = outputGrant(context.tree, task, holder.state.approval_items) !== null;
  const verdict = withReview(judged, task, isStill);
  const said = end === undefined ? saidUnseen(context, session) : end.outcome;
  const reason = said?.kind === "blocked" ? said.reason : null;
  switch (verdict.verdict) {
    case "passed": {
      const excess = await forbiddenExcess(context, task, start?.start, facts.own);
      if (excess !== null) {
        const kept = keepRuns(context, runs, task.id, number, "a person allows the excess");
        return { event: excess, rows: kept.rows, passed: false };
      }
      keepVerified(holder, store, task.id, work.tree);
      const kept = keepRuns(context, runs, task.id, number, "done");
      const evidence = evidenceOf(kept.proofs, work, review);
      const result = { passed: true, evidence, labels: verdict.labels } as const;
      return { event: recorded(context, task, result), rows: kept.rows, passed: true };
    }
    case "failed": {
      const kept = keepRuns(context, runs, task.id, number, "another attempt with this failure");
      if (reason !== null)
        return { event: unfulfillable(context, task, reason), rows: kept.rows, passed: false };
      const refused = said?.kind === "denied" && isDestructive(said.command) ? said.command : null;
      const allowed =
        refused === null ? undefined : grantOf(task, "destructive", sha256Of(refused));
      if (refused !== null && allowed === undefined) {
        return { event: permissionWanted(context, task, refused), rows: kept.rows, passed: false };
      }
      // The attempt that was refused is given back; one that had the permission is not.
      const isGivenBack = allowed !== undefined && end !== undefined && allowed.at > end.ended_at;
      const excuse: { excuse?: Excuse } =
        end === undefined ? { excuse: "stopped" } : isGivenBack ? { excuse: "approval" } : {};
      const turned = runs.some((run) => run.passed && facts.failing?.includes(checkKey(run.check)));
      const progressed = turned ? ({ progressed: true } as const) : {};
      const result = { passed: false, failure: verdict.failure, ...excuse, ...progressed } as const;
      return { event: recorded(context, task, result), rows: kept.rows, passed: false };
    }
    case "unavailable": {
      const kept = keepRuns(context, runs, task.id, number, verdict.unavailable.hint);
      const event = cannotBeChecked(context, task, verdict.unavailable);
      return { event, rows: kept.rows, passed: false };
    }
    case "waiting": {
      const subject = outputSubject(context.tree, task, work);
      const denied = deniedOutput(context, subject);
      if (denied !== null) {
        const kept = keepRuns(context, runs, task.id, number, "another attempt with this failure");
        const result = { passed: false, failure: denied } as const;
        return { event: recorded(context, task, result), rows: kept.rows, passed: false };
      }
      const kept = keepRuns(context, runs, task.id, number, "a person reviews it");
      return { event: reviewWanted(context, task, subject), rows: kept.rows, passed: false };
    }
    default:
      return verdict satisfies never;
  }
}

function judgeWork(
  task: Task,
  found: {
    readonly checks: readonly Check[];
    readonly runs: readonly CheckRun[];
    readonly work: Pick<WorkDone, "substantial" | "docs">;
    readonly facts: Pick<TaskFacts, "notDiscriminating">;
    readonly selfJudged: boolean;
  },
): AfterVerdict {
  const { checks, runs, work, facts, selfJudged } = found;
  return judgeAfter({
    checks,
    after: runs,
    docsOnly: task.docs_only ?? false,
    diff: { substantial: work.substantial.length > 0, docs: work.docs.length > 0 },
    notDiscriminating: facts.notDiscriminating,
    namedArtifact: false,
    selfJudged,
  });
}

/**
 * An output that a person approved while another task was in hand: its checks run once more, and no
 * session is started for what is there. Null where there is no such yes, or it is void.
 */
export async function verifyApproved(context: RunContext, task: Task): Promise<Verdict | null> {
  const { holder, store, tree } = context;
  const review = outputGrant(tree, task, holder.state.approval_items);
  if (review === null) return null;
  const facts = taskFacts(store, holder.state.project_id, task.id);
  const checks = task.checks ?? [];
  const work = facts.first === null ? NO_WORK : await tree.workSince(facts.first, facts.own);
  const output = { task, paths: work.paths, approved: review };
  const runs = await runChecks(context, checks, "after", new Map(), output);
  const judged = judgeWork(task, { checks, runs, work, facts, selfJudged: false });
  // Files may have changed while the checks ran.
  const isStill = outputGrant(tree, task, holder.state.approval_items) !== null;
  if (!isStill || judged.verdict === "failed" || judged.verdict === "unavailable") return null;
  const excess = await forbiddenExcess(context, task, facts.first ?? undefined, facts.own);
  const nextStep = excess === null ? "done" : "a person allows the excess";
  const kept = keepRuns(context, runs, task.id, task.attempts, nextStep);
  if (excess !== null) return { event: excess, rows: kept.rows, passed: false };
  keepVerified(holder, store, task.id, await tree.treeHash());
  const event = {
    kind: "output-verified",
    ...fact(context),
    task_id: task.id,
    evidence: evidenceOf(kept.proofs, work, review),
    labels: judged.labels,
  } as const;
  return { event, rows: kept.rows, passed: true };
}

/** A person's yes says that the work is right; that there is work, only checks or the diff can say. */
function evidenceOf(
  proofs: readonly Evidence[],
  { tree }: Pick<WorkDone, "tree">,
  review: Pick<Grant, "by"> | null,
): NonEmpty<Evidence> {
  const work: NonEmpty<Evidence> = isNonEmpty(proofs) ? proofs : [{ kind: "diff", tree }];
  return review === null ? work : [...work, { kind: "person", who: review.by }];
}

/** A person's yes to the output: asked for by the task, or in place of checks that Stint cannot run. */
function withReview(judged: AfterVerdict, task: Task, isGiven: boolean): AfterVerdict {
  const { verdict, labels } = judged;
  if (verdict === "waiting" && isGiven) return { verdict: "passed", labels };
  if (verdict === "passed" && needsReview(task) && !isGiven) {
    return { verdict: "waiting", labels, waitingFor: [] };
  }
  return judged;
}

const NO_WORK: WorkDone = {
  tree: "unknown",
  paths: [],
  substantial: [],
  docs: [],
  counts: { files: 0, newFiles: 0, moves: 0 },
};

function recorded(
  context: RunContext,
  task: Validating,
  result: Extract<ProjectEvent, { kind: "checks-recorded" }>["result"],
): ProjectEvent {
  return {
    kind: "checks-recorded",
    ...fact(context),
    task_id: task.id,
    attempt: task.attempt.number,
    result,
  };
}

function unfulfillable(context: RunContext, task: Validating, reason: string): ProjectEvent {
  return {
    kind: "task-blocked",
    ...fact(context),
    task_id: task.id,
    blocker: {
      kind: "unfulfillable",
      reason: `the session says that ${task.id} cannot be fulfilled: ${reason}`,
      unblock: `edit the task, then: stint resume --retry`,
    },
  };
}

/** Without what was refused to it the session did not get there: a person decides, not an attempt. */
function permissionWanted(context: RunContext, task: Validating, command: string): ProjectEvent {
  return approvalRequested(asking(context), {
    kind: "destructive",
    task_id: task.id,
    subject: command,
    reason: `a session on ${task.id} was refused a destructive command: ${command}`,
    on_yes: "a new session may run it",
    on_no: "the task is blocked",
  });
}

/** A person who said no to these very files is not asked about them again. */
function deniedOutput(context: RunContext, subject: string): FailureFound | null {
  const digest = sha256Of(subject);
  // The last word counts: the same files may have been asked about before and taken back.
  const no = context.holder.state.approval_items.findLast(
    (item) => item.kind === "task-after" && item.subject_sha256 === digest,
  );
  if (no?.status !== "denied") return null;
  return {
    check: "review",
    excerpt: `The output is still the one that ${no.by} denied: ${no.denial}`,
    signature: `denied ${digest}`,
  };
}

function reviewWanted(context: RunContext, task: Validating, subject: string): ProjectEvent {
  return approvalRequested(asking(context), {
    kind: "task-after",
    task_id: task.id,
    subject,
    reason: `the output of ${task.id} "${task.title}" needs your yes; its other checks pass`,
    on_yes: "its checks run once more, and the task is done",
    on_no: "the task is blocked; retry has it worked on again, with your reason in the brief",
  });
}

/** What checks write is nobody's work: it is said, and stays for the person to commit or ignore. */
async function tellOfChecks(
  { tree, tell }: RunContext,
  task: Task,
  before: StartPoint,
  { own }: TaskFacts,
): Promise<void> {
  if (!tree.hasGit || own === undefined || (await tree.treeHash()) === before.tree) return;
  const { paths } = await tree.workSince(before);
  const others = paths.filter((path) => !own.includes(path));
  if (others.length === 0) return;
  tell({
    kind: "notice",
    text: `checks of ${task.id} changed, and not committed: ${fewOf(others)}`,
  });
}

/** With `limits: strict` work beyond them waits for a person, although its checks pass. */
export async function forbiddenExcess(
  context: RunContext,
  task: Task,
  start: StartPoint | undefined,
  own: readonly string[] | undefined,
): Promise<ProjectEvent | null> {
  const { limits, strict } = context.holder.state.scope_guardrails;
  if (!strict || start === undefined) return null;
  const work = await context.tree.workSince(start, own);
  const { excess } = measureWork(work.counts, [task], limits);
  if (excess.length === 0) return null;
  // As many files again, but others, would be nothing that anybody has seen.
  const subject = outputSubject(context.tree, task, work, excess.join("\n"));
  if (hasGrant(task, "limit", sha256Of(subject))) return null;
  return approvalRequested(asking(context), {
    kind: "limit",
    task_id: task.id,
    subject,
    reason: `${task.id} passes its checks but went beyond its limits: ${excess.join("; ")}`,
    on_yes: "the task is done",
    on_no: "the task is blocked",
  });
}

/** Whether the attempt changed what judges it: a file its checks name, a script they call, a test. */
async function isSelfJudged(
  context: RunContext,
  start: SessionStart | undefined,
  checks: readonly Check[],
  work: WorkDone,
): Promise<boolean> {
  if (start === undefined || work.paths.length === 0) return false;
  // Only commands read anything else than what the task makes.
  if (!checks.some(({ kind }) => kind === "command")) return false;
  const { tree } = context;
  const changed = new Set(work.paths);
  const atStart = await tree.textsAtStart(start.start, work.paths);
  const paths = selfJudgedPaths({
    checks,
    changed: work.paths,
    before: (path) => (changed.has(path) ? atStart.get(path) : tree.textNow(path)),
    after: (path) => tree.textNow(path),
  });
  return paths.length > 0;
}

function rememberFailures(context: RunContext, task: Validating, runs: readonly CheckRun[]): void {
  const failing = failingKeys(runs);
  if (failing.length === 0) return;
  const { holder, store } = context;
  const facts = taskFacts(store, holder.state.project_id, task.id);
  keepTaskFacts(holder, task.id, withFailing(facts, failing));
}
