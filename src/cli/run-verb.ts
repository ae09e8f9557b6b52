// The verbs that have sessions worked on while a person watches: `run`, `resume`, and the `demo` of both.
import { iterate } from "../operations/iterate.ts";
import { parseGrant, type RunInput } from "../operations/run/run-settings.ts";
import { run as runOperation } from "../operations/run/run.ts";
import type { System } from "../operations/system.ts";
import { iterateText } from "../report/iteration-text.ts";
import type { Block, Paint } from "../report/layout.ts";
import { runText } from "../report/run-text.ts";
import { EXIT, exitCodeOfState } from "./exit-codes.ts";
import { isReportWanted, typedBudgets, typedIteration, typedSettings } from "./run-options.ts";
import { printJson, show, type Terminal } from "./terminal.ts";
import {
  isSet,
  optionCount,
  optionText,
  requiredWord,
  type VerbCall,
  type VerbRunner,
} from "./verb.ts";
import { LiveView, watchRun } from "./live-view.ts";
import { demo } from "../operations/demo.ts";
import { clock } from "../report/amounts.ts";
import { demoText } from "../report/health-text.ts";
import { shorten } from "../report/visible.ts";

export function runVerb({ resumes }: { readonly resumes: boolean }): VerbRunner {
  return (system, call, terminal) =>
    watched(system, call, terminal, async (input) => {
      const view = await runOperation(system, { ...input, resumes, target: call.arguments[0] });
      const { report } = view;
      return {
        document: view,
        exitCode: exitCodeOfState(view.status),
        text: (paint) =>
          report === null ? ["", ...runText(view, paint)] : [{ whole: report.lines.join("\n") }],
      };
    });
}

export const runIterate: VerbRunner = (system, call, terminal) =>
  watched(system, call, terminal, async (input) => {
    const request = requiredWord(call, 0);
    const view = await iterate(system, { request, options: typedIteration(call), run: input });
    return {
      document: view,
      exitCode: view.run === null ? EXIT.done : exitCodeOfState(view.run.status),
      text: (paint) => iterateText(view, paint),
    };
  });

interface Ended {
  readonly document: object;
  readonly exitCode: number;
  readonly text: (paint: Paint) => readonly Block[];
}

/** A run that a person watches and may end by a signal. */
async function watched(
  system: System,
  call: VerbCall,
  terminal: Terminal,
  operate: (input: Omit<RunInput, "target">) => Promise<Ended>,
): Promise<number> {
  const report = isReportWanted(call);
  const shown: Terminal = isSet(call, "plain") ? { ...terminal, screen: undefined } : terminal;
  const watch = watchRun(shown, call.json ? "silent" : report ? "quiet" : "lines", () =>
    system.host.nowMs(),
  );
  let stop: { kind: "signal"; reason: string } | null = null;
  const stopping = new AbortController();
  const hurrying = new AbortController();
  const unlisten = listenForEnd(terminal, {
    first(reason, told) {
      stop = { kind: "signal", reason };
      watch.ending(`${told}: ending what runs and pausing …`);
      stopping.abort();
    },
    // It means at once: what runs is killed, and the run pauses in order all the same.
    second(told) {
      watch.ending(`${told} again: killing what runs and pausing …`);
      hurrying.abort();
    },
  });
  try {
    const grant = optionText(call, "grant");
    const ended = await operate({
      ...typedSettings(call),
      sessions: optionCount(call, "sessions", "--sessions 1"),
      grant: grant === undefined ? undefined : parseGrant(grant),
      budgets: typedBudgets(call),
      retry: isSet(call, "retry"),
      approvePlan: isSet(call, "approvePlan"),
      unverified: isSet(call, "unverified"),
      report,
      now: isSet(call, "now"),
      // Commander has it true unless `--no-wait` was typed.
      wait: call.options["wait"] !== false,
      unattended: optionText(call, "unattended"),
      ...typedWatchdog(call.options["watchdog"]),
      tell: (news) => watch.tell(news),
      stopWanted: () => stop,
      stopping: stopping.signal,
      hurrying: hurrying.signal,
    });
    watch.end();
    if (call.json) printJson(terminal, ended.document);
    else show(terminal, ended.text(terminal.paint));
    // Before nobody listens any more: a second Ctrl-C that comes late does not make another exit code of it.
    terminal.leave?.(ended.exitCode);
    return ended.exitCode;
  } finally {
    watch.end();
    unlisten();
  }
}

interface EndWanted {
  readonly first: (reason: string, told: string) => void;
  readonly second: (told: string) => void;
}

/** Who sends one of these twice is impatient. SIGHUP comes twice whenever a terminal is closed. */
const ASKED = ["SIGINT", "SIGTERM"] as const;

/**
 * A run is ended by a signal, by its terminal that is closed, or because what it says can be written nowhere. Each of
 * the two is called once at most. @returns how to listen no longer
 */
function listenForEnd({ onLost }: Terminal, wanted: EndWanted): () => void {
  let isEnding = false;
  let asked = 0;
  const end = (reason: string, told: string): void => {
    if (!isEnding) wanted.first(reason, told);
    isEnding = true;
  };
  const onSignal = (name: NodeJS.Signals): void => end(`${name} was received`, name);
  const onHangUp = (name: NodeJS.Signals): void => end(`its terminal was closed (${name})`, name);
  const onAsked = (name: NodeJS.Signals): void => {
    asked += 1;
    if (asked === 2) wanted.second(name);
    else onSignal(name);
  };
  for (const name of ASKED) process.on(name, onAsked);
  process.on("SIGHUP", onHangUp);
  const unhear = onLost?.((why) => end(why, why));
  return () => {
    unhear?.();
    process.off("SIGHUP", onHangUp);
    for (const name of ASKED) process.off(name, onAsked);
  };
}

const DEMO_REDRAW_MS = 200;

export const runDemo: VerbRunner = async (system, call, terminal) => {
  const began = system.host.nowMs();
  let told = 0;
  const { screen } = terminal;
  const view =
    screen === undefined || call.json
      ? undefined
      : new LiveView(screen, (width) => {
          const time = clock(system.host.nowMs() - began);
          const what = told < 2 ? `session ${told + 1} of 2, in its own process` : "verifying";
          return [terminal.paint.dim(shorten(`… ${what}, ${time}`, width - 1))];
        });
  const timer = setInterval(() => view?.draw(), DEMO_REDRAW_MS);
  // The processes of the sessions get the signal as well and end in order; then this one cleans up.
  let isStopped = false;
  const onSignal = (): void => {
    isStopped = true;
  };
  for (const name of ["SIGINT", "SIGHUP"] as const) process.on(name, onSignal);
  try {
    const seen = await demo(system, {
      keep: isSet(call, "keep"),
      stopWanted: () => isStopped,
      tell(lines) {
        const text = `${told === 0 ? "" : "\n"}${lines.join("\n")}`;
        told += 1;
        if (view !== undefined) view.line(text);
        else if (!call.json) terminal.out(text);
      },
    });
    view?.end();
    if (seen === null) return EXIT.workRemains;
    if (call.json) printJson(terminal, seen);
    else if (seen.kept !== null) show(terminal, demoText(seen, terminal.paint));
    return seen.passed ? EXIT.done : EXIT.stateBroken;
  } finally {
    clearInterval(timer);
    view?.end();
    for (const name of ["SIGINT", "SIGHUP"] as const) process.off(name, onSignal);
  }
};

/** Commander has it undefined unless one of the two was typed. */
function typedWatchdog(typed: unknown): Pick<RunInput, "watchdog"> {
  return typeof typed === "boolean" ? { watchdog: typed } : {};
}
