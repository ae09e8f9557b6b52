// `show`: all that is known of one task with its attempts, or of one session: what it was told, what it changed, how
// it ended, its checks and their evidence, why it failed. Reads files only, takes no lock, and is bounded.
import { closeSync, existsSync, fstatSync, openSync, readSync } from "node:fs";
import { join } from "node:path";
import { describeCheck } from "../../checks/check-text.ts";
import { recordNames } from "../../checks/evidence.ts";
import { actStanding, actText } from "../../core/acts.ts";
import { readHistory } from "../../core/history.ts";
import { objectsIn, parseJsonLine, stringIn } from "../../core/json-line.ts";
import type { JournalEntry, ProjectState } from "../../core/schema/project.ts";
import type { Dispatch } from "../../core/schema/items.ts";
import type { SessionEnd, SessionStart } from "../../core/schema/session-records.ts";
import type { Task } from "../../core/schema/task.ts";
import type { ShowView } from "../../core/schema/views.ts";
import { StintError } from "../../core/stint-error.ts";
import { shortCommit } from "../../core/words/proof-words.ts";
import { CUT_SHORT, sessionEndWords, standingAlone } from "../../core/words/session-end-words.ts";
import { isMarked, MARKED_BY_YOU } from "../../core/words/task-standing.ts";
import { shellWord } from "../../core/written/commands.ts";
import {
  actPath,
  actProofPath,
  type Kept,
  memoryOf,
  readAct,
  readChanges,
  readEnd,
  readStart,
  sessionPath,
} from "../../engine/base/kept-record.ts";
import {
  changedBetween,
  changedByCommit,
  type ChangedFile,
  namesTask,
} from "../../engine/space/what-changed.ts";
import { type KeptPath, keptPath, type Snapshot } from "../../store/store.ts";
import { namedTask } from "../answers/named-item.ts";
import { resolveProject } from "../resolve-project.ts";
import { detailOf } from "../status.ts";
import type { System } from "../system.ts";

export interface ShowInput {
  /** What is meant, then which project: `t1`, `s3`, `session 3 p-4k2j9x`. */
  readonly words: readonly string[];
}

type Shown = ShowView["sessions"][number];
type Changed = NonNullable<Shown["changed"]>;

const MOST_SESSIONS = 20;
const MOST_FILES = 100;
/** A brief has no more. */
const BRIEF_CHARACTERS = 32 * 1024;
const OUTPUT_CHARACTERS = 2_000;

export async function show(system: System, { words }: ShowInput): Promise<ShowView> {
  const { item, number, project } = meantBy(words);
  const id = await resolveProject(system, project);
  const snapshot = system.store.read(id);
  const lines = system.store.journal(id);
  const session = number ?? sessionNamed(snapshot.state, item);
  const look = { system, snapshot, lines };
  return session === null
    ? await taskView(look, namedTaskOrSaid(snapshot.state, item))
    : await sessionView(look, session);
}

interface Look {
  readonly system: System;
  readonly snapshot: Snapshot;
  readonly lines: readonly JournalEntry[];
}

/** `session 3` is two words, `s3` and `session-3` are one. */
function meantBy([item = "", ...rest]: readonly string[]): {
  readonly item: string;
  readonly number: number | null;
  readonly project: string | undefined;
} {
  const isApart = item === "session" && /^[1-9]\d{0,8}$/.test(rest[0] ?? "");
  const [project, more] = isApart ? rest.slice(1) : rest;
  if (more !== undefined) {
    throw new StintError(
      "bad-input",
      `"${more}" is one argument too many`,
      "Use: stint show t1, stint show session 3; a project may follow",
    );
  }
  return { item, number: isApart ? Number(rest[0]) : null, project };
}

/** A task that is called so wins. */
function sessionNamed({ tasks }: ProjectState, item: string): number | null {
  const number = /^(?:s|session-)([1-9]\d{0,8})$/.exec(item)?.[1];
  const isTask = tasks.some(({ id, name }) => id === item || name === item);
  return number === undefined || isTask ? null : Number(number);
}

