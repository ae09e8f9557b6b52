// What a session changed, measured on the real difference before any check runs: whether that is progress,
// and whether it is within the limits. An excess is said; it fails nothing, unless the manifest says
// `limits: strict`.
import { basename, extname } from "node:path";
import { changedSince } from "../space/task-work.ts";
import { weakenedWords } from "./weakened-tests.ts";
import { plannedTask } from "../people/manifest-texts.ts";
import { isOnePiece } from "./chunk-intents.ts";
import { isRefusal } from "./special-end.ts";
import { fileBaseline } from "../../checks/file-check.ts";
import type { ChangedFile } from "../../checks/judges.ts";
import type { EventOf, ProjectEvent } from "../../core/events.ts";
import type { TaskId } from "../../core/ids.ts";
import type {
  LastSession,
  SessionEnd,
  SessionStart,
  TaskMemory,
} from "../../core/schema/session-records.ts";
import type { Task, WorkCounts } from "../../core/schema/task.ts";
import { fewOf } from "../../core/words/amounts.ts";
import {
  filesChanged,
  ignoredLeft,
  sessionLeft,
  sessionMeasured,
  treesBefore,
  uncommittableIn,
} from "../../core/task-memory.ts";
import type { Limits } from "../../core/written/bounds.ts";
import {
  keepChanges,
  keepIgnored,
  memoryOf,
  readEnd,
  readStart,
  remember,
} from "../base/kept-record.ts";
import type { RunContext } from "../base/run-context.ts";
import { captureWork, workBetween, type WorkDone } from "../space/task-work.ts";

type Changed = NonNullable<TaskMemory["changed"]>;

/** Progress is a tree that was not seen before in this task; docs alone are planning, unless they are the task. */
export async function measureProgress(
  context: RunContext,
  start: SessionStart,
  task: TaskId,
  broughtChanged: readonly string[],
): Promise<{
  readonly progress: EventOf<"session-ended">["progress"];
  /** What it changed, in words and counted; for the journal. */
  readonly words: Pick<ProjectEvent, "measured" | "actual">;
}> {
  const { session } = start;
  const ids = start.tasks.map(({ task_id }) => task_id);
  const tasks = context.holder.state.tasks.filter(({ id }) => ids.includes(id));
  const { base, tree: laid } = start.start;
  const before = treesBefore(memoryOf(context, task), session);
  const changed = new Map<TaskId, Changed>();
  // oxlint-disable-next-line no-await-in-loop
  for (const { id } of tasks) changed.set(id, await changedFiles(context, start, id));
  const all = await captureWork(context, tasks, {
    base,
    session,
    also(id, memory, tree) {
      const seen = filesChanged(memory, changed.get(id) ?? {});
      return id === task ? sessionMeasured(seen, session, tree) : seen;
    },
  });
  const work = await workBetween(context, laid, all.tree);
  const isNew = !before.includes(work.tree) && work.tree !== laid;
  const left = uncommittableIn(memoryOf(context, task));
  if (left?.session === session) {
    keepLast(context, start, { changed: [], files: 0, made: "work" });
    for (const { path, why, hint } of left.problems) {
      const text = `session ${session} left ${path}, which ${why} and cannot be committed; ${hint}`;
      context.tell({ kind: "notice", text });
    }
    return { progress: "made", words: {} };
  }
  const made = await keepIgnoredWork(context, session, all.paths, { ids, broughtChanged });
  const isDocs = tasks.some((each) => each.id === task && each.docs_only === true);
  const isPlanning = work.substantial.length === 0 && !isDocs;
  const own = await changedSince(context, laid, work.tree);
  keepChanges(context, session, { tree: work.tree, files: own });
  keepLast(context, start, {
    changed: own.slice(0, MOST_TOLD).map(({ path, change }) => `${path} (${change})`),
    files: own.length,
    made: madeOf(own, made.isWork, isPlanning && !own.some(({ path }) => isNamedBy(tasks, path))),
  });
  const words = {
    measured: [
      showLimits(context, start, tasks, work),
      ...made.words,
      ...(await sayWeakened(context, start, own)),
    ].join("; "),
    actual: actualCounts(start, work),
  };
  if (!isNew || (work.substantial.length === 0 && work.docs.length === 0)) {
    return { progress: "none", words };
  }
  return { progress: isPlanning ? "planning-only" : "made", words };
}

