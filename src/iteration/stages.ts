// The six stages of an iteration, as a project lives them: what each came to, from its state and its journal alone.
// An iteration lasts from the creation of its project, or from when it was reopened, until it is Done. Pure.
import { readHistory } from "../core/history.ts";
import { stringIn } from "../core/json-line.ts";
import type { JournalEntry, ProjectState } from "../core/schema/project.ts";
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
}

/** What an iteration ends with: terse, and what is next. */
export interface Response {
  readonly summary: string;
  readonly next: string;
}

/** Those of this iteration up to `reached` that the journal does not have yet, in order. */
export function stagesToNote(
  state: ProjectState,
  journal: readonly JournalEntry[],
  reached: number,
): Stage[] {
  const lines = linesOfIteration(journal);
  const seen = new Set(
    lines.filter(({ kind }) => kind === STAGE).map(({ data }) => data?.["stage"]),
  );
  return STAGES.slice(0, reached).flatMap((name, index) =>
    seen.has(index + 1) ? [] : [{ number: index + 1, name, result: RESULTS[name](state, lines) }],
  );
}

function linesOfIteration(journal: readonly JournalEntry[]): readonly JournalEntry[] {
  const began = journal.findLastIndex(
    ({ kind }) => kind === "reopened" || kind === "project-created",
  );
  return journal.slice(Math.max(0, began));
}

type Result = (state: ProjectState, lines: readonly JournalEntry[]) => string;

const RESULTS: Readonly<Record<(typeof STAGES)[number], Result>> = {
  parse: (state) => `${counted(liveTasks(state).length, "task")} in ${state.manifest.path}`,
  validate(state) {
    const { limits } = state.scope_guardrails;
    const by = state.plan === null ? "" : `approved by ${state.plan.approved_by}; `;
    return `${by}bounds: ${limits.tasks_per_session} steps, ${limits.files_per_task} files a step, ${limits.new_files_per_session} new files, ${limits.moves_per_task} moves`;
  },
  execute: (_, lines) => `${counted(sessionsIn(lines), "session")} ended`,
  "process results"(state, lines) {
    const commits = new Set(
      lines.flatMap(({ kind, data }) => (kind === "commit-recorded" ? [data?.["commit"]] : [])),
    );
    commits.delete("none");
    return `${doneText(state)}, ${counted(commits.size, "commit")}`;
  },
  "run checks"(state) {
    const done = liveTasks(state).filter(({ status }) => status === "done");
    const checks = done.reduce((sum, task) => sum + (task.checks?.length ?? 0), 0);
    return checks === 0 ? "no check to run" : `${counted(checks, "check")} passed`;
  },
  respond(state, lines) {
    const { summary, next } = responseAtEnd(state, lines);
    return `${summary}; next: ${next}`;
  },
};

function responseAtEnd(state: ProjectState, lines: readonly JournalEntry[]): Response {
  const { slug, project_id, delivery } = state;
  const verb = delivery?.kind === "waiting" ? "deliver" : "verify";
  return {
    summary: `${slug}: ${doneText(state)} in ${counted(sessionsIn(lines), "session")}`,
    next: `stint ${verb} ${project_id}`,
  };
}

/** What the last iteration of a journal answered; undefined where it has not come to that. */
export function responseIn(journal: readonly JournalEntry[]): Response | undefined {
  const line = linesOfIteration(journal).findLast(
    ({ kind, data }) => kind === STAGE && data?.["stage"] === STAGES.length,
  );
  const result = stringIn(line?.data?.["result"]) ?? "";
  const [summary, next] = result.split("; next: ");
  return summary === undefined || next === undefined ? undefined : { summary, next };
}

function doneText(state: ProjectState): string {
  const tasks = liveTasks(state);
  const done = tasks.filter(({ status }) => status === "done").length;
  return `${done} of ${counted(tasks.length, "task")} done`;
}

function liveTasks({ tasks }: ProjectState): ProjectState["tasks"] {
  return tasks.filter(({ status }) => status !== "superseded");
}

function sessionsIn(lines: readonly JournalEntry[]): number {
  return new Set(readHistory(lines).attempts.map(({ session }) => session)).size;
}