function namedTaskOrSaid(state: ProjectState, item: string): Task {
  if (item === "session" && !state.tasks.some(({ name }) => name === item)) {
    const hint = "For example: stint show session 3, or stint show s3";
    throw new StintError("bad-input", "a session is named by its number", hint);
  }
  const asked = [...state.approval_items, ...state.questions].find(({ id }) => id === item);
  if (asked === undefined) return namedTask(state, item);
  const isQuestion = state.questions.some(({ id }) => id === item);
  throw new StintError(
    "not-found",
    `${item} is ${isQuestion ? "a question" : "an approval"}, not a task or a session`,
    isQuestion
      ? `It is shown by: stint status ${state.project_id}`
      : `See what it is about: stint diff ${item} ${state.project_id}`,
  );
}

async function taskView(look: Look, task: Task): Promise<ShowView> {
  const { state } = look.snapshot;
  const numbers = [
    ...new Set(
      readHistory(look.lines)
        .attempts.filter(({ task_id }) => task_id === task.id)
        .map(({ session }) => session),
    ),
  ].toReversed();
  const sessions: Shown[] = [];
  for (const number of numbers.slice(0, MOST_SESSIONS)) {
    const shown = await shownSession(look, number, task);
    if (shown !== null) sessions.push(shown);
  }
  const commit = await ownCommitOf(look, task);
  const changed = await changedByTask(look, task, commit);
  return {
    project_id: state.project_id,
    slug: state.slug,
    folder: folderOf(look),
    task: {
      id: task.id,
      name: task.name,
      title: task.title,
      status: task.status,
      labels: [...(task.labels ?? [])],
      attempts: task.attempts,
      allowed: state.budgets.attempts_per_task + (task.extra_attempts ?? 0),
      allowed_extra: task.extra_attempts ?? 0,
      checks: (task.checks ?? []).map(describeCheck),
      act: actOf(look, task),
      why: whyOf(task, look),
      last_failure: failureOf(task),
      changed,
      spent: task.spent ?? null,
    },
    sessions,
    sessions_left_out: numbers.length - sessions.length,
    next: nextFor(look, task, { commit, hasWork: changed !== null && changed.total > 0 }),
  };
}

function openQuestions({ questions }: ProjectState, { id }: Task) {
  return questions.filter(({ status, task_id }) => status === "open" && task_id === id);
}

function whyOf(task: Task, look: Look): string | null {
  const { state, lease } = look.snapshot;
  if (task.status === "done") return isMarked(task) ? MARKED_BY_YOU : null;
  if (task.status === "in_progress") {
    const { number, session } = task.attempt;
    const isOpen = lease.held || readStart(keptOf(look), session)?.by_hand === true;
    return isOpen
      ? `session ${session} works on it (attempt ${number})`
      : `session ${session} was interrupted: the next run continues from what it left`;
  }
  if (task.status === "validating") return lease.held ? "its checks run" : CHECKS_NEXT;
  const asked = openQuestions(state, task).map(({ id, text }) => `${id}: ${text}`);
  return asked.length > 0 ? `waits for your answer to ${asked.join("; ")}` : detailOf(task, state);
}

const CHECKS_NEXT =
  "its checks were interrupted: the next run runs them again, without a new session";

/** Of a done task the record that its proof rests on: its checks may have shown that an earlier try did it. */
function actOf(look: Look, task: Task): NonNullable<ShowView["task"]>["act"] {
  const what = actText(task);
  if (what === null) return null;
  const { intended, known } = readAct(keptOf(look), task.id);
  const attempt = Math.max(1, task.attempts);
  const path = task.status === "done" ? actProofPath(task.id, attempt) : actPath(task.id, "result");
  const standing = actStanding(task, intended, known);
  const record = task.status === "done" || standing === "known" ? recordAt(look, path) : undefined;
  const isUnknown = record === undefined && standing === "unknown";
  const given = { task_id: task.id, attempt, checks: task.checks ?? [] };
  return {
    what,
    ended: stringIn(record?.["summary"]) ?? (isUnknown ? ACT_UNKNOWN : null),
    ended_well: record?.["ok"] === true,
    output: endOf(stringIn(record?.["output"]) ?? "", OUTPUT_CHARACTERS),
    record: record === undefined ? null : path,
    checks: record === undefined ? [] : checksOf(look, given),
  };
}

