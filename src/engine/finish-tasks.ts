// A task is done in the state; now its box, its commit, its delivery and its push follow, in this order,
// each safe to repeat. The record of the commit closes it.
import { describeCheck } from "../checks/check-text.ts";
import type { ProjectEvent } from "../core/events.ts";
import { fewOf } from "../core/few-of.ts";
import type { TaskId } from "../core/ids.ts";
import type { ProjectState } from "../core/schema/project.ts";
import type { Sha256 } from "../core/schema/scalar.ts";
import type { Task } from "../core/schema/task.ts";
import { hasGrant } from "../core/task-moves.ts";
import { unwelcomeFiles } from "../git/unwelcome-files.ts";
import type { Committed, CommitRequest, Tip } from "../workspace/workspace.ts";
import { deliverWork } from "./deliver-work.ts";
import { approvedFiles, deniedFiles, filesWanted } from "./files-approval.ts";
import { keepKnownCommits } from "./known-commits.ts";
import { committedManifest, isManifestTracked } from "./manifest-in-tree.ts";
import { approvedOutput, isChanged } from "./output-subject.ts";
import { runChecks } from "./run-checks.ts";
import { fact, type RunContext } from "./run-context.ts";
import { readStart } from "./session-record.ts";
import { setBoxes, writeToPersonsFile } from "./set-boxes.ts";
import { isPushAllowed, pushBlocked, tellPushed } from "./settle-push.ts";
import { contentsOfTasks } from "./shown-contents.ts";
import { taskFacts } from "./task-facts.ts";
import { layTree } from "./task-work.ts";
import { trackedState } from "./tracked-state.ts";
import type { Contents } from "./work-done.ts";

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

/** @returns one event for each task, or the one that says why the run cannot go on */
export async function finishTasks(
  context: RunContext,
  tasks: readonly DoneTask[],
): Promise<ProjectEvent[]> {
  const { holder, store, space } = context;
  const { state } = holder;
  const names = tasks.map(({ id }) => id).join(", ");
  const digest = setBoxes(
    context,
    tasks.map(({ id }) => id),
    true,
  );
  const tip = await space.tip();
  const { tree, isVerified, overtaken } = await verifiedTree(context, tasks, tip);
  if (overtaken !== null) return [reopen(context, overtaken, "your branch changed since")];
  const unwelcome = await unwelcomeIn(context, tasks, tip.tree, tree);
  if (unwelcome.length > 0) {
    const why = unwelcome.map((each) => `${each.path} ${each.why}`).join("; ");
    const paths = unwelcome.map(({ path }) => path);
    const contents = contentsOfTasks(store, state, tasks);
    const no = deniedFiles(state, contents, paths);
    const whose = tasks.find(({ id }) => contentsOfTask(context, id)[paths[0] ?? ""] !== undefined);
    if (no === null || whose === undefined) {
      return [filesWanted(context, contents, paths, { tasks, why, digest })];
    }
    const what = `these have to go: ${fewOf(paths)}`;
    const broken = { kind: "broken", task: whose, what } as const;
    return [reopen(context, broken, `${no.by} said no (${no.denial})`)];
  }
  // Others changed the same branch since: what was verified is not what would be committed.
  const failed = isVerified ? null : await failedNow(context, tasks, tree);
  if (failed !== null) return [reopen(context, failed, "your branch changed since")];
  if (!(await isManifestTracked(context, tip))) writeToPersonsFile(context, digest);
  const request = await commitRequest(context, tasks, { tip, tree, digest });
  const outcome = await context.space.commit(request);
  const made =
    outcome.kind === "altered" ? await afterHooks(context, tasks, request, outcome) : outcome;
  switch (made.kind) {
    case "committed":
    case "nothing":
      return await recordCommit(context, tasks, made.commit, digest);
    case "broken":
      return [reopen(context, made, "a git hook changed the files as they were committed")];
    case "altered":
      return [
        blocked(
          context,
          `${names}: git hooks change the files each time they are committed`,
          "Run the hook yourself and see what it does; then: stint resume",
          digest,
        ),
      ];
    case "failed":
      return [
        blocked(
          context,
          `${names}: verified but could not be committed: ${made.why}`,
          made.hint,
          digest,
        ),
      ];
    default:
      return made satisfies never;
  }
}

function contentsOfTask({ store, holder }: RunContext, id: TaskId): Contents {
  return taskFacts(store, holder.state.project_id, id).work?.contents ?? {};
}

interface Verified {
  readonly tree: string;
  /** Exactly this tree passed the checks of these tasks. */
  readonly isVerified: boolean;
  /** The first whose files are others on the branch by now. */
  readonly overtaken: Broken | null;
}

/** What these tasks come to on top of the last commit. */
async function verifiedTree(
  { space, store, holder }: RunContext,
  tasks: readonly DoneTask[],
  tip: Tip,
): Promise<Verified> {
  let { tree } = tip;
  const trees: string[] = [];
  for (const task of tasks) {
    const { verified } = taskFacts(store, holder.state.project_id, task.id);
    if (verified === undefined) continue;
    // oxlint-disable-next-line no-await-in-loop
    const combined = await space.combine(verified.base, tree, verified.tree);
    if (combined.conflicts.length > 0) {
      const what = `it has other content there: ${fewOf(combined.conflicts)}`;
      return { tree, isVerified: false, overtaken: { kind: "broken", task, what } };
    }
    ({ tree } = combined);
    trees.push(verified.tree);
  }
  const isVerified = trees.length === 0 || trees.includes(tree);
  return { tree, isVerified, overtaken: null };
}

