// One verification of a task, whenever it is due: its checks run on the files that are laid, what they
// changed is put back, what a judgement needs is gathered and judged. What proves the verdict is kept
// before its event is handed out.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { isDestructive } from "../../agents/session-command.ts";
import { oneLine } from "../../core/words/plain-line.ts";
import type { CheckRun } from "../../checks/check-run.ts";
import { checkKey, describeCheck } from "../../checks/check-text.ts";
import { type Found, judgeTask, type Situation, type Verdict } from "../../checks/judge-task.ts";
import { type ChangedFile, mayJudgeOthers } from "../../checks/judges.ts";
import { type Judged, nextStep, verdictEvent } from "../../checks/verdict-event.ts";
import type { FailureFound, ProjectEvent } from "../../core/events.ts";
import type { ProjectState } from "../../core/schema/project.ts";
import type { Sha256 } from "../../core/schema/scalar.ts";
import type {
  LastSession,
  SessionEnd,
  TaskMemory,
  UnfinishedWork,
} from "../../core/schema/session-records.ts";
import type { Check, Grant, Label, Task } from "../../core/schema/task.ts";
import { grantOf, hasGrant, needsReview, ownAttempts } from "../../core/step/task-moves.ts";
import {
  emptiedWords,
  checksFailedAfter,
  checksTurned,
  judgesNoted,
  uncommittableIn,
  workVerified,
} from "../../core/task-memory.ts";
import { fewOf } from "../../core/words/amounts.ts";
import { CUT_SHORT, sessionEndWords } from "../../core/words/session-end-words.ts";
import { sha256Of } from "../../store/digest.ts";
import type { Uncommittable } from "../../workspace/workspace.ts";
import { announce, asking } from "../base/fact.ts";
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
  changedSince,
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
import { askEarlier, decisive, earlierJudges, noted } from "./ask-earlier.ts";
import { askJudges } from "./ask-judges.ts";
import { againBefore, type Kept, keepRuns, type Ran, runChecks } from "./run-checks.ts";

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
  /** The tree before its session, where others of the same session are verified before it. */
  readonly since?: string;
}

export interface Verified {
  readonly verification: Verification;
  readonly verdict: Verdict;
  readonly runs: readonly Ran[];
  /** Runs on other files, to find out what its checks tell. */
  readonly questions: readonly Kept[];
  /** A person's yes to exactly this output. */
  readonly review: Grant | null;
  /** What it changed, and the tree before that. */
  readonly work: { readonly base: string; readonly changed: readonly ChangedFile[] };
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
  const changed = isProven(situation)
    ? await changedSince(context, verification.since ?? laid.base, laid.tree)
    : [];
  const base = verification.since ?? laid.base;
  const memory = memoryOfStarted(context, task);
  const earlier = isProven(situation) ? earlierJudges(context, task) : [];
  const redHere = await redOnTheseFiles(context, verification, memory, review);
  const watch = [...changed, ...earlier.flatMap((each) => each.changed)].map(({ path }) => path);
  const runs = yield* runOnTree(context, verification, { work, review, watch, redHere });
  const subject = subjectOf(outputSubject(contents, task, work, said));
  const isAgain = situation.at === "again";
  const seenRed = new Set(memory.redBefore ?? memory.seenFailing);
  const ignoredOnly =
    isProven(situation) && !isByWord(situation, review)
      ? onlyIgnored(context, memory, changed)
      : [];
  const found: Found = {
    situation,
    checks,
    runs,
    docsOnly: task.docs_only ?? false,
    diff: { substantial: work.substantial.length > 0, docs: work.docs.length > 0 },
    hindrance,
    notDiscriminating: memory.notDiscriminating,
    seenRed,
    unreliable: new Set(memory.unreliable),
    flickered: new Set([...redHere].flatMap(([key, { flickered }]) => (flickered ? [key] : []))),
    ignoredOnly,
    ignoredIsOk: task.ignored === "ok",
    // What made it green is known then.
    noDiff:
      ignoredOnly.length > 0
        ? []
        : await turnedByNothing(context, verification, { memory, runs, changed, review, redHere }),
    judged: [],
    strict: task.strict ?? context.settings.strict,
    review: {
      needed: needsReview(task) && !isAgain,
      given: review !== null,
      subject,
      // The same words of an act may stand for something else outside of the files.
      denied: said === null ? deniedOutput(context, subject.sha256) : null,
    },
    excess: excessOf(context, task, work, contents),
  };
  const first = judgeTask(found);
  // Who has not passed is asked nothing.
  const isPassed = first.kind === "done" || (first.kind === "yes-needed" && first.to !== "command");
  if (!isPassed || (changed.length === 0 && earlier.length === 0)) {
    return { verification, verdict: first, runs, questions: [], review, work: { base, changed } };
  }
  const { ignored = [], redIn = {} } = memory;
  const laidOn = { tree: laid.tree, base };
  const asked = { task, checks, runs, changed, seenRed, redIn, ignored, laid: laidOn };
  const own = yield* askJudges(context, asked);
  const others = yield* askEarlier(context, asked, own.judged, earlier);
  const judged = [...own.judged, ...others.judged];
  const verdict = judged.length === 0 ? first : judgeTask({ ...found, judged });
  const questions = decisive(own, others);
  return { verification, verdict, runs, questions, review, work: { base, changed } };
}

