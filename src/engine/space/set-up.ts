// `setup:` makes a workspace ready before anything else runs in it: once in a new one, and again when its
// commands or a lock file in the laid tree change. What it changes among committed files is put back.
//
// Order that matters on a crash: the record says that the setup was begun before the first command starts,
// and that it is finished after the last one. A record that is not finished is no setup.
import type { Trouble } from "../../checks/check-run.ts";
import type { ProjectEvent } from "../../core/events.ts";
import { isLockFile } from "../../core/files.ts";
import { type SetupRecord, setupRecord } from "../../core/schema/run-records.ts";
import type { Task } from "../../core/schema/task.ts";
import { type KeptPath, keptPath } from "../../store/store.ts";
import type { Workspace } from "../../workspace/workspace.ts";
import { fact } from "../base/fact.ts";
import { type Keeping, keepRecord, memoryOfStarted, readKept } from "../base/kept-record.ts";
import type { RunContext } from "../base/run-context.ts";
import { whileTold } from "../base/while-wanted.ts";
import { isStillThere, layTree } from "./task-work.ts";
import { howItEnded, wishesOf } from "./workspace-commands.ts";

type Locks = Readonly<Record<string, string>>;

/** Each lane is set up by itself. */
function recordPath(lane: number | null): KeptPath {
  return lane === null
    ? keptPath("logs", "setup.json")
    : keptPath("logs", "lanes", lane, "setup.json");
}

/** Of the output of a command of it, below the folder of logs. */
function logPath(lane: number | undefined, number: number): string {
  return lane === undefined ? `setup/${number}.log` : `lanes/${lane}/setup/${number}.log`;
}

export const SETUP_TIMEOUT_MS = 30 * 60_000;

/** The workspace as it was committed cannot be set up: a person's matter, and no attempt at a task. */
export class SetupFailed extends Error {
  readonly trouble: Trouble;
  readonly log: string;

  constructor(trouble: Trouble, log: string) {
    super(trouble.summary);
    this.trouble = trouble;
    this.log = log;
  }
}

/**
 * Sets the workspace up where that is due. Where the work of the task changed a lock file, the failure
 * is the work's, and is returned.
 * @throws SetupFailed, Interrupted
 */
export async function setUp(context: RunContext, task: Task): Promise<Trouble | null> {
  const { setup = [] } = wishesOf(context);
  if (setup.length === 0) return null;
  // What no commit can hold lies there for the next session; laying a tree would remove it.
  if (isStillThere(context, memoryOfStarted(context, task))) return null;
  const due = await dueSetup(context, setup);
  if (due === null) return null;
  if (due.trouble !== undefined) return due.trouble;
  const { trouble, ran } = await runSetup(context, due);
  if (trouble === undefined) return null;
  const { tree } = await context.space.tip();
  if (!isSame(await lockFilesOf(context.space, tree), due.lock_files)) return trouble;
  throw new SetupFailed(trouble, ran.at(-1)?.log ?? "setup");
}

/** Why the workspace is not set up as it is laid now; known, and not tried again. */
export async function setupTrouble(context: RunContext): Promise<Trouble | null> {
  const { setup = [] } = wishesOf(context);
  if (setup.length === 0) return null;
  return (await dueSetup(context, setup))?.trouble ?? null;
}

/** Before a new workspace appears: nothing was done in it. */
export function forgetSetup(kept: Keeping, lane: number | null): void {
  const path = recordPath(lane);
  const record = readKept(kept, path, setupRecord);
  if (record !== undefined) keepRecord(kept, path, { ...record, finished: false, ran: [] });
}

/** What a person is told, and what helps. */
export function blockedBySetup(context: RunContext, failed: SetupFailed): ProjectEvent {
  const { summary, output } = failed.trouble;
  const log = `${context.holder.entry.folder}/logs/${failed.log}`;
  return {
    kind: "blocked",
    ...fact(context),
    blocker: {
      kind: "missing-access",
      reason: `${summary}. ${lastLines(output)}`.trimEnd(),
      unblock: `see ${log}, fix it (your commit, the manifest's setup:, the machine), then: stint resume`,
    },
  };
}

