// What exactly a person is asked to approve of a task's output: its files by their content. Other tasks
// may go on in the same work tree; only a change of these very files makes the question another one.
import type { Approval } from "../core/schema/items.ts";
import type { Grant, Task } from "../core/schema/task.ts";
import { grantOf } from "../core/task-moves.ts";
import type { WorkDone, WorkTree } from "./work-tree.ts";

const LINE = /^(absent|folder|(?:link|file|program):[0-9a-f]{64}) (.+)$/;

export function outputSubject(
  tree: Pick<WorkTree, "contentNow">,
  task: Pick<Task, "id" | "title">,
  work: Pick<WorkDone, "paths">,
): string {
  const paths = [...work.paths].toSorted();
  const lines = paths.map((path) => `${tree.contentNow(path)} ${JSON.stringify(path)}`);
  return [`the output of ${task.id} "${task.title}"`, ...lines].join("\n");
}

/** The paths that an output's subject names. */
export function subjectPaths({ subject }: Pick<Approval, "subject">): string[] {
  return subject.split("\n").flatMap((line) => {
    const path = LINE.exec(line)?.[2];
    return path === undefined ? [] : [JSON.parse(path) as string];
  });
}

/** The subject as it would be now, where that is another; null where it is still what was shown. */
export function changedSubject(
  tree: Pick<WorkTree, "contentNow">,
  item: Pick<Approval, "subject">,
): string | null {
  const now = item.subject
    .split("\n")
    .map((line) => {
      const path = LINE.exec(line)?.[2];
      return path === undefined ? line : `${tree.contentNow(JSON.parse(path) as string)} ${path}`;
    })
    .join("\n");
  return now === item.subject ? null : now;
}

/** Approvals of what files hold, which may be other files by the time of the answer. */
export function isAboutOutput({ kind }: Pick<Approval, "kind">): boolean {
  return kind === "task-after";
}

/** A person's yes to the output, if it still is what they said yes to. */
export function outputGrant(
  tree: Pick<WorkTree, "contentNow">,
  task: Task,
  approvals: readonly Approval[],
): Grant | null {
  const grant = grantOf(task, "task-after");
  // What was shown is forgotten after a while; then it has to be shown again.
  const item = approvals.find(({ id }) => id === grant?.approval_id);
  if (grant === undefined || item?.subject_sha256 !== grant.subject_sha256) return null;
  return changedSubject(tree, item) === null ? grant : null;
}