/** What somebody outside did need not be a file, and a person's word is enough. */
function isByWord(situation: Situation, review: Grant | null): boolean {
  return (
    (situation.at === "after-session" && situation.isOutside === true) ||
    (situation.at === "before-session" && situation.isMarked) ||
    review !== null
  );
}

/** All that its sessions made and is still there, where git holds nothing of it. */
function onlyIgnored(
  { space }: RunContext,
  { ignored = [], broughtChanged = [] }: TaskMemory,
  changed: readonly ChangedFile[],
): readonly string[] {
  // To have git ignore something is no work either.
  if (changed.some(({ path }) => !IGNORES.test(path))) return [];
  return [...ignored.filter((path) => existsSync(join(space.folder, path))), ...broughtChanged];
}

const IGNORES = /(?:^|\/)\.gitignore$/;

/** Checks that failed after an earlier session, in these very files, by their keys. */
async function redOnTheseFiles(
  context: RunContext,
  { situation, laid }: Verification,
  { redAfter = {} }: TaskMemory,
  review: Grant | null,
): Promise<ReadonlyMap<string, { readonly flickered: boolean }>> {
  const found = new Map<string, { readonly flickered: boolean }>();
  if (!isProven(situation) || isByWord(situation, review)) return found;
  for (const [key, { tree, flickered = false }] of Object.entries(redAfter)) {
    const isSame =
      // oxlint-disable-next-line no-await-in-loop
      tree === laid.tree || (await changedSince(context, tree, laid.tree)).length === 0;
    if (isSame) found.set(key, { flickered });
  }
  return found;
}

/** Checks that failed in these very files, and pass now. */
async function turnedByNothing(
  context: RunContext,
  { task, situation, laid }: Verification,
  {
    memory,
    runs,
    changed,
    review,
    redHere,
  }: {
    readonly redHere: ReadonlyMap<string, { readonly flickered: boolean }>;
    readonly memory: TaskMemory;
    readonly runs: readonly Ran[];
    readonly changed: readonly ChangedFile[];
    readonly review: Grant | null;
  },
): Promise<Found["noDiff"]> {
  if (!isProven(situation) || isByWord(situation, review)) return [];
  const { redIn = {}, redTwice = [] } = memory;
  const green = runs.filter(({ check, passed }) => check.kind === "command" && passed);
  const found: Found["noDiff"][number][] = [];
  for (const { check } of green) {
    const key = checkKey(check);
    const after = redHere.get(key);
    // It is run twice now. Of one that had passed before it failed, that is told instead.
    if (after !== undefined) {
      if (!after.flickered) found.push({ check, isRedTwice: true });
      continue;
    }
    const red = redIn[key];
    if (red === undefined) continue;
    // oxlint-disable-next-line no-await-in-loop
    if (!(await isUnchanged(context, task, red, laid.tree, changed))) continue;
    found.push({ check, isRedTwice: redTwice.includes(key) });
  }
  return found;
}

/** Git is asked only where nothing, or only an earlier attempt, is known to have changed anything. */
async function isUnchanged(
  context: RunContext,
  task: Task,
  red: string,
  tree: string,
  changed: readonly ChangedFile[],
): Promise<boolean> {
  if (red === tree) return true;
  if (changed.length > 0 && ownAttempts(task) <= 1) return false;
  return (await changedSince(context, red, tree)).length === 0;
}

/** What a session made is to be proven; an act is a person's own command, and what was verified is not asked again. */
function isProven(situation: Situation): boolean {
  if (situation.at === "before-session") return situation.chunks.length === 0;
  return situation.at === "after-session";
}

