// A task is done in the state; now its box, its commit and its push follow, in this order, each safe
// to repeat. The record of the commit closes it.
import type { ProjectEvent } from "../core/events.ts";
import type { ProjectState } from "../core/schema/project.ts";
import type { Sha256 } from "../core/schema/scalar.ts";
import type { Task } from "../core/schema/task.ts";
import { hasGrant } from "../core/task-moves.ts";
import { approvedFiles, filesWanted } from "./files-approval.ts";
import { approvedOutput, isAboutOutput, isChanged, subjectPaths } from "./output-subject.ts";
import { fact, type RunContext } from "./run-context.ts";
import { readStart } from "./session-record.ts";
import { describeCheck } from "../checks/check-text.ts";
import { runChecks } from "./run-checks.ts";
import { keepKnownCommits } from "./known-commits.ts";
import { pathsOfOthers, piecesOf } from "./own-paths.ts";
import { setBoxes } from "./set-boxes.ts";
import { isPushAllowed, pushBlocked, tellPushed } from "./settle-push.ts";
import { keepTaskFacts, taskFacts } from "./task-facts.ts";
import type { Piece, StartPoint } from "./work-tree.ts";

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

/** The tasks that one commit is made for: one that a person said yes to has its own. */
export function nextToFinish({ tasks }: ProjectState): DoneTask[] {
  const unfinished = unfinishedTasks(tasks);
  const [first] = unfinished;
  if (first !== undefined && hasGrant(first, "task-after")) return [first];
  return unfinished.filter((task) => !hasGrant(task, "task-after"));
}

/**
 * Nothing but what the person was shown, where they said yes to it; else what the sessions changed, where
 * that is known, and all that no other task has in hand where it is not.
 */
async function workOf(
  { store, tree, holder }: RunContext,
  tasks: readonly DoneTask[],
): Promise<Piece[]> {
  const { state } = holder;
  const pieces = piecesOf(store, state.project_id, tasks);
  const [task] = tasks;
  const shown = task === undefined ? null : approvedOutput(task, state.approval_items);
  if (shown !== null) return pieces.map((piece) => ({ ...piece, only: subjectPaths(shown) }));
  const ids = tasks.map(({ id }) => id);
  const others = pathsOfOthers(store, state, ids);
  if (others.size === 0) return pieces;
  const each = pieces.map(async (piece): Promise<Piece> => {
    if (piece.only !== undefined) return piece;
    const { paths } = await tree.workSince(piece.start);
    return { ...piece, only: paths.filter((path) => !others.has(path)) };
  });
  return await Promise.all(each);
}

/**
 * Files that this work shares with an output to which nobody has said yes: committed now, they would
 * take it along. Null where there are none.
 */
async function sharedWithUnapproved(
  context: RunContext,
  tasks: readonly DoneTask[],
): Promise<string | null> {
  const { holder, store, tree } = context;
  const { approval_items, tasks: all } = holder.state;
  const ids = tasks.map(({ id }) => id);
  const unapproved = approval_items.filter((item) => {
    if (!isAboutOutput(item) || tasks.some(({ id }) => id === item.task_id)) return false;
    const isBlocked = all.some(({ id, status }) => id === item.task_id && status === "blocked");
    return item.status === "open" || (item.status === "denied" && isBlocked);
  });
  if (unapproved.length === 0) return null;
  const work = piecesOf(store, holder.state.project_id, tasks);
  const done = await Promise.all(work.map(({ start, only }) => tree.workSince(start, only)));
  const paths = done.flatMap((each) => each.paths);
  const others = pathsOfOthers(store, holder.state, ids);
  for (const item of unapproved) {
    const path = subjectPaths(item).find((each) => paths.includes(each) && !others.has(each));
    if (path !== undefined) {
      return `not committed before ${item.id} is settled: ${path} is part of that output too`;
    }
  }
  return null;
}

