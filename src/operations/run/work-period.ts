// A period of a run: from taking the lease to giving it back.
import { posix } from "node:path";
import type { ProjectId, RunId } from "../../core/ids.ts";
import type { Config } from "../../core/schema/config.ts";
import type { Lease, ProjectState } from "../../core/schema/project.ts";
import { sessionsSpent } from "../../core/step/budgets.ts";
import { isTerminal } from "../../core/project-state.ts";
import { StintError } from "../../core/stint-error.ts";
import { whatIsLeftOut, whereWorkWillBe } from "../../engine/run/announce-work.ts";
import {
  includeChanges,
  isWaiting,
  removeWhenOver,
  retryDelivery,
} from "../../engine/finish/retry-delivery.ts";
import { requirePrograms } from "../../engine/run/run-agents.ts";
import { mendCutShort } from "../../engine/space/kept-space.ts";
import { keepChoices, type OpenRun } from "../../engine/run/open-run.ts";
import { persist, placeOf, saveEach } from "../../engine/base/persist.ts";
import type { RunSettings } from "../../engine/base/run-context.ts";
import { workspaceCommands } from "../../core/written/workspace-settings.ts";
import { excludeFromCommits, findRepository } from "../../store/repository.ts";
import type { Holder } from "../../store/store.ts";
import { takeOverByHand } from "./by-hand.ts";
import { enterRun, setBudgets, verifyBeforeWork } from "./enter-run.ts";
import { assertKnownAgents } from "./known-agents.ts";
import { assertNoWorkIsGone, doGoneWorkAgain } from "./lost-work.ts";
import { type LeaseWait, takeLease, whileKept } from "./lease.ts";
import { workInRounds } from "./rounds.ts";
import { configToFollow, openContext, runSurroundings } from "./run-surroundings.ts";
import type { ChosenSettings, RunInput } from "./run-settings.ts";
import { writtenPlan } from "../manifest-file.ts";
import { nowOf, type System } from "../system.ts";

/** A run without waits has one period; each wait, for its agents or for a result, begins another. */
export interface WorkPeriod {
  readonly project: ProjectId;
  readonly run_id: RunId;
  /** Null for the first one. */
  readonly began: Began | null;
  /** Called once the run has entered: from now on a kill would leave something to go on with. */
  readonly entered?: (state: ProjectState, isWatchdogOn: boolean) => void;
}

export interface Began {
  readonly revision: number;
  readonly atMs: number;
  /** Sessions that counted before this run. */
  readonly sessions: number;
}

export interface Worked {
  readonly began: Began;
  readonly lease: Lease;
  readonly state: ProjectState;
  readonly why: string;
  /** Whether the run goes on by itself after a pause that has an end. */
  readonly waits: boolean;
}

export async function workPeriod(
  system: System,
  asked: RunInput,
  period: WorkPeriod,
): Promise<Worked> {
  const { project, run_id } = period;
  const holder = await takeLease(system, project, run_id, leaseWaitOf(asked, period));
  return await whileKept(system.host, holder, (kept) => {
    const input = { ...asked, stopWanted: () => kept.stopWanted() ?? asked.stopWanted() };
    return workHeld(system, input, period, holder);
  });
}

async function workHeld(
  system: System,
  input: RunInput,
  period: WorkPeriod,
  holder: Holder,
): Promise<Worked> {
  const { revision, counters } = holder.state;
  const sessions = sessionsSpent(counters);
  const began = period.began ?? { revision, atMs: system.host.nowMs(), sessions };
  const mended = await mendCutShort({ holder, store: system.store, nowMs: system.host.nowMs() });
  for (const text of [...holder.healed, ...mended]) input.tell({ kind: "notice", text });
  // First of all: whatever a kill leaves to go on with has the limits that were given.
  if (period.began === null && !isTerminal(holder.state)) {
    setBudgets(system, holder, { ...holder.state.budgets, ...input.budgets });
  }
  keepOutOfCommits(holder);
  const config = await configToFollow(system, input, holder);
  const { context, chosen } = await openPeriod(system, input, { holder, config, began });
  // One that is over needs no place to work in, unless it is reopened.
  const isOver = isTerminal(holder.state);
  if (input.unverified !== true) await assertNoWorkIsGone(holder);
  if (!isOver || isWaiting(context)) await openPlace(context, input);
  if (!isOver && period.began === null) await assertCommits(context);
  await saveEach(context, retryDelivery(context));
  if (input.unverified !== true) verifyBeforeWork(system, holder);
  if (period.began === null) {
    const { project_id, slug } = holder.entry;
    input.tell({ kind: "started", project_id, slug, place: placeOf(holder.state) });
    await beginWork(system, context, input, chosen, isOver);
  } else {
    input.tell({ kind: "woken" });
    goOn(system, holder);
  }
  if (input.unverified === true) await saveEach(context, doGoneWorkAgain(context));
  applyBudgets(system, holder, config.attempts_per_task);
  applyWatchdog(system, holder, config.watchdog !== "off");
  period.entered?.(holder.state, config.watchdog === "on");
  const { why } = await workInRounds(system, context);
  await saveEach(context, retryDelivery(context));
  await removeWhenOver(context);
  await context.notices?.settle(() => input.stopWanted() !== null);
  const { lease, state } = holder;
  return { began, lease, state, why, waits: input.wait !== false && config.wait !== false };
}

