import { BUDGET_LIMITS, type BudgetsSet, readBudgets } from "../../core/written/budget-limits.ts";
import { DELIVER_MODES, type DeliverMode } from "../../core/written/delivery-choice.ts";
import type { Permission } from "../../core/written/permission.ts";
import { StintError } from "../../core/stint-error.ts";
import { readWorkspaceWord, type WorkspaceWord } from "../../core/written/workspace-choice.ts";
import { parseGrant } from "../../operations/answers/grant.ts";
import { run as runOperation } from "../../operations/run/run.ts";
import type { System } from "../../operations/system.ts";
import { runText } from "../../report/run-text.ts";
import { exitCodeOfState } from "../exit-codes.ts";
import { printJson } from "../print-json.ts";
import type { Terminal } from "../terminal.ts";
import { isSet, optionText, optionTexts, type VerbCall, type VerbRunner } from "../verb.ts";
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
  const report = reportOf(optionText(call, "report"));
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
      agent: optionText(call, "agent"),
      fallback: optionTexts(call, "fallback"),
      session: optionText(call, "session"),
      resumes,
      sessions: sessionCount(optionText(call, "sessions")),
      grant: grant === undefined ? undefined : parseGrant(grant),
      budgets,
      retry: isSet(call, "retry"),
      approvePlan: isSet(call, "approvePlan"),
      unverified: isSet(call, "unverified"),
      includeChanges: isSet(call, "includeChanges"),
      inPlace: isSet(call, "inPlace"),
      workspace: workspaceOf(optionText(call, "workspace")),
      isolation: isolationOf(optionText(call, "isolation")),
      deliver: deliverOf(optionText(call, "deliver")),
      push: pushOf(call),
      model: optionText(call, "model"),
      permission: permissionOf(optionText(call, "permission")),
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
    else if (view.report !== null) terminal.out(view.report.lines.join("\n"));
    else terminal.out(`\n${runText(view, terminal.paint, terminal.width)}`);
    return exitCodeOfState(view.status);
  } finally {
    watch.end();
    unwatch();
  }
}

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

function permissionOf(text: string | undefined): Permission | undefined {
  if (text === undefined || text === "default" || text === "read-only" || text === "dangerous") {
    return text;
  }
  throw new StintError(
    "bad-input",
    `--permission ${text} is no permission`,
    "Right is default, read-only or dangerous; what each means here: stint agents",
  );
}

function isolationOf(text: string | undefined): "auto" | "on" | "off" | undefined {
  if (text === undefined || text === "auto" || text === "on" || text === "off") return text;
  throw new StintError(
    "bad-input",
    `"${text}" is no kind of isolation`,
    "Right is auto, on or off: stint run --help",
  );
}

function workspaceOf(text: string | undefined): WorkspaceWord | undefined {
  if (text === undefined) return undefined;
  const read = readWorkspaceWord(text);
  if (read.ok) return read.value;
  throw new StintError(
    "bad-input",
    `"${text}" is not a kind of workspace`,
    "Right is copy, in-place or own-path: stint run --help",
  );
}

function deliverOf(text: string | undefined): DeliverMode | undefined {
  if (text === undefined) return undefined;
  const mode = DELIVER_MODES.find((each) => each === text);
  if (mode !== undefined) return mode;
  throw new StintError(
    "bad-input",
    `"${text}" is not a way to deliver`,
    "Right is auto, checkout, branch or ask: stint run --help",
  );
}

/** Commander has it false where `--no-push` was typed. */
function pushOf(call: VerbCall): "auto" | "ask" | "never" | undefined {
  if (call.options["push"] === false) return "never";
  const text = optionText(call, "push");
  if (text === undefined || text === "auto" || text === "ask" || text === "never") return text;
  throw new StintError(
    "bad-input",
    `"${text}" is not a way to push`,
    "Right is auto, ask or never: stint run --help",
  );
}

function reportOf(text: string | undefined): boolean {
  if (text === undefined || text === "sessions") return text !== undefined;
  throw new StintError(
    "bad-input",
    `there is no report "${text}" of a run`,
    "Right is: --report sessions",
  );
}

function sessionCount(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text);
  throw new StintError(
    "bad-input",
    `"${text}" is no number of sessions`,
    "Right is, for example: --sessions 1",
  );
}
