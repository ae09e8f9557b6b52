// The verb `watchdog`: which action, and what is said of it. A tick says nothing where it found nothing.
import type { WatchdogView } from "../core/schema/views.ts";
import { StintError } from "../core/stint-error.ts";
import { TIMER_KINDS } from "../operations/watchdog/timers.ts";
import {
  installTimer,
  removeTimer,
  tickForEver,
  tickUntilQuiet,
  timerStatus,
  watchdogTick,
} from "../operations/watchdog/watchdog.ts";
import type { System } from "../operations/system.ts";
import { actLine, watchdogText } from "../report/watchdog-text.ts";
import { EXIT } from "./exit-codes.ts";
import { show, type Terminal } from "./terminal.ts";
import { isSet, optionChoice, type VerbCall, type VerbRunner, viewVerb } from "./verb.ts";

export const runWatchdog: VerbRunner = async (system, call, terminal) => {
  const [action, project] = call.arguments;
  const isAlone = action === "tick" && project !== undefined && isSet(call, "wait");
  if (action === "loop" || isAlone) return await stay(system, project, terminal);
  const shown = viewVerb<WatchdogView>({ view: () => viewOf(system, call), text: watchdogText });
  return await shown(system, call, terminal);
};

async function viewOf(system: System, call: VerbCall): Promise<WatchdogView> {
  const [action, project] = call.arguments;
  switch (action) {
    case "tick":
      return await watchdogTick(system, { project });
    case "install":
      return await installTimer(
        system,
        optionChoice(call, "kind", {
          words: TIMER_KINDS,
          wrong: (text) => `there is no timer "${text}"`,
          hint: `Use one of: ${TIMER_KINDS.join(", ")}`,
        }),
      );
    case "remove":
      return await removeTimer(system);
    case "status":
      return await timerStatus(system);
    case undefined:
    default:
      throw new StintError(
        "bad-input",
        `"${action}" is not an action of stint watchdog`,
        "Use tick, install, remove or status: stint watchdog --help",
      );
  }
}

/** Each act is said when it happens; what ends it is a signal, or that nothing is left. */
async function stay(
  system: System,
  project: string | undefined,
  terminal: Terminal,
): Promise<number> {
  const { signal } = new AbortController();
  const tell = (act: Parameters<typeof actLine>[0]): void => show(terminal, [actLine(act)]);
  if (project === undefined) await tickForEver(system, { signal, tell });
  else await tickUntilQuiet(system, project, { signal, tell });
  return EXIT.done;
}
