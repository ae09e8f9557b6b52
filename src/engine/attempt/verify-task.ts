// One verification of a task, whenever it is due: its checks run on the files that are laid, what they
// changed is put back, what a judgement needs is gathered and judged. What proves the verdict is kept
// before its event is handed out.
import { isDestructive } from "../../agents/session-command.ts";
import type { CheckRun } from "../../checks/check-run.ts";
import { type Found, judgeTask, type Situation, type Verdict } from "../../checks/judge-task.ts";
import { selfJudgedPaths } from "../../checks/self-judged.ts";
import { type Judged, nextStep, verdictEvent } from "../../checks/verdict-event.ts";
import type { FailureFound, ProjectEvent } from "../../core/events.ts";
import type { ProjectState } from "../../core/schema/project.ts";
import type { Sha256 } from "../../core/schema/scalar.ts";
import type { SessionEnd, UnfinishedWork } from "../../core/schema/session-records.ts";
import type { Check, Grant, Task } from "../../core/schema/task.ts";
import { grantOf, hasGrant, needsReview } from "../../core/step/task-moves.ts";
import { checksFailed, uncommittableIn, workVerified } from "../../core/task-memory.ts";
import { fewOf } from "../../core/words/amounts.ts";
import { sha256Of } from "../../store/digest.ts";
import type { Uncommittable } from "../../workspace/workspace.ts";
import { asking } from "../base/fact.ts";
import { memoryOf, memoryOfStarted, readEnd, readStart, remember } from "../base/kept-record.ts";
import type { Steps } from "../base/persist.ts";
import type { RunContext } from "../base/run-context.ts";
import {
  type Contents,
  contentsOfTasks,
  outputGrant,
  outputSubject,
} from "../people/output-subject.ts";
import {
  giveUpLeftover,
  isStillThere,
  type Laid,
  layTree,
  layWork,
  workBetween,
  type WorkDone,
} from "../space/task-work.ts";
import { saidUnseen } from "./collect-session.ts";
import { beyondOneSession, measureWork } from "./measure-session.ts";
import { failingKeys, keepRuns, runChecks } from "./run-checks.ts";

/** What is to be verified: the files as they are laid now. */
export interface Verification {
  readonly task: Task;
  readonly situation: Situation;
  readonly checks: readonly Check[];
  readonly laid: { readonly tree: string; readonly base: string };
  /** Digests of the files that its checks name, before its sessions. */
  readonly files: Readonly<Record<string, Sha256 | null>>;
  readonly hindrance: FailureFound | null;
  /** What its act said, where it has one. */
  readonly said?: string;
}

export interface Verified {
  readonly verification: Verification;
  readonly verdict: Verdict;
  readonly runs: readonly CheckRun[];
  /** A person's yes to exactly this output. */
  readonly review: Grant | null;
}

export async function* verifyTask(
  context: RunContext,
  verification: Verification,
): Steps<Verified> {
  const { holder } = context;
  const { task, situation, checks, laid, hindrance, said = null } = verification;
  const contents = contentsOfTasks(context, [task]);
  const review = outputGrant(contents, task, holder.state.approval_items, said);
  const work = await workBetween(context, laid.base, laid.tree);
  const runs = yield* runOnTree(context, verification, work, review);
  const subject = subjectOf(outputSubject(contents, task, work, said));
  const isAgain = situation.at === "again";
  const verdict = judgeTask({
    situation,
    checks,
    runs,
    docsOnly: task.docs_only ?? false,
    diff: { substantial: work.substantial.length > 0, docs: work.docs.length > 0 },
    hindrance,
    notDiscriminating: memoryOfStarted(context, task).notDiscriminating,
    selfJudged: await isSelfJudged(context, laid.base, checks, work),
    review: {
      needed: needsReview(task) && !isAgain,
      given: review !== null,
      subject,
      // The same words of an act may stand for something else outside of the files.
      denied: said === null ? deniedOutput(context, subject.sha256) : null,
    },
    excess: excessOf(context, task, work, contents),
  });
  return { verification, verdict, runs, review };
}

