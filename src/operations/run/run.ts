// `run` and `resume`: take a project to Done, or to the next thing that only a person can decide.
// Periods of work, each under the lease, with waits between them that hold nothing.
import { join } from "node:path";
import type { RunView } from "../../core/schema/views.ts";
import { StintError } from "../../core/stint-error.ts";
import { errnoOf } from "../../core/words/system-error.ts";
import { RUN_ID_VARIABLE, WORK_TREE_VARIABLE } from "../../engine/space/open-space.ts";
import { findRepository } from "../../store/repository.ts";
import { orFault } from "../faults.ts";
import { projectFor } from "../new-project.ts";
import type { RunInput } from "./run-settings.ts";
import { toBeWorkedOn } from "./run-surroundings.ts";
import { freshRunId, nowOf, type System } from "../system.ts";
import { type Worked, type WorkPeriod, workPeriod } from "./work-period.ts";
import type { ProjectId, RunId, TaskId } from "../../core/ids.ts";
import { msOf } from "../../core/instant.ts";
import { type Wait, waitsUntil, waitUntil, type Woken } from "../../engine/run/wait-until.ts";
import { isOpen, isResultAwaited, isTerminal } from "../../core/project-state.ts";
import { Inbox } from "../../engine/base/inbox.ts";
import { hasRepository, readSpace, repositoryLoss } from "../../engine/space/kept-space.ts";
import type { RegistryEntry, Store } from "../../store/store.ts";
import { readHistory, sessionEndIn } from "../../core/history.ts";
import { numberIn, objectsIn } from "../../core/json-line.ts";
import type { JournalEntry } from "../../core/schema/project.ts";
import { nextSteps } from "../../report/next-steps.ts";
import { sessionReport } from "../../report/session-report.ts";
import { status } from "../status.ts";
import { verify } from "../verify.ts";

export async function run(system: System, input: RunInput): Promise<RunView> {
  refuseInsideOwnRun(system);
  const project = await projectFor(system, input.target, toBeWorkedOn(system, input));
  const sessionsBefore = system.store.read(project).state.counters.sessions;
  const run_id = freshRunId(system);
  const watch = watchBeside(system, input, { project, run_id });
  const { entered } = watch;
  const unhurry = killWhenHurried(system, input, run_id);
  try {
    let worked = await workPeriod(system, input, { project, run_id, began: null, entered });
    for (;;) {
      // Each period follows the wait before it.
      // oxlint-disable-next-line no-await-in-loop
      const end = await waitForOthers(system, input, worked);
      if (end !== null) return await runView(system, input, worked, end);
      // oxlint-disable-next-line no-await-in-loop
      worked = await workPeriod(system, input, { project, run_id, began: worked.began });
    }
  } catch (error) {
    throw lossOf(system, project, { error, sessionsBefore }) ?? error;
  } finally {
    unhurry();
    watch.end();
  }
}

interface Failure {
  readonly error: unknown;
  /** The number of the last session before this run. */
  readonly sessionsBefore: number;
}

/** Whatever else was thrown came of the loss. A disk that cannot say has its own error told. */
function lossOf({ store }: System, id: ProjectId, failure: Failure): StintError | null {
  const looked = orFault(
    () =>
      store.loss(id) ??
      repositoryLoss(store, store.read(id).entry) ??
      workspaceLoss(store, id, failure),
  );
  return looked.ok ? looked.value : null;
}

/**
 * Only where a session of this run has worked in it, or git misses it: else it may not have been made yet. Not of a
 * project that is over, because then Stint removes it itself; and not where the disk has another reason.
 */
function workspaceLoss(store: Store, id: ProjectId, failure: Failure): StintError | null {
  const { error, sessionsBefore } = failure;
  const { entry, state } = store.read(id);
  const home = readSpace(store, entry)?.home;
  const isOfOther =
    /\((?!ENOENT|ENOTDIR)E[A-Z]+\)/.test(String(error)) ||
    !["ENOENT", "ENOTDIR"].includes(errnoOf(error) ?? "ENOENT");
  if (home === undefined || isOfOther || isTerminal(state) || hasRepository(home)) return null;
  const isMissed = String(error).includes(`not a git repository: '${home}`);
  if (!isMissed && state.counters.sessions === sessionsBefore) return null;
  return new StintError(
    "state-unwritable",
    `the workspace of ${id} is gone: somebody removed or moved ${home} while Stint worked in it. Nothing more was started.`,
    `What was committed is still there; Stint makes the workspace again: stint resume ${id}`,
  );
}

