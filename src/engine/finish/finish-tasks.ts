// A task is done in the state; now its box, its commit, its delivery and its push follow, in this order,
// each safe to repeat. The record of the commit closes it.
import type { ProjectEvent } from "../../core/events.ts";
import type { Sha256 } from "../../core/schema/scalar.ts";
import { fewOf } from "../../core/words/amounts.ts";
import { isWithin } from "../../core/files.ts";
import type { DoneTask } from "../../core/project-state.ts";
import type { TaskId } from "../../core/ids.ts";
import { unwelcomeFiles } from "../../git/changed-paths.ts";
import type { RegistryEntry } from "../../store/store.ts";
import type { CommitRequest, Committed, Tip } from "../../workspace/workspace.ts";
import { deliverWork } from "./deliver-work.ts";
import { approvedFiles, deniedFiles, filesWanted } from "../people/files-approval.ts";
import { keepKnownCommits } from "../base/known-commits.ts";
import { type CommittedManifest, committedManifest } from "../manifest/manifest-in-tree.ts";
import { approvedOutput, isChanged } from "../people/output-subject.ts";
import { branchToPush } from "./push-work.ts";
import { fact } from "../base/fact.ts";
import type { RunContext } from "../base/run-context.ts";
import type { Texts } from "../manifest/seen-manifest.ts";
import { setBoxes, writeToPersonsFile } from "../manifest/set-boxes.ts";
import { isPushAllowed, pushBlocked, tellPushed } from "./settle-push.ts";
import { contentsOfTasks } from "../people/shown-contents.ts";
import { workCommitted, workVerified } from "../../core/task-memory.ts";
import { memoryOf, remember, rememberNow } from "../base/task-memory.ts";
import type { Steps } from "../base/steps.ts";
import { blockedUnlessStill } from "./blocked-unless-still.ts";
import { trackedState } from "./tracked-state.ts";
import { BRANCH_CHANGED, type Broken, failedNow, reopen } from "../verify/verify-again.ts";
import type { Contents } from "../base/work-done.ts";

/** One event for each task, or the one that says why the run cannot go on. */
export async function* finishTasks(context: RunContext, tasks: readonly DoneTask[]): Steps {
  const ids = tasks.map(({ id }) => id);
  const digest = setBoxes(context, ids, true);
  const tip = await context.space.tip();
  const tree = yield* treeToCommit(context, tasks, tip, digest);
  if (tree !== null) yield* commitTree(context, tasks, { tip, tree, digest });
}

/** What is to be committed; null where something has to come first, which is handed out. */
async function* treeToCommit(
  context: RunContext,
  tasks: readonly DoneTask[],
  tip: Tip,
  digest: Sha256,
): Steps<string | null> {
  const combined = await verifiedTree(context, tasks, tip);
  if (combined.kind === "broken") {
    yield { event: await reopen(context, combined, BRANCH_CHANGED) };
    return null;
  }
  const { tree, isVerified } = combined;
  const unwelcome = await unwelcomeIn(context, tasks, tip.tree, tree);
  if (unwelcome.length > 0) {
    yield { event: await aboutUnwelcome(context, tasks, unwelcome, digest) };
    return null;
  }
  // Others changed the same branch since: what was verified is not what would be committed.
  const failed = isVerified ? null : yield* failedNow(context, tasks, tree);
  if (failed === null) return tree;
  yield { event: await reopen(context, failed, BRANCH_CHANGED) };
  return null;
}

/** A person is asked about large or secret-looking files; after their no the task has to do without. */
async function aboutUnwelcome(
  context: RunContext,
  tasks: readonly DoneTask[],
  unwelcome: ReturnType<typeof unwelcomeFiles>,
  digest: Sha256,
): Promise<ProjectEvent> {
  const { store, holder } = context;
  const paths = unwelcome.map(({ path }) => path);
  const contents = contentsOfTasks(store, holder.state, tasks);
  const no = deniedFiles(holder.state, contents, paths);
  const whose = tasks.find(({ id }) => contentsOfTask(context, id)[paths[0] ?? ""] !== undefined);
  if (no === null || whose === undefined) {
    const why = unwelcome.map((each) => `${each.path} ${each.why}`).join("; ");
    return filesWanted(context, contents, paths, { tasks, why, digest });
  }
  const broken = {
    kind: "broken",
    task: whose,
    what: `these have to go: ${fewOf(paths)}`,
  } as const;
  return await reopen(context, broken, `${no.by} said no (${no.denial})`);
}

async function* commitTree(
  context: RunContext,
  tasks: readonly DoneTask[],
  { tip, tree, digest }: { readonly tip: Tip; readonly tree: string; readonly digest: Sha256 },
): Steps {
  const { space } = context;
  const names = tasks.map(({ id }) => id).join(", ");
  const manifest = await committedManifest(context, tip, digest);
  const isBrought = manifest.before !== null && space.kind === "own-copy";
  const seen = isBrought ? {} : writeToPersonsFile(context, digest);
  const texts = { manifest_digest: digest, ...seen };
  const request = commitRequest(context, tasks, tree, manifest);
  const outcome = await space.commit(request);
  const made =
    outcome.kind === "altered"
      ? yield* afterHooks(context, tasks, { request, outcome, tip })
      : outcome;
  switch (made.kind) {
    case "committed":
      keepKnownCommits(context.holder, context.store, [made.commit]);
      yield* recordCommit(context, tasks, made.commit, { texts, manifest });
      break;
    case "nothing":
      // What they stand on may be the person's own.
      yield* recordCommit(context, tasks, made.commit, { texts, manifest });
      break;
    case "broken": {
      const why = "a git hook changed the files as they were committed";
      yield { event: await reopen(context, made, why) };
      break;
    }
    case "altered": {
      const why = `${names}: git hooks change the files each time they are committed`;
      const hint = "Run the hook yourself and see what it does; then: stint resume";
      yield* blocked(context, why, hint, texts);
      break;
    }
    case "failed": {
      const why = `${names}: verified but could not be committed: ${made.why}`;
      yield* blocked(context, why, made.hint, texts);
      break;
    }
    default:
      made satisfies never;
  }
}

