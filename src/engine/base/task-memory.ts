// Where what is remembered of a task is kept. Nothing else reads or writes it.
import type { ProjectId, TaskId } from "../../core/ids.ts";
import { type TaskMemory, taskMemory } from "../../core/schema/session-records.ts";
import type { Task } from "../../core/schema/task.ts";
import { asStarted, NOTHING_REMEMBERED } from "../../core/task-memory.ts";
import { type Holder, type KeptPath, keptPath, type Store } from "../../store/store.ts";
import { keepRecord, keepRecordWithNext, readKept } from "./kept-record.ts";

export function memoryOf(store: Store, id: ProjectId, task: TaskId): TaskMemory {
  return readKept(store, id, pathOf(task), taskMemory) ?? NOTHING_REMEMBERED;
}

/** As it counts: what a start that was never persisted left is not among it. */
export function memoryOfStarted(store: Store, id: ProjectId, task: Task): TaskMemory {
  return asStarted(memoryOf(store, id, task.id), task);
}

interface Kept {
  readonly holder: Holder;
  readonly store: Store;
}
type Move = (memory: TaskMemory) => TaskMemory;

/** Durable with the next revision, which tells what came of it. */
export function remember(kept: Kept, task: TaskId, move: Move): void {
  keepMoved(kept, task, move, keepRecordWithNext);
}

/** Durable when it returns: before something begins that cannot be undone. */
export function rememberNow(kept: Kept, task: TaskId, move: Move): void {
  keepMoved(kept, task, move, keepRecord);
}

function keepMoved(
  { holder, store }: Kept,
  task: TaskId,
  move: Move,
  keep: typeof keepRecord,
): void {
  const before = memoryOf(store, holder.state.project_id, task);
  keep(holder, store, pathOf(task), move(before));
}

function pathOf(task: TaskId): KeptPath {
  return keptPath("artifacts", "tasks", `${task}.json`);
}