/** Kept before its event can be persisted: the records of the checks, and the tree that is verified. */
export function conclude(
  context: RunContext,
  { verification, verdict, runs, review }: Verified,
  more: Pick<Judged, "attempt" | "act">,
): { readonly event: ProjectEvent | null; readonly rows: readonly string[] } {
  const { task, situation, laid } = verification;
  const { at } = situation;
  const isDone = verdict.kind === "done";
  // A check that never ran must not replace the records of the attempt before.
  const isKept = at !== "before-session" || isDone || verdict.kind === "yes-needed";
  const kept = isKept
    ? keepRuns(context, runs, { task: task.id, attempt: more.attempt }, nextStep(verdict, at))
    : { proofs: [], rows: [] };
  if (isDone) remember(context, task.id, (memory) => workVerified(memory, laid));
  const event = verdictEvent(verdict, {
    asking: asking(context),
    task,
    at,
    proofs: kept.proofs,
    tree: laid.tree,
    approvedBy: review?.by ?? null,
    ...(at === "before-session" && { chunks: situation.chunks }),
    ...more,
  });
  return { event, rows: kept.rows };
}

/** What no judgement is needed for: its files are not what could be committed. */
export function hindranceOf(
  problems: readonly Uncommittable[] | undefined,
  { conflicts }: Pick<Laid, "conflicts">,
): FailureFound | null {
  if (problems !== undefined) return uncommittable(problems);
  return conflicts.length === 0 ? null : overtaken(conflicts);
}

/** Before a session nobody is asked, unless a person has said yes to what is there. */
async function* runOnTree(
  context: RunContext,
  { task, situation, checks, laid, files, hindrance }: Verification,
  work: WorkDone,
  review: Grant | null,
): Steps<readonly CheckRun[]> {
  const isBefore = situation.at === "before-session";
  if (hindrance !== null && !isBefore) return [];
  // What its chunks did is the output, and all that is asked of it is asked now.
  const isByChunks = isBefore && situation.chunks.length > 0;
  const when = isBefore && review === null && !isByChunks ? "before" : "after";
  const output =
    situation.at === "again"
      ? undefined
      : { task, paths: work.paths, ...(review === null ? {} : { approved: review }) };
  const baseline = new Map(when === "before" ? [] : Object.entries(files));
  const runs = yield* runChecks(context, task, { checks, when, baseline, output });
  // What no commit can hold lies there until another session has seen it.
  const memory = memoryOfStarted(context, task);
  if (isStillThere(context, memory)) return runs;
  const touched = await layTree(context, laid.tree);
  // What checks write is nobody's work: it is said, and gone.
  if (touched.length > 0 && when === "after") {
    const text = `checks of ${task.id} changed, and it was put back: ${fewOf(touched)}`;
    context.tell({ kind: "notice", text });
  }
  return runs;
}

/** With `limits: strict` work beyond them waits for a person, although its checks pass. */
function excessOf(
  context: RunContext,
  task: Task,
  work: WorkDone,
  contents: Contents,
): Found["excess"] {
  const { limits, strict } = context.holder.state.scope_guardrails;
  const { excess } = measureWork(work.counts, [task], limits);
  if (!strict || excess.length === 0) return null;
  // As many files again, but others, would be nothing that anybody has seen.
  const subject = subjectOf(outputSubject(contents, task, work, excess.join("\n")));
  return hasGrant(task, "limit", subject.sha256) ? null : { subject, words: excess.join("; ") };
}