function recordAt({ system, snapshot: { entry } }: Look, path: KeptPath) {
  const bytes = system.store.kept(entry.project_id, path);
  return bytes === undefined ? undefined : parseJsonLine(bytes.toString("utf8"));
}

const ACT_UNKNOWN = "it was begun, and nobody knows whether it took effect";

function keptOf({ system, snapshot }: Look): Kept {
  return { store: system.store, holder: { state: snapshot.entry } };
}

function folderOf({ snapshot: { entry } }: Look): string {
  return join(entry.root, entry.folder);
}

function failureOf({ last_failure }: Task): NonNullable<ShowView["task"]>["last_failure"] {
  if (last_failure === undefined) return null;
  const { attempt, check, excerpt, at } = last_failure;
  return { attempt, check, excerpt: endOf(excerpt, OUTPUT_CHARACTERS), at };
}

/** Its commit, or what its sessions have left so far. */
async function changedByTask(
  look: Look,
  task: Task,
  commit: string | null,
): Promise<Changed | null> {
  const { system, snapshot } = look;
  const { entry } = snapshot;
  // It stands on a commit of others.
  if (commit === null && commitOf(look, task) !== null) return null;
  if (commit !== null) {
    return changedView("committed", commit, await changedByCommit(entry.root, commit));
  }
  const { work } = memoryOf(keptOf(look), task.id);
  if (work === undefined) return null;
  const trees = { before: work.base, after: work.tree };
  const kind = task.status === "validating" ? "to-check" : "unfinished";
  return changedView(kind, null, await changedBetween(system.store, entry, trees));
}

/** Also of one that is made and not recorded, because it could not be pushed. */
function commitOf({ lines }: Look, task: Task): string | null {
  if (task.status !== "done") return null;
  if (task.commit !== undefined) return task.commit === "none" ? null : task.commit;
  const made = lines
    .flatMap(({ data }) => objectsIn(data?.["made"]))
    .findLast(({ task_id }) => task_id === task.id);
  return stringIn(made?.["commit"]) ?? null;
}

/** Null where it stands on a commit of others: it had nothing to commit, and the commit does not name it. */
async function ownCommitOf(look: Look, task: Task): Promise<string | null> {
  const commit = commitOf(look, task);
  const recorded = look.lines.findLast(
    ({ kind, data }) => kind === "commit-recorded" && data?.["task_id"] === task.id,
  )?.data;
  if (commit === null || recorded?.["without_change"] !== true) return commit;
  return (await namesTask(look.snapshot.entry.root, commit, task.id)) ? commit : null;
}

function changedView(
  kind: Changed["kind"],
  commit: string | null,
  files: readonly ChangedFile[] | null,
): Changed | null {
  if (files === null) return null;
  return { kind, commit, total: files.length, files: files.slice(0, MOST_FILES) };
}

function nextFor(
  seen: Look,
  task: Task,
  { commit, hasWork }: { readonly commit: string | null; readonly hasWork: boolean },
): string[] {
  const { entry, state } = seen.snapshot;
  const { project_id: id } = state;
  // All of it is staged there.
  const look = hasWork ? [`stint shell ${task.id} ${id} -- git diff HEAD`] : [];
  const asked = state.approval_items.find(
    (item) => item.status === "open" && item.task_id === task.id,
  );
  if (asked !== undefined) return [`stint diff ${asked.id} ${id}`];
  const questions = openQuestions(state, task);
  if (questions.length > 0) {
    return questions.map((question) => `stint answer ${question.id} "your answer" ${id}`);
  }
  switch (task.status) {
    case "done":
      return commit === null ? [] : [`git -C ${shellWord(entry.root)} show ${shortCommit(commit)}`];
    case "blocked":
      return [`stint retry ${task.id} ${id}`, ...look];
    case "pending":
      return look;
    case "in_progress":
    case "validating":
    case "awaiting_result":
    case "awaiting_approval":
    case "skipped":
    case "superseded":
      return [];
    default:
      return task satisfies never;
  }
}