/** Kept before its event can be persisted: the records of the checks, and the tree that is verified. */
export function conclude(
  context: RunContext,
  { verification, verdict, runs, questions, review, work }: Verified,
  more: Pick<Judged, "attempt" | "act">,
): { readonly event: ProjectEvent | null; readonly rows: readonly string[] } {
  const { task, situation, laid } = verification;
  const { at } = situation;
  const isDone = verdict.kind === "done";
  // A check that never ran must not replace the records of the attempt before.
  const isKept = at !== "before-session" || isDone || verdict.kind === "yes-needed";
  const all = [...runs.map((run, index) => ({ run, ordinal: index + 1 })), ...questions];
  const kept = isKept
    ? keepRuns(context, all, placeOf(task, at, more.attempt), nextStep(verdict, at))
    : { proofs: [], rows: [] };
  if (isDone) {
    const judges = work.changed.some(mayJudgeOthers) ? noted(work) : null;
    remember(context, task.id, (memory) => judgesNoted(workVerified(memory, laid), judges));
    for (const { label, why } of verdict.labels) tellLabel(context, task, label, why);
  }
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

/** What an attempt left keeps its own records when it is looked at again. */
function placeOf({ id }: Task, at: Situation["at"], attempt: number) {
  const isLook = at === "before-session" && attempt > 0;
  return { task: id, attempt, ...(isLook && { isLook }) };
}

/** What speaks for itself in its own words needs no line. */
const TOLD_ELSEWHERE: ReadonlySet<Label> = new Set(["weakly-verified", "not-discriminating"]);

function tellLabel({ tell }: RunContext, { id }: Task, label: Label, why: string): void {
  if (TOLD_ELSEWHERE.has(label)) return;
  tell({ kind: "notice", text: `${id} is labelled ${label}: ${why}` });
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
  {
    work,
    review,
    watch,
    redHere,
  }: {
    readonly redHere: ReadonlyMap<string, unknown>;
    readonly work: WorkDone;
    readonly review: Grant | null;
    readonly watch: readonly string[];
  },
): Steps<readonly Ran[]> {
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
  const again = isBefore ? againBefore(context, task, redHere) : (run: CheckRun) => run.passed;
  const hint = when === "after" ? emptiedWords(memoryOf(context, task.id)) : undefined;
  const checking = { checks, when, baseline, output, watch, tree: laid.tree, hint } as const;
  const runs = yield* runChecks(
    context,
    task,
    isProven(situation) ? { ...checking, again } : checking,
  );
  if (when === "before") runs.forEach((run, at) => tellOfUnreliable(context, task, run, at + 1));
  // What no commit can hold lies there until another session has seen it.
  const memory = memoryOfStarted(context, task);
  if (isStillThere(context, memory)) return runs;
  const touched = await layTree(context, laid.tree);
  // What checks write is nobody's work: it is said, and gone.
  if (touched.length > 0 && when === "after") {
    const text = `the checks of ${task.id} changed these files, and Stint put them back: ${fewOf(touched)}`;
    context.tell({ kind: "notice", text });
  }
  return runs;
}

/** Kept with both outputs: whoever wrote the check is to look at it. */
function tellOfUnreliable(context: RunContext, task: Task, run: Ran, ordinal: number): void {
  const { unreliable: first } = run;
  if (first === undefined) return;
  const all = (["red-before", "green-before"] as const).map((which) => {
    return { run: which === "red-before" ? first : run, ordinal, asked: { which, judges: [] } };
  });
  keepRuns(context, all, { task: task.id, attempt: task.attempts + 1 }, "");
  const said = [first, run].map(({ output, summary }) => lastLine(output) || summary);
  const text = `check ${describeCheck(run.check)} of ${task.id} is unreliable: it failed (${said[0]}), and passed when it was run once more (${said[1]}), with nothing changed in between; alone it proves nothing`;
  announce(context, "check-unreliable", text);
}

function lastLine(output: string): string {
  return (output.trimEnd().split("\n").at(-1) ?? "").trim().slice(0, 200);
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
    check: `review: ${no.by} denied it: ${oneLine(no.denial)}`,
    excerpt: `The output is still the one that ${no.by} denied: ${no.denial}`,
    signature: `denied ${digest}`,
  };
}

const OVERTAKEN = "the branch changed meanwhile";

/** The first time that others were faster it is nobody's fault; the attempt after it knew of them. */
function wasOvertaken({ last_failure }: Task): boolean {
  return last_failure?.check === OVERTAKEN;
}