/** Of the files that a session changed, those that the next brief names. */
const MOST_TOLD = 20;

function madeOf(
  own: readonly ChangedFile[],
  isIgnored: boolean,
  isDocuments: boolean,
): LastSession["made"] {
  if (own.length === 0) return isIgnored ? "ignored" : "nothing";
  return isDocuments ? "documents" : "work";
}

/** Whether the words of a task name a document, with its ending or without, which then is its work and no plan. */
function isNamedBy(tasks: readonly Task[], path: string): boolean {
  const names = [basename(path), basename(path, extname(path))].map((name) => name.toLowerCase());
  return tasks.some(({ title, details = "", checks = [] }) =>
    `${title} ${details} ${JSON.stringify(checks)}`
      .toLowerCase()
      .split(/[^\p{L}\p{N}_.-]+/u)
      .some((word) => names.includes(word.replace(/\.+$/, ""))),
  );
}

/** For the next brief. Of a session that its provider refused before it did anything there is nothing to tell. */
function keepLast(
  context: RunContext,
  { session, tasks }: SessionStart,
  left: Omit<LastSession, "session" | "checks">,
): void {
  const kind = readEnd(context, session)?.outcome.kind;
  if (left.made === "nothing" && kind !== undefined && isRefusal(kind)) return;
  for (const { task_id } of tasks) {
    remember(context, task_id, (all) => sessionLeft(all, { session, ...left }));
  }
}

/** Written by merely using what is there: named only where nothing else was made. */
const CACHES =
  /(?:^|\/)(?:__pycache__|\.(?:pytest|mypy|ruff)_cache|\.cache|\.nyc_output|\.vite|\.vitest|coverage|\.eslintcache|[^/]*\.tsbuildinfo|\.DS_Store)\/?$/;

/** What no commit shows of its work: remembered, and said. @returns what is to be written down, and whether it is more than caches */
async function keepIgnoredWork(
  context: RunContext,
  session: number,
  known: readonly string[],
  {
    ids,
    broughtChanged,
  }: { readonly ids: readonly TaskId[]; readonly broughtChanged: readonly string[] },
): Promise<{ readonly words: readonly string[]; readonly isWork: boolean }> {
  const made = await context.space.madeIgnored(session, known);
  if (made.length === 0 && broughtChanged.length === 0) return { words: [], isWork: false };
  keepIgnored(context, session, made);
  for (const id of ids) remember(context, id, (all) => ignoredLeft(all, made, broughtChanged));
  const lasting = made.filter((path) => !CACHES.test(path));
  const isWork = lasting.length > 0 || broughtChanged.length > 0;
  const shown = known.length === 0 ? made : lasting;
  if (shown.length === 0) return { words: [], isWork };
  const what = `made or changed what git ignores: ${fewOf(shown)}`;
  const text = `session ${session} ${what}; no commit contains it, so a clone would not have it`;
  context.tell({ kind: "notice", text });
  return { words: [what], isWork };
}

/** @returns what is to be written down */
async function sayWeakened(
  context: RunContext,
  { session, start }: SessionStart,
  changed: readonly ChangedFile[],
): Promise<readonly string[]> {
  const weakened = await weakenedWords(context, start.tree, changed);
  if (weakened === null) return [];
  context.tell({ kind: "notice", text: `session ${session} weakened tests: ${weakened}` });
  return [`weakened tests: ${weakened}`];
}

/** Files that the checks of a task ask about and that the session changed, whichever task that was for. */
async function changedFiles(
  { space }: RunContext,
  { tasks }: SessionStart,
  task: TaskId,
): Promise<Changed> {
  const { checks = [], files = {} } = tasks.find(({ task_id }) => task_id === task) ?? {};
  const now = await fileBaseline(space.folder, checks);
  return Object.fromEntries(
    Object.entries(files).filter(([path, digest]) => now.get(path) !== digest),
  );
}

/** S2-10 … S2-12: what the session really changed, said. @returns what is to be written down */
function showLimits(
  { holder, tell }: RunContext,
  { session, planned }: SessionStart,
  tasks: readonly Task[],
  { counts }: WorkDone,
): string {
  const { limits } = holder.state.scope_guardrails;
  const { summary, excess } = measureWork(counts, tasks, limits, planned);
  const measured = `session ${session}: ${summary}`;
  if (excess.length === 0) {
    tell({ kind: "measured", session, text: summary });
    return measured;
  }
  const beyond = excess.join("; ");
  tell({ kind: "notice", text: `session ${session} went beyond its limits: ${beyond}` });
  return `${measured}; beyond its limits: ${beyond}`;
}

