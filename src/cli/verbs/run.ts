import { BUDGET_LIMITS, type BudgetsSet, readBudgets } from "../../core/written/bounds.ts";
import { StintError } from "../../core/stint-error.ts";
import { parseGrant } from "../../operations/answers/grant.ts";
import { run as runOperation } from "../../operations/run/run.ts";
import type { System } from "../../operations/system.ts";
import { runText } from "../../report/run-text.ts";
import { exitCodeOfState } from "../exit-codes.ts";
import { typedSettings } from "../run-settings-options.ts";
import { printJson, show } from "../show.ts";
import type { Terminal } from "../terminal.ts";
import {
  isSet,
  optionChoice,
  optionCount,
  optionText,
  type VerbCall,
  type VerbRunner,
} from "../verb.ts";
import { watchRun } from "../watch-run.ts";

export const run: VerbRunner = async (system, call, terminal) =>
  await start(system, call, terminal, false);

export const resume: VerbRunner = async (system, call, terminal) =>
  await start(system, call, terminal, true);

async function start(
  system: System,
  call: VerbCall,
  terminal: Terminal,
  resumes: boolean,
): Promise<number> {
  const report = optionChoice(call, "report", REPORT) !== undefined;
  const shown: Terminal = isSet(call, "plain") ? { ...terminal, screen: undefined } : terminal;
  const watch = watchRun(shown, call.json ? "silent" : report ? "quiet" : "lines", () =>
    system.host.nowMs(),
  );
  let stop: { kind: "signal"; reason: string } | null = null;
  const stopping = new AbortController();
  const onSignal = (name: NodeJS.Signals): void => {
    if (stop === null) {
      stop = { kind: "signal", reason: `${name} was received` };
      watch.ending(`${name}: ending what runs and pausing …`);
      stopping.abort();
      return;
    }
    // A second one means it: what is left is what a kill leaves, and recovery is made for that.
    watch.end();
    unwatch();
    process.kill(process.pid, name);
  };
  const unwatch = (): void => {
    process.off("SIGINT", onSignal);
    process.off("SIGTERM", onSignal);
  };
  process.on("SIGINT", onSignal);
  process.on("SIGTERM", onSignal);
  try {
    const grant = optionText(call, "grant");
    const budgets = budgetsOf(call);
    const view = await runOperation(system, {
      target: call.arguments[0],
      ...typedSettings(call),
      resumes,
      sessions: optionCount(call, "sessions", "--sessions 1"),
      grant: grant === undefined ? undefined : parseGrant(grant),
      budgets,
      retry: isSet(call, "retry"),
      approvePlan: isSet(call, "approvePlan"),
      unverified: isSet(call, "unverified"),
      report,
      now: isSet(call, "now"),
      // Commander has it true unless `--no-wait` was typed.
      wait: call.options["wait"] !== false,
      tell: (news) => watch.tell(news),
      stopWanted: () => stop,
      stopping: stopping.signal,
    });
    watch.end();
    if (call.json) printJson(terminal, view);
    else if (view.report !== null) show(terminal, [{ whole: view.report.lines.join("\n") }]);
    else show(terminal, ["", ...runText(view, terminal.paint)]);
    return exitCodeOfState(view.status);
  } finally {
    watch.end();
    unwatch();
  }
}

const REPORT = {
  words: ["sessions"],
  wrong: (text: string) => `there is no report "${text}" of a run`,
  hint: "Right is: --report sessions",
};

function budgetsOf(call: VerbCall): BudgetsSet {
  const typed = {
    sessions: optionText(call, "maxSessions"),
    wall: optionText(call, "maxWall"),
    tokens: optionText(call, "maxTokens"),
    cost: optionText(call, "maxCost"),
  };
  const { set, wrong } = readBudgets(typed);
  if (wrong === undefined) return set;
  const { expected, example } = BUDGET_LIMITS[wrong];
  throw new StintError(
    "bad-input",
    `--max-${wrong} "${typed[wrong]}" is no budget: it is ${expected}`,
    `Right is, for example: --max-${wrong} ${example}`,
  );
}
