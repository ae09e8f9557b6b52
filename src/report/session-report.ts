// One run told in the exact lines of the multi-session method: what a list was when it was created
// or loaded, what became of each task, and the id that the next session needs. Pure: everything
// comes from the persisted state and its journal. The last two lines claim success only when the
// three criteria were found to hold.
import { type History, readHistory } from "../core/history.ts";
import type { JournalEntry, ProjectState } from "../core/schema/project.ts";
import type { Task } from "../core/schema/task.ts";
import type { RunView, VerifyView } from "../core/schema/views.ts";
import { visibleLine } from "./visible.ts";

export interface SessionStory {
  readonly state: ProjectState;
  readonly lines: readonly JournalEntry[];
  /** The revision that the run found. */
  readonly since: number;
  /** The three criteria as they stand after the run. */
  readonly verdict: VerifyView;
}

export function sessionReport(story: SessionStory): NonNullable<RunView["report"]> {
  const { state, lines, since } = story;
  const history = readHistory(lines);
  const session = history.runs.filter(({ first }) => first <= since).length + 1;
  const tasks = state.tasks.filter(({ status }) => status !== "superseded");
  return {
    session,
    lines: [
      `Multi-Session Orchestration: SESSION ${session}`,
      `TaskList ${session === 1 ? "Created" : "Loaded"}: ${state.project_id}`,
      ...tasks.map(
        (task) => `[${task.id}] ${visibleLine(task.name)}: ${statusIn(task, history, since)}`,
      ),
      "",
      endLine(state, session),
      ...(session === 1 ? [] : continuationLines(story, history)),
      ...(state.status === "Done"
        ? []
        : [`TaskList ID: ${state.project_id} - Save this for Session ${session + 1}`]),
    ],
  };
}

/** PENDING, IN_PROGRESS and COMPLETE are all the words there are. */
function statusIn(task: Task, { completions, attempts }: History, since: number): string {
  switch (task.status) {
    case "done": {
      const done = completions.get(task.id)?.revision ?? 0;
      if (done <= since) return "COMPLETE (status preserved)";
      const began = attempts.some((each) => each.task_id === task.id && each.revision < done);
      return `${began ? "IN_PROGRESS" : "PENDING"} -> COMPLETE`;
    }
    case "in_progress":
    case "validating":
    case "awaiting_result":
    case "awaiting_approval":
      return "IN_PROGRESS";
    case "pending":
    case "superseded":
      return "PENDING";
    case "blocked":
    case "skipped":
      return `PENDING (${task.status})`;
    default:
      return task satisfies never;
  }
}

function endLine(state: ProjectState, session: number): string {
  const isOrderly =
    state.status === "Done" || (state.status === "Paused" && state.pause.kind === "requested");
  if (isOrderly) return `SESSION ${session} COMPLETE`;
  return `SESSION ${session} ENDED: ${state.status}. ${visibleLine(state.next_action)}`;
}

function continuationLines({ verdict, since }: SessionStory, history: History): string[] {
  const problems = verdict.criteria.flatMap((criterion) =>
    criterion.problems.map((problem) => `${criterion.name}: ${problem}`),
  );
  const began = history.attempts.find(({ revision }) => revision > since)?.revision;
  const wasVerified = history.verified.some(
    (revision) => revision > since && (began === undefined || revision < began),
  );
  if (!wasVerified) problems.push("the state was not verified before work began");
  if (verdict.passed && wasVerified) {
    return ["Cross-Session Continuation: SUCCESS", "Task State Persistence: VERIFIED"];
  }
  return [
    "Cross-Session Continuation: FAILED",
    "Task State Persistence: NOT VERIFIED",
    ...problems.map((problem) => `  - ${visibleLine(problem)}`),
  ];
}
