// New files that are large or look like secrets hold back a commit until a person has said yes to them:
// to what they hold, not to their names. Other content under the same name is another question.
import type { ProjectEvent } from "../core/events.ts";
import type { Approval } from "../core/schema/items.ts";
import type { ProjectState } from "../core/schema/project.ts";
import type { Sha256 } from "../core/schema/scalar.ts";
import type { Task } from "../core/schema/task.ts";
import { approvalRequested } from "./approval-request.ts";
import { piecesOf } from "./own-paths.ts";
import { contentLines, isAboutFiles, subjectPaths, unchangedPaths } from "./output-subject.ts";
import { asking, fact, type RunContext } from "./run-context.ts";
import type { WorkTree } from "./work-tree.ts";

/** The request that holds back a commit for the sake of some of its files. */
export function filesHeld({ approval_items }: ProjectState): Approval | undefined {
  return approval_items.find((item) => item.status === "open" && isAboutFiles(item));
}

/** Files that are ignored by now, or gone, hold back nothing; that is nobody's yes to them. */
export async function filesSettled(
  context: RunContext,
  tasks: readonly Task[],
): Promise<ProjectEvent | null> {
  const { store, holder } = context;
  const held = filesHeld(holder.state);
  const work = held === undefined ? [] : piecesOf(store, holder.state.project_id, tasks);
  if (held === undefined || work.length === 0) return null;
  const still = await context.tree.unwelcome(work);
  if (subjectPaths(held).some((path) => still.includes(path))) return null;
  const reason = "the files are no longer there to be committed";
  return { kind: "approval-outdated", ...fact(context), approval_id: held.id, reason };
}

/** The files that a person allowed, where they hold what they held then. */
export function approvedFiles(
  { approval_items }: ProjectState,
  tree: Pick<WorkTree, "contentNow">,
): string[] {
  return approval_items.flatMap((item) =>
    item.status === "granted" && isAboutFiles(item) ? unchangedPaths(tree, item) : [],
  );
}

export function filesWanted(
  context: RunContext,
  paths: readonly string[],
  reason: string,
  digest: Sha256,
): ProjectEvent {
  const request = approvalRequested(asking(context), {
    kind: "destructive",
    subject: contentLines(context.tree, paths).join("\n"),
    reason,
    on_yes: "they are committed with the rest of the work, as they are now",
    on_no: "nothing is committed until they are gone",
  });
  return { ...request, manifest_digest: digest };
}