/** The setup that is to be run, or the one that this run has seen to fail; null for none. */
async function dueSetup(
  context: RunContext,
  commands: readonly string[],
): Promise<SetupRecord | null> {
  const { space, runId } = context;
  const tree = await context.checks.treeHash();
  const lock_files = await lockFilesOf(space, tree);
  const due = { run_id: runId, folder: space.folder, commands, lock_files, finished: false };
  const record = readKept(context, recordPath(context.lane ?? null), setupRecord);
  if (record === undefined || !isFor(record, due)) return { ...due, ran: [] };
  if (record.finished) return null;
  const isKnown = record.run_id === runId && record.trouble !== undefined;
  return isKnown ? record : { ...due, ran: [] };
}

function isFor(record: SetupRecord, due: Omit<SetupRecord, "ran">): boolean {
  return (
    record.folder === due.folder &&
    record.commands.join("\n") === due.commands.join("\n") &&
    isSame(record.lock_files, due.lock_files)
  );
}

async function runSetup(context: RunContext, due: SetupRecord): Promise<SetupRecord> {
  const { holder, space, checks } = context;
  const tree = await checks.treeHash();
  const path = recordPath(context.lane ?? null);
  let record = due;
  keepRecord(context, path, record);
  // What a session left in its repository (hooks, settings) is not there for the setup.
  await space.freshGit({ branch: `stint/${holder.entry.slug}`, canPush: false });
  for (const [index, command] of due.commands.entries()) {
    const log = logPath(context.lane, index + 1);
    // One after another: each builds on what the ones before it made.
    // oxlint-disable-next-line no-await-in-loop
    const { exit_code, trouble } = await runSetupCommand(context, command, log);
    record = { ...record, ran: [...record.ran, { command, exit_code, log }] };
    if (trouble === null) continue;
    record = { ...record, trouble };
    break;
  }
  await layTree(context, tree);
  record = { ...record, finished: record.trouble === undefined };
  keepRecord(context, path, record);
  return record;
}

/** One command of the setup, in the workspace, a lane or a clone of it. */
export async function runSetupCommand(
  context: RunContext,
  command: string,
  log: string,
): Promise<{ readonly exit_code: number | null; readonly trouble: Trouble | null }> {
  const timeoutMs = context.setupTimeoutMs ?? SETUP_TIMEOUT_MS;
  const what = `setting up: ${command}`;
  return await whileTold(context, what, () =>
    context.checks.whileWanted(what, async (unwanted) => {
      const child = context.startInside({ command, env: {}, log, timeoutMs });
      const stop = (): void => child.stop("no longer wanted");
      unwanted.addEventListener("abort", stop);
      const end = await child.ended;
      unwanted.removeEventListener("abort", stop);
      const exit_code = end.exitCode;
      if (exit_code === 0) return { exit_code, trouble: null };
      unwanted.throwIfAborted();
      const summary = `the workspace could not be set up: "${command}" ${howItEnded(end, timeoutMs)}`;
      return { exit_code, trouble: { of: "setup", summary, output: child.lastWords() } };
    }),
  );
}

/** Listing a large tree takes a moment; what a tree holds never changes. */
const known = new WeakMap<Workspace, Map<string, Locks>>();

async function lockFilesOf(space: Workspace, tree: string): Promise<Locks> {
  const trees = known.get(space) ?? new Map<string, Locks>();
  known.set(space, trees);
  const before = trees.get(tree);
  if (before !== undefined) return before;
  const found = [...(await space.find(tree, isLockFile))].map(([path, { oid }]) => [path, oid]);
  const locks = Object.fromEntries(found) as Locks;
  trees.set(tree, locks);
  return locks;
}

function isSame(one: Locks, other: Locks): boolean {
  const paths = Object.keys(one);
  return (
    paths.length === Object.keys(other).length && paths.every((path) => one[path] === other[path])
  );
}

const SHOWN_LINES = 5;
const SHOWN_CHARACTERS = 500;

function lastLines(output: string): string {
  const lines = output.split("\n").filter((line) => line.trim() !== "");
  const last = lines.slice(-SHOWN_LINES).join(" | ").slice(-SHOWN_CHARACTERS);
  return last === "" ? "It printed nothing" : `Its last output: ${last}`;
}
