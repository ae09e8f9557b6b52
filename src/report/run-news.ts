// What a run tells while it works, as a door gives it to this folder. Each piece is already
// persisted or a mere sign of life.
import type { Spending, SpendingAllowed } from "./amounts.ts";

export interface RunPlace {
  readonly done: number;
  readonly total: number;
  readonly sessions: number;
  readonly task: {
    readonly id: string;
    readonly title: string;
    readonly status: string;
    readonly attempt: number;
    readonly attempts: number;
  } | null;
  readonly spent: Spending;
  /** Absent: not limited. */
  readonly allowed?: SpendingAllowed;
}

export type RunNews =
  | {
      readonly kind: "started";
      readonly project_id: string;
      readonly slug: string;
      readonly place: RunPlace;
    }
  | {
      readonly kind: "persisted";
      readonly event: string;
      readonly summary: string;
      readonly status: string;
      readonly place: RunPlace;
    }
  | { readonly kind: "session"; readonly session: number; readonly line: string }
  | { readonly kind: "measured"; readonly session: number; readonly text: string }
  | { readonly kind: "checking"; readonly check: string; readonly when: "before" | "after" }
  | {
      readonly kind: "check";
      readonly check: string;
      readonly passed: boolean;
      readonly when: "before" | "after";
    }
  | {
      readonly kind: "waiting";
      readonly project_id: string;
      readonly until: string;
      readonly now: string;
      readonly reason: string;
    }
  | { readonly kind: "woken" }
  | { readonly kind: "notice"; readonly text: string };