/** A person who said no to these very files is not asked about them again. */
function deniedOutput(context: RunContext, digest: Sha256): FailureFound | null {
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

/** Whether the work changed what judges it: a file its checks name, a script they call, a test. */
async function isSelfJudged(
  { space, copy }: RunContext,
  base: string,
  checks: readonly Check[],
  work: WorkDone,
): Promise<boolean> {
  // Only commands read anything else than what the task makes.
  if (work.paths.length === 0 || !checks.some(({ kind }) => kind === "command")) return false;
  const changed = new Set(work.paths);
  const before = await space.texts(base, work.paths);
  const paths = selfJudgedPaths({
    checks,
    changed: work.paths,
    before: (path) => (changed.has(path) ? before.get(path) : copy.textNow(path)),
    after: (path) => copy.textNow(path),
  });
  return paths.length > 0;
}

const OVERTAKEN = "the branch changed meanwhile";

/** The first time that others were faster it is nobody's fault; the attempt after it knew of them. */
function wasOvertaken({ last_failure }: Task): boolean {
  return last_failure?.check === OVERTAKEN;
}

/** What others made of the files that both changed, and what its own session did, as git shows it. */
async function bothSides(
  { space }: RunContext,
  { base, tree }: UnfinishedWork,
  { tip, conflicts }: Laid,
): Promise<string> {
  const theirs = await space.diff(base, tip.tree, conflicts);
  const own = await space.diff(base, tree, conflicts);
  return [
    `Another session beside yours changed the same lines of ${conflicts.join(", ")}. The files are now as they left them:`,
    shortened(theirs),
    "What your last session had changed there, and is to be put together with it:",
    shortened(own),
  ].join("\n\n");
}

const SIDE_CHARACTERS = 1500;

function shortened(diff: string): string {
  return diff.length <= SIDE_CHARACTERS ? diff : `${diff.slice(0, SIDE_CHARACTERS)}\n(cut here)`;
}

/** Others committed something else in the same files meanwhile; the brief says where its own are. */
function overtaken(paths: readonly string[]): FailureFound {
  const names = paths.join(", ");
  return {
    check: OVERTAKEN,
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

function subjectOf(text: string): { readonly text: string; readonly sha256: Sha256 } {
  return { text, sha256: sha256Of(text) };
}

type Validating = Extract<Task, { status: "validating" }>;
type AfterSession = Extract<Situation, { at: "after-session" }>;

/** The checks frozen at the session's start are the ones that count. */
export async function* validateAttempt(context: RunContext, task: Validating): Steps {
  const { session, number } = task.attempt;
  const frozen = readStart(context, session)?.tasks.find(({ task_id }) => task_id === task.id);
  const memory = memoryOf(context, task.id);
  const left = uncommittableIn(memory);
  const { work } = memory;
  const isBeside = readStart(context, session)?.lane !== undefined;
  if (isBeside) giveUpLeftover(context);
  // Its work on top of everything that is committed by now: what is verified is what will be committed.
  const laid = await layWork(context, [task]);
  const besides = isBeside && laid.conflicts.length > 0 && work !== undefined;
  const hindrance = hindranceOf(left?.session === session ? left.problems : undefined, laid);
  const verified = yield* verifyTask(context, {
    task,
    situation: {
      ...howItEnded(context, task),
      ...(besides && !wasOvertaken(task) ? { excuse: "conflict" as const } : {}),
      failedBefore: new Set(memory.failing),
      tooLarge: await beyondOneSession(context, task, memory.work?.tree),
    },
    checks: frozen?.checks ?? task.checks ?? [],
    laid: { tree: laid.tree, base: laid.tip.tree },
    files: frozen?.files ?? {},
    hindrance:
      hindrance !== null && besides
        ? { ...hindrance, excerpt: await bothSides(context, work, laid) }
        : hindrance,
  });
  const keys = failingKeys(verified.runs);
  remember(context, task.id, (all) => checksFailed(all, keys));
  const { event, rows } = conclude(context, verified, { attempt: number });
  if (event === null) throw new Error(`${task.id} was judged ${verified.verdict.kind}`);
  yield { event, rows };
}

/** What a session said, in as far as it counts where its checks fail. */
function howItEnded(
  context: RunContext,
  task: Validating,
): Omit<AfterSession, "failedBefore" | "tooLarge"> {
  const { session } = task.attempt;
  const end = readEnd(context, session);
  const said = end === undefined ? saidUnseen(context, session) : end.outcome;
  const command = said?.kind === "denied" && isDestructive(said.command) ? said.command : null;
  const sha256 = command === null ? null : sha256Of(command);
  const allowed = sha256 === null ? undefined : grantOf(task, "destructive", sha256);
  const isRefused = command !== null && sha256 !== null && allowed === undefined;
  const isOutside = returnedFor(context.holder.state, task) !== undefined;
  return {
    at: "after-session",
    gaveUp: said?.kind === "blocked" ? said.reason : null,
    refused: isRefused ? { text: command, sha256 } : null,
    excuse: isOutside ? null : excuseOf(end, allowed?.at),
    isOutside,
  };
}

/** What somebody outside returned for the attempt that is validated. */
function returnedFor({ dispatches }: ProjectState, { id, attempt }: Validating) {
  return dispatches.findLast(
    (item) =>
      item.task_id === id &&
      item.status === "returned" &&
      item.worker.kind === "outside" &&
      item.sent_at >= attempt.started_at,
  );
}

/** The attempt that was refused a command is given back; one that had the permission is not. */
function excuseOf(end: SessionEnd | undefined, allowedAt?: string): AfterSession["excuse"] {
  if (end === undefined) return "stopped";
  return allowedAt !== undefined && allowedAt > end.ended_at ? "approval" : null;
}
