// The front matter's known keys and what each may hold. Values stay as written; whoever applies
// them turns them into its own types.
import { readProof } from "../core/written/proof-settings.ts";
import {
  readBring,
  DIRTY_IS_GONE,
  readDir,
  type ReadValue,
  readServe,
  readSetup,
  WORKSPACE_WORDS,
} from "../core/written/workspace-settings.ts";
import { NETWORK_WORDS, PROTECT_WORDS, readShow, readWritable } from "../core/written/protect.ts";
import { BUDGET_KINDS, BUDGET_LIMITS, isParallel, MOST_PARALLEL } from "../core/written/bounds.ts";
import { parseDuration } from "../core/written/times.ts";
import { DELIVER_MODES } from "../core/written/delivery-choice.ts";
import { nearMiss } from "../core/words/edit-distance.ts";
import { parseAgentId, parseSlug } from "../core/ids.ts";
import { readFrontMatter, type FrontMatter, findFrontMatter } from "./front-matter.ts";
import { errorAt, warningAt, type Problem } from "./problem.ts";
import { lineTable } from "./line-table.ts";

interface Setting {
  /** What is wrong with a value, as it follows the name of the key; undefined where nothing is. */
  readonly problem: (value: unknown) => string | undefined;
  readonly example: string;
}

/** What a reader in core/ judges. */
function readBy(read: (value: unknown) => ReadValue<unknown>): Setting["problem"] {
  return (value) => {
    const judged = read(value);
    return judged.ok ? undefined : `: ${judged.reason}`;
  };
}

function expects(expected: string, accepts: (value: unknown) => boolean): Setting["problem"] {
  return (value) => (accepts(value) ? undefined : ` is ${expected}`);
}

function oneOf(...words: readonly string[]): Setting["problem"] {
  const listed = `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`;
  return expects(listed, (value) => typeof value === "string" && words.includes(value));
}

function textThat(expected: string, holds: (text: string) => boolean): Setting["problem"] {
  return expects(expected, (value) => typeof value === "string" && holds(value));
}

function isSlug(text: string): boolean {
  return parseSlug(text) !== undefined;
}

function mapOf(
  expected: string,
  holds: (key: string, value: string | number) => boolean,
): Setting["problem"] {
  return expects(expected, (value) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
    return Object.entries(value).every(
      ([key, each]: [string, unknown]) =>
        (typeof each === "string" || typeof each === "number") && holds(key, each),
    );
  });
}

function isDuration(text: string): boolean {
  return parseDuration(text) !== undefined;
}

function isAgent(text: string): boolean {
  return parseAgentId(text) !== undefined;
}