function contentsOfTask({ store, holder }: RunContext, id: TaskId): Contents {
  return memoryOf(store, holder.state.project_id, id).work?.contents ?? {};
}

interface Verified {
  readonly kind: "verified";
  readonly tree: string;
  /** Exactly this tree passed the checks of all these tasks. */
  readonly isVerified: boolean;
}

/** What these tasks come to on top of the last commit. */
async function verifiedTree(
  { space, store, holder }: RunContext,
  tasks: readonly DoneTask[],
  tip: Tip,
): Promise<Verified | Broken> {
  const { project_id } = holder.state;
  const verified = new Set<string>();
  let { tree } = tip;
  for (const task of tasks) {
    const made = memoryOf(store, project_id, task.id).verified;
    if (made === undefined) continue;
    // oxlint-disable-next-line no-await-in-loop
    const combined = await space.combine(made.base, tree, made.tree);
    const conflicts = combined.conflicts.filter((path) => !isOwnPath(holder.entry, path));
    if (conflicts.length > 0) {
      return { kind: "broken", task, what: `${fewOf(conflicts)} would lose what others changed` };
    }
    verified.add(made.tree);
    ({ tree } = combined);
  }
  verified.add(tree);
  return { kind: "verified", tree, isVerified: tree === tip.tree || verified.size === 1 };
}

/** Written by Stint itself, and anew with every commit. */
function isOwnPath({ manifest, folder }: RegistryEntry, path: string): boolean {
  return path === manifest || isWithin(path, folder);
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

function commitRequest(
  context: RunContext,
  tasks: readonly DoneTask[],
  tree: string,
  { after }: CommittedManifest,
): CommitRequest {
  const { holder, store } = context;
  const { state, entry } = holder;
  const said = tasks.flatMap(({ id }) =>
    Object.values(memoryOf(store, state.project_id, id).messages ?? {}).flat(),
  );
  return {
    tree,
    own: [
      ...(after === null ? [] : [{ path: entry.manifest, content: Buffer.from(after) }]),
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

/** Hooks made another tree of it: verified once more before anybody relies on it. */
async function* afterHooks(
  context: RunContext,
  tasks: readonly DoneTask[],
  found: {
    readonly request: CommitRequest;
    readonly outcome: Extract<Committed, { kind: "altered" }>;
    readonly tip: Tip;
  },
): Steps<Committed | Broken> {
  const { request, tip } = found;
  const { tree, message } = found.outcome;
  const broken = (yield* failedNow(context, tasks, tree)) ?? otherThanApproved(context, tasks);
  if (broken !== null) return broken;
  // Killed after the commit, the next run must not take what hooks made for somebody else's change.
  for (const { id } of tasks) {
    rememberNow(context, id, (memory) => workVerified(memory, { tree, base: tip.tree }));
  }
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

async function* recordCommit(
  context: RunContext,
  tasks: readonly DoneTask[],
  commit: string | null,
  {
    texts: written,
    manifest,
  }: {
    readonly texts: Required<Pick<Texts, "manifest_digest">> & Texts;
    readonly manifest: CommittedManifest;
  },
): Steps {
  const { holder, store } = context;
  // From now on it is part of what everything else stands on.
  for (const { id } of tasks) remember(context, id, workCommitted);
  const known = keepKnownCommits(holder, store, []);
  const { delivery, texts: brought } = await deliverWork(
    context,
    written.manifest_digest,
    manifest,
  );
  const texts = { ...written, ...brought };
  const branch = branchToPush(delivery, context.space.deliversTo());
  if (commit !== null && branch !== null) {
    const pushed = await context.push.push({ branch, commit, known }, isPushAllowed(holder.state));
    if (pushed.kind === "failed") {
      // Not recorded before it is pushed: the next run finds the commit and pushes it.
      yield* blockedUnlessStill(context, { ...pushBlocked(context, pushed), ...texts });
      return;
    }
    // What is to be asked is asked when nothing else is left to do, for all commits at once.
    if (pushed.kind === "pushed") tellPushed(context, commit);
  }
  for (const { id: task_id } of tasks) {
    const recorded = { task_id, commit: commit ?? "none", ...texts };
    yield { event: { kind: "commit-recorded", ...fact(context), ...recorded } };
  }
}

async function* blocked(context: RunContext, reason: string, unblock: string, texts: Texts): Steps {
  const blocker = { kind: "missing-access", reason, unblock } as const;
  yield* blockedUnlessStill(context, { kind: "blocked", ...fact(context), blocker, ...texts });
}

function evidenceText(task: DoneTask): string {
  return task.evidence
    .map((evidence) => (evidence.kind === "check" ? evidence.path : evidence.kind))
    .join(", ");
}
