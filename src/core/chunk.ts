// The smallest executable unit of work: one objective and one validation target, taken from one task.
import { isNonEmpty, type NonEmpty } from "./brand.ts";
import type { TaskId } from "./ids.ts";
import type { Check } from "./schema/check.ts";
import type { Task } from "./schema/task.ts";

export type ValidationTarget =
  /** All of them pass. */
  | { readonly kind: "checks"; readonly checks: NonEmpty<Check> }
  /** Stint's own command ends with exit code 0. */
  | { readonly kind: "command"; readonly command: string }
  /** Stint's own call is answered with success. */
  | { readonly kind: "webhook"; readonly url: string }
  /** Something changed; only docs count as something where the task is about docs. */
  | { readonly kind: "diff"; readonly docs_count: boolean };

export interface Chunk {
  readonly task_id: TaskId;
  readonly objective: string;
  readonly target: ValidationTarget;
}

export function chunkOf(task: Task): Chunk {
  return { task_id: task.id, objective: task.title, target: targetOf(task) };
}

function targetOf(task: Task): ValidationTarget {
  const checks = task.checks ?? [];
  if (isNonEmpty(checks)) return { kind: "checks", checks };
  if (task.run !== undefined) return { kind: "command", command: task.run };
  if (task.webhook !== undefined) return { kind: "webhook", url: task.webhook };
  return { kind: "diff", docs_count: task.docs_only === true };
}
