// New files that are large or look like secrets hold back a commit until a person has said yes to them:
// to what they hold, not to their names. Other content under the same name is another question.
import type { ProjectEvent } from "../../core/events.ts";
import type { TaskId } from "../../core/ids.ts";
import type { Approval } from "../../core/schema/items.ts";
import type { ProjectState } from "../../core/schema/project.ts";
import type { Sha256 } from "../../core/schema/scalar.ts";
import type { Task } from "../../core/schema/task.ts";
import { approvalRequested } from "../base/approval-request.ts";
import { contentLines, isAboutFiles, unchangedPaths } from "./output-subject.ts";
import { asking } from "../base/fact.ts";
import type { RunContext } from "../base/run-context.ts";
import type { Contents } from "../base/work-done.ts";

/** The request that holds back a commit for the sake of some of its files. */
export function filesHeld({ approval_items }: ProjectState): Approval | undefined {
  return approval_items.find((item) => item.status === "open" && isAboutFiles(item));
}

/** The files that a person allowed, where they hold what they held then. */
export function approvedFiles({ approval_items }: ProjectState, contents: Contents): string[] {
  return approval_items.flatMap((item) =>
    item.status === "granted" && isAboutFiles(item) ? unchangedPaths(contents, item) : [],
  );
}

/** A person's no to exactly these files. */
export function deniedFiles(
  { approval_items }: ProjectState,
  contents: Contents,
  paths: readonly string[],
): Extract<Approval, { status: "denied" }> | null {
  const subject = contentLines(contents, paths).join("\n");
  const last = approval_items.findLast((item) => isAboutFiles(item) && item.subject === subject);
  return last?.status === "denied" ? last : null;
}

/** Whether it holds back the commit of this task. */
export function isAboutFilesOf(item: Approval, id: TaskId): boolean {
  return isAboutFiles(item) && item.about?.split(" ").includes(id) === true;
}

export function filesWanted(
  context: RunContext,
  contents: Contents,
  paths: readonly string[],
  { tasks, why, digest }: Held,
): ProjectEvent {
  const names = tasks.map(({ id }) => id).join(", ");
  const request = approvalRequested(asking(context), {
    kind: "destructive",
    subject: contentLines(contents, paths).join("\n"),
    about: tasks.map(({ id }) => id).join(" "),
    reason: `${names}: verified but not committed: ${why}. Allow them, or say no and have the task worked on again`,
    on_yes: "they are committed with the rest of the work, as they are now",
    on_no: "the task is blocked; retry has it worked on again, with your reason in the brief",
  });
  return { ...request, manifest_digest: digest };
}

interface Held {
  readonly tasks: readonly Task[];
  readonly why: string;
  readonly digest: Sha256;
}
