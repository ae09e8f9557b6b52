// The six stages of an iteration, as a project lives them: which of them the journal does not tell yet, each with its
// own result, from state and journal alone. An iteration lasts from the creation of its project, or from when it was
// reopened, until it is Done. Parse and validate are told once, and again where what they say is no longer so; the
// next three once for each session; respond whenever a run ends. Pure.
import { approvalCommands, questionCommands } from "../core/asking.ts";
import { readHistory, sessionBegunBy } from "../core/history.ts";
import { numberIn, objectIn, objectsIn, stringIn } from "../core/json-line.ts";
import type { JournalEntry, ProjectState } from "../core/schema/project.ts";
import { withoutChunks } from "../core/step/chunks.ts";
import { counted } from "../core/words/amounts.ts";

/** The journal's word for a stage. */
export const STAGE = "stage";

export const STAGES = [
  "parse",
  "validate",
  "execute",
  "process results",
  "run checks",
  "respond",
] as const;

export interface Stage {
  /** Counted from 1. */
  readonly number: number;
  readonly name: (typeof STAGES)[number];
  readonly result: string;
  /** The revision of the line that it tells of: no line is told of twice. */
  readonly of?: number;
  /** Of the last one. */
  readonly response?: Response;
}

/** What an iteration ends with: terse, and what is next. */
export interface Response {
  readonly summary: string;
  readonly next: string;
}

/** Those that were reached and that the journal does not have yet, in order. */
export function stagesToNote(state: ProjectState, journal: readonly JournalEntry[]): Stage[] {
  const lines = linesOfIteration(journal);
  const said = lines.filter(({ kind }) => kind === STAGE);
  const isNew = ({ number, result, of }: Stage): boolean =>
    of === undefined
      ? lastOf(said, number)?.["result"] !== result
      : said.every(({ data }) => data?.["of"] !== of);
  return [...beginning(state), ...sessionsOf(lines)].filter(isNew);
}

/**
 * The last stage, as a run ends; undefined where the journal says exactly this already and nothing happened since.
 * `isDone`: nothing is left to do, and the project is about to be Done.
 */
export function endToNote(
  state: ProjectState,
  journal: readonly JournalEntry[],
  isDone: boolean,
): Stage | undefined {
  const lines = linesOfIteration(journal);
  const response = isDone ? responseWhenDone(state, lines) : responseSoFar(state, lines);
  const result = `${response.summary}; next: ${response.next}`;
  const last = lines.findLast(({ kind }) => kind === STAGE)?.data;
  if (last?.["stage"] === STAGES.length && last["result"] === result) return undefined;
  return { ...stage(STAGES.length, result), response };
}

function linesOfIteration(journal: readonly JournalEntry[]): readonly JournalEntry[] {
  const began = journal.findLastIndex(
    ({ kind }) => kind === "reopened" || kind === "project-created",
  );
  return journal.slice(Math.max(0, began));
}

function lastOf(said: readonly JournalEntry[], number: number): JournalEntry["data"] {
  return said.findLast(({ data }) => data?.["stage"] === number)?.data;
}

function stage(number: number, result: string, of?: number): Stage {
  const name = STAGES[number - 1] ?? "respond";
  return { number, name, result, ...(of !== undefined && { of }) };
}

/** Nothing is validated before the plan is approved, and nothing begins once it is over. */
function beginning(state: ProjectState): Stage[] {
  const { status, manifest, plan, scope_guardrails } = state;
  if (status === "Done" || status === "Abandoned") return [];
  const { limits } = scope_guardrails;
  const tasks = withoutChunks(liveTasks(state)).length;
  const by = plan === null ? "" : `approved by ${plan.approved_by}; `;
  const bounds = `bounds: ${limits.tasks_per_session} steps, ${limits.files_per_task} files a step, ${limits.new_files_per_session} new files, ${limits.moves_per_task} moves`;
  return [
    stage(1, `${counted(tasks, "task")} in ${manifest.path}`),
    ...(status === "Draft" ? [] : [stage(2, `${by}${bounds}`)]),
  ];
}

/** What each session did, came to and was judged by. */
function sessionsOf(lines: readonly JournalEntry[]): Stage[] {
  const found: Stage[] = [];
  let last = 0;
  const open: { readonly session: number; readonly task: string }[] = [];
  for (const { kind, revision, data = {} } of lines) {
    const begun = sessionBegunBy(kind, data);
    const task = begun?.task_id ?? stringIn(data["task_id"]) ?? "";
    // The next task of a batch has no session of its own.
    if (begun !== null && begun.session > last) {
      last = begun.session;
      open.push({ session: last, task });
      found.push(stage(3, `session ${last} on ${task}`, revision));
    }
    if (open.length > 0 && isEnd(kind, data)) {
      const asked = stringIn(objectIn(data["question"])?.["task_id"]);
      const own = open.findIndex((each) => each.task === (asked ?? task));
      const [ended] = open.splice(own === -1 ? open.length - 1 : own, 1);
      found.push(stage(4, `session ${ended?.session}: ${endText(data)}`, revision));
    }
    const judged = judgedText(kind, data);
    if (judged !== undefined) found.push(stage(5, `${task}: ${judged}`, revision));
  }
  return found;
}