async function unwelcomeIn(
  { space, store, holder }: RunContext,
  tasks: readonly DoneTask[],
  before: string,
  after: string,
): Promise<ReturnType<typeof unwelcomeFiles>> {
  if (before === after) return [];
  const contents = contentsOfTasks(store, holder.state, tasks);
  const changes = await space.changes(before, after);
  return unwelcomeFiles(changes, approvedFiles(holder.state, contents));
}

async function commitRequest(
  context: RunContext,
  tasks: readonly DoneTask[],
  { tip, tree, digest }: { readonly tip: Tip; readonly tree: string; readonly digest: Sha256 },
): Promise<CommitRequest> {
  const { holder, store } = context;
  const { state, entry } = holder;
  const said = tasks.flatMap(({ id }) =>
    Object.values(taskFacts(store, state.project_id, id).messages ?? {}).flat(),
  );
  const manifest = await committedManifest(context, tip, digest);
  return {
    tree,
    own: [
      ...(manifest === null ? [] : [{ path: entry.manifest, content: Buffer.from(manifest) }]),
      ...(context.settings.trackState ? trackedState(entry) : []),
    ],
    message: [
      tasks.map(({ name, title }) => `${name}: ${title}`).join("; "),
      tasks.map((task) => `Verified by Stint: ${evidenceText(task)}`).join("\n"),
      ...[...new Set(said)].map((text) => `The session wrote:\n${text.trim()}`),
    ].join("\n\n"),
    trailers: [
      ["Stint-Project", state.project_id],
      ...tasks.flatMap((task) => [
        ["Stint-Task", task.id] as const,
        ["Stint-Attempt", String(task.attempts)] as const,
      ]),
    ],
  };
}

interface Broken {
  readonly kind: "broken";
  readonly task: DoneTask;
  readonly what: string;
}

/** Hooks made another tree of it: verified once more before anybody relies on it. */
async function afterHooks(
  context: RunContext,
  tasks: readonly DoneTask[],
  request: CommitRequest,
  { tree, message }: Extract<Committed, { kind: "altered" }>,
): Promise<Committed | Broken> {
  const broken = (await failedNow(context, tasks, tree)) ?? otherThanApproved(context, tasks);
  if (broken !== null) return broken;
  return await context.space.commit({ ...request, tree, message, hooksRan: true });
}

/** A person's yes is no yes to what a hook made of it. */
function otherThanApproved(
  { holder, copy }: RunContext,
  [task]: readonly DoneTask[],
): Broken | null {
  const shown = task === undefined ? null : approvedOutput(task, holder.state.approval_items);
  if (task === undefined || shown === null) return null;
  const now = new Proxy({}, { get: (_, path) => copy.contentNow(String(path)) });
  return isChanged(now, shown)
    ? { kind: "broken", task, what: `they are not what was approved (${shown.id})` }
    : null;
}

/** The first check of these tasks that fails in another tree than the one it passed in. */
async function failedNow(
  context: RunContext,
  tasks: readonly DoneTask[],
  tree: string,
): Promise<Broken | null> {
  const { holder, store } = context;
  const session = readStart(store, holder.state.project_id, holder.state.counters.sessions);
  await layTree(context, tree);
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
      return { kind: "broken", task, what: `${describeCheck(run.check)} fails: ${run.summary}` };
    }
  }
  await layTree(context, tree);
  return null;
}

/** Nothing may call it done any longer; nothing of it was committed. */
function reopen(context: RunContext, { task, what }: Broken, why: string): ProjectEvent {
  const digest = setBoxes(context, [task.id], false);
  writeToPersonsFile(context, digest);
  return {
    kind: "task-reopened",
    ...fact(context),
    task_id: task.id,
    blocker: {
      kind: "unfulfillable",
      reason: `${task.id}: verified, but ${why}, and now ${what}`,
      unblock: "fix the cause, then: stint resume --retry",
    },
    manifest_digest: digest,
  };
}

async function recordCommit(
  context: RunContext,
  tasks: readonly DoneTask[],
  commit: string | null,
  digest: Sha256,
): Promise<ProjectEvent[]> {
  const { holder, store } = context;
  const records: ProjectEvent[] = tasks.map((task) => ({
    kind: "commit-recorded",
    ...fact(context),
    task_id: task.id,
    commit: commit ?? "none",
    manifest_digest: digest,
  }));
  const known = commit === null ? [] : keepKnownCommits(holder, store, [commit]);
  const delivery = await deliverWork(context, digest);
  // What waits on its own branch is not on the branch that is pushed.
  if (commit === null || delivery.kind === "waiting") return records;
  const pushed = await context.push.push(commit, known, isPushAllowed(holder.state));
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
