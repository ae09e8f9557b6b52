// The front matter's known keys and what each may hold. Values stay as written; whoever applies
// them turns them into its own types.
import {
  readBring,
  DIRTY_IS_GONE,
  readDir,
  type ReadValue,
  readServe,
  readSetup,
  readWorkspaceWord,
} from "../core/written/workspace-settings.ts";
import { BUDGET_KINDS, BUDGET_LIMITS } from "../core/written/bounds.ts";
import { parseDuration } from "../core/written/times.ts";
import { DELIVER_MODES } from "../core/written/delivery-choice.ts";
import { nearMiss } from "../core/words/edit-distance.ts";
import { parseAgentId } from "../core/ids.ts";
import { readFrontMatter, type FrontMatter, findFrontMatter } from "./front-matter.ts";
import { errorAt, warningAt, type Problem } from "./problem.ts";
import { lineTable } from "./line-table.ts";

interface Setting {
  readonly accepts: (value: unknown) => boolean;
  readonly expected: string;
  readonly example: string;
  /** Why a value is not accepted, where that says more than what is expected. */
  readonly reason?: (value: unknown) => string | undefined;
}

/** What a reader in core/ judges. */
function readBy(read: (value: unknown) => ReadValue<unknown>) {
  return {
    accepts: (value: unknown) => read(value).ok,
    reason(value: unknown) {
      const judged = read(value);
      return judged.ok ? undefined : judged.reason;
    },
  };
}

function oneOf(...words: readonly string[]): Setting["accepts"] {
  return (value) => typeof value === "string" && words.includes(value);
}

function textThat(holds: (text: string) => boolean): Setting["accepts"] {
  return (value) => typeof value === "string" && holds(value);
}

function areBudgets(value: unknown): boolean {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  return Object.entries(value).every(([kind, amount]) => {
    const known = BUDGET_KINDS.find((each) => each === kind);
    const isWritten = typeof amount === "string" || typeof amount === "number";
    return (
      known !== undefined && isWritten && BUDGET_LIMITS[known].read(String(amount)) !== undefined
    );
  });
}

function isExpiry(value: unknown): boolean {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  return Object.entries(value).every(
    ([key, time]) =>
      key === "expire" && typeof time === "string" && parseDuration(time) !== undefined,
  );
}

const SETTINGS: Readonly<Record<string, Setting>> = {
  title: {
    accepts: textThat((text) => text.trim() !== ""),
    expected: "a text",
    example: "title: Move to Postgres",
  },
  agent: {
    accepts: textThat((text) => parseAgentId(text) !== undefined),
    expected: "an agent's name",
    example: "agent: codex",
  },
  agents: {
    accepts: (value) =>
      Array.isArray(value) &&
      value.length > 0 &&
      value.every((name) => typeof name === "string" && parseAgentId(name) !== undefined),
    expected: "a list of agents' names, the preferred one first",
    example: "agents: [claude, codex]",
  },
  plan: { accepts: oneOf("auto", "review"), expected: "auto or review", example: "plan: review" },
  session: {
    accepts: textThat((text) => /^(?:one-task|until-gate|batch:[1-6])$/.test(text)),
    expected: "one-task, until-gate or batch:1 to batch:6",
    example: "session: batch:3",
  },
  deliver: {
    accepts: oneOf(...DELIVER_MODES),
    expected: "auto, checkout, branch or ask",
    example: "deliver: ask",
  },
  push: {
    accepts: oneOf("auto", "ask", "never"),
    expected: "auto, ask or never",
    example: "push: ask",
  },
  release: { accepts: oneOf("ask", "auto"), expected: "ask or auto", example: "release: auto" },
  approvals: {
    accepts: isExpiry,
    expected: "a map with expire and a duration",
    example: "approvals: { expire: 3d }",
  },
  limits: {
    accepts: oneOf("report", "strict"),
    expected: "report or strict",
    example: "limits: strict",
  },
  budgets: {
    accepts: areBudgets,
    expected: "a map of sessions, wall, tokens and cost with amounts",
    example: "budgets: { cost: 20, wall: 8h }",
  },
  isolation: {
    accepts: oneOf("auto", "on", "off"),
    expected: "auto, on or off",
    example: "isolation: on",
  },
  workspace: {
    accepts: (value) => readWorkspaceWord(value).ok,
    expected: "copy, in-place or own-path",
    example: "workspace: own-path",
  },
  bring: {
    ...readBy(readBring),
    expected: "all, none, default, or a list of folders and patterns",
    example: "bring: [data/, fixtures/**]",
  },
  setup: {
    ...readBy(readSetup),
    expected: "a command, or a list of them",
    example: "setup: [npm ci, npm run generate]",
  },
  serve: {
    ...readBy(readServe),
    expected: "a command and the address that answers once it is ready",
    example:
      'serve: "`npm run dev` ready GET http://localhost:$STINT_PORT/"\nserve: { run: npm run dev, ready: "http://localhost:$STINT_PORT/" }',
  },
  dir: {
    ...readBy(readDir),
    expected: "a folder below the root of the repository",
    example: "dir: packages/web",
  },
  timeout: {
    accepts: textThat((text) => parseDuration(text) !== undefined),
    expected: "a duration",
    example: "timeout: 45m",
  },
  trackState: {
    accepts: (value) => typeof value === "boolean",
    expected: "true or false",
    example: "trackState: true",
  },
};

export const SETTING_NAMES: readonly string[] = Object.keys(SETTINGS);

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
    return { message: `the front matter is no valid YAML: ${reason}`, example };
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
    const meant = nearMiss(key, SETTING_NAMES);
    const suggestion =
      meant === undefined ? `known are ${SETTING_NAMES.join(", ")}` : `did you mean ${meant}?`;
    return warningAt(line, "unknown-setting", {
      message: `the front matter key "${key}" is unknown and ignored; ${suggestion}`,
      example: (meant === undefined ? SETTINGS["plan"] : SETTINGS[meant])?.example ?? "",
      found,
    });
  }
  if (setting.accepts(value)) return undefined;
  const reason = setting.reason?.(value);
  return errorAt(line, "bad-setting", {
    message: reason === undefined ? `${key} is ${setting.expected}` : `${key}: ${reason}`,
    example: setting.example,
    found,
  });
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
