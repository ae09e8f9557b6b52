// The limits of bounded work and the budgets of a project: the defaults that are on, and how a person writes them.
import type { ProjectState } from "../schema/project.ts";
import type { Task } from "../schema/task.ts";
import { nearMiss } from "../words/edit-distance.ts";
import { durationMeant, MAX_DURATION_MS, parseDuration } from "./times.ts";

/** Bounded work, measured on the real diff (S2-9 … S2-12). */
export type Limits = Readonly<ProjectState["scope_guardrails"]["limits"]>;

export const DEFAULT_LIMITS: Limits = {
  tasks_per_session: 6,
  files_per_task: 8,
  new_files_per_session: 3,
  moves_per_task: 0,
};

/** Whether what went beyond them and failed is split into chunks (S2-13). */
export const DEFAULT_EXTRACT = true;

/** With those of a task that has some of its own. */
export function limitsFor(limits: Limits, own: Task["limit"] = {}): Limits {
  return {
    tasks_per_session: own.tasks_per_session ?? limits.tasks_per_session,
    files_per_task: own.files_per_task ?? limits.files_per_task,
    new_files_per_session: own.new_files_per_session ?? limits.new_files_per_session,
    moves_per_task: own.moves_per_task ?? limits.moves_per_task,
  };
}

export type Budgets = Readonly<ProjectState["budgets"]>;

export function defaultBudgets(taskCount: number): Budgets {
  return {
    attempts_per_task: 3,
    sessions: 3 * taskCount + 10,
    wall_ms: 24 * 60 * 60 * 1000,
    tokens: null,
    cost_usd: null,
  };
}

/** Consecutive occurrences after which a breaker trips. */
export const BREAKERS = { no_progress: 3, same_failure: 3, planning_only: 2 } as const;

/** Questions one session may file; also the number of question-ended sessions in a row on one task. */
export const QUESTIONS_PER_SESSION = 5;

/** How many entries a derived list in state.json shows; totals stand beside it. */
export const DERIVED_LIST_LENGTH = 20;

// The most that a project may use, as a person writes it: `--max-cost 20`, `budgets: { wall: 8h }`.
// Whatever is no amount is refused; nothing is guessed.

export const BUDGET_KINDS = ["sessions", "wall", "tokens", "cost"] as const;
export type BudgetKind = (typeof BUDGET_KINDS)[number];

interface Limit {
  readonly field: "sessions" | "wall_ms" | "tokens" | "cost_usd";
  readonly expected: string;
  readonly example: string;
  /** Undefined for what is no such amount. */
  readonly read: (text: string) => number | undefined;
  /** The amount that a text with its unit, such as "$5", clearly means; only to be suggested. */
  readonly meant: (text: string) => string | undefined;
}

const MOST_SESSIONS = 1_000_000;
const MOST_TOKENS = 1_000_000_000_000;
const MOST_USD = 1_000_000;

export const BUDGET_LIMITS: Readonly<Record<BudgetKind, Limit>> = {
  sessions: {
    field: "sessions",
    expected: `a whole number from 1 to ${MOST_SESSIONS}`,
    example: "20",
    read: (text) => numberIn(text, /^\d{1,7}$/, MOST_SESSIONS),
    meant: (text) => countIn(text, "sessions?"),
  },
  wall: {
    field: "wall_ms",
    expected: `a duration up to ${Math.floor(MAX_DURATION_MS / 86_400_000)}d`,
    example: "8h",
    read: parseDuration,
    meant: durationMeant,
  },
  tokens: {
    field: "tokens",
    expected: `a whole number from 1 to ${MOST_TOKENS}`,
    example: "5000000",
    read: (text) => numberIn(text, /^\d{1,13}$/, MOST_TOKENS),
    meant: (text) => countIn(text, "tokens?"),
  },
  cost: {
    field: "cost_usd",
    expected: `US dollars from 0.01 to ${MOST_USD}`,
    example: "20",
    read: (text) => numberIn(text, /^\d{1,7}(?:\.\d{1,2})?$/, MOST_USD),
    meant: (text) =>
      /^(?:(?:US)?\$|USD)?\s*(\d[\d.]*)\s*(?:(?:US)?\$|USD|(?:US )?dollars?)?$/i.exec(
        text.trim(),
      )?.[1],
  },
};

