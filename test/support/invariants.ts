// What must hold of every state and the types cannot say. An empty list means the state is sound;
// each sentence names what is wrong with it.
import { firstEligible } from "../../src/core/eligibility.ts";
import { isTerminal } from "../../src/core/project-state.ts";
import type { ProjectState } from "../../src/core/schema/project.ts";
import type { Task } from "../../src/core/schema/task.ts";
import { highestNumber } from "../../src/core/step/manifest.ts";

export function violations(state: ProjectState): string[] {
  const byId = new Map(state.tasks.map((task) => [task.id as string, task]));
  return [
    ...duplicates("task", state.tasks),
    ...duplicates("approval", state.approval_items),
    ...duplicates("question", state.questions),
    ...duplicates("dispatch", state.dispatches),
    ...currentTaskProblems(state, byId),
    ...taskProblems(state),
    ...itemProblems(state, byId),
    ...statusProblems(state),
    ...counterProblems(state),
  ];
}

function duplicates(what: string, items: readonly { readonly id: string }[]): string[] {
  const seen = new Set<string>();
  return items.flatMap(({ id }) => {
    if (seen.has(id)) return [`There are two ${what}s with the id ${id}.`];
    seen.add(id);
    return [];
  });
}

/** What the task in hand may be doing in each status that has one. */
const CURRENT_TASK_STATUS = {
  Running: ["in_progress"],
  Validating: ["validating"],
  Paused: ["in_progress", "validating"],
} as const satisfies Partial<Record<ProjectState["status"], readonly Task["status"][]>>;

function currentTaskProblems(state: ProjectState, byId: ReadonlyMap<string, Task>): string[] {
  const problems = state.tasks
    .filter((task) => task.status === "in_progress" || task.status === "validating")
    .filter((task) => task.id !== state.current_task_id)
    .map((task) => `Task ${task.id} is ${task.status} but is not the current task.`);
  if (state.current_task_id === null) return problems;
  const task = byId.get(state.current_task_id);
  const allowed: readonly string[] = CURRENT_TASK_STATUS[state.status];
  if (task === undefined)
    problems.push(`The current task ${state.current_task_id} does not exist.`);
  else if (!allowed.includes(task.status)) {
    problems.push(
      `The current task ${task.id} is ${task.status} while the project is ${state.status}.`,
    );
  }
  return problems;
}

function taskProblems(state: ProjectState): string[] {
  const openApprovals = new Map(
    state.approval_items
      .filter((item) => item.status === "open")
      .map((item) => [item.id, item.task_id]),
  );
  const sent = new Map(
    state.dispatches
      .filter((item) => item.status === "sent")
      .map((item) => [item.id, item.task_id]),
  );
  const blocking = new Set(state.blockers.map((blocker) => blocker.task_id));
  return state.tasks.flatMap((task) => {
    if (task.status === "done" && task.evidence.length === 0) {
      return [`Task ${task.id} is done without evidence.`];
    }
    if (task.status === "blocked" && !blocking.has(task.id)) {
      return [`Task ${task.id} is blocked but no blocker names it.`];
    }
    if (task.status === "awaiting_approval" && openApprovals.get(task.approval_id) !== task.id) {
      return [`Task ${task.id} waits for ${task.approval_id}, which is not open for it.`];
    }
    if (task.status === "awaiting_result" && sent.get(task.dispatch_id) !== task.id) {
      return [`Task ${task.id} waits for ${task.dispatch_id}, which is not out for it.`];
    }
    if ("attempt" in task && task.attempt !== undefined && task.attempt.number > task.attempts) {
      return [`Task ${task.id} is in attempt ${task.attempt.number} of ${task.attempts} started.`];
    }
    return [];
  });
}

function itemProblems(state: ProjectState, byId: ReadonlyMap<string, Task>): string[] {
  const named = [
    ...state.approval_items.filter((item) => item.status === "open"),
    ...state.questions.filter((item) => item.status === "open"),
    ...state.dispatches.filter((item) => item.status === "sent"),
  ];
  const orphans = named.flatMap(({ id, task_id }) =>
    task_id !== undefined && !byId.has(task_id)
      ? [`${id} is open for task ${task_id}, which does not exist.`]
      : [],
  );
  const idle = state.blockers.flatMap(({ task_id }) =>
    task_id !== undefined && byId.get(task_id)?.status !== "blocked"
      ? [`A blocker names task ${task_id}, which is not blocked.`]
      : [],
  );
  const unawaited = state.dispatches.flatMap(({ id, status, task_id }) =>
    status === "sent" && byId.get(task_id)?.status !== "awaiting_result"
      ? [`Dispatch ${id} is out for task ${task_id}, which does not wait for it.`]
      : [],
  );
  return [...orphans, ...idle, ...unawaited];
}

function statusProblems(state: ProjectState): string[] {
  const problems: string[] = [];
  const hasOpenItem = [...state.approval_items, ...state.questions].some(
    (i) => i.status === "open",
  );
  const isResultOut = state.dispatches.some((dispatch) => dispatch.status === "sent");
  const isWaiting =
    state.status === "AwaitingApproval" ||
    state.status === "AwaitingResult" ||
    state.status === "Blocked";
  if (state.status === "AwaitingApproval" && !hasOpenItem) {
    problems.push("The project awaits approval but nothing is open.");
  }
  if (state.status === "AwaitingResult" && !isResultOut) {
    problems.push("The project awaits a result but no dispatch is out.");
  }
  if (state.status === "Blocked" && state.blockers.length === 0) {
    problems.push("The project is Blocked without a blocker.");
  }
  if (isWaiting && firstEligible(state) !== undefined) {
    problems.push(`The project is ${state.status} although a task is eligible.`);
  }
  if (isTerminal(state) && (hasOpenItem || isResultOut)) {
    problems.push(`The project is ${state.status} but something is still open.`);
  }
  if (state.status === "Done") {
    const left = state.tasks.find(
      (task) => !["done", "skipped", "superseded"].includes(task.status),
    );
    if (left !== undefined)
      problems.push(`The project is Done but task ${left.id} is ${left.status}.`);
  }
  if (!["Draft", "Abandoned"].includes(state.status) && state.plan === null) {
    problems.push(`The project is ${state.status} without an approved plan.`);
  }
  return problems;
}

function counterProblems(state: ProjectState): string[] {
  const { counters, tasks } = state;
  const used = [
    ["tasks", highestNumber(tasks)],
    ["attempts", tasks.reduce((sum, task) => sum + task.attempts, 0)],
    ["sessions", highestSession(tasks)],
    ["approvals", highestOf(state.approval_items)],
    ["questions", highestOf(state.questions)],
    ["dispatches", highestOf(state.dispatches)],
  ] as const;
  return used.flatMap(([kind, number]) =>
    counters[kind] < number
      ? [`The counter of ${kind} is ${counters[kind]} but ${number} is used.`]
      : [],
  );
}

function highestSession(tasks: readonly Task[]): number {
  let highest = 0;
  for (const task of tasks) {
    if ("attempt" in task && task.attempt !== undefined) {
      highest = Math.max(highest, task.attempt.session);
    }
  }
  return highest;
}

function highestOf(items: readonly { readonly id: string }[]): number {
  return items.reduce((highest, { id }) => Math.max(highest, Number(id.slice(1))), 0);
}