/** What others made of the files that both changed, and what its own session did, as git shows it. */
async function bothSides(
  { space, checks }: RunContext,
  { base, tree }: UnfinishedWork,
  { tip, conflicts }: Laid,
): Promise<string> {
  const theirs = checks.redact(await space.diff(base, tip.tree, conflicts));
  const own = checks.redact(await space.diff(base, tree, conflicts));
  return [
    `A parallel session changed the same lines of ${conflicts.join(", ")}. The files are now as they left them:`,
    shortened(theirs),
    "What your last session had changed there; combine both:",
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
  const isOne = problems.length === 1;
  return {
    check: `${first?.path} cannot be committed: it ${first?.why}`,
    // The next session reads the check as well.
    excerpt: isOne
      ? `To fix it: ${first?.hint}.`
      : `These cannot be committed as they are:\n${lines.join("\n")}`,
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
  const start = readStart(context, session);
  const frozen = start?.tasks.find(({ task_id }) => task_id === task.id);
  const memory = memoryOf(context, task.id);
  const left = uncommittableIn(memory);
  const { work } = memory;
  const isBeside = start?.lane !== undefined;
  if (isBeside) giveUpLeftover(context);
  // Its work on top of everything that is committed by now: what is verified is what will be committed.
  const laid = await layWork(context, [task]);
  const besides = isBeside && laid.conflicts.length > 0 && work !== undefined;
  const hindrance = hindranceOf(left?.session === session ? left.problems : undefined, laid);
  const newer = frozen === undefined ? null : newerChecks(task, frozen.checks);
  const verified = yield* verifyTask(context, {
    task,
    situation: {
      ...howItEnded(context, task),
      ...(newer === null ? {} : { excuse: "new-checks" as const }),
      ...(besides && !wasOvertaken(task) ? { excuse: "conflict" as const } : {}),
      failedBefore: new Set(memory.failing),
      isReopened: task.reopened !== undefined,
      tooLarge: await beyondOneSession(context, task, memory.work?.tree),
    },
    checks: frozen?.checks ?? task.checks ?? [],
    laid: { tree: laid.tree, base: laid.tip.tree },
    // The first of a batch has committed what all of them changed.
    ...(start !== undefined && start.tasks.length > 1 && { since: start.start.base }),
    files: frozen?.files ?? {},
    hindrance:
      hindrance !== null && besides
        ? { ...hindrance, excerpt: await bothSides(context, work, laid) }
        : (hindrance ?? newer),
  });
  const failed = verified.runs
    .filter(({ result }) => result === "failed")
    .map(({ check, flickered = false }) => ({ key: checkKey(check), flickered }));
  const turned = whatTurned(memory, verified.runs);
  remember(context, task.id, (all) => {
    const seen = checksFailedAfter(all, laid.tree, failed);
    return turned === null ? seen : checksTurned(seen, session, turned);
  });
  const { event, rows } = conclude(context, verified, { attempt: number });
  if (event === null) throw new Error(`${task.id} was judged ${verified.verdict.kind}`);
  yield { event, rows };
}

/** What a person asks for since the session began: it is asked before the next one, and its work stays. */
function newerChecks({ checks = [] }: Task, frozen: readonly Check[]): FailureFound | null {
  const known = new Set(frozen.map(checkKey));
  const newer = checks.filter((check) => !known.has(checkKey(check)));
  if (newer.length === 0) return null;
  const names = newer.map(describeCheck).join(", ");
  return {
    check: `new since its session began: ${names}`,
    excerpt: `A person gave the task other checks while its session worked: ${names}. They are run before anything else.`,
    signature: `new-checks ${newer.map(checkKey).join(" ")}`,
  };
}

/** Against what they said before the session; null where none were run. */
function whatTurned(
  { failing }: TaskMemory,
  runs: readonly Ran[],
): NonNullable<LastSession["checks"]> | null {
  if (runs.length === 0) return null;
  if (failing.length === 0) return "green-before";
  const isTurned = runs.some(({ check, passed }) => passed && failing.includes(checkKey(check)));
  return isTurned ? "turned" : "not-turned";
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
    gaveUp: said?.kind === "blocked" && said.isSetup !== true ? said.reason : null,
    unusable: said?.kind === "blocked" && said.isSetup === true ? said.reason : undefined,
    refused: isRefused ? { text: command, sha256 } : null,
    excuse: isOutside ? null : excuseOf(end, allowed?.at),
    unfinished: isOutside ? null : unfinishedOf(end),
    isOutside,
  };
}

/** How it ended, where that was not by itself. One that was refused a command went on without it. */
function unfinishedOf(end: SessionEnd | undefined): string | null {
  if (end === undefined) return CUT_SHORT;
  const { kind } = end.outcome;
  return kind === "finished" || kind === "denied" ? null : sessionEndWords(end);
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
