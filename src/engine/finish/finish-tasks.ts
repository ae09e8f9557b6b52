// A task is done in the state; now its box, its commit with its evidence, its delivery and its push follow, in
// this order, each safe to repeat. The record of the commit closes it.
import { lstatSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { JournalEntry } from "../../core/schema/project.ts";
import type { ProjectEvent } from "../../core/events.ts";
import { isWithin } from "../../core/files.ts";
import { type DoneTask, isActive } from "../../core/project-state.ts";
import type { Sha256 } from "../../core/schema/scalar.ts";
import { workCommitted, workVerified } from "../../core/task-memory.ts";
import { fewOf } from "../../core/words/amounts.ts";
import { givenName } from "../../core/words/given-name.ts";
import { type Change, unwelcomeFiles } from "../../git/changed-paths.ts";
import { NOTES_REF } from "../../git/read-notes.ts";
import type { RegistryEntry } from "../../store/store.ts";
import type { CommitRequest, Committed, OwnFile, Tip } from "../../workspace/workspace.ts";
import { announce, fact } from "../base/fact.ts";
import { keepKnownCommits, memoryOf, remember, rememberNow } from "../base/kept-record.ts";
import type { Steps } from "../base/persist.ts";
import type { RunContext } from "../base/run-context.ts";
import {
  type CommittedManifest,
  committedManifest,
  setBoxes,
  type Texts,
  writeToPersonsFile,
} from "../people/manifest-texts.ts";
import {
  approvedFiles,
  approvedOutput,
  contentsOfTasks,
  deniedFiles,
  filesWanted,
  isChanged,
} from "../people/output-subject.ts";
import { projectLogs } from "../people/project-logs.ts";
import { deliverWork } from "./deliver.ts";
import { evidenceFor, noteCommit, verifiedBy } from "./note-evidence.ts";
import { branchToPush, isPushAllowed, pushBlocked, tellPushed, tellUnsent } from "./push.ts";
import { resolvedBy } from "./resolve-tasks.ts";
import { BRANCH_CHANGED, type Broken, failedNow, reopen } from "./verify-again.ts";

type Tasks = readonly DoneTask[];

/** One event for each task, or the one that says why the run cannot go on. */
export async function* finishTasks(context: RunContext, tasks: Tasks): Steps {
  const ids = tasks.map(({ id }) => id);
  const digest = setBoxes(context, ids, true);
  const tip = await context.space.tip();
  const tree = yield* treeToCommit(context, tasks, tip, digest);
  if (tree !== null) yield* commitTree(context, tasks, { tip, tree, digest });
}

/** What is to be committed; null where something has to come first, which is handed out. */
async function* treeToCommit(
  context: RunContext,
  tasks: Tasks,
  tip: Tip,
  digest: Sha256,
): Steps<string | null> {
  const combined = await verifiedTree(context, tasks, tip);
  if (combined.kind === "broken") {
    yield { event: await reopen(context, combined, BRANCH_CHANGED) };
    return null;
  }
  const { tree, isVerified } = combined;
  const unwelcome = await aboutUnwelcome(context, tasks, { before: tip.tree, tree, digest });
  if (unwelcome !== null) {
    yield { event: unwelcome };
    return null;
  }
  // Others changed the same branch since: what was verified is not what would be committed.
  const failed = isVerified ? null : yield* failedNow(context, tasks, tree);
  if (failed === null) return tree;
  yield { event: await reopen(context, failed, BRANCH_CHANGED) };
  return null;
}

interface Verified {
  readonly kind: "verified";
  readonly tree: string;
  /** Exactly this tree passed the checks of all these tasks. */
  readonly isVerified: boolean;
}

/** What these tasks come to on top of the last commit. */
async function verifiedTree(
  context: RunContext,
  tasks: Tasks,
  tip: Tip,
): Promise<Verified | Broken> {
  const { space, holder } = context;
  const { manifest, folder } = holder.entry;
  const logs = new Set(projectLogs(context, context.settings.logs).map(({ path }) => path));
  const verified = new Set<string>();
  let { tree } = tip;
  for (const task of tasks) {
    const made = memoryOf(context, task.id).verified;
    if (made === undefined) continue;
    // oxlint-disable-next-line no-await-in-loop
    const combined = await space.combine(made.base, tree, made.tree);
    // The manifest and the project folder are written by Stint itself, and anew with every commit.
    const conflicts = combined.conflicts.filter(
      (path) => path !== manifest && !isWithin(path, folder) && !logs.has(path),
    );
    if (conflicts.length > 0) {
      return { kind: "broken", task, what: `${fewOf(conflicts)} would lose changes of others` };
    }
    verified.add(made.tree);
    ({ tree } = combined);
  }
  verified.add(tree);
  return { kind: "verified", tree, isVerified: tree === tip.tree || verified.size === 1 };
}

/**
 * A person is asked about new files that are large or look like secrets; after their no the task has to do
 * without. Null where there are none that they did not allow.
 */
async function aboutUnwelcome(
  context: RunContext,
  tasks: Tasks,
  { before, tree, digest }: { before: string; tree: string; digest: Sha256 },
): Promise<ProjectEvent | null> {
  if (before === tree) return null;
  const { state } = context.holder;
  const contents = contentsOfTasks(context, tasks);
  const changes = await context.space.changes(before, tree);
  const allowed = approvedFiles(state, contents);
  const unwelcome = unwelcomeFiles(
    changes,
    allowed,
    await holdingSecrets(context, changes, { before, tree }),
  );
  const paths = unwelcome.map(({ path }) => path);
  const [first] = paths;
  if (first === undefined) return null;
  const no = deniedFiles(state, contents, paths);
  const task = tasks.find((each) => contentsOfTasks(context, [each])[first] !== undefined);
  if (no === null || task === undefined) {
    const why = unwelcome.map((each) => `${each.path} ${each.why}`).join("; ");
    return filesWanted(context, contents, paths, { tasks, why, digest });
  }
  const what = `remove these files: ${fewOf(paths)}`;
  return await reopen(context, { task, what }, `${no.by} said no (${no.denial})`);
}

/** The paths of a change that hold a value of the person's local settings, and did not before. */
async function holdingSecrets(
  { space, secrets }: RunContext,
  changes: readonly Change[],
  { before, tree }: { readonly before: string; readonly tree: string },
): Promise<ReadonlySet<string>> {
  secrets.refresh();
  const paths = changes.filter(({ change }) => change !== "deleted").map(({ path }) => path);
  if (secrets.values().length === 0 || paths.length === 0) return new Set();
  const [old, now] = [await space.texts(before, paths), await space.texts(tree, paths)];
  return new Set(paths.filter((path) => secrets.isAdded(old.get(path) ?? "", now.get(path) ?? "")));
}

async function* commitTree(
  context: RunContext,
  tasks: Tasks,
  { tip, tree, digest }: { readonly tip: Tip; readonly tree: string; readonly digest: Sha256 },
): Steps {
  const { space } = context;
  const names = tasks.map(({ id }) => id).join(", ");
  const done = tasks.map(({ id }) => id);
  const manifest = await committedManifest(context, tip, { known: digest, done });
  const isBrought = manifest.before !== null && space.kind === "own-copy";
  const seen = isBrought ? {} : writeToPersonsFile(context, digest);
  const texts = { manifest_digest: digest, ...seen };
  const logs = await resolvedBy(context, tasks, tip, tree);
  const request = commitRequest(context, tasks, tree, { manifest, logs });
  const outcome = await space.commit(request);
  const made =
    outcome.kind === "altered"
      ? yield* afterHooks(context, tasks, { request, outcome, tip })
      : outcome;
  switch (made.kind) {
    case "committed":
    case "nothing":
      // With nothing to commit, what they stand on may be the person's own.
      if (made.kind === "committed") keepKnownCommits(context, [made.commit]);
      yield* recordCommit(context, tasks, made, { texts, manifest });
      break;
    case "broken": {
      const why = "a git hook changed the files as they were committed";
      yield { event: await reopen(context, made, why) };
      break;
    }
    case "altered": {
      const why = `${names}: git hooks change the files at each commit`;
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

async function* blocked(context: RunContext, reason: string, unblock: string, texts: Texts): Steps {
  const blocker = { kind: "missing-access", reason, unblock } as const;
  yield* blockedUnlessStill(context, { kind: "blocked", ...fact(context), blocker, ...texts });
}

/** What stands still already cannot be blocked once more: it is told, and the next run tries again. */
export async function* blockedUnlessStill(context: RunContext, event: ProjectEvent): Steps {
  if (event.kind !== "blocked" || isActive(context.holder.state)) yield { event };
  else context.tell({ kind: "notice", text: event.blocker?.reason ?? "it cannot continue" });
}

function commitRequest(
  context: RunContext,
  tasks: Tasks,
  tree: string,
  { manifest: { after }, logs }: { manifest: CommittedManifest; logs: readonly OwnFile[] },
): CommitRequest {
  const { state, entry } = context.holder;
  const said = tasks.flatMap(({ id }) =>
    Object.values(memoryOf(context, id).messages ?? {}).flat(),
  );
  return {
    tree,
    own: [
      ...(after === null ? [] : [{ path: entry.manifest, content: Buffer.from(after) }]),
      ...logs,
      ...(context.settings.trackState ? trackedState(entry, state.page) : []),
    ],
    message: context.checks.redact(
      [
        tasks.map(subjectOf).join("; "),
        [
          ...tasks.map((task) => {
            const which = tasks.length === 1 ? "" : `${givenName(task) ?? task.id}: `;
            return `Verified by Stint: ${which}${verifiedBy(context, task)}`;
          }),
          `Evidence: ${NOTES_REF}`,
        ].join("\n"),
        ...[...new Set(said)].map((text) => `The session wrote:\n${text.trim()}`),
      ].join("\n\n"),
    ),
    trailers: [
      ["Stint-Project", state.project_id],
      ...tasks.flatMap((task) => [
        ["Stint-Task", task.id] as const,
        ["Stint-Attempt", String(task.attempts)] as const,
      ]),
    ],
    evidence: evidenceFor(context, tasks),
  };
}

/** For everybody who reads the history: a name only where a person gave one. */
function subjectOf(task: Tasks[number]): string {
  const name = givenName(task);
  return name === null ? task.title : `${name}: ${task.title}`;
}

/** What of the project folder goes into commits, where somebody wants that: not what only this machine needs. */
function trackedState(
  { root, folder }: RegistryEntry,
  page: string | undefined,
): readonly OwnFile[] {
  const names = readdirSync(join(root, folder))
    .filter((name) => name !== "logs" && name !== "lease.json" && !name.startsWith("."))
    .map((name) => `${folder}/${name}`);
  // The page itself, never what a person put in its place.
  const copy =
    page === undefined
      ? []
      : filesAt(root, `${folder}/state.md`).map(({ content }) => ({ path: page, content }));
  return [...names.flatMap((name) => filesAt(root, name)), ...copy];
}

function filesAt(root: string, path: string): readonly OwnFile[] {
  const at = join(root, path);
  const facts = lstatSync(at);
  if (facts.isDirectory())
    return readdirSync(at).flatMap((name) => filesAt(root, `${path}/${name}`));
  return facts.isFile() ? [{ path, content: readFileSync(at) }] : [];
}

/** Hooks made another tree of it: verified once more before anybody relies on it. */
async function* afterHooks(
  context: RunContext,
  tasks: Tasks,
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
function otherThanApproved({ holder, copy }: RunContext, [task]: Tasks): Broken | null {
  const shown = task === undefined ? null : approvedOutput(task, holder.state.approval_items);
  if (task === undefined || shown === null) return null;
  const now = new Proxy({}, { get: (_, path) => copy.contentNow(String(path)) });
  return isChanged(now, shown)
    ? { kind: "broken", task, what: `they are not what was approved (${shown.id})` }
    : null;
}

async function* recordCommit(
  context: RunContext,
  tasks: Tasks,
  { kind, commit }: Extract<Committed, { kind: "committed" | "nothing" }>,
  found: {
    readonly texts: Required<Pick<Texts, "manifest_digest">> & Texts;
    readonly manifest: CommittedManifest;
  },
): Steps {
  const { holder, space, push } = context;
  // From now on it is part of what everything else stands on.
  for (const { id } of tasks) remember(context, id, workCommitted);
  const known = keepKnownCommits(context, []);
  if (commit !== null) await noteCommit(context, tasks, commit);
  const { manifest_digest } = found.texts;
  const { delivery, texts: brought } = await deliverWork(context, manifest_digest, found.manifest);
  const texts = { ...found.texts, ...brought };
  const branch = branchToPush(delivery, space.deliversTo());
  if (commit !== null && branch !== null) {
    const pushed = await push.push({ branch, commit, known }, isPushAllowed(holder.state));
    if (pushed.kind === "failed") {
      // Not recorded before it is pushed: the next run finds the commit and pushes it.
      const made = tasks.map(({ id: task_id }) => ({ task_id, commit }));
      for (const task of tasks) tellCommitted(context, task, commit);
      yield* blockedUnlessStill(context, { ...pushBlocked(context, pushed, made), ...texts });
      return;
    }
    // What is to be asked is asked when nothing else is left to do, for all commits at once.
    if (pushed.kind === "pushed") {
      tellPushed(context, commit);
      tellUnsent(context, pushed.unsent ?? null);
    }
  }
  for (const { id: task_id } of tasks) {
    const isNothing = kind === "nothing" && commit !== null;
    const without = isNothing ? ({ without_change: true } as const) : {};
    const recorded = { task_id, commit: commit ?? "none", ...without, ...texts };
    yield { event: { kind: "commit-recorded", ...fact(context), ...recorded } };
  }
}

/** Of a commit that is recorded when it is pushed: told once, by the run that made it. */
function tellCommitted(
  context: RunContext,
  { id: task_id, title }: DoneTask,
  commit: string,
): void {
  const { holder, store } = context;
  const isAbout = (data: JournalEntry["data"]): boolean =>
    data?.["commit"] === commit && data["task_id"] === task_id;
  const isTold = store
    .journal(holder.state.project_id)
    .some((line) => line.kind === COMMITTED && isAbout(line.data));
  if (isTold) return;
  announce(context, COMMITTED, `committed ${task_id} "${title}" as ${commit}`, { task_id, commit });
}

const COMMITTED = "committed";
