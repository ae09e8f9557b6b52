// What a run tells while it works. Each piece is already persisted or a mere sign of life.
import type { Instant } from "./instant.ts";
import type { ProjectState } from "./schema/project.ts";

/** Where a persisted revision stands, for whoever watches. */
export interface RunPlace {
  readonly done: number;
  readonly total: number;
  readonly sessions: number;
  readonly task: {
    readonly id: string;
    readonly title: string;
    /** Of a chunk: the tasks that it is a part of, the outermost first. */
    readonly within?: readonly string[];
    readonly status: string;
    readonly attempt: number;
    /** Attempts it may have, those a person or an excuse added included. */
    readonly attempts: number;
  } | null;
  /** Sessions beside each other; absent where there are none. */
  readonly beside?: readonly {
    readonly session: number;
    readonly id: string;
    readonly title: string;
    readonly attempt: number;
    readonly attempts: number;
  }[];
  readonly spent: ProjectState["spent"];
  readonly allowed: Pick<ProjectState["budgets"], "tokens" | "cost_usd">;
}

/** One thing that a run tells while it works. */
export type News =
  | {
      readonly kind: "started";
      readonly project_id: string;
      readonly slug: string;
      readonly place: RunPlace;
    }
  | {
      readonly kind: "persisted";
      readonly revision: number;
      readonly event: string;
      readonly summary: string;
      readonly status: string;
      readonly place: RunPlace;
      /** The end of its session was told already. */
      readonly isTold?: boolean;
    }
  | {
      readonly kind: "session";
      readonly session: number;
      readonly line: string;
      /** Of one beside others: what it works on. */
      readonly task?: string;
    }
  /** A session ended and did not simply finish. `words` completes "session 3 …"; `log` is a path. */
  | {
      readonly kind: "session-ended";
      readonly session: number;
      readonly words: string;
      readonly log?: string;
      readonly task?: string;
    }
  /** A session waits for its provider and asks again. */
  | {
      readonly kind: "retrying";
      readonly session: number;
      readonly text: string;
      /** Worth a line of its own; the others only renew what is shown. */
      readonly isLine: boolean;
      readonly task?: string;
    }
  /** What Stint itself found a session to have changed. */
  | { readonly kind: "measured"; readonly session: number; readonly text: string }
  | { readonly kind: "checking"; readonly check: string; readonly when: "before" | "after" }
  | {
      readonly kind: "check";
      readonly check: string;
      readonly passed: boolean;
      readonly when: "before" | "after";
      /** What was seen of one that failed. */
      readonly seen?: string;
    }
  /** Every agent is limited, or others have the work; the run sleeps and holds nothing. */
  | {
      readonly kind: "waiting";
      readonly project_id: string;
      readonly until: Instant;
      readonly now: Instant;
      readonly reason: string;
    }
  /** The wait is over and the lease is held again. */
  | { readonly kind: "woken" }
  | { readonly kind: "notice"; readonly text: string };