async function sessionView(look: Look, number: number): Promise<ShowView> {
  const { state } = look.snapshot;
  const shown = await shownSession(look, number, null);
  if (shown === null) throw noSession(state, number);
  return {
    project_id: state.project_id,
    slug: state.slug,
    folder: folderOf(look),
    task: null,
    sessions: [shown],
    sessions_left_out: 0,
    next: shown.tasks.map(({ task_id }) => `stint show ${task_id} ${state.project_id}`),
  };
}

function noSession({ project_id, counters }: ProjectState, number: number): StintError {
  const had =
    counters.sessions === 0 ? "none has started yet" : `the last one is ${counters.sessions}`;
  return new StintError(
    "not-found",
    `${project_id} has no session ${number}: ${had}`,
    `See what happened: stint log ${project_id}`,
  );
}

/** Null where nothing is kept of it. With a task, its checks alone. */
async function shownSession(look: Look, number: number, task: Task | null): Promise<Shown | null> {
  const { snapshot, lines } = look;
  const { entry } = snapshot;
  const kept = keptOf(look);
  const start = readStart(kept, number);
  if (start === undefined) return null;
  const end = readEnd(kept, number);
  const checks = start.tasks
    .filter(({ task_id }) => task === null || task_id === task.id)
    .flatMap((given) => checksOf(look, given));
  const closed = end === undefined ? withoutEnd(snapshot, start) : null;
  const recorded = lines.find(
    ({ kind, data }) => kind === "session-ended" && data?.["session"] === number,
  )?.data;
  const folder = join(entry.root, entry.folder);
  const log = sessionPath(number, "events.jsonl");
  return {
    session: number,
    tasks: start.tasks.map(({ task_id, attempt }) => ({ task_id, attempt })),
    agent: start.agent,
    started_at: start.started_at,
    ended_at: end?.ended_at ?? closed?.at ?? null,
    wall_ms: end === undefined ? null : Math.round(end.wall_ms),
    tokens: end?.tokens ?? null,
    cost_usd: end?.cost_usd ?? null,
    ended: end === undefined ? (closed?.words ?? "") : endWords(end),
    ended_well: end?.outcome.kind === "finished" || closed?.isWell === true,
    is_out: closed?.isOut === true,
    // Of an end that nobody saw, what the next run read in its log.
    last_words: cut(end === undefined ? (stringIn(recorded?.["note"]) ?? null) : end.last_text),
    measured: stringIn(recorded?.["measured"])?.replace(/^session \d+: /, "") ?? null,
    changed: await changedBySession(look, start),
    checks,
    stderr: tailOf(join(folder, sessionPath(number, "stderr.log"))),
    brief: briefOf(look, number),
    log: existsSync(join(folder, log)) ? log : null,
  };
}

function cut(text: string | null): string | null {
  return text === null ? null : endOf(text, OUTPUT_CHARACTERS);
}

/** As they were recorded after the session, and on a later look; one that was never run has no record. */
function checksOf(
  look: Look,
  {
    task_id,
    attempt,
    checks,
  }: Pick<SessionStart["tasks"][number], "task_id" | "attempt" | "checks">,
): Shown["checks"] {
  const named = checks.flatMap((check, index) => {
    const [after, again] = recordNames(check, index + 1);
    return [
      { check, name: after, words: "" },
      { check, name: again, words: "once more, before another attempt: " },
    ];
  });
  return named.flatMap(({ check, name, words }) => {
    const path = keptPath("artifacts", "evidence", task_id, attempt, name);
    const record = recordAt(look, path);
    const result = RESULTS.find((each) => each === record?.["result"]);
    if (record === undefined || result === undefined) return [];
    const shown: Shown["checks"][number] = {
      task_id,
      check: describeCheck(check),
      result,
      summary: `${words}${stringIn(record["summary"]) ?? ""}`,
      at: stringIn(record["started_at"]) ?? null,
      evidence: path,
      output: endOf(stringIn(record["output"]) ?? "", OUTPUT_CHARACTERS),
    };
    return shown;
  });
}

const RESULTS = ["passed", "failed", "pending", "unavailable"] as const;

