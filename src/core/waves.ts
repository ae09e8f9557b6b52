// Which tasks could be worked on beside each other, before anything is: in waves, as if every task took as long as
// every other; and the longest chain of tasks that wait for each other, below which no number of sessions gets. Pure.
import { isFinished } from "./eligibility.ts";
import type { TaskId } from "./ids.ts";
import type { Task } from "./schema/task.ts";

export interface Waves {
  /** What is at work beside each other, one wave after the other. */
  readonly waves: readonly (readonly TaskId[])[];
  /** The first is not waited for by anybody; the others each wait for the one before. */
  readonly longest: readonly TaskId[];
}

export function wavesOf(tasks: readonly Task[], parallel: number): Waves {
  const toDo = tasks.filter((task) => !isFinished(task));
  return { waves: inWaves(tasks, toDo, parallel), longest: longestPath(toDo) };
}

function inWaves(tasks: readonly Task[], toDo: readonly Task[], parallel: number): TaskId[][] {
  const finished = new Set(tasks.filter(isFinished).map(({ id }) => id));
  const waves: TaskId[][] = [];
  let left = toDo;
  while (left.length > 0) {
    const wave = nextWave(left, finished, parallel);
    // Tasks that wait for each other in a circle have no wave.
    if (wave.length === 0) break;
    const ids = wave.map(({ id }) => id);
    for (const id of ids) finished.add(id);
    left = left.filter((task) => !wave.includes(task));
    waves.push(ids);
  }
  return waves;
}

function nextWave(left: readonly Task[], finished: ReadonlySet<TaskId>, most: number): Task[] {
  const wave: Task[] = [];
  for (const [index, task] of left.entries()) {
    if (wave.length >= most) break;
    const isFree =
      task.after === undefined ? index === 0 : task.after.every((id) => finished.has(id));
    if (!isFree) continue;
    if (task.exclusive !== true) wave.push(task);
    // Nothing begins beside it, and nothing before it that comes after it.
    else return wave.length === 0 ? [task] : wave;
  }
  return wave;
}

function longestPath(toDo: readonly Task[]): TaskId[] {
  const paths = new Map<TaskId, TaskId[]>();
  let longest: TaskId[] = [];
  const byId = new Map(toDo.map((task, index) => [task.id, index]));
  const visiting = new Set<TaskId>();
  const pathTo = (index: number): TaskId[] => {
    const task = toDo[index];
    if (task === undefined || visiting.has(task.id)) return [];
    const known = paths.get(task.id);
    if (known !== undefined) return known;
    visiting.add(task.id);
    const before =
      task.after === undefined
        ? toDo.slice(0, index).map((_, at) => at)
        : task.after.flatMap((id) => byId.get(id) ?? []);
    const best = before
      .map(pathTo)
      .reduce((one, other) => (other.length > one.length ? other : one), []);
    visiting.delete(task.id);
    const path = [...best, task.id];
    paths.set(task.id, path);
    return path;
  };
  for (const index of toDo.keys()) {
    const path = pathTo(index);
    if (path.length > longest.length) longest = path;
  }
  return longest;
}
