// What a person names in an answer, found in the state: an approval, a question, a task.
import { shellWord } from "../../core/written/commands.ts";
import { StintError } from "../../core/stint-error.ts";
import type { Approval, Question } from "../../core/schema/items.ts";
import type { ProjectState } from "../../core/schema/project.ts";
import type { Task } from "../../core/schema/task.ts";

export function namedApproval(state: ProjectState, name: string): Approval {
  const found = state.approval_items.find(({ id }) => id === name);
  if (found !== undefined) return found;
  const isQuestion = state.questions.some(({ id }) => id === name);
  if (isQuestion) {
    const hint = `It is a question: stint answer ${name} "your answer" ${state.project_id}`;
    throw notThere(state, "approval", name, hint);
  }
  const about = state.approval_items.find(
    ({ status, task_id }) => status === "open" && task_id === name,
  );
  throw notThere(
    state,
    "approval",
    name,
    about === undefined
      ? openOnes(state)
      : `It is a task; ${about.id} is asked about it: stint diff ${about.id} ${state.project_id}`,
  );
}

export function namedQuestion(state: ProjectState, name: string): Question {
  const found = state.questions.find(({ id }) => id === name);
  if (found !== undefined) return found;
  const isApproval = state.approval_items.some(({ id }) => id === name);
  throw notThere(
    state,
    "question",
    name,
    isApproval ? `It is an approval: stint diff ${name} ${state.project_id}` : openOnes(state),
  );
}

/** By id or by name; two tasks may have one name, then the id is needed. */
export function namedTask(state: ProjectState, name: string): Task {
  const live = state.tasks.filter(({ status }) => status !== "superseded");
  const exact = state.tasks.find(({ id }) => id === name);
  const found = exact === undefined ? live.filter((task) => task.name === name) : [exact];
  const [only, ...others] = found;
  if (only !== undefined && others.length === 0) return only;
  const ids = found.map(({ id }) => id).join(", ");
  throw new StintError(
    "not-found",
    only === undefined
      ? `${state.project_id} has no task ${shellWord(name)}`
      : `${state.project_id} has several tasks named ${shellWord(name)}: ${ids}`,
    `Name it by its id: stint status ${state.project_id} --all`,
  );
}

/** What was settled is kept for a while; the journal keeps it for good. */
function notThere(
  state: ProjectState,
  what: "approval" | "question",
  name: string,
  hint: string,
): StintError {
  const { project_id: id, counters } = state;
  const number = Number(/^[aq]([1-9]\d{0,8})$/.exec(name)?.[1] ?? 0);
  const isOwn = name.startsWith(what.charAt(0));
  const asked = what === "approval" ? counters.approvals : counters.questions;
  return isOwn && number > 0 && number <= asked
    ? new StintError("not-found", `${id}: ${name} was settled earlier`, `See how: stint log ${id}`)
    : new StintError("not-found", `${id} has no ${what} "${name}"`, hint);
}

function openOnes(state: ProjectState): string {
  const open = [...state.approval_items, ...state.questions]
    .filter(({ status }) => status === "open")
    .map(({ id }) => id);
  return open.length === 0
    ? `Nothing is open: stint status ${state.project_id}`
    : `Open are ${open.join(", ")}: stint status ${state.project_id}`;
}