/** As it was measured when it ended: what others made since is not its own. Lines are known while its trees are there. */
async function changedBySession(
  look: Look,
  { session, start }: SessionStart,
): Promise<Changed | null> {
  const { system, snapshot } = look;
  const kept = readChanges(keptOf(look), session);
  if (kept === undefined) return null;
  const trees = { before: start.tree, after: kept.tree };
  const between = await changedBetween(system.store, snapshot.entry, trees);
  const files = kept.files.map(({ path, change }) => {
    const { added = null, removed = null } = between?.find((file) => file.path === path) ?? {};
    return { path, change, added, removed };
  });
  return { kind: "session", commit: null, total: kept.total, files };
}

/** Its last words are shown apart. */
function endWords({ last_text: _t, last_stderr: _e, ...end }: SessionEnd): string {
  return standingAlone(sessionEndWords(end));
}

interface Closed {
  readonly words: string;
  readonly isOut: boolean;
  readonly isWell: boolean;
  readonly at: Dispatch["sent_at"] | null;
}

/** Of one that left no end: nobody was started, it is at work, or it was cut short. */
function withoutEnd({ state, lease }: Snapshot, start: SessionStart): Closed {
  if (start.outside === true) return endOutside(state, start);
  const { session, by_hand } = start;
  const isAtWork =
    (lease.held || by_hand === true) &&
    (state.tasks.some((task) => "attempt" in task && task.attempt?.session === session) ||
      state.dispatches.some(
        ({ status, worker }) =>
          status === "sent" && worker.kind === "session" && worker.session === session,
      ));
  return isAtWork ? stillOut("at work") : closedAs(standingAlone(CUT_SHORT), null);
}

/** The work of such an attempt is the first that was sent since it began. */
function endOutside({ dispatches }: ProjectState, { tasks, started_at }: SessionStart): Closed {
  const sent = dispatches.find(
    ({ task_id, worker, sent_at }) =>
      worker.kind === "outside" && task_id === tasks[0]?.task_id && sent_at >= started_at,
  );
  if (sent === undefined) return closedAs("never sent: its run ended before that", null);
  const { id, owner } = sent;
  switch (sent.status) {
    case "sent":
      return stillOut(`out with ${owner} as ${id}`);
    case "returned":
      return { ...closedAs(`returned (${id}): ${sent.result}`, sent), isWell: true };
    case "timed_out":
      return closedAs(`not returned by its deadline (${id})`, sent);
    case "lost":
    case "cancelled":
      return closedAs(`${sent.status} (${id}): ${sent.reason}`, sent);
    default:
      return sent satisfies never;
  }
}

function stillOut(words: string): Closed {
  return { words, isOut: true, isWell: false, at: null };
}

function closedAs(words: string, dispatch: Exclude<Dispatch, { status: "sent" }> | null): Closed {
  return {
    words: endOf(words, OUTPUT_CHARACTERS),
    isOut: false,
    isWell: false,
    at: dispatch?.closed_at ?? null,
  };
}

function briefOf({ system, snapshot: { entry } }: Look, number: number): Shown["brief"] {
  const path = sessionPath(number, "brief.md");
  const text = system.store.kept(entry.project_id, path)?.toString("utf8");
  if (text === undefined) return null;
  return {
    path,
    text: text.slice(0, BRIEF_CHARACTERS),
    is_cut: text.length > BRIEF_CHARACTERS,
  };
}

/** The end says most; a line that is cut at its beginning goes. */
function endOf(text: string, most: number): string {
  const plain = text.trimEnd();
  return plain.length <= most ? plain : `…${plain.slice(-most).replace(/^[^\n]*\n/, "\n")}`;
}

/** The end of a log, which may be large, or of a session that writes just now. */
function tailOf(path: string): string {
  let fd: number;
  try {
    fd = openSync(path, "r");
  } catch {
    return "";
  }
  try {
    const { size } = fstatSync(fd);
    const bytes = Buffer.alloc(Math.min(size, 4 * OUTPUT_CHARACTERS));
    const got = readSync(fd, bytes, 0, bytes.length, size - bytes.length);
    return endOf(bytes.toString("utf8", 0, got), OUTPUT_CHARACTERS);
  } catch {
    return "";
  } finally {
    closeSync(fd);
  }
}
