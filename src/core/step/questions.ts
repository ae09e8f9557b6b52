// Questions to a person, bounded per session.
import { QUESTIONS_PER_SESSION } from "../written/bounds.ts";
import type { EventOf } from "../events.ts";
import { isFinished } from "../eligibility.ts";
import { numberedQuestionId } from "../ids.ts";
import { currentTask } from "../project-state.ts";
import type { Question } from "../schema/items.ts";
import type { ProjectState } from "../schema/project.ts";
import type { Task } from "../schema/task.ts";
import { withAnswer } from "../agent-limits.ts";
import { afterBlocking, blockTask, untilRetried } from "./blockers.ts";
import { type Ruling, change, findTask, named, noSuchTask, refuse, closeItem } from "./ruling.ts";

export function questionAsked(state: ProjectState, event: EventOf<"question-asked">): Ruling {
  const asked = event.question;
  const task = asked.task_id === undefined ? undefined : findTask(state, asked.task_id);
  if (asked.task_id !== undefined && task === undefined) return noSuchTask(asked.task_id);
  if (task !== undefined && isFinished(task) && task.status !== "done") {
    return refuse(`No question can be asked about ${named(task)} because it is ${task.status}.`);
  }
  const twin = state.questions.find(
    (item) => item.status === "open" && item.task_id === asked.task_id && item.text === asked.text,
  );
  if (twin !== undefined) {
    return refuse(`The question was not asked again because it is already open as ${twin.id}.`);
  }
  const asking = sessionAsking(state, event);
  if (asking !== undefined && state.counters.session_questions >= QUESTIONS_PER_SESSION) {
    return oneTooMany(state, asking, event);
  }
  const number = state.counters.questions + 1;
  const id = numberedQuestionId(number);
  const item: Question = { ...asked, id, status: "open", asked_at: event.at };
  const { session_questions } = state.counters;
  return change(
    `asked ${id}: ${asked.text}`,
    {
      questions: [...state.questions, item],
      counters: {
        ...state.counters,
        questions: number,
        session_questions: asking === undefined ? session_questions : session_questions + 1,
      },
    },
    { to: state.status },
  );
}

/** The task in progress, when it is its session that asks. */
function sessionAsking(state: ProjectState, event: EventOf<"question-asked">): Task | undefined {
  if (state.status !== "Running") return undefined;
  const task = currentTask(state);
  if (task?.status !== "in_progress") return undefined;
  return task.attempt.session === event.question.session ? task : undefined;
}

function oneTooMany(state: ProjectState, task: Task, event: EventOf<"question-asked">): Ruling {
  const found = untilRetried(
    "question-limit",
    `The session on ${named(task)} asked more than ${QUESTIONS_PER_SESSION} questions; the last was: ${event.question.text}`,
  );
  const { changes, ...rest } = blockTask(state, task, found, event.at);
  return change(
    `question limit reached on ${named(task)}`,
    { ...changes, ...withAnswer(state, event.answered_by) },
    { ...rest, to: afterBlocking(state, changes) },
  );
}

export function questionAnswered(state: ProjectState, event: EventOf<"question-answered">): Ruling {
  const item = state.questions.find(({ id }) => id === event.question_id);
  if (item?.status !== "open") return refuse(`There is no open question ${event.question_id}.`);
  const { by, channel, at, answer } = event;
  const closed: Question = { ...item, status: "answered", by, channel, answered_at: at, answer };
  const questions = closeItem(state.questions, closed, state.tasks);
  return change(`${by} answered ${item.id}`, { questions });
}

export function questionWithdrawn(
  state: ProjectState,
  event: EventOf<"question-withdrawn">,
): Ruling {
  const item = state.questions.find(({ id }) => id === event.question_id);
  if (item?.status !== "open") return refuse(`There is no open question ${event.question_id}.`);
  const closed: Question = { ...item, status: "withdrawn", closed_at: event.at };
  const questions = closeItem(state.questions, closed, state.tasks);
  return change(`${item.id} is no longer asked: ${event.reason}`, { questions });
}