function actualCounts({ tasks }: SessionStart, { counts }: WorkDone): WorkCounts {
  const { files, newFiles, moves } = counts;
  return { tasks: tasks.length, files, new_files: newFiles, moves };
}

/** Of a command that was refused: longer, or with more acts, is more than one act. */
const LONGEST_COMMAND = 500;
const ACTS = /&&|\|\||[;\n]/u;

/**
 * S3-20: what of a session was more than one can do, each bound with what was planned and what it came to; null
 * where nothing was. `tree` is what it left.
 */
export async function beyondOneSession(
  context: RunContext,
  task: Extract<Task, { status: "validating" }>,
  tree: string | undefined,
): Promise<string | null> {
  const { holder, settings } = context;
  const { session } = task.attempt;
  const start = readStart(context, session);
  if (start === undefined || settings.extract === false) return null;
  const ids = start.tasks.map(({ task_id }) => task_id);
  const tasks = holder.state.tasks.filter(({ id }) => ids.includes(id));
  const left = tree ?? start.start.tree;
  const { counts } = await workBetween(context, start.start.tree, left);
  const { limits } = holder.state.scope_guardrails;
  const { excess } = measureWork(counts, tasks, limits, start.planned);
  const beyond = [...excess, ...beyondByEnd(readEnd(context, session)?.outcome)];
  if (beyond.length === 0) return null;
  // What broke no bound and is one piece is tried again: its next brief asks for smaller ones.
  if (excess.length === 0 && isOnePiece(task, plannedTask(context, task.id))) return null;
  return beyond.join("; ");
}

function beyondByEnd(outcome: SessionEnd["outcome"] | undefined): string[] {
  if (outcome?.kind === "context-exhausted") return ["its context ran out, the limit is one"];
  if (outcome?.kind !== "denied") return [];
  const { command } = outcome;
  const acts = command.split(ACTS).filter((part) => part.trim() !== "").length;
  if (acts > 1) return [`a command of ${acts} acts was refused, the limit is 1`];
  return command.length > LONGEST_COMMAND
    ? [`a command of ${command.length} characters was refused, the limit is ${LONGEST_COMMAND}`]
    : [];
}

export interface MeasuredWork {
  /** The counts with their limits, in words. */
  readonly summary: string;
  /** What was exceeded, in words; empty when nothing was. */
  readonly excess: readonly string[];
}

/** `tasks` are those of the session: what holds per task holds for each of them. */
export function measureWork(
  counts: WorkDone["counts"],
  tasks: readonly Pick<Task, "limit">[],
  limits: Limits,
  planned?: WorkCounts,
): MeasuredWork {
  const perTask = (key: "files_per_task" | "moves_per_task"): number =>
    tasks.reduce((sum, { limit }) => sum + (limit?.[key] ?? limits[key]), 0);
  const newFiles = Math.max(
    ...tasks.map(({ limit }) => limit?.new_files_per_session ?? limits.new_files_per_session),
  );
  const measured = [
    {
      what: `${fileWord(counts.files)} changed`,
      count: counts.files,
      limit: perTask("files_per_task"),
      planned: planned?.files,
    },
    {
      what: `new ${fileWord(counts.newFiles)}`,
      count: counts.newFiles,
      limit: newFiles,
      planned: planned?.new_files,
    },
    {
      what: `${fileWord(counts.moves)} moved`,
      count: counts.moves,
      limit: perTask("moves_per_task"),
      planned: planned?.moves,
    },
  ];
  return {
    summary: measured
      .map(({ what, count, limit }) => `${count} ${what} (limit ${limit})`)
      .join(", "),
    excess: measured.flatMap(({ what, count, limit, planned: before }) => {
      const said = before === undefined ? "" : ` (${before} planned)`;
      return count > limit ? [`${count} ${what}, the limit is ${limit}${said}`] : [];
    }),
  };
}

function fileWord(count: number): string {
  return count === 1 ? "file" : "files";
}
