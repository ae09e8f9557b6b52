// What is kept of a project between runs, as JSON files: judged by their schema when they are read, and
// written only where they say something else than before. Here too what several rooms keep: what is
// remembered of a task, a session's start and end, the commits that Stint made.
import type { ProjectId, TaskId } from "../../core/ids.ts";
import { judgeKept, type KeptSchema } from "../../core/json-line.ts";
import type { ProjectState } from "../../core/schema/project.ts";
import {
  type ActIntent,
  actIntent,
  type ActResult,
  actResult,
  knownCommits,
} from "../../core/schema/run-records.ts";
import {
  ignoredMade,
  type SessionChanges,
  sessionChanges,
  type SessionEnd,
  sessionEnd,
  type SessionStart,
  sessionStart,
  type TaskMemory,
  taskMemory,
} from "../../core/schema/session-records.ts";
import type { Task } from "../../core/schema/task.ts";
import { StintError } from "../../core/stint-error.ts";
import { asStarted, NOTHING_REMEMBERED } from "../../core/task-memory.ts";
import { shellWord } from "../../core/written/commands.ts";
import { type Holder, type KeptPath, keptPath, type Store } from "../../store/store.ts";

/** The project of a run, or of whoever only looks at it. */
export interface Kept {
  readonly store: Store;
  readonly holder: { readonly state: Pick<ProjectState, "project_id"> };
}

export interface Keeping extends Kept {
  readonly holder: Holder;
}

/** Undefined where nothing was kept. @throws state-corrupt where it cannot be trusted */
export function readKept<T>(
  { store, holder }: Kept,
  path: KeptPath,
  schema: KeptSchema<T>,
): T | undefined {
  const { project_id } = holder.state;
  const bytes = store.kept(project_id, path);
  if (bytes === undefined) return undefined;
  const judged = judgeKept(bytes.toString("utf8"), schema);
  if (judged.ok) return judged.value;
  throw damaged(store, project_id, path, { schema, why: judged.why });
}

/** Nothing is forgotten in silence: what it says may be all that tells done from not done. */
function damaged<T>(
  store: Store,
  id: ProjectId,
  path: KeptPath,
  { schema, why }: { readonly schema: KeptSchema<T>; readonly why: string },
): StintError {
  const place = store.keptPlace(id, path);
  const whole = store
    .keptCopies(id, path)
    .find(({ bytes }) => judgeKept(bytes.toString("utf8"), schema).ok);
  const hint =
    whole === undefined
      ? `No undamaged copy is left. Repair it by hand, or give up the project: stint abandon ${id}`
      : `An undamaged copy is at ${whole.place}. Look at it, put it back and continue: mv ${shellWord(place)} ${shellWord(`${place}.damaged`)} && cp ${shellWord(whole.place)} ${shellWord(place)} && stint resume ${id}`;
  return new StintError("state-corrupt", `${place} is damaged: ${why}`, hint);
}

/** Durable when it returns. */
export function keepRecord(kept: Keeping, path: KeptPath, value: unknown): void {
  const text = changedText(kept, path, value);
  if (text !== null) kept.holder.keep(path, text);
}

/** Durable with the next revision: a loss of power before that takes it as if it had never been. */
export function keepRecordWithNext(kept: Keeping, path: KeptPath, value: unknown): void {
  const text = changedText(kept, path, value);
  if (text !== null) kept.holder.keepWithNext(path, text);
}

function changedText({ holder, store }: Keeping, path: KeptPath, value: unknown): string | null {
  const text = `${JSON.stringify(value, null, 2)}\n`;
  const before = store.kept(holder.state.project_id, path);
  return before?.toString("utf8") === text ? null : text;
}

export function memoryOf(kept: Kept, task: TaskId): TaskMemory {
  return readKept(kept, memoryPath(task), taskMemory) ?? NOTHING_REMEMBERED;
}

/** As it counts: what a start that was never persisted left is not among it. */
export function memoryOfStarted(kept: Kept, task: Task): TaskMemory {
  return asStarted(memoryOf(kept, task.id), task);
}

type Move = (memory: TaskMemory) => TaskMemory;

/** Durable with the next revision, which tells what came of it. */
export function remember(kept: Keeping, task: TaskId, move: Move): void {
  keepRecordWithNext(kept, memoryPath(task), move(memoryOf(kept, task)));
}

/** Durable when it returns: before something begins that cannot be undone. */
export function rememberNow(kept: Keeping, task: TaskId, move: Move): void {
  keepRecord(kept, memoryPath(task), move(memoryOf(kept, task)));
}

function memoryPath(task: TaskId): KeptPath {
  return keptPath("artifacts", "tasks", `${task}.json`);
}

/** Of what Stint itself does for a task. */
export function actPath(task: TaskId, name: "intent" | "result"): KeptPath {
  return keptPath("artifacts", "logistics", task, `${name}.json`);
}

