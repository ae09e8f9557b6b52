// A task that is too large becomes chunks: tasks that stand before it, are done before it, and are named in no
// manifest. When they are done it is its turn again, and its own checks look at the whole.
import type { EventOf } from "../events.ts";
import { isEligible, isFinished } from "../eligibility.ts";
import type { TaskId } from "../ids.ts";
import type { ProjectState } from "../schema/project.ts";
import type { Task, TaskIntent } from "../schema/task.ts";
import { plannedTask, restored } from "./task-moves.ts";
import { change, named, refuse, type Ruling } from "./ruling.ts";

/** A workflow, its children, and theirs; what is still too large then needs a person. */
const MOST_LEVELS = 3;

export function taskSplit(state: ProjectState, event: EventOf<"task-split">, task: Task): Ruling {
  if (state.current_task_id !== null || !isEligible(state, task.id)) {
    return refuse(`The ${named(task)} cannot be split now: it is not its turn.`);
  }
  if (!maySplit(state.tasks, task)) {
    return refuse(
      `The ${named(task)} cannot be split: it was split already, or is too deep in the tree.`,
    );
  }
  const first = state.counters.tasks + 1;
  const chunks = event.chunks.map((intent, index) => chunkOf(task, intent, event.chunks, index));
  const wrong = chunks.find(({ id }, index) => id !== `t${first + index}`);
  if (wrong !== undefined) {
    return refuse(`The ${named(task)} cannot be split: ${wrong.id} is not the next free id.`);
  }
  const { too_large: _, ...rest } = task;
  const last = chunks.at(-1);
  const after =
    task.after === undefined || last === undefined ? {} : { after: [...task.after, last.id] };
  // What was done of it so far is its chunks' to go on with.
  const anew = {
    ...rest,
    ...after,
    split_after: task.attempts,
    split_because: event.reason,
  } as Task;
  return change(`split ${named(task)} into ${chunks.length}: ${event.reason}`, {
    tasks: state.tasks.flatMap((each) =>
      each.id === task.id ? [...chunks.map(plannedTask), anew] : [each],
    ),
    counters: { ...state.counters, tasks: state.counters.tasks + chunks.length },
  });
}

export function maySplit(tasks: readonly Task[], task: Task): boolean {
  return levelOf(tasks, task) < MOST_LEVELS && !tasks.some(({ chunk_of }) => chunk_of === task.id);
}

function levelOf(tasks: readonly Task[], { chunk_of }: Task): number {
  const parent = chunk_of === undefined ? undefined : tasks.find(({ id }) => id === chunk_of);
  return parent === undefined ? 1 : 1 + levelOf(tasks, parent);
}

/** One after another, the first where its task would be. */
function chunkOf(
  task: Task,
  intent: TaskIntent,
  chunks: readonly TaskIntent[],
  index: number,
): TaskIntent {
  const before = chunks[index - 1];
  const after =
    task.after === undefined ? {} : { after: before === undefined ? task.after : [before.id] };
  return { ...intent, ...after, chunk_of: task.id };
}

/** The tasks that a manifest names: a chunk has no line and no box. */
export function withoutChunks<T extends Pick<Task, "chunk_of">>(tasks: readonly T[]): T[] {
  return tasks.filter(({ chunk_of }) => chunk_of === undefined);
}

/** The chunks of these tasks, and theirs. */
export function chunksOf(tasks: readonly Task[], of: readonly Task[]): Task[] {
  const ids = new Set<TaskId>(of.map(({ id }) => id));
  const found = tasks.filter(({ chunk_of }) => chunk_of !== undefined && ids.has(chunk_of));
  return found.length === 0 ? [] : [...chunksOf(tasks, found), ...found];
}

/** Tasks as a manifest has them now, each with its chunks before it. */
export function withChunks(kept: readonly Task[], before: readonly Task[]): Task[] {
  if (before.every(({ chunk_of }) => chunk_of === undefined)) return [...kept];
  return kept.flatMap((task) => {
    const own = before.filter(({ chunk_of }) => chunk_of === task.id).map(back);
    return own.length === 0 ? [task] : [...withChunks(own, before), lastFirst(task, own)];
  });
}

/** With its task. */
function back(chunk: Task): Task {
  return chunk.status === "superseded" ? restored(chunk) : chunk;
}

/** What the manifest says it comes after does not name its chunks. */
function lastFirst(task: Task, own: readonly Task[]): Task {
  const last = own.at(-1);
  return task.after === undefined || last === undefined
    ? task
    : { ...task, after: [...task.after.filter((id) => id !== last.id), last.id] };
}

/** Split, and every chunk of it finished: what they did is what it asked for. */
export function doneByChunks(tasks: readonly Task[], task: Task): readonly TaskId[] {
  const own = tasks.filter(({ chunk_of }) => chunk_of === task.id);
  return own.every(isFinished)
    ? own.filter(({ status }) => status === "done").map(({ id }) => id)
    : [];
}
