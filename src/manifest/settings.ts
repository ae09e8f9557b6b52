// The front matter's known keys and what each may hold. Values stay as written; whoever applies
// them turns them into its own types.
import { readProof } from "../core/written/proof-settings.ts";
import {
  readBring,
  DIRTY_IS_GONE,
  readDir,
  readServe,
  readSetup,
  WORKSPACE_WORDS,
} from "../core/written/workspace-settings.ts";
import { NETWORK_WORDS, PROTECT_WORDS, readShow, readWritable } from "../core/written/protect.ts";
import {
  budgetProblem,
  DEFAULT_LIMITS,
  isParallel,
  MOST_PARALLEL,
} from "../core/written/bounds.ts";
import { DELIVER_MODES } from "../core/written/delivery-choice.ts";
import { parseAgentId, parseSlug } from "../core/ids.ts";
import { budgetProblems } from "./settings/budget-problems.ts";
import { readFrontMatter, type FrontMatter, findFrontMatter } from "./front-matter.ts";
import { blockOf, lineOfSetting, writtenAt } from "./settings/front-matter-source.ts";
import { errorAt, type Problem } from "./problem.ts";
import { lineTable } from "./line-table.ts";
import {
  bringMeant,
  budgetsMeant,
  dirMeant,
  expiryMeant,
  NO,
  parallelMeant,
  proofMeant,
  sessionMeant,
} from "./settings/setting-meant.ts";
import {
  DURATION,
  expects,
  isMap,
  namesMeant,
  oneOf,
  readBy,
  scalarText,
  type Setting,
  textThat,
  YES_OR_NO,
} from "./settings/setting-values.ts";
import { unknownSettings } from "./settings/unknown-settings.ts";
import { yamlProblem } from "./settings/yaml-problem.ts";

function isSlug(text: string): boolean {
  return parseSlug(text) !== undefined;
}

function isAgent(text: string): boolean {
  return parseAgentId(text) !== undefined;
}

/** No part of it leads up, or into git's own folder. */
function isPagePath(path: string): boolean {
  const parts = path.split("/");
  const isPlain = (part: string): boolean => part !== "" && part !== "." && part !== "..";
  return path.endsWith(".md") && parts.every(isPlain) && parts[0]?.toLowerCase() !== ".git";
}

function areAgents(value: unknown): boolean {
  return (
    Array.isArray(value) &&
    value.length > 0 &&
    value.every((name) => typeof name === "string" && isAgent(name))
  );
}

function approvalsProblem(value: unknown): string | undefined {
  if (!isMap(value) || Object.keys(value).some((key) => key !== "expire"))
    return " is a map with expire and a duration";
  const { expire = "1d" } = value;
  const problem = DURATION.problem(expire);
  return problem === undefined ? undefined : `: expire${problem}`;
}

const BUDGETS_EXPECTED = "a map of sessions, wall, tokens and cost with amounts";

/** Each wrong amount is told at its line, by budgetProblems. */
function areBudgets(value: unknown): boolean {
  return (
    isMap(value) &&
    Object.entries(value).every(([kind, amount]) => budgetProblem(kind, amount) === undefined)
  );
}

