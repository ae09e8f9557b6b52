// The limits of bounded work and the budgets of a project, with the defaults that are on.

/** Bounded work, measured on the real diff (S2-9 … S2-12). */
export interface Limits {
  readonly tasks_per_session: number;
  readonly files_per_task: number;
  readonly new_files_per_session: number;
  readonly moves_per_task: number;
}

export const DEFAULT_LIMITS: Limits = {
  tasks_per_session: 6,
  files_per_task: 8,
  new_files_per_session: 3,
  moves_per_task: 0,
};

export interface Budgets {
  readonly attempts_per_task: number;
  readonly sessions: number;
  readonly wall_ms: number;
  readonly tokens: number | null;
  readonly cost_usd: number | null;
}

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