type Data = NonNullable<JournalEntry["data"]>;

/** Whatever event it is that ends a session, it brings what was measured. */
function isEnd(kind: string, { actual }: Data): boolean {
  return kind === "session-ended" || kind === "attempt-interrupted" || actual !== undefined;
}

function endText({ outcome, reason, actual }: Data): string {
  const said = stringIn(outcome) ?? stringIn(reason) ?? "ended";
  const counts = objectIn(actual);
  if (counts === undefined) return terse(said);
  const of = (key: string): number => numberIn(counts[key]) ?? 0;
  return `${terse(said)}, ${counted(of("files"), "file")} changed, ${of("new_files")} new, ${of("moves")} moved`;
}

function judgedText(kind: string, data: Data): string | undefined {
  if (kind === "output-verified") return passedText(data["evidence"]);
  if (kind !== "checks-recorded") return undefined;
  const result = objectIn(data["result"]);
  if (result?.["passed"] === true) return passedText(result["evidence"]);
  return `failed, ${terse(stringIn(objectIn(result?.["failure"])?.["check"]) ?? "its checks")}`;
}

function passedText(evidence: unknown): string {
  const checks = objectsIn(evidence).filter(({ kind }) => kind === "check").length;
  return checks === 0 ? "passed, no check to run" : `passed, ${counted(checks, "check")}`;
}

function responseWhenDone(state: ProjectState, lines: readonly JournalEntry[]): Response {
  const { project_id, delivery } = state;
  const verb = delivery?.kind === "waiting" ? "deliver" : "verify";
  return { summary: doneText(state, lines), next: `stint ${verb} ${project_id}` };
}

function responseSoFar(state: ProjectState, lines: readonly JournalEntry[]): Response {
  const why = whyNotDone(state);
  return {
    summary: `${doneText(state, lines)}, ${state.status}${why === "" ? "" : `: ${terse(why)}`}`,
    next: nextOf(state),
  };
}

function whyNotDone({ blockers, pause, approval_items, questions }: ProjectState): string {
  const open = [...approval_items, ...questions].filter(({ status }) => status === "open");
  if (pause !== null) return pause.reason;
  if (open.length > 0) return `waits for an answer to ${open.map(({ id }) => id).join(", ")}`;
  return blockers[0]?.reason ?? "";
}

/** One command, or words that end in one. */
function nextOf(state: ProjectState): string {
  const { project_id, status, approval_items, questions, blockers, pause } = state;
  const resume = `stint resume ${project_id}`;
  const approval = approval_items.find((item) => item.status === "open");
  const question = questions.find((item) => item.status === "open");
  if (status === "Abandoned") return `stint status ${project_id}`;
  if (approval !== undefined) return approvalCommands(approval, project_id).yes;
  if (question !== undefined) return questionCommands(question, project_id).yes;
  if (status === "Blocked") return blockers[0]?.unblock ?? `${resume} --retry`;
  if (pause?.kind === "budget") return `${resume} --grant <what>=<amount>`;
  return pause?.resume_at === undefined ? resume : `after ${pause.resume_at}: ${resume}`;
}

/** What the last run of an iteration answered; undefined where it has not come to that. */
export function responseIn(journal: readonly JournalEntry[]): Response | undefined {
  const data = linesOfIteration(journal).findLast(
    ({ kind, data: said }) => kind === STAGE && said?.["stage"] === STAGES.length,
  )?.data;
  const response = objectIn(data?.["response"]);
  const [summary, next] = [stringIn(response?.["summary"]), stringIn(response?.["next"])];
  return summary === undefined || next === undefined ? undefined : { summary, next };
}

function doneText(state: ProjectState, lines: readonly JournalEntry[]): string {
  const tasks = liveTasks(state);
  const done = tasks.filter(({ status }) => status === "done").length;
  const sessions = new Set(readHistory(lines).attempts.map(({ session }) => session)).size;
  return `${state.slug}: ${done} of ${counted(tasks.length, "task")} done in ${counted(sessions, "session")}`;
}

function liveTasks({ tasks }: ProjectState): ProjectState["tasks"] {
  return tasks.filter(({ status }) => status !== "superseded");
}

const LONGEST = 160;

/** The first line, and no more of it than can be read at a glance. */
function terse(text: string): string {
  const [line = ""] = text.trim().split("\n");
  return line.length > LONGEST ? `${line.slice(0, LONGEST - 1)}…` : line;
}