/** The repository may be another than at the start, whose git knows nothing of Stint's folder. */
function keepOutOfCommits({ entry: { root, folder } }: Holder): void {
  excludeFromCommits(findRepository(root), `/${posix.dirname(folder)}/`);
}

async function openPlace({ space }: OpenRun, { tell }: RunInput): Promise<void> {
  for (const text of await space.open()) tell({ kind: "notice", text });
}

/** A night of work must not end at its first commit. */
async function assertCommits({ space }: OpenRun): Promise<void> {
  const refusal = await space.whyNoCommit();
  if (refusal === null) return;
  const message = `verified work could not be committed: ${refusal.why}`;
  throw new StintError("bad-input", message, `${refusal.hint}\nThen run the same command again.`);
}

/** What a person is told first, and what they start from. */
async function beginWork(
  system: System,
  context: OpenRun,
  input: RunInput,
  chosen: ChosenSettings,
  isOver: boolean,
): Promise<void> {
  const { holder } = context;
  const say = (text: string | null): void => {
    if (text !== null) input.tell({ kind: "notice", text });
  };
  const sayWhere = async (): Promise<void> => {
    for (const text of await whereWorkWillBe(context)) say(text);
  };
  if (!isOver) await sayWhere();
  await enterRun(system, context, input, workspaceCommands(chosen));
  const { state } = holder;
  if (isTerminal(state)) return;
  if (isOver) {
    await openPlace(context, input);
    await assertCommits(context);
    await sayWhere();
  }
  if (input.includeChanges !== true) {
    for (const text of await whatIsLeftOut(context)) say(text);
  } else if (state.status !== "Draft") await includeChanges(context);
}

/** A person who starts a run is told at once; one that went through a wait by itself waits for this too. */
function leaseWaitOf({ stopping, tell }: RunInput, { began }: WorkPeriod): LeaseWait | null {
  if (began === null) return null;
  return {
    signal: stopping ?? new AbortController().signal,
    tell: (text) => tell({ kind: "notice", text }),
  };
}

/** By what was typed, what the run before kept, the manifest and the settings, in this order. */
async function openPeriod(
  system: System,
  input: RunInput,
  period: { readonly holder: Holder; readonly config: Config; readonly began: Began },
): Promise<{ readonly context: OpenRun; readonly chosen: ChosenSettings }> {
  const { holder, config, began } = period;
  const surroundings = runSurroundings(system, input, holder, config);
  const { choices, chosen, agents, space } = surroundings;
  // A wrong name, or a program that is not there, is told before anything is started.
  const plan = writtenPlan(system.store, holder.state);
  assertKnownAgents(system, choices, { plan, config, root: holder.entry.root });
  requirePrograms(holder.state.tasks, agents);
  await takeOverByHand(system, input, { holder, config, isInCopy: space.kind === "own-copy" });
  keepChoices({ holder, store: system.store }, choices, system.env);
  const settings = stopAfter(began, input.sessions);
  const context = await openContext(system, input, { holder, config, surroundings, settings });
  return { context, chosen };
}

/** The wait ended by itself: nobody decided anything, so no limit is lifted and nothing unblocked. */
function goOn(system: System, holder: Holder): void {
  if (holder.state.status !== "Paused") return;
  const at = nowOf(system);
  const by = holder.state.owner_agent;
  persist({ holder }, { kind: "resumed", at, by, fence: holder.lease.fence });
}

/** A person's file says how often a task may be tried; no attempt already made is forgotten. */
function applyBudgets(system: System, holder: Holder, attempts: number | undefined): void {
  const { budgets, status: now } = holder.state;
  if (attempts === undefined || now === "Done" || now === "Abandoned") return;
  setBudgets(system, holder, { ...budgets, attempts_per_task: attempts });
}

/** A project is watched as the settings say, from its next run on. */
function applyWatchdog(system: System, holder: Holder, wanted: boolean): void {
  const { state } = holder;
  if (isTerminal(state) || state.watchdog.installed === wanted) return;
  const fact = { at: nowOf(system), by: state.owner_agent };
  if (wanted) persist({ holder }, { kind: "watchdog-installed", ...fact });
  else persist({ holder }, { kind: "watchdog-removed", ...fact });
}

function stopAfter(began: Began, sessions: number | undefined): Pick<RunSettings, "stopAfter"> {
  if (sessions === undefined) return {};
  const asked = sessions === 1 ? "1 session was" : `${sessions} sessions were`;
  const reason = `${asked} asked for (--sessions ${sessions})`;
  return { stopAfter: { session: began.sessions + sessions, reason } };
}
