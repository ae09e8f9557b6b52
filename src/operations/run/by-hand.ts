// A period of work without a run above it, for one verb: the lease is taken, the workspace is the person's folder, and
// rounds go on until a session is handed out, a person is needed, or nothing is asked for any more. What a person
// decides by starting a run is decided by nobody here.
import { delegatedTo } from "../../core/delegation.ts";
import type { ProjectId, TaskId } from "../../core/ids.ts";
import type { News } from "../../core/news.ts";
import { isActive, isTerminal } from "../../core/project-state.ts";
import type { Config } from "../../core/schema/config.ts";
import type { Pause } from "../../core/schema/items.ts";
import type { ProjectState } from "../../core/schema/project.ts";
import { startInHand } from "../../engine/attempt/by-hand.ts";
import { persist } from "../../engine/base/persist.ts";
import type { Agents, RunContext, StopWanted } from "../../engine/base/run-context.ts";
import { removeWhenOver } from "../../engine/finish/retry-delivery.ts";
import type { OpenRun } from "../../engine/run/open-run.ts";
import { assertNotInCopy } from "../../engine/space/checkout-by-hand.ts";
import { layTree } from "../../engine/space/task-work.ts";
import { mendCutShort, readSpace } from "../../engine/space/kept-space.ts";
import { readStart } from "../../engine/base/kept-record.ts";
import type { Holder } from "../../store/store.ts";
import { nowOf, type System } from "../system.ts";
import { verifyBeforeWork } from "./enter-run.ts";
import { underLease } from "./lease.ts";
import { workInRounds } from "./rounds.ts";
import { configToFollow, openContext, runSurroundings } from "./run-surroundings.ts";

/** Who works on a task where no agent is started for it, as in "session 2 is by hand". */
const BY_HAND = "hand";

export interface HandWork {
  /** Before the rounds; false: that was all. */
  readonly first: (context: RunContext) => Promise<boolean>;
  /** Why no attempt at a task begins; null where one may. */
  readonly whyNot: (context: RunContext, task: TaskId) => Promise<string | null>;
}

export interface HandWorked {
  readonly state: ProjectState;
  /** Why it ended, in words; null where there were no rounds. */
  readonly why: string | null;
  readonly notices: readonly string[];
}

export async function workByHand(
  system: System,
  project: ProjectId,
  work: HandWork,
): Promise<HandWorked> {
  const first = `Leave it alone, or wait for it: stint status ${project}`;
  return await underLease(system, project, first, async (holder, { stopWanted }) => {
    const notices: string[] = [];
    const tell = (news: News): void => {
      if (news.kind === "notice") notices.push(news.text);
    };
    notices.push(...holder.healed);
    const { store, host } = system;
    notices.push(...(await mendCutShort({ holder, store, nowMs: host.nowMs() })));
    assertNotInCopy(store, holder.entry, holder.state);
    const config = await configToFollow(system, { tell }, holder);
    const held = heldBy(holder.state);
    const whyNot: HandWork["whyNot"] = async (context, task) =>
      held === null ? await work.whyNot(context, task) : `it is paused: ${held.reason}`;
    const context = await openByHand(system, { tell, stopWanted }, { holder, config }, whyNot);
    verifyBeforeWork(system, holder);
    unwatch(system, holder);
    goOn(system, holder);
    const why = (await work.first(context)) ? await rounds(system, context) : null;
    pauseAgain(system, holder, held);
    return { state: holder.state, why, notices };
  });
}

async function rounds(system: System, context: OpenRun): Promise<string> {
  const { why } = await workInRounds(system, context);
  await removeWhenOver(context);
  await context.notices?.settle(() => context.stopWanted() !== null);
  return why;
}

/**
 * A session by hand that a run finds is collected where it worked, as one whose end nobody saw; then the run goes on
 * where it works itself. Where that is a copy, what is unfinished goes with it, and the person's folder is left as
 * verified work and the person have it.
 */