function numberIn(text: string, pattern: RegExp, most: number): number | undefined {
  const value = pattern.test(text) ? Number(text) : 0;
  return value > 0 && value <= most ? value : undefined;
}

/** A number with its unit, with marks between its thousands, or in thousands and millions. */
function countIn(text: string, unit: string): string | undefined {
  const written = new RegExp(`^([\\d.,_]+)\\s*(k|m|million)?(?:\\s*${unit})?$`, "i").exec(
    text.trim(),
  );
  if (written === null) return undefined;
  const [, digits = "", times = ""] = written;
  const factor = { "": 1, k: 1_000 }[times.toLowerCase()] ?? 1_000_000;
  const number = Number(digits.replaceAll(/[,_](?=\d{3}(?:\D|$))/g, ""));
  return String(Math.round(number * factor));
}

/** What is wrong with one budget, as a sentence, and what it should be where that is clear; undefined where nothing is. */
export function budgetProblem(
  kind: string,
  amount: unknown,
): { readonly problem: string; readonly kind?: BudgetKind; readonly meant?: string } | undefined {
  const known = BUDGET_KINDS.find((each) => each === kind);
  if (known === undefined) return unknownBudget(kind, amount);
  const { read, expected, example } = BUDGET_LIMITS[known];
  const text = amountText(amount);
  if (read(text) !== undefined) return undefined;
  const meant = budgetMeant(known, text);
  const problem = `${known} "${text}" is not a valid amount: write ${expected}, such as ${meant ?? example}`;
  return { problem, kind: known, ...(meant !== undefined && { meant }) };
}

function unknownBudget(kind: string, amount: unknown): ReturnType<typeof budgetProblem> {
  const near = nearMiss(kind.toLowerCase(), BUDGET_KINDS);
  const known = `${BUDGET_KINDS.slice(0, -1).join(", ")} and ${BUDGET_KINDS.at(-1)}`;
  if (near === undefined) return { problem: `"${kind}" is not a budget; known are ${known}` };
  const text = amountText(amount);
  const meant = budgetAmount(near, text);
  const problem = `"${kind}" is not a budget; did you mean ${near}?`;
  return { problem, kind: near, ...(meant !== undefined && { meant }) };
}

/** The amount that is clearly meant, if it may be set. */
export function budgetMeant(kind: BudgetKind, text: string): string | undefined {
  const meant = BUDGET_LIMITS[kind].meant(text);
  return meant === undefined || BUDGET_LIMITS[kind].read(meant) === undefined ? undefined : meant;
}

function amountText(amount: unknown): string {
  return typeof amount === "string" || typeof amount === "number"
    ? String(amount)
    : (JSON.stringify(amount) ?? "");
}

/** The amount with which it is written as a setting; undefined where the text is no clear one. */
export function budgetAmount(kind: BudgetKind, text: string): string | undefined {
  return BUDGET_LIMITS[kind].read(text) === undefined ? budgetMeant(kind, text) : text;
}

export type BudgetTexts = Readonly<Partial<Record<BudgetKind, string | undefined>>>;
export type BudgetsSet = Partial<Pick<Budgets, Limit["field"]>>;

/** The budgets that are written; `wrong` is the first that is none. */
export function readBudgets(written: BudgetTexts): {
  readonly set: BudgetsSet;
  readonly wrong?: BudgetKind;
} {
  const set: Partial<Record<Limit["field"], number>> = {};
  for (const kind of BUDGET_KINDS) {
    const text = written[kind];
    if (text === undefined) continue;
    const value = BUDGET_LIMITS[kind].read(text);
    if (value === undefined) return { set, wrong: kind };
    set[BUDGET_LIMITS[kind].field] = value;
  }
  return { set };
}

/** Sessions beside each other. More than these, and a machine does nothing else. */
export const MOST_PARALLEL = 16;

export function isParallel(value: unknown): boolean {
  return Number.isInteger(value) && Number(value) >= 1 && Number(value) <= MOST_PARALLEL;
}