const SETTINGS: Readonly<Record<string, Setting>> = {
  title: {
    problem: textThat("a text", (text) => text.trim() !== ""),
    example: "title: Move to Postgres",
  },
  agent: {
    problem: textThat("an agent's name", isAgent),
    meant: (value) => {
      const name = scalarText(value)?.trim().toLowerCase() ?? "";
      return isAgent(name) ? name : undefined;
    },
    example: "agent: codex",
  },
  agents: {
    problem: expects("a list of agents' names, the preferred one first", areAgents),
    meant: (value) => namesMeant(value, isAgent),
    example: "agents: [claude, codex]",
  },
  plan: { ...oneOf(["auto", "review"]), example: "plan: review" },
  session: {
    problem: textThat("one-task, until-gate or batch:1 to batch:6", (text) =>
      /^(?:one-task|until-gate|batch:[1-6])$/.test(text),
    ),
    meant: sessionMeant,
    example: "session: batch:3",
  },
  parallel: {
    problem: expects(`a number from 1 to ${MOST_PARALLEL}`, isParallel),
    meant: parallelMeant,
    example: "parallel: 3",
  },
  deliver: { ...oneOf(DELIVER_MODES), example: "deliver: ask" },
  push: { ...oneOf(["auto", "ask", "never"], NO), example: "push: ask" },
  release: { ...oneOf(["ask", "auto"]), example: "release: ask" },
  strict: { ...YES_OR_NO, example: "strict: true" },
  proof: {
    problem: readBy(readProof),
    meant: proofMeant,
    example: "proof: { when: always, budget: 10m }",
  },
  approvals: {
    problem: approvalsProblem,
    meant: expiryMeant,
    example: "approvals: { expire: 3d }",
  },
  limits: { ...oneOf(["report", "strict"]), example: "limits: strict" },
  budgets: {
    problem: expects(BUDGETS_EXPECTED, areBudgets),
    meant: budgetsMeant,
    example: "budgets: { cost: 20, wall: 8h }",
  },
  isolation: {
    ...oneOf(["auto", "on", "off"], { yes: "on", true: "on", no: "off", false: "off" }),
    example: "isolation: on",
  },
  protect: { ...oneOf(PROTECT_WORDS, { no: "off", false: "off" }), example: "protect: strict" },
  writable: { problem: readBy(readWritable), example: "writable: [~/.config/tool]" },
  show: { problem: readBy(readShow), example: "show: [~/.npmrc]" },
  network: {
    ...oneOf(NETWORK_WORDS, { off: "none", no: "none", false: "none" }),
    example: "network: loopback",
  },
  workspace: { ...oneOf(WORKSPACE_WORDS), example: "workspace: own-path" },
  bring: {
    problem: readBy(readBring),
    meant: bringMeant,
    example: "bring: [default, data/, fixtures/**]",
  },
  setup: { problem: readBy(readSetup), example: "setup: [npm ci, npm run generate]" },
  serve: {
    problem: readBy(readServe),
    example: 'serve: "`npm run dev` ready GET http://localhost:$STINT_PORT/"',
  },
  dir: { problem: readBy(readDir), meant: dirMeant, example: "dir: packages/web" },
  timeout: { ...DURATION, example: "timeout: 45m" },
  trackState: { ...YES_OR_NO, example: "trackState: true" },
  statePage: {
    problem: textThat("the path of a Markdown file below the root", isPagePath),
    example: "statePage: docs/shop-state.md",
  },
  repository: {
    problem: textThat("the absolute path of the repository that this manifest is about", (text) =>
      text.startsWith("/"),
    ),
    example: "repository: /home/ada/shop",
  },
  workflow: {
    problem: textThat("the name of a workflow", isSlug),
    example: "workflow: big-change",
  },
  iteration: {
    problem: textThat("the name of an iteration", isSlug),
    example: "iteration: fix-it",
  },
  parent: {
    problem: textThat("the absolute path of the workflow that this is a child of", (text) =>
      text.startsWith("/"),
    ),
    example: "parent: /home/ada/flows/shop/big-change/workflow.md",
  },
};

export const SETTING_NAMES: readonly string[] = Object.keys(SETTINGS);

/** Keys that only stint.config.yaml has, as they are written there. */
export const FILE_SETTINGS: Readonly<Record<string, string>> = {
  attempts_per_task: "attempts_per_task: 5",
  timeouts: "timeouts: { session: 45m }",
  models: "models: { claude: opus }",
  parallel_per_agent: "parallel_per_agent: { claude: 2 }",
  wait: "wait: false",
  watchdog: "watchdog: on",
  browser: "browser: /usr/bin/chromium",
  notify: "notify: { desktop: true }",
  env: 'env: { allow: ["*", NPM_TOKEN] }',
  root: "root: agents",
  owner_agent: "owner_agent: night-shift",
};

/** What says what a manifest is about is an ordinary word elsewhere. */
export const ORDINARY_SETTINGS: ReadonlySet<string> = new Set([
  "title",
  "plan",
  "show",
  "root",
  "repository",
  "workflow",
  "iteration",
  "parent",
]);