/** @returns one event for each task, the one that says why the run cannot go on, or none for now */
export async function finishTasks(
  context: RunContext,
  tasks: readonly DoneTask[],
): Promise<ProjectEvent[]> {
  const { holder, store, tree } = context;
  const { state } = holder;
  const names = tasks.map(({ id }) => id).join(", ");
  const ids = tasks.map(({ id }) => id);
  const shared = await sharedWithUnapproved(context, tasks);
  if (shared !== null) {
    const stands = state.status === "AwaitingApproval" || state.status === "Blocked";
    if (stands) context.tell({ kind: "notice", text: `${names}: verified, but ${shared}` });
    return [];
  }
  const { digest } = setBoxes(context, ids, true);
  const first = tasks[0];
  // Done without any work of ours: only the box is to be committed.
  const [piece, ...pieces] = await workOf(context, tasks);
  const start = piece?.start ?? (first === undefined ? null : await tree.begin(first.id));
  const broken = tasks.flatMap(({ id }) => taskFacts(store, state.project_id, id).broken ?? []);
  const outcome =
    start === null
      ? ({ kind: "nothing", commit: null } as const)
      : await tree.commit({
          work: [piece ?? { start, only: [] }, ...pieces],
          subject: tasks.map(({ name, title }) => `${name}: ${title}`).join("; "),
          body: tasks.map((task) => `Verified by Stint: ${evidenceText(task)}`).join("\n"),
          approved: approvedFiles(state, tree),
          broken,
          trailers: [
            ["Stint-Project", state.project_id],
            ...tasks.flatMap((task) => [
              ["Stint-Task", task.id] as const,
              ["Stint-Attempt", String(task.attempts)] as const,
            ]),
          ],
        });
  switch (outcome.kind) {
    case "committed":
    case "nothing": {
      // Once broken, it is looked at closely also where a kill came before that was recorded.
      const isDoubtful =
        broken.length > 0 || (outcome.kind === "committed" && outcome.isToBeChecked);
      const made = outcome.kind === "committed" ? outcome.commit : null;
      const failed = isDoubtful
        ? ((await otherThanApproved(context, tasks, made)) ??
          (await failedAfterHooks(context, tasks)))
        : null;
      if (failed !== null && start !== null) {
        return [await reopen(context, { ...failed, start, commit: outcome.commit, digest })];
      }
      // Where a person mended it, commits since the start are no longer the sessions' alone.
      const begun = [...(start === null ? [] : [start]), ...pieces.map((each) => each.start)];
      const origins = broken.length > 0 ? null : begun;
      return await recordCommit(context, tasks, origins, outcome.commit, digest);
    }
    case "needs-approval": {
      const reason = `${names}: verified but not committed: ${outcome.why}. Remove or ignore these files and run again, or allow them`;
      return [filesWanted(context, outcome.paths, reason, digest)];
    }
    case "failed": {
      const reason = `${names}: verified but could not be committed: ${outcome.why}`;
      return [blocked(context, reason, outcome.hint, digest)];
    }
    default:
      return outcome satisfies never;
  }
}

interface FailedAfterHooks {
  readonly task: DoneTask;
  readonly what: string;
}

/** A person's yes is no yes to what a hook made of it. */
async function otherThanApproved(
  { holder, tree }: RunContext,
  [task]: readonly DoneTask[],
  commit: string | null,
): Promise<FailedAfterHooks | null> {
  const shown = task === undefined ? null : approvedOutput(task, holder.state.approval_items);
  if (task === undefined || shown === null) return null;
  const isAsShown =
    !isChanged(tree, shown) &&
    (commit === null || (await tree.isJust(commit, subjectPaths(shown))));
  return isAsShown ? null : { task, what: `they are not what was approved (${shown.id})` };
}

