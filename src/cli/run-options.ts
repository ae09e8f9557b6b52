// The options of `run` that change how and where a project is worked on: `resume` and `plan` take them too.
import { DELIVER_MODES } from "../core/written/delivery-choice.ts";
import { PROTECT_WORDS } from "../core/written/protect.ts";
import { WORKSPACE_WORDS } from "../core/written/workspace-settings.ts";
import { BUDGET_LIMITS, type BudgetsSet, readBudgets } from "../core/written/bounds.ts";
import { StintError } from "../core/stint-error.ts";
import type { IterationOptions } from "../operations/settings/config.ts";
import type { TypedSettings } from "../operations/run/run-settings.ts";
import {
  isSet,
  optionChoice,
  optionCount,
  optionText,
  optionTexts,
  type VerbCall,
  type VerbOption,
} from "./verb.ts";

export const AGENT: VerbOption = {
  flags: "--agent <agent>",
  description:
    "a name that stint agents lists, acp:<program>, command:<program>, scripted:<script> (default: claude)",
};

export const SESSION_OPTIONS: readonly VerbOption[] = [
  {
    flags: "--fallback <agent>",
    description: "takes over while a provider refuses the agent; repeat it for a third one",
    repeatable: true,
  },
  { flags: "--session <policy>", description: "one-task, batch:N or until-gate" },
  {
    flags: "--parallel <n>",
    description: "how many sessions run in parallel, on tasks that do not wait for each other",
  },
];

export const WORK_TREE: VerbOption = {
  flags: "--dir <folder>",
  description: "the work tree, for a manifest that is in no repository and names none",
};

export const PLACE_OPTIONS: readonly VerbOption[] = [
  {
    flags: "--include-changes",
    description: "start from your uncommitted changes: they become a first commit in your name",
  },
  { flags: "--in-place", description: "work in the checkout itself instead of a copy" },
  {
    flags: "--workspace <kind>",
    description: "copy, in-place or own-path (a copy at its real path)",
  },
  {
    flags: "--deliver <mode>",
    description: "auto, checkout, branch or ask: when verified work goes into your branch",
  },
  { flags: "--push <policy>", description: "auto, ask or never" },
  { flags: "--no-push", description: "push nothing; the same as --push never" },
];

/** Of run and resume alone. */
export const DETACH: VerbOption = {
  flags: "--detach",
  description: "run in the background, even if this terminal is closed (stint watch)",
};

/** What run and resume share. */
export const RUN_OPTIONS: readonly VerbOption[] = [
  ...SESSION_OPTIONS,
  { flags: "--sessions <n>", description: "pause after this many sessions of this run" },
  { flags: "--retry", description: "give every blocked task another attempt" },
  { flags: "--max-cost <usd>", description: "the most the project may cost, in US dollars" },
  { flags: "--max-tokens <n>", description: "the most tokens the project may use" },
  { flags: "--max-sessions <n>", description: "the most sessions the project may have" },
  {
    flags: "--max-wall <duration>",
    description: "the longest its sessions may take together, for example 8h",
  },
  { flags: "--grant <budget>", description: "add to the budgets: sessions=10,hours=5,usd=20" },
  { flags: "--now", description: "try limited agents at once instead of waiting first" },
  { flags: "--no-wait", description: "pause and end if every agent is limited" },
  { flags: "--unverified", description: "continue although earlier work cannot be verified" },
  { flags: "--watchdog", description: "if this run is killed, resume it in the background" },
  { flags: "--no-watchdog", description: "no watchdog, even if the settings say watchdog: on" },
  { flags: "--report <kind>", description: "sessions: report the run as one session of a list" },
  { flags: "--plain", description: "plain lines, even on a terminal" },
  ...PLACE_OPTIONS,
  { flags: "--isolation <kind>", description: "auto, on or off" },
  {
    flags: "--protect <kind>",
    description: "home, strict or off: what sessions and checks may write and read",
  },
  { flags: "--model <name>", description: "the model, by the agent's own name for it" },
  {
    flags: "--permission <mode>",
    description: "default, read-only or dangerous: what a session may do (stint agents)",
  },
];

/** What an iteration works by; `config` shows them. */
export const ITERATION_OPTIONS: readonly VerbOption[] = [
  { flags: "--task-id <name>", description: "the name of the workflow" },
  {
    flags: "--repo-id <name>",
    description: "the repository's name in paths (default: its folder's name)",
  },
  {
    flags: "--workflow-dir <folder>",
    description: "where workflows go: absolute, ~/… or below the root",
  },
  { flags: "--review-log <path>", description: "below the root (default: docs/_feedback.md)" },
  {
    flags: "--check <command>",
    description: "a check for each generated step; repeat it for another one",
    repeatable: true,
  },
];

export function typedIteration(call: VerbCall): IterationOptions {
  return {
    repo_id: optionText(call, "repoId"),
    workflow_dir: optionText(call, "workflowDir"),
    task_id: optionText(call, "taskId"),
    review_log: optionText(call, "reviewLog"),
    checks: optionTexts(call, "check"),
  };
}

/** As they were typed; those that a verb does not take are not set. */
export function typedSettings(call: VerbCall): TypedSettings {
  return {
    workTree: optionText(call, "dir"),
    agent: optionText(call, "agent"),
    fallback: optionTexts(call, "fallback"),
    session: optionText(call, "session"),
    parallel: optionCount(call, "parallel", "--parallel 3", "parallel sessions"),
    includeChanges: isSet(call, "includeChanges"),
    inPlace: isSet(call, "inPlace"),
    workspace: optionChoice(call, "workspace", {
      words: WORKSPACE_WORDS,
      wrong: (text) => `"${text}" is not a kind of workspace`,
      hint: "Use copy, in-place or own-path: stint run --help",
    }),
    deliver: optionChoice(call, "deliver", {
      words: DELIVER_MODES,
      wrong: (text) => `"${text}" is not a way to deliver`,
      hint: "Use auto, checkout, branch or ask: stint run --help",
    }),
    // Commander has it false where `--no-push` was typed.
    push:
      call.options["push"] === false
        ? "never"
        : optionChoice(call, "push", {
            words: ["auto", "ask", "never"],
            wrong: (text) => `"${text}" is not a way to push`,
            hint: "Use auto, ask or never: stint run --help",
          }),
    isolation: optionChoice(call, "isolation", {
      words: ["auto", "on", "off"],
      wrong: (text) => `"${text}" is not a kind of isolation`,
      hint: "Use auto, on or off: stint run --help",
    }),
    protect: optionChoice(call, "protect", {
      words: PROTECT_WORDS,
      wrong: (text) => `"${text}" is not a kind of protection`,
      hint: "Use home, strict or off: stint run --help",
    }),
    model: optionText(call, "model"),
    permission: optionChoice(call, "permission", {
      words: ["default", "read-only", "dangerous"],
      wrong: (text) => `--permission ${text} is not a known permission`,
      hint: "Use default, read-only or dangerous; what each allows: stint agents",
    }),
  };
}

/** Whether the run is to be told as one session of a list. */
export function isReportWanted(call: VerbCall): boolean {
  const report = optionChoice(call, "report", {
    words: ["sessions"],
    wrong: (text) => `there is no report called "${text}"`,
    hint: "Use: --report sessions",
  });
  return report !== undefined;
}

export function typedBudgets(call: VerbCall): BudgetsSet {
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
    `--max-${wrong} "${typed[wrong]}" is not a valid budget: give ${expected}`,
    `For example: --max-${wrong} ${example}`,
  );
}
