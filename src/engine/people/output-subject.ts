// What exactly a person is asked to approve of files: by their content in the kept work of the task, with what
// an act of the manifest said, or by how much it is beyond the limits. Only a change of these very files
// makes the question another one.
import type { ProjectEvent } from "../../core/events.ts";
import type { TaskId } from "../../core/ids.ts";
import { nextToFinish } from "../../core/project-state.ts";
import type { Approval } from "../../core/schema/items.ts";
import type { ProjectState } from "../../core/schema/project.ts";
import type { Sha256 } from "../../core/schema/scalar.ts";
import type { Grant, Task } from "../../core/schema/task.ts";
import { grantOf } from "../../core/step/task-moves.ts";
import { approvalRequested, asking } from "../base/fact.ts";
import { type Kept, memoryOf } from "../base/kept-record.ts";
import type { RunContext } from "../base/run-context.ts";

/** Paths, each with what is there as one short word. */
export type Contents = Readonly<Record<string, string>>;

/** A file and its content. Whatever else stands in a subject is indented, so that it is never one. */
const LINE =
  /^(absent|folder|(?:link|file|program|tree):[0-9a-f]{64}) ("(?:[^"\\]|\\["\\bfnrt]|\\u[0-9a-f]{4})*")$/;
const INDENT = "  ";

export function outputSubject(
  contents: Contents,
  task: Pick<Task, "id" | "title" | "checks">,
  { paths }: { readonly paths: readonly string[] },
  act: string | null = null,
): string {
  return [
    `the output of ${task.id} "${task.title}"`,
    ...contentLines(contents, [...new Set([...paths, ...checkedPaths(task)])]),
    ...(act === null ? [] : [indented(act)]),
  ].join("\n");
}

/** What its checks look at is part of the output, also where git ignores it. */
export function checkedPaths({ checks = [] }: Pick<Task, "checks">): string[] {
  return checks.flatMap((check) =>
    check.kind === "file" || check.kind === "render" ? [check.path] : [],
  );
}

/** One line for each path: what is there, and its name. */
export function contentLines(contents: Contents, paths: readonly string[]): string[] {
  return [...paths]
    .toSorted()
    .map((path) => `${contentAt(contents, path)} ${JSON.stringify(path)}`);
}

/** The paths that a subject names. */
export function subjectPaths(item: Pick<Approval, "subject">): string[] {
  return shownFiles(item).map(({ path }) => path);
}

/** Those that hold what was shown. */
export function unchangedPaths(contents: Contents, item: Pick<Approval, "subject">): string[] {
  return shownFiles(item)
    .filter(({ path, content }) => contentAt(contents, path) === content)
    .map(({ path }) => path);
}

/** Whether the files that a subject names are no longer those that were shown. */
export function isChanged(contents: Contents, item: Pick<Approval, "subject">): boolean {
  return unchangedPaths(contents, item).length < shownFiles(item).length;
}

/** A path that nobody changed has no content of the task's own. */
function contentAt(contents: Contents, path: string): string {
  return contents[path] ?? "absent";
}

function shownFiles({ subject }: Pick<Approval, "subject">): { path: string; content: string }[] {
  return subject.split("\n").flatMap((line) => {
    const [, content, path] = LINE.exec(line) ?? [];
    if (content === undefined || path === undefined) return [];
    return [{ path: JSON.parse(path) as string, content }];
  });
}

/** What the act said, where the output is that of one; or what is beyond the limits. */
export function subjectAct({ subject }: Pick<Approval, "subject">): string | null {
  const lines = subject.split("\n").filter((line) => line.startsWith(INDENT));
  return lines.length === 0 ? null : lines.map((line) => line.slice(INDENT.length)).join("\n");
}

/** Approvals of what files hold, which may be other files by the time of the answer. */
export function isAboutContent(item: Pick<Approval, "kind" | "task_id">): boolean {
  return isAboutWork(item) || isAboutFiles(item);
}

/** What a task made: its output, or how much more of it there is than the limits allow. */
export function isAboutWork({ kind }: Pick<Approval, "kind">): boolean {
  return kind === "task-after" || kind === "limit";
}

/** Files that hold back a commit: they are large, or look like secrets. */
export function isAboutFiles({ kind, task_id }: Pick<Approval, "kind" | "task_id">): boolean {
  return kind === "destructive" && task_id === undefined;
}

/** A person's yes to the output, if it still is what they said yes to. */
export function outputGrant(
  contents: Contents,
  task: Task,
  approvals: readonly Approval[],
  act: string | null = null,
): Grant | null {
  const grant = grantOf(task, "task-after");
  const item = approvedOutput(task, approvals);
  if (grant === undefined || item === null || isChanged(contents, item)) return null;
  return subjectAct(item) === act ? grant : null;
}

/** What a person said yes to. It is forgotten after a while; then it has to be shown again. */
export function approvedOutput(task: Task, approvals: readonly Approval[]): Approval | null {
  const grant = grantOf(task, "task-after");
  const item = approvals.find(({ id }) => id === grant?.approval_id);
  return item === undefined || item.subject_sha256 !== grant?.subject_sha256 ? null : item;
}

function indented(text: string): string {
  return text
    .split("\n")
    .map((line) => `${INDENT}${line}`)
    .join("\n");
}

/** As the kept work of the task holds them, not as they lie around by now: other tasks may be at work since. */
export function contentsAskedAbout(
  context: Kept & { readonly holder: { readonly state: ProjectState } },
  { task_id }: Pick<Approval, "task_id">,
): Contents {
  const { state } = context.holder;
  // Files that hold back a commit are those of the tasks that it is made for.
  const tasks =
    task_id === undefined ? nextToFinish(state) : state.tasks.filter(({ id }) => id === task_id);
  return contentsOfTasks(context, tasks);
}

export function contentsOfTasks(kept: Kept, tasks: readonly Pick<Task, "id">[]): Contents {
  const each = tasks.map(({ id }) => memoryOf(kept, id).work?.contents ?? {});
  return Object.assign({}, ...each) as Contents;
}

/**
 * New files that are large or look like secrets hold back a commit until a person has said yes to what they
 * hold: the request for it.
 */
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
  held: { readonly tasks: readonly Task[]; readonly why: string; readonly digest: Sha256 },
): ProjectEvent {
  const { tasks, why, digest } = held;
  const names = tasks.map(({ id }) => id).join(", ");
  const request = approvalRequested(asking(context), {
    kind: "destructive",
    subject: contentLines(contents, paths).join("\n"),
    about: tasks.map(({ id }) => id).join(" "),
    reason: `${names}: verified but not committed: ${why}. Allow them, or say no and let a session work on the task again`,
    on_yes: "they are committed with the rest of the work, as they are now",
    on_no:
      "the task is blocked; after retry a session works on it again, with your reason in its brief",
  });
  return { ...request, manifest_digest: digest };
}