/** Who asks twice for the end waits for nobody's tidying up. */
function killWhenHurried(system: System, { hurrying }: RunInput, run_id: RunId): () => void {
  let end = (): void => {};
  const hurry = (): void => {
    end = system.killProcessesOf?.(run_id) ?? end;
  };
  hurrying?.addEventListener("abort", hurry);
  return () => {
    hurrying?.removeEventListener("abort", hurry);
    end();
  };
}

interface Watch {
  readonly entered: NonNullable<WorkPeriod["entered"]>;
  readonly end: () => void;
}

/**
 * Where a person wants it, a process beside the run that goes on with it where it is killed; it ends with the run,
 * however that ends. Who stops a run does so on purpose, also where it is killed before it has ended.
 */
function watchBeside(
  system: System,
  { watchdog, stopping }: RunInput,
  { project, run_id }: { readonly project: ProjectId; readonly run_id: RunId },
): Watch {
  let end = (): void => {};
  let isWatched = false;
  const stopped = (): void => {
    end();
    if (isWatched) void system.watchFiles().then((files) => files.keepStopped(project, run_id));
  };
  return {
    entered(state, isWatchdogOn) {
      isWatched = state.watchdog.installed && !isTerminal(state);
      if (!isWatched || stopping?.aborted === true) return;
      stopping?.addEventListener("abort", stopped);
      if (watchdog ?? isWatchdogOn) end = system.watchBeside?.(project) ?? end;
    },
    end() {
      stopping?.removeEventListener("abort", stopped);
      end();
    },
  };
}

/** A session or a check of a run cannot start another run in the same work tree. */
export function refuseInsideOwnRun({ cwd, env, descent }: System): void {
  const outer = env[RUN_ID_VARIABLE];
  // Who cleared the variables that say where it belongs belongs here.
  const isElsewhere = outer !== undefined && env[WORK_TREE_VARIABLE] !== findRepository(cwd).root;
  if (isElsewhere || descent() === null) return;
  throw new StintError(
    "lease-held",
    `${outer === undefined ? "a run" : `run ${outer}`} is at work here and started this process; it starts every session itself`,
    "Do your own task and end; the run continues with the next one.",
  );
}

const NEVER = new AbortController().signal;

/**
 * For agents that are limited, or for work that somebody else has.
 * @returns why the run ends here, or null when the wait is over and work goes on
 */
async function waitForOthers(
  system: System,
  input: RunInput,
  { state, waits, why }: Worked,
): Promise<string | null> {
  const { project_id, revision, status: began } = state;
  const until = waitsUntil(state);
  if (!waits || until === undefined) return why;
  const reason = began === "Paused" ? state.pause.reason : why;
  const now = nowOf(system);
  input.tell({ kind: "waiting", project_id, until, now, reason });
  const isAwaited = isResultAwaited(state);
  const woken = await waitUntil(system, {
    project: project_id,
    revision,
    untilMs: msOf(until),
    signal: input.stopping ?? NEVER,
    ...(isAwaited && { news: newsOf(system.store.read(project_id).entry) }),
  });
  if (woken.by === "time" || woken.by === "news") return null;
  // Who cancelled or skipped what was waited for wants the rest to go on.
  if (woken.by === "change" && began !== "Paused" && isOpen(woken.state)) return null;
  return whyLeft(woken, input, project_id, reason);
}

/** A message in the inbox. */
function newsOf(entry: RegistryEntry): NonNullable<Wait["news"]> {
  const inbox = new Inbox(entry);
  return { hasCome: () => inbox.hasMail(), watch: (onChange) => inbox.watch(onChange) };
}