function isBudget(kind: string, amount: string | number): boolean {
  const known = BUDGET_KINDS.find((each) => each === kind);
  return known !== undefined && BUDGET_LIMITS[known].read(String(amount)) !== undefined;
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

const SETTINGS: Readonly<Record<string, Setting>> = {
  title: {
    problem: textThat("a text", (text) => text.trim() !== ""),
    example: "title: Move to Postgres",
  },
  agent: { problem: textThat("an agent's name", isAgent), example: "agent: codex" },
  agents: {
    problem: expects("a list of agents' names, the preferred one first", areAgents),
    example: "agents: [claude, codex]",
  },
  plan: { problem: oneOf("auto", "review"), example: "plan: review" },
  session: {
    problem: textThat("one-task, until-gate or batch:1 to batch:6", (text) =>
      /^(?:one-task|until-gate|batch:[1-6])$/.test(text),
    ),
    example: "session: batch:3",
  },
  parallel: {
    problem: expects(`a number from 1 to ${MOST_PARALLEL}`, isParallel),
    example: "parallel: 3",
  },
  deliver: { problem: oneOf(...DELIVER_MODES), example: "deliver: ask" },
  push: { problem: oneOf("auto", "ask", "never"), example: "push: ask" },
  release: { problem: oneOf("ask", "auto"), example: "release: auto" },
  strict: {
    problem: expects("true or false", (value) => typeof value === "boolean"),
    example: "strict: true",
  },
  proof: {
    problem: readBy(readProof),
    example: "proof: never\nproof: { when: always, budget: 10m }",
  },
  approvals: {
    problem: mapOf(
      "a map with expire and a duration",
      (key, time) => key === "expire" && typeof time === "string" && isDuration(time),
    ),
    example: "approvals: { expire: 3d }",
  },
  limits: { problem: oneOf("report", "strict"), example: "limits: strict" },
  budgets: {
    problem: mapOf("a map of sessions, wall, tokens and cost with amounts", isBudget),
    example: "budgets: { cost: 20, wall: 8h }",
  },
  isolation: { problem: oneOf("auto", "on", "off"), example: "isolation: on" },
  protect: { problem: oneOf(...PROTECT_WORDS), example: "protect: strict" },
  writable: { problem: readBy(readWritable), example: "writable: [~/.config/tool]" },
  show: { problem: readBy(readShow), example: "show: [~/.npmrc]" },
  network: { problem: oneOf(...NETWORK_WORDS), example: "network: loopback" },
  workspace: { problem: oneOf(...WORKSPACE_WORDS), example: "workspace: own-path" },
  bring: { problem: readBy(readBring), example: "bring: [data/, fixtures/**]" },
  setup: { problem: readBy(readSetup), example: "setup: [npm ci, npm run generate]" },
  serve: {
    problem: readBy(readServe),
    example:
      'serve: "`npm run dev` ready GET http://localhost:$STINT_PORT/"\nserve: { run: npm run dev, ready: "http://localhost:$STINT_PORT/" }',
  },
  dir: { problem: readBy(readDir), example: "dir: packages/web" },
  timeout: { problem: textThat("a duration", isDuration), example: "timeout: 45m" },
  trackState: {
    problem: expects("true or false", (value) => typeof value === "boolean"),
    example: "trackState: true",
  },
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

export function settingExample(name: string): string {
  return SETTINGS[name]?.example ?? "";
}

export function readSettings(
  frontMatter: FrontMatter | undefined,
  problems: Problem[],
): Readonly<Record<string, unknown>> {
  if (frontMatter === undefined) return {};
  const read = readFrontMatter(frontMatter);
  if (!read.ok) {
    problems.push(
      errorAt(read.line, "bad-front-matter", {
        ...yamlProblem(read.reason, lineOfSource(frontMatter, read.line)),
        found: lineOfSource(frontMatter, read.line),
      }),
    );
    return {};
  }
  const settings: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(read.values)) {
    const problem = settingProblem(frontMatter, key, value);
    if (problem === undefined) settings[key] = value;
    else problems.push(problem);
  }
  return settings;
}

/** YAML takes no plain value that starts with a backtick, as a command of a manifest does elsewhere. */
function yamlProblem(reason: string, line: string): Pick<Problem, "message" | "example"> {
  const [, key, value] = /^([\w-]+|-)(?::\s*|\s+)(`.*)$/.exec(line) ?? [];
  if (key === undefined || value === undefined) {
    const example = "---\nplan: review\n---";
    return { message: `the front matter is not valid YAML: ${reason}`, example };
  }
  const quotes = value.includes('"') ? "'" : '"';
  return {
    message: "in the front matter a value that starts with a backtick needs quotes",
    example: `${key}${key === "-" ? "" : ":"} ${quotes}${value}${quotes}`,
  };
}

function settingProblem(
  frontMatter: FrontMatter,
  key: string,
  value: unknown,
): Problem | undefined {
  const setting = Object.hasOwn(SETTINGS, key) ? SETTINGS[key] : undefined;
  const line = lineOfKey(frontMatter, key);
  const found = lineOfSource(frontMatter, line);
  if (key === "dirty") {
    return errorAt(line, "gone-setting", {
      message: DIRTY_IS_GONE,
      example: "stint run prompt.md --include-changes",
      found,
    });
  }
  if (setting === undefined) {
    const inFile = Object.hasOwn(FILE_SETTINGS, key) ? FILE_SETTINGS[key] : undefined;
    if (inFile !== undefined) {
      return warningAt(line, "unknown-setting", {
        message: `${key} is a key of stint.config.yaml; in the front matter it is ignored`,
        example: inFile,
        found,
      });
    }
    const meant = nearMiss(key, SETTING_NAMES);
    const suggestion =
      meant === undefined ? `known are ${SETTING_NAMES.join(", ")}` : `did you mean ${meant}?`;
    return warningAt(line, "unknown-setting", {
      message: `the front matter key "${key}" is unknown and ignored; ${suggestion}`,
      example: (meant === undefined ? SETTINGS["plan"] : SETTINGS[meant])?.example ?? "",
      found,
    });
  }
  const problem = setting.problem(value);
  if (problem === undefined) return undefined;
  const { example } = setting;
  return errorAt(line, "bad-setting", { message: `${key}${problem}`, example, found });
}

function lineOfKey(frontMatter: FrontMatter, key: string): number {
  const lines = sourceLines(frontMatter);
  const index = lines.findIndex((line) => line.replace(/^["']/, "").startsWith(key));
  return frontMatter.line + 1 + Math.max(index, 0);
}

function lineOfSource(frontMatter: FrontMatter, line: number): string {
  return sourceLines(frontMatter)[line - frontMatter.line - 1]?.trim() ?? "---";
}

function sourceLines(frontMatter: FrontMatter): string[] {
  return frontMatter.source.split(/\r\n|\n|\r/);
}

// The front matter of a text alone: a manifest of ten thousand tasks need not be read for it.

/** Its known keys, as `Plan.settings` has them; what cannot be read is left out. */
export function frontMatterOf(text: string): Readonly<Record<string, unknown>> {
  if (!/^\uFEFF?---/.test(text)) return {};
  return readSettings(findFrontMatter(text, lineTable(text)), []);
}