/** What a done task rests on. */
export function actProofPath(task: TaskId, attempt: number): KeptPath {
  return keptPath("artifacts", "evidence", task, attempt, "act.json");
}

export function readAct(
  kept: Kept,
  task: TaskId,
): { readonly intended: ActIntent | undefined; readonly known: ActResult | undefined } {
  return {
    intended: readKept(kept, actPath(task, "intent"), actIntent),
    known: readKept(kept, actPath(task, "result"), actResult),
  };
}

export function sessionPath(session: number, name: string): KeptPath {
  return keptPath("logs", "sessions", session, name);
}

/** What a session is given, before it starts. A kill, or a loss of power, may leave it without an end. */
export function keepStart({ holder }: Keeping, start: SessionStart): void {
  const text = `${JSON.stringify(start, null, 2)}\n`;
  holder.keepWithNext(sessionPath(start.session, "start.json"), text);
}

/** The manifest as the session left it comes first: what changed later was somebody else. */
export function keepEnd(
  { holder }: Keeping,
  start: SessionStart,
  seen: Omit<SessionEnd, "session" | "manifest">,
  manifest: Uint8Array | undefined,
): void {
  const { session } = start;
  const isAsGiven = manifest !== undefined && Buffer.from(start.manifest).equals(manifest);
  const state = manifest === undefined ? "gone" : isAsGiven ? "as-given" : "changed";
  const end: SessionEnd = { session, ...seen, manifest: state };
  if (manifest !== undefined && !isAsGiven) {
    holder.keepWithNext(sessionPath(session, "manifest-end.md"), manifest);
  }
  holder.keepWithNext(sessionPath(session, "result.json"), `${JSON.stringify(end, null, 2)}\n`);
}

export function readStart(kept: Kept, session: number): SessionStart | undefined {
  return readKept(kept, sessionPath(session, "start.json"), sessionStart);
}

export function readEnd(kept: Kept, session: number): SessionEnd | undefined {
  return readKept(kept, sessionPath(session, "result.json"), sessionEnd);
}

/** What a session made or changed and git ignores; kept only where there is any. */
export function keepIgnored(kept: Keeping, session: number, paths: readonly string[]): void {
  if (paths.length > 0) keepRecordWithNext(kept, sessionPath(session, "ignored.json"), paths);
}

export function readIgnored(kept: Kept, session: number): readonly string[] {
  return readKept(kept, sessionPath(session, "ignored.json"), ignoredMade) ?? [];
}

const MOST_FILES = 100;

/** For whoever looks later, when the workspace with its trees is gone. */
export function keepChanges(
  kept: Keeping,
  session: number,
  { tree, files }: Pick<SessionChanges, "tree" | "files">,
): void {
  const changes: SessionChanges = { tree, total: files.length, files: files.slice(0, MOST_FILES) };
  keepRecordWithNext(kept, sessionPath(session, "changes.json"), changes);
}

export function readChanges(kept: Kept, session: number): SessionChanges | undefined {
  return readKept(kept, sessionPath(session, "changes.json"), sessionChanges);
}

/** The manifest as the session left it; undefined where it left none. */
export function readEndManifest(
  { store, holder }: Kept,
  start: SessionStart,
  end: SessionEnd,
): Uint8Array | undefined {
  if (end.manifest === "gone") return undefined;
  if (end.manifest === "as-given") return Buffer.from(start.manifest);
  return store.kept(holder.state.project_id, sessionPath(end.session, "manifest-end.md"));
}

const COMMITS = keptPath("artifacts", "commits.json");
/** Older ones have been pushed or asked about long ago. */
const MOST_COMMITS = 2000;

/** Adds commits to those that Stint and its sessions made: only these are pushed without asking. @returns all */
export function keepKnownCommits(kept: Keeping, commits: readonly string[]): readonly string[] {
  const before = readKept(kept, COMMITS, knownCommits) ?? [];
  const all = [...new Set([...before, ...commits])].slice(-MOST_COMMITS);
  // Lost with the power before the revision that names the commit: it is found and added again.
  if (all.length !== before.length) keepRecordWithNext(kept, COMMITS, all);
  return all;
}

/** Some of them were made anew, or are no longer verified. */
export function replaceKnownCommits(
  kept: Keeping,
  gone: readonly string[],
  made: readonly string[],
): void {
  const before = readKept(kept, COMMITS, knownCommits) ?? [];
  const all = [...new Set([...before.filter((commit) => !gone.includes(commit)), ...made])];
  if (all.join() !== before.join()) keepRecord(kept, COMMITS, all);
}

/** Whatever holds verified work: these, and the person's own commits that it was found in. */
export function verifiedCommits(
  { tasks }: ProjectState,
  known: readonly string[],
): ReadonlySet<string> {
  const recorded = tasks.flatMap((task) =>
    task.status === "done" && task.commit !== undefined ? [task.commit] : [],
  );
  return new Set([...known, ...recorded]);
}
