// A task is done in the state; now its box, its commit and its push follow, in this order, each safe
// to repeat. The record of the commit closes it.
import type { ProjectEvent } from "../core/events.ts";
import type { Task } from "../core/schema/task.ts";
import { nowOf, type RunContext, runAuthor } from "./run-context.ts";
import { readStart } from "./session-record.ts";
import { withBoxes } from "./task-boxes.ts";
import { taskFacts } from "./task-facts.ts";

export type DoneTask = Extract<Task, { status: "done" }>;

/** Done by work of this project, but box, commit or push are not recorded yet. */
export function unfinishedTasks(tasks: readonly Task[]): DoneTask[] {
  return tasks.filter(
    (task): task is DoneTask =>
      task.status === "done" &&
      task.commit === undefined &&
      task.evidence.some((evidence) => evidence.kind !== "person"),
  );
}

export type Finished =
  | { readonly kind: "finished"; readonly event: ProjectEvent }
  /** The work is kept, but a person must act before the run goes on. */
  | { readonly kind: "stopped"; readonly event: ProjectEvent };

export async function finishTask(context: RunContext, task: DoneTask): Promise<Finished> {
  const { holder, store, tree } = context;
  const { state } = holder;
  const disk = tree.readManifest();
  if (disk !== undefined) {
    const flipped = withBoxes(disk, state.tasks, [task.id], true);
    if (flipped !== disk) {
      holder.keepManifest(flipped);
      tree.writeManifest(disk, flipped);
    }
  }
  const facts = taskFacts(store, state.project_id, task.id);
  const start =
    facts.first ?? readStart(store, state.project_id, state.counters.sessions)?.start ?? null;
  const outcome =
    start === null
      ? ({ kind: "nothing", commit: null } as const)
      : await tree.commit({
          start,
          subject: `${task.name}: ${task.title}`,
          body: `Verified by Stint: ${evidenceText(task)}`,
          trailers: [
            ["Stint-Project", state.project_id],
            ["Stint-Task", task.id],
            ["Stint-Attempt", String(task.attempts)],
          ],
        });
  switch (outcome.kind) {
    case "committed":
    case "nothing":
      return { kind: "finished", event: await recordCommit(context, task, outcome.commit) };
    case "needs-approval":
      return {
        kind: "stopped",
        event: blocked(
          context,
          "denied",
          `${task.id} is verified but not committed: ${outcome.why} (${outcome.paths.join(", ")})`,
          "Remove or ignore these files, then run again.",
        ),
      };
    case "failed":
      return {
        kind: "stopped",
        event: blocked(
          context,
          "missing-access",
          `${task.id} is verified but could not be committed: ${outcome.why}`,
          outcome.hint,
        ),
      };
    default:
      return outcome satisfies never;
  }
}

async function recordCommit(
  context: RunContext,
  task: DoneTask,
  commit: string | null,
): Promise<ProjectEvent> {
  const pushed = await context.tree.push();
  if (pushed.kind === "failed" || pushed.kind === "ask") {
    context.tell({ kind: "notice", text: `not pushed: ${pushed.why}` });
  }
  const text = context.tree.readManifest();
  return {
    kind: "commit-recorded",
    ...fact(context),
    task_id: task.id,
    commit: commit ?? "none",
    ...(text === undefined ? {} : { manifest_digest: context.holder.keepManifest(text) }),
  };
}

function blocked(
  context: RunContext,
  kind: "denied" | "missing-access",
  reason: string,
  unblock: string,
): ProjectEvent {
  return { kind: "blocked", ...fact(context), blocker: { kind, reason, unblock } };
}

function evidenceText(task: DoneTask): string {
  return task.evidence
    .map((evidence) => (evidence.kind === "check" ? evidence.path : evidence.kind))
    .join(", ");
}

function fact(context: RunContext) {
  return { at: nowOf(context), by: runAuthor(context) };
}