/** What was verified is not what was committed: it is verified once more before anybody relies on it. */
async function failedAfterHooks(
  context: RunContext,
  tasks: readonly DoneTask[],
): Promise<FailedAfterHooks | null> {
  const { holder, store } = context;
  const session = readStart(store, holder.state.project_id, holder.state.counters.sessions);
  for (const task of tasks) {
    const frozen = session?.tasks.find(({ task_id }) => task_id === task.id);
    const checks = (frozen?.checks ?? task.checks ?? []).filter(
      ({ kind }) =>
        kind !== "review" && kind !== "agent-review" && (kind !== "file" || frozen !== undefined),
    );
    const files = new Map(Object.entries(frozen?.files ?? {}));
    // oxlint-disable-next-line no-await-in-loop
    const runs = await runChecks(context, checks, "after", files);
    const run = runs.find((each) => each.result === "failed");
    if (run !== undefined) {
      return { task, what: `${describeCheck(run.check)} fails: ${run.summary}` };
    }
  }
  return null;
}

/**
 * Nothing may call it done any longer. The commit stays, for nobody's history is rewritten; it is
 * remembered, so that it is not found again in place of one that holds.
 */
async function reopen(
  context: RunContext,
  found: FailedAfterHooks & {
    readonly start: StartPoint;
    readonly commit: string | null;
    readonly digest: Sha256;
  },
): Promise<ProjectEvent> {
  const { holder, store, tree } = context;
  const { task, what, commit } = found;
  const facts = taskFacts(store, holder.state.project_id, task.id);
  const broken = [...new Set([...(facts.broken ?? []), ...(commit === null ? [] : [commit])])];
  keepTaskFacts(holder, task.id, { ...facts, broken });
  const { digest } = setBoxes(context, [task.id], false, found.digest);
  await tree.commitManifest(found.start, "Unmark what is not done");
  const where = commit === null ? "" : ` in ${commit.slice(0, 10)}`;
  const reason = `${task.id}: verified, but a git hook changed the files as they were committed${where}, and now ${what}`;
  return {
    kind: "task-reopened",
    ...fact(context),
    task_id: task.id,
    blocker: {
      kind: "unfulfillable",
      reason,
      unblock: "mend the hook or the files, commit, then: stint resume --retry",
    },
    manifest_digest: digest,
  };
}

async function recordCommit(
  context: RunContext,
  tasks: readonly DoneTask[],
  starts: readonly StartPoint[] | null,
  commit: string | null,
  digest: Sha256,
): Promise<ProjectEvent[]> {
  const { holder, store, tree } = context;
  const made = commit === null ? [] : await commitsOf(context, starts, commit);
  const known = commit === null ? [] : keepKnownCommits(holder, store, made);
  const records: ProjectEvent[] = tasks.map((task) => ({
    kind: "commit-recorded",
    ...fact(context),
    task_id: task.id,
    commit: commit ?? "none",
    manifest_digest: digest,
  }));
  if (commit === null) return records;
  const pushed = await tree.push(commit, known, isPushAllowed(holder.state));
  switch (pushed.kind) {
    case "failed":
      // Not recorded before it is pushed: the next run finds the commit and pushes it.
      return [{ ...pushBlocked(context, pushed), manifest_digest: digest }];
    case "pushed":
      tellPushed(context, commit);
      return records;
    // Asked when nothing else is left to do, for all commits at once.
    case "ask":
    case "not-needed":
    case "refused":
      return records;
    default:
      return pushed satisfies never;
  }
}

/** The commit alone where it is not known since when. */
async function commitsOf(
  { tree }: RunContext,
  starts: readonly StartPoint[] | null,
  commit: string,
): Promise<readonly string[]> {
  if (starts === null) return [commit];
  const each = await Promise.all(starts.map((start) => tree.commitsSince(start, commit)));
  return [...new Set(each.flat())];
}

function blocked(
  context: RunContext,
  reason: string,
  unblock: string,
  digest: Sha256,
): ProjectEvent {
  return {
    kind: "blocked",
    ...fact(context),
    blocker: { kind: "missing-access", reason, unblock },
    manifest_digest: digest,
  };
}

function evidenceText(task: DoneTask): string {
  return task.evidence
    .map((evidence) => (evidence.kind === "check" ? evidence.path : evidence.kind))
    .join(", ");
}
