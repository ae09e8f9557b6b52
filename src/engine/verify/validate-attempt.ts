// The checks of an attempt that ended, and what they decide. The checks frozen at the session's start
// are the ones that count.
import { isDestructive } from "../../agents/destructive-commands.ts";
import type { CheckRun } from "../../checks/check-run.ts";
import { checkKey } from "../../checks/check-text.ts";
import { type AfterVerdict, judgeAfter } from "../../checks/judge-task.ts";
import { selfJudgedPaths } from "../../checks/self-judged.ts";
import { isNonEmpty, type NonEmpty } from "../../core/brand.ts";
import type { Excuse, FailureFound, ProjectEvent } from "../../core/events.ts";
import type { Check } from "../../core/schema/check.ts";
import type { Evidence, Grant, Task } from "../../core/schema/task.ts";
import { sha256Of } from "../../store/digest.ts";
import type { Uncommittable } from "../../workspace/workspace.ts";
import { grantOf, hasGrant, needsReview } from "../../core/step/task-moves.ts";
import { fewOf } from "../../core/words/few-of.ts";
import { approvalRequested } from "../base/approval-request.ts";
import { outputGrant, outputSubject } from "../people/output-subject.ts";
import { measureWork } from "../session/measured-limits.ts";
import { cannotBeChecked, failingKeys, keepRuns, runChecks } from "./run-checks.ts";
import { asking, fact } from "../base/fact.ts";
import type { RunContext } from "../base/run-context.ts";
import { readEnd, readStart } from "../base/session-record.ts";
import { contentsOfTasks } from "../people/shown-contents.ts";
import {
  keepTaskFacts,
  keepVerified,
  type TaskFacts,
  taskFacts,
  withFailing,
} from "../base/task-facts.ts";
import { type Laid, layTree, layWork, workBetween, workOfTask } from "../space/task-work.ts";
import { saidUnseen } from "../session/unseen-end.ts";
import type { Contents, WorkDone } from "../base/work-done.ts";

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
  // What cannot be committed as it is fails: nothing else about it matters.
  const hindrance = await layToVerify(context, task);
  if (hindrance !== null) {
    const result = { passed: false, failure: hindrance } as const;
    return { event: recorded(context, task, result), rows: [], passed: false };
  }
  const facts = taskFacts(store, id, task.id);
  const contents = facts.work?.contents ?? {};
  const review = outputGrant(contents, task, holder.state.approval_items);
  const work = (await workOfTask(context, facts)) ?? NO_WORK;
  const baseline = new Map(Object.entries(frozen?.files ?? {}));
  const runs = await runChecks(context, task, checks, "after", baseline, {
    task,
    paths: work.paths,
    ...(review === null ? {} : { approved: review }),
  });
  if (facts.work !== undefined) await putBack(context, task, facts.work.tree);
  const selfJudged = await isSelfJudged(context, facts, checks, work);
  const judged = judgeWork(task, { checks, runs, work, facts, selfJudged });
  rememberFailures(context, task, runs);
  const verdict = withReview(judged, task, review !== null);
  const said = end === undefined ? saidUnseen(context, session) : end.outcome;
  const reason = said?.kind === "blocked" ? said.reason : null;
  switch (verdict.verdict) {
    case "passed": {
      const excess = forbiddenExcess(context, task, work);
      if (excess !== null) {
        const kept = keepRuns(context, runs, task.id, number, "a person allows the excess");
        return { event: excess, rows: kept.rows, passed: false };
      }
      if (facts.work !== undefined) keepVerified(holder, store, task.id, facts.work);
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
      const subject = outputSubject(contents, task, work);
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
export async function verifyApproved(
  context: RunContext,
  task: Task,
  { tip, tree, conflicts }: Laid,
): Promise<Verdict | null> {
  const { holder, store } = context;
  if (conflicts.length > 0) return null;
  const contents = contentsOfTasks(store, holder.state, [task]);
  const review = outputGrant(contents, task, holder.state.approval_items);
  if (review === null) return null;
  const facts = taskFacts(store, holder.state.project_id, task.id);
  const checks = task.checks ?? [];
  const work = await workBetween(context, tip.tree, tree);
  const output = { task, paths: work.paths, approved: review };
  const runs = await runChecks(context, task, checks, "after", new Map(), output);
  await putBack(context, task, tree);
  const judged = judgeWork(task, { checks, runs, work, facts, selfJudged: false });
  if (judged.verdict === "failed" || judged.verdict === "unavailable") return null;
  const excess = forbiddenExcess(context, task, work);
  const nextStep = excess === null ? "done" : "a person allows the excess";
  const kept = keepRuns(context, runs, task.id, task.attempts, nextStep);
  if (excess !== null) return { event: excess, rows: kept.rows, passed: false };
  keepVerified(holder, store, task.id, { tree, base: tip.tree });
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
  changes: [],
  paths: [],
  substantial: [],
  docs: [],
  counts: { files: 0, newFiles: 0, moves: 0 },
};

/** Its work on top of everything that is committed by now: what is verified is what will be committed. */
async function layToVerify(context: RunContext, task: Validating): Promise<FailureFound | null> {
  const { holder, store } = context;
  const facts = taskFacts(store, holder.state.project_id, task.id);
  if (facts.uncommittable?.session === task.attempt.session) {
    return uncommittable(facts.uncommittable.problems);
  }
  if (facts.work === undefined) return null;
  const { conflicts } = await layWork(context, [task]);
  return conflicts.length === 0 ? null : overtaken(conflicts);
}

/** Others committed something else in the same files meanwhile; the brief says where its own are. */
function overtaken(paths: readonly string[]): FailureFound {
  const names = paths.join(", ");
  return {
    check: "the branch changed meanwhile",
    excerpt: `These files were changed on the branch while the task was worked on, and are now as they are there:\n${names}`,
    signature: `overtaken ${names}`,
  };
}

/** What a session left and no commit can hold, as its next one reads it. */
function uncommittable(problems: readonly Uncommittable[]): FailureFound {
  const lines = problems.map(({ path, why, hint }) => `${path}: ${why}. ${hint}`);
  const [first] = problems;
  return {
    check: `${first?.path} cannot be committed: it ${first?.why}`,
    excerpt: `These cannot be committed as they are:\n${lines.join("\n")}`,
    signature: `uncommittable ${problems.map(({ path, why }) => `${path} ${why}`).join("; ")}`,
  };
}

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

/** What checks write is nobody's work: it is said, and gone. */
async function putBack(context: RunContext, task: Task, tree: string): Promise<void> {
  const touched = await layTree(context, tree);
  if (touched.length === 0) return;
  const text = `checks of ${task.id} changed, and it was put back: ${fewOf(touched)}`;
  context.tell({ kind: "notice", text });
}

/** With `limits: strict` work beyond them waits for a person, although its checks pass. */
export function forbiddenExcess(
  context: RunContext,
  task: Task,
  work: WorkDone,
): ProjectEvent | null {
  const { limits, strict } = context.holder.state.scope_guardrails;
  if (!strict) return null;
  const { excess } = measureWork(work.counts, [task], limits);
  if (excess.length === 0) return null;
  // As many files again, but others, would be nothing that anybody has seen.
  const contents: Contents = contentsOfTasks(context.store, context.holder.state, [task]);
  const subject = outputSubject(contents, task, work, excess.join("\n"));
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
  { space, copy }: RunContext,
  { work: kept }: TaskFacts,
  checks: readonly Check[],
  work: WorkDone,
): Promise<boolean> {
  if (kept === undefined || work.paths.length === 0) return false;
  // Only commands read anything else than what the task makes.
  if (!checks.some(({ kind }) => kind === "command")) return false;
  const changed = new Set(work.paths);
  const before = await space.texts(kept.base, work.paths);
  const paths = selfJudgedPaths({
    checks,
    changed: work.paths,
    before: (path) => (changed.has(path) ? before.get(path) : copy.textNow(path)),
    after: (path) => copy.textNow(path),
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
