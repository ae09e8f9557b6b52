// `watch`: what a run says while it works, from what it leaves for that: the news of a run in the background, the
// journal of one in another terminal. Reads only; whoever stops watching stops nothing else.
import { join } from "node:path";
import type { EndTold } from "../../core/events.ts";
import { sessionEndIn } from "../../core/history.ts";
import type { ProjectId } from "../../core/ids.ts";
import type { News } from "../../core/news.ts";
import type { JournalEntry, ProjectState } from "../../core/schema/project.ts";
import type { RunView, WatchView } from "../../core/schema/views.ts";
import { placeOf } from "../../engine/base/persist.ts";
import type { DetachedFiles, DetachedRun } from "../../store/detached-files.ts";
import type { Snapshot } from "../../store/store.ts";
import { resolveProject } from "../resolve-project.ts";
import { status } from "../status.ts";
import type { System } from "../system.ts";

export interface WatchInput {
  readonly project?: string | undefined;
  readonly tell: Watcher;
  /** Whoever watches leaves. */
  readonly signal: AbortSignal;
}

export interface Watcher {
  /** A run is at work since then; these are the news before now. */
  begin(sinceMs: number, earlier: readonly News[]): void;
  news(news: News): void;
}

const LOOK_MS = 200;

export async function watchRun(system: System, input: WatchInput): Promise<WatchView> {
  const id = await resolveProject(system, input.project);
  const files = await system.detachedFiles();
  const snapshot = system.store.read(id);
  const current = files.current(id);
  const isDetached = current !== undefined && files.isAlive(current);
  const { lease } = snapshot.lease;
  const wasLive = isDetached || snapshot.lease.held;
  if (isDetached) await followNews(system, input, { files, id, run: current });
  else if (snapshot.lease.held && lease !== null) await followJournal(system, input, snapshot);
  const isLeft = wasLive && input.signal.aborted;
  const now = await status(system, { project: id });
  const ended = current === undefined || isLeft ? null : endedView(files, id, current);
  return {
    project_id: id,
    pid: isDetached ? current.pid : snapshot.lease.held ? (lease?.pid ?? null) : null,
    was_live: wasLive,
    left: isLeft,
    // What happened since is told by the status alone.
    run: ended?.status.revision === now.revision ? ended : null,
    status: now,
  };
}

function endedView(files: DetachedFiles, id: ProjectId, { name }: DetachedRun): RunView | null {
  const document = files.end(id, name)?.document as RunView | undefined;
  // One of an earlier Stint tells less; the status tells the rest.
  const isWhole = document?.run !== undefined && Array.isArray(document.session_ends);
  return isWhole ? document : null;
}

/** What it told so far, then what it tells. */
async function followNews(
  { host }: System,
  { tell, signal }: WatchInput,
  { files, id, run }: { files: DetachedFiles; id: ProjectId; run: DetachedRun },
): Promise<void> {
  let from = 0;
  const read = (): News[] => {
    const all: News[] = [];
    for (;;) {
      const { news, next } = files.news(id, run.name, from);
      if (next === from) return all;
      from = next;
      all.push(...news);
    }
  };
  tell.begin(Date.parse(run.started_at), read());
  while (!signal.aborted) {
    // What it wrote before it ended is read after it is seen to have ended.
    const isOver = !files.isAlive(run);
    for (const news of read()) tell.news(news);
    if (isOver) return;
    // oxlint-disable-next-line no-await-in-loop
    await host.sleep(LOOK_MS, signal);
  }
}

function endNews(
  { root, folder }: Snapshot["entry"],
  { session, words, log }: EndTold,
): Extract<News, { kind: "session-ended" }> {
  const path = log === undefined ? {} : { log: join(root, folder, log) };
  return { kind: "session-ended", session, words, ...path };
}

/** Lines of before that are read: as many as anybody is shown. */
const EARLIER = 30;

/** Every revision is a line; what happens in between, nobody but the run itself knows. */
async function followJournal(
  { host, store }: System,
  { tell, signal }: WatchInput,
  { entry, state, lease }: Snapshot,
): Promise<void> {
  const holder = lease.lease;
  if (holder === null) return;
  const { project_id, slug } = entry;
  const isAlive = (): boolean =>
    holder.boot_id === host.self().boot_id && holder.pid_namespace === host.self().pid_namespace
      ? host.processState(holder.pid, holder.process_start) !== "dead"
      : store.read(project_id).lease.held;
  let { revision } = state;
  const earlier = store
    .journal(project_id, EARLIER)
    .filter((line) => line.revision <= revision && line.at >= holder.acquired_at);
  tell.begin(Date.parse(holder.acquired_at), [
    { kind: "started", project_id, slug, place: placeOf(state) },
    ...earlier.flatMap((line) => newsOf(line, entry, state)),
  ]);
  while (!signal.aborted) {
    const isOver = !isAlive();
    const { state: now } = store.read(project_id);
    const lines = now.revision > revision ? store.journal(project_id, now.revision - revision) : [];
    for (const line of lines) {
      if (line.revision <= revision) continue;
      for (const news of newsOf(line, entry, now)) tell.news(news);
      revision = line.revision;
    }
    if (isOver) return;
    // oxlint-disable-next-line no-await-in-loop
    await host.sleep(LOOK_MS, signal);
  }
}

function newsOf(
  { revision, kind: event, summary, data = {} }: JournalEntry,
  entry: Snapshot["entry"],
  state: ProjectState,
): News[] {
  const end = sessionEndIn(data);
  const isTold = end !== null && event === "attempt-interrupted";
  const about = { revision, event, summary, status: state.status, place: placeOf(state) };
  return [
    ...(end === null ? [] : [endNews(entry, end)]),
    { kind: "persisted", ...about, ...(isTold && { isTold }) },
  ];
}
