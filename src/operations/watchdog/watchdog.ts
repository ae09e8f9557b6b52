// `watchdog`: what a tick does stands in tick.ts; here is everything around it: a tick of one project that stays until
// there is nothing to wait for, the process that ticks where a machine has no timer, and installing, removing and
// showing what ticks.
import { isTerminal } from "../../core/project-state.ts";
import { instantFromMs, msOf } from "../../core/instant.ts";
import { StintError } from "../../core/stint-error.ts";
import type { WatchdogView } from "../../core/schema/views.ts";
import { TICK_MINUTES } from "../../core/words/timer-files.ts";
import type { WatchFiles } from "../../store/watch-files.ts";
import { orFault } from "../faults.ts";
import { resolveProject } from "../resolve-project.ts";
import type { System } from "../system.ts";
import { tick, type TickInput, tickProject } from "./tick.ts";
import { type Timer, TIMER_KINDS, type TimerKind, timersOf } from "./timers.ts";

type Acts = NonNullable<WatchdogView["tick"]>["acts"];

/** How often it looks whether a run that it started has come so far as to hold the lease, or the clock was set. */
const LOOK_MS = 1000;
const LONGEST_SLEEP_MS = 30_000;

export async function watchdogTick(system: System, input: TickInput): Promise<WatchdogView> {
  const view = await tick(system, input);
  const { at, projects, watched, acts } = view;
  return { action: "tick", at, tick: { projects, watched, acts }, timer: null };
}

interface Staying {
  readonly signal: AbortSignal;
  /** Called with each act when it happens. */
  readonly tell: (act: Acts[number]) => void;
}

/**
 * Beside a run that was killed: goes on with its project, and waits where it has to wait itself. Ends as soon as a
 * run is at work, or nothing is left that would come due by itself.
 */
export async function tickUntilQuiet(
  system: System,
  target: string,
  { signal, tell, recover }: Staying & Pick<TickInput, "recover">,
): Promise<void> {
  const files = await system.watchFiles();
  const project = await resolveProject(system, target);
  while (!signal.aborted) {
    // oxlint-disable-next-line no-await-in-loop
    const { act, until } = await tickProject(system, files, project, {
      runsWait: true,
      ...(recover === undefined ? {} : { recover }),
    });
    if (act !== null) tell(act);
    if (act?.act === "escalate" || act?.act === "look") return;
    const looked = orFault(() => files.look(project));
    if (!looked.ok || looked.value === undefined || looked.value.lease.held) return;
    // What it has started is starting up; what waits for its time is looked at again then.
    const untilMs = until === null ? null : msOf(until);
    if (untilMs === null && act === null && !files.isRecovering(project)) return;
    const leftMs = untilMs === null ? LOOK_MS : Math.max(0, untilMs - system.host.nowMs());
    // oxlint-disable-next-line no-await-in-loop
    await system.host.sleep(Math.min(leftMs, LONGEST_SLEEP_MS), signal);
  }
}

/** The process that ticks where the machine has no timer. Ends where it is no longer the one, or nothing is left. */
export async function tickForEver(system: System, { signal, tell }: Staying): Promise<void> {
  const files = await system.watchFiles();
  // Whoever starts it records it a moment later.
  for (
    let isFirst = true;
    !signal.aborted && (isFirst || isOwnLoop(system, files));
    isFirst = false
  ) {
    // oxlint-disable-next-line no-await-in-loop
    const { acts, watched } = await tick(system, {});
    for (const act of acts) tell(act);
    if (watched === 0) {
      files.endLoop();
      return;
    }
    // oxlint-disable-next-line no-await-in-loop
    await system.host.sleep(TICK_MINUTES * 60_000, signal);
  }
}

/** Of two that were started at once, the recorded one stays. */
function isOwnLoop({ host }: System, files: WatchFiles): boolean {
  const recorded = files.loop();
  const { pid, process_start } = host.self();
  return recorded?.pid === pid && recorded.process_start === process_start;
}

export async function installTimer(
  system: System,
  kind: TimerKind | undefined,
): Promise<WatchdogView> {
  // Loaded only here: a tick needs little, and comes often.
  const { assertPerson } = await import("../system.ts");
  assertPerson(system, "what this machine does by itself");
  const files = await system.watchFiles();
  const timers = timersOf(system, files);
  const there = timers.find((timer) => timer.isInstalled());
  const chosen =
    timers.find((timer) => timer.kind === kind) ??
    there ??
    timers.find((timer) => timer.isPossible());
  if (chosen === undefined) throw new Error("a process is always possible");
  if (there !== undefined && there.kind !== chosen.kind) {
    throw new StintError(
      "bad-input",
      `the watchdog is installed already, by ${there.kind}`,
      "Remove that first: stint watchdog remove",
    );
  }
  if (!chosen.isPossible()) {
    throw new StintError(
      "bad-input",
      `this machine has no ${chosen.kind}`,
      `Leave out --kind, or give another: ${TIMER_KINDS.join(", ")}`,
    );
  }
  const changed = chosen.install();
  return await timerView(system, files, "install", chosen, changed);
}

export async function removeTimer(system: System): Promise<WatchdogView> {
  const { assertPerson } = await import("../system.ts");
  assertPerson(system, "what this machine does by itself");
  const files = await system.watchFiles();
  let changed = false;
  for (const timer of timersOf(system, files)) {
    if (timer.isInstalled()) changed = timer.remove() || changed;
  }
  return await timerView(system, files, "remove", undefined, changed);
}

export async function timerStatus(system: System): Promise<WatchdogView> {
  const files = await system.watchFiles();
  const there = timersOf(system, files).find((timer) => timer.isInstalled());
  return await timerView(system, files, "status", there, false);
}

async function timerView(
  system: System,
  files: WatchFiles,
  action: WatchdogView["action"],
  timer: Timer | undefined,
  changed: boolean,
): Promise<WatchdogView> {
  const looks = files
    .ids()
    .map((project_id) => ({ project_id, looked: orFault(() => files.look(project_id)) }));
  const watches = looks.flatMap(({ project_id, looked }) => {
    const found = looked.ok ? looked.value : undefined;
    if (found === undefined) return [];
    const { state, lease } = found;
    if (!state.watchdog.installed || isTerminal(state)) return [];
    return [{ project_id, slug: state.slug, status: state.status, held: lease.held }];
  });
  const unreadable = looks.flatMap(({ project_id, looked }) =>
    looked.ok ? [] : [{ project_id, why: looked.fault.message }],
  );
  return {
    action,
    at: instantFromMs(system.host.nowMs()),
    tick: null,
    timer: {
      kind: timer?.kind ?? null,
      live: timer?.isLive() ?? false,
      places: [...(timer?.places ?? [])],
      changed,
      last_tick: files.ticked()?.ticked_at ?? null,
      watches,
      unreadable,
    },
  };
}
