// The boxes of a manifest by task id: the text knows boxes, the state knows ids.
import type { TaskId } from "../../core/ids.ts";
import type { Task } from "../../core/schema/task.ts";
import { asKnown } from "../../manifest/edit/reconcile-manifest.ts";
import { setMarks } from "../../manifest/edit/edit-manifest.ts";
import type { ManifestTask } from "../../manifest/manifest-document.ts";
import { matchTasks } from "../../manifest/edit/match-tasks.ts";
import { normaliseManifest } from "../../manifest/normalise-manifest.ts";
import { parseManifest } from "../../manifest/parse-manifest.ts";
import type { Plan, PlannedTask } from "../../manifest/plan.ts";

export interface WrittenTask {
  readonly planned: PlannedTask;
  readonly item: ManifestTask;
}

export interface WrittenTasks {
  readonly plan: Plan;
  readonly byId: ReadonlyMap<TaskId, WrittenTask>;
}

export function writtenTasks(text: string, tasks: readonly Task[]): WrittenTasks {
  const document = parseManifest(text);
  const { plan } = normaliseManifest(document);
  const live = tasks.filter((task) => task.status !== "superseded");
  const { knownOf } = matchTasks(live.map(asKnown), plan.tasks);
  const byId = new Map<TaskId, WrittenTask>();
  for (const [index, planned] of plan.tasks.entries()) {
    const task = live[knownOf[index] ?? -1];
    const item = document.tasks[index];
    if (task !== undefined && item !== undefined) byId.set(task.id, { planned, item });
  }
  return { plan, byId };
}

/** The text with the boxes of these tasks set so; as it was where they already are. */
export function withBoxes(
  text: string,
  tasks: readonly Task[],
  ids: readonly TaskId[],
  checked: boolean,
): string {
  if (ids.length === 0) return text;
  const { byId } = writtenTasks(text, tasks);
  const items = ids.flatMap((id) => byId.get(id)?.item ?? []);
  const all = setMarks(text, items, checked);
  if (all.ok) return all.text;
  // One of them cannot be set without changing more than itself; the others can.
  let result = text;
  for (const item of items) {
    const edited = setMarks(result, [item], checked);
    if (edited.ok) result = edited.text;
  }
  return result;
}
