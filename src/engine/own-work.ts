// Uncommitted changes that are our own: work that is verified but not committed yet, what an attempt
// left for the task's next one, and whatever else lay there when the last run let go, as what checks
// wrote. They must not look like a person's. Known by what the files hold: trees and blobs that nothing
// refers to are gone after some weeks.
import type { ProjectState } from "../core/schema/project.ts";
import type { Task } from "../core/schema/task.ts";
import { type Holder, keptPath, type Store } from "../store/store.ts";
import { wasActBegun } from "./logistics.ts";
import { contentsOf, taskFacts } from "./task-facts.ts";
import type { Contents, WorkTree } from "./work-tree.ts";

const LEFT = keptPath("logs", "left.json");

/** What our files hold, as far back as it matters, or "all" where nobody can say which are ours. */
export function ownContents(store: Store, state: ProjectState): readonly Contents[] | "all" {
  const id = state.project_id;
  const open = state.tasks.filter(isOpenWork);
  if (state.current_task_id !== null) return "all";
  if (open.some((task) => wasActBegun(store, id, task))) return "all";
  const facts = open.map((task) => taskFacts(store, id, task.id));
  if (facts.some(({ trees, left }) => trees.length > 0 && left === undefined)) return "all";
  const bytes = store.kept(id, LEFT);
  const last = bytes === undefined ? {} : (JSON.parse(bytes.toString("utf8")) as Contents);
  return [last, ...facts.map(({ left = {} }) => left)];
}

/** When a run lets go: what is uncommitted now was no person's doing since. */
export async function keepWhatIsLeft(
  holder: Holder,
  store: Store,
  tree: Pick<WorkTree, "hasGit" | "contentNow" | "uncommitted">,
): Promise<void> {
  const text = `${JSON.stringify(contentsOf(tree, await tree.uncommitted()))}\n`;
  const known = store.kept(holder.state.project_id, LEFT)?.toString("utf8") ?? "{}\n";
  if (text !== known) holder.keep(LEFT, text);
}

function isOpenWork(task: Task): boolean {
  if (task.status === "done") return task.commit === undefined;
  // Skipped, or removed from the manifest: what it left is put aside once another task starts.
  return task.status !== "superseded" || task.completion === undefined;
}