/** Why the run ends although what it waits for is still to come. */
function whyLeft(
  woken: Exclude<Woken, { by: "time" | "news" }>,
  input: RunInput,
  id: ProjectId,
  reason: string,
): string {
  switch (woken.by) {
    case "signal":
      return `${input.stopWanted()?.reason ?? "it was stopped"} while it waited (${reason})`;
    case "change": {
      const { status: now, last_event } = woken.state;
      const what = last_event === null ? "" : ` (${last_event.by}: ${last_event.summary})`;
      return `somebody else changed the project while this run waited${what}; it is ${now} now`;
    }
    case "other-run":
      throw new StintError(
        "lease-held",
        `another run continued ${id} while this one waited: ${woken.lease.why}`,
        `See what it does: stint status ${id}`,
      );
    default:
      return woken satisfies never;
  }
}

/** How a run ended, read back from what it persisted: nothing here comes from its memory. */
async function runView(
  system: System,
  input: RunInput,
  { lease, began, state }: Worked,
  why: string,
): Promise<RunView> {
  const view = await status(system, { project: state.project_id });
  const { id, folder } = view.project;
  const lines = system.store.journal(id);
  const { completions, attempts } = readHistory(lines);
  const isOwn = ({ revision }: { readonly revision: number }): boolean => revision > began.revision;
  const own = lines.filter(isOwn);
  return {
    why,
    run: {
      run_id: lease.run_id,
      pid: lease.pid,
      from_revision: began.revision,
      sessions: new Set(attempts.filter(isOwn).map(({ session }) => session)).size,
      retries: retriesIn(own),
      wall_ms: Math.max(0, Math.round(system.host.nowMs() - began.atMs)),
    },
    session_ends: sessionEndsIn(own, view.project),
    done: [...completions].filter(([, done]) => isOwn(done)).map(([task]) => task as TaskId),
    has_git: findRepository(view.project.root).gitFolder !== null,
    commits: commitsIn(
      own,
      lines.filter((line) => !isOwn(line)),
    ),
    evidence: `${folder}/artifacts/evidence`,
    next: nextSteps(view, input),
    report:
      input.report === true
        ? sessionReport({
            state: system.store.read(id).state,
            lines,
            since: began.revision,
            verdict: await verify(system, { project: id }),
          })
        : null,
    status: view,
  };
}

/** A session that worked on several tasks ends once. */
function sessionEndsIn(
  lines: readonly JournalEntry[],
  { root, folder }: RunView["status"]["project"],
): RunView["session_ends"] {
  const ends = new Map<number, RunView["session_ends"][number]>();
  for (const { at, data } of lines) {
    const end = sessionEndIn(data ?? {});
    if (end === null || ends.has(end.session)) continue;
    const { session, words, log } = end;
    const path = log === undefined ? null : join(root, folder, log);
    ends.set(session, { session, task_id: end.task_id as TaskId, words, log: path, at });
  }
  return [...ends.values()].toSorted((a, b) => a.session - b.session);
}

function retriesIn(lines: readonly JournalEntry[]): number {
  return lines.reduce((sum, { data }) => sum + (numberIn(data?.["retries"]) ?? 0), 0);
}

/** Work that followed the person's branch was committed again: the last commit of a task is the one that counts. */
function commitsIn(
  own: readonly JournalEntry[],
  earlier: readonly JournalEntry[],
): RunView["commits"] {
  const known = new Set(earlier.flatMap(commitsOf).map(({ commit }) => commit));
  const commits = new Map<TaskId, RunView["commits"][number]>();
  for (const each of own.flatMap(commitsOf)) {
    // What an earlier run made and could not push is recorded later, and was not made by that run.
    if (!known.has(each.commit)) commits.set(each.task_id, each);
  }
  return [...commits.values()];
}

/** A commit that could not be pushed is made, and not recorded yet. */
function commitsOf({ kind, data = {} }: JournalEntry): RunView["commits"] {
  const made = kind === "blocked" ? objectsIn(data["made"]) : [];
  return (kind === "commit-recorded" ? [data] : made).flatMap(({ commit, task_id }) =>
    typeof commit === "string" && commit !== "none" ? [{ task_id: task_id as TaskId, commit }] : [],
  );
}