export async function takeOverByHand(
  system: System,
  ports: Ports & { readonly unattended?: string | undefined },
  period: Period & { readonly isInCopy: boolean },
): Promise<void> {
  const { holder, isInCopy } = period;
  const { store } = system;
  const inHand = startInHand({ store, holder });
  const isLeft =
    isInCopy && isLastByHand(system, holder) && readSpace(store, holder.entry)?.kind === "in-place";
  // What a person paused goes on where a person is there.
  const isHeld = holder.state.status === "Paused" && ports.unattended !== undefined;
  if ((inHand === null && !isLeft) || isHeld) return;
  const context = await openByHand(system, ports, period, async (_, task) => `${task} is next`);
  if (inHand !== null) {
    const text = `session ${inHand.session} was worked on by hand and its end is unknown: Stint checks what it left`;
    ports.tell({ kind: "notice", text });
    goOn(system, holder);
    await workInRounds(system, context);
  }
  if (isInCopy && !isTerminal(holder.state)) {
    await layTree(context, (await context.space.tip()).tree);
  }
  context.answers.close();
}

function isLastByHand({ store }: System, holder: Holder): boolean {
  return readStart({ store, holder }, holder.state.counters.sessions)?.by_hand === true;
}

interface Ports {
  readonly tell: (news: News) => void;
  readonly stopWanted: () => StopWanted | null;
}

interface Period {
  readonly holder: Holder;
  readonly config: Config;
}

async function openByHand(
  system: System,
  ports: Ports,
  { holder, config }: Period,
  whyNot: HandWork["whyNot"],
): Promise<OpenRun> {
  const typed = { inPlace: true, session: "one-task", parallel: 1, resumes: true } as const;
  const surroundings = runSurroundings(system, typed, holder, config);
  const agents = agentsByHand(surroundings.agents);
  const options = { holder, config, surroundings: { ...surroundings, agents } };
  const opened = await openContext(system, ports, options);
  const context: OpenRun = {
    ...opened,
    byHand: {
      async whyNot(task) {
        const found = holder.state.tasks.find(({ id }) => id === task);
        const isDelegated = found !== undefined && delegatedTo(found) !== null;
        if (!isDelegated) return await whyNot(context, task);
        return `${task} is delegated to ${found.delegate}; only a run can start that: stint run ${holder.entry.project_id}`;
      },
    },
  };
  for (const text of await context.space.open()) ports.tell({ kind: "notice", text });
  return context;
}

/** No program has to be there for work that is done by hand; one that reviews it has. */
function agentsByHand(agents: Agents): Agents {
  return {
    ...agents,
    namesFor: (task) => (delegatedTo(task) === null ? [BY_HAND] : agents.namesFor(task)),
    require: (name) => {
      if (name !== BY_HAND) agents.require(name);
    },
  };
}

/** Pauses that concern the agents of a run, or a run that was stopped: whoever works by hand needs neither. */
const OF_A_RUN = new Set<Pause["kind"]>(["signal", "usage-limit", "provider", "interruption"]);

/** The pause that only a person ends; null where there is none. */
export function heldBy({ pause }: ProjectState): Pause | null {
  return pause === null || OF_A_RUN.has(pause.kind) ? null : pause;
}

/** A session that is in hand is finished also where a person paused the project; nothing begins after it. */
function goOn(system: System, holder: Holder): void {
  if (holder.state.status !== "Paused") return;
  const { fence } = holder.lease;
  persist({ holder }, { kind: "resumed", at: nowOf(system), by: holder.state.owner_agent, fence });
}

function pauseAgain(system: System, holder: Holder, held: Pause | null): void {
  if (held === null || !isActive(holder.state) || holder.state.current_task_id !== null) return;
  const { kind, reason } = held;
  const by = holder.state.owner_agent;
  persist({ holder }, { kind: "paused", at: nowOf(system), by, pause: { kind, reason } });
}

/** Nobody goes on by itself with what somebody has in hand; the next run is watched again, as the settings say. */
function unwatch(system: System, holder: Holder): void {
  const { state } = holder;
  if (isTerminal(state) || !state.watchdog.installed) return;
  persist({ holder }, { kind: "watchdog-removed", at: nowOf(system), by: state.owner_agent });
}