/** What people call a setting that has another name. */
export const CALLED: Readonly<Record<string, string>> = {
  attempts: "attempts_per_task",
  max_attempts: "attempts_per_task",
  retries: "attempts_per_task",
  model: "models",
  budget: "budgets",
  deliver_to: "deliver",
  max_parallel: "parallel",
};

export function settingExample(name: string): string {
  return SETTINGS[name]?.example ?? "";
}

/** The value that a text means in the front matter: the same where it is right as written. Undefined: nothing clear. */
export function settingMeant(name: string, written: string): string | undefined {
  const text = `---\n${name}: ${written}\n---`;
  const frontMatter = findFrontMatter(text, lineTable(text));
  const read = frontMatter === undefined ? undefined : readFrontMatter(frontMatter);
  const setting = SETTINGS[name];
  if (setting === undefined || read?.ok !== true) return undefined;
  const value = read.values[name];
  return setting.problem(value) === undefined ? written : setting.meant?.(value);
}

export function readSettings(
  frontMatter: FrontMatter | undefined,
  problems: Problem[],
): Readonly<Record<string, unknown>> {
  if (frontMatter === undefined) return {};
  const read = readFrontMatter(frontMatter);
  if (!read.ok) {
    problems.push(yamlProblem(frontMatter, read));
    return {};
  }
  const settings: Record<string, unknown> = {};
  const unknown: [key: string, value: unknown][] = [];
  for (const [key, value] of Object.entries(read.values)) {
    if (key === "dirty") problems.push(goneSetting(frontMatter, key));
    else if (!Object.hasOwn(SETTINGS, key)) unknown.push([key, value]);
    else {
      const found = settingProblems(frontMatter, key, value);
      if (found.length === 0) settings[key] = value;
      problems.push(...found);
    }
  }
  const known = { settings: SETTINGS, inFile: FILE_SETTINGS, called: CALLED };
  problems.push(...unknownSettings(frontMatter, unknown, known));
  return settings;
}

function goneSetting(frontMatter: FrontMatter, key: string): Problem {
  const line = lineOfSetting(frontMatter, key);
  return errorAt(line, "gone-setting", {
    message: DIRTY_IS_GONE,
    example: "stint run prompt.md --include-changes",
    sample: true,
    found: writtenAt(frontMatter, line),
  });
}

function settingProblems(
  frontMatter: FrontMatter,
  key: string,
  value: unknown,
): readonly Problem[] {
  const setting = SETTINGS[key];
  const problem = setting?.problem(value);
  if (setting === undefined || problem === undefined) return [];
  if (key === "budgets" && isMap(value)) return budgetProblems(frontMatter, value);
  if (key === "limits" && isMap(value)) return [limitNumbers(frontMatter, value)];
  const line = lineOfSetting(frontMatter, key);
  const meant = setting.meant?.(value);
  return [
    errorAt(line, "bad-setting", {
      message: `${key}${problem}`,
      ...(meant === undefined
        ? { example: setting.example, sample: true }
        : { example: `${key}: ${meant}` }),
      found: writtenAt(frontMatter, line),
    }),
  ];
}

/** They are a setting of the repository, under the same key. */
function limitNumbers(frontMatter: FrontMatter, value: Readonly<Record<string, unknown>>): Problem {
  const known = [...Object.keys(DEFAULT_LIMITS), "extract"];
  const isKnown = Object.keys(value).every((name) => known.includes(name));
  const block = blockOf(frontMatter, "limits");
  return errorAt(lineOfSetting(frontMatter, "limits"), "bad-setting", {
    message:
      "limits is report or strict in the front matter; the numbers of limits belong in stint.config.yaml: write them there",
    ...(isKnown ? { example: block } : { example: "limits: { files_per_task: 12 }", sample: true }),
    found: block,
  });
}

// The front matter of a text alone: a manifest of ten thousand tasks need not be read for it.

/** Its known keys, as `Plan.settings` has them; what cannot be read is left out. */
export function frontMatterOf(text: string): Readonly<Record<string, unknown>> {
  if (!/^\uFEFF?---/.test(text)) return {};
  return readSettings(findFrontMatter(text, lineTable(text)), []);
}
