// What a person asks of `run` and `resume`, and how they hear of it.
import type { StopWanted } from "../../engine/base/run-context.ts";
import type { BudgetsSet } from "../../core/written/bounds.ts";
import type { News } from "../../core/news.ts";
import type { Grant } from "../answers/grant.ts";
import type { TypedSettings } from "./run-settings.ts";

export interface RunInput extends TypedSettings {
  /** A manifest, or a project by id, slug or manifest. */
  readonly target?: string | undefined;
  /** Agent, session policy, isolation and kind of workspace are those of the run before, where none are given. */
  readonly resumes?: boolean;
  readonly approvePlan?: boolean;
  /** Gives every blocked task another attempt. */
  readonly retry?: boolean;
  /** Stop after so many sessions of this run. */
  readonly sessions?: number | undefined;
  /** Budgets a person sets, before the run begins. */
  readonly budgets?: BudgetsSet;
  /** Budgets a person adds to, after that. */
  readonly grant?: Grant | undefined;
  /** Start even when what earlier sessions left cannot be verified. */
  readonly unverified?: boolean;
  /** Tell the run in the exact lines of the multi-session method as well. */
  readonly report?: boolean;
  /** Try agents again at once, although their limits are not over. */
  readonly now?: boolean;
  /** False: end where every agent is limited, instead of waiting. */
  readonly wait?: boolean;
  readonly tell: (news: News) => void;
  readonly stopWanted: () => StopWanted | null;
  /** Given as soon as `stopWanted` answers, for a run that sleeps. */
  readonly stopping?: AbortSignal;
}
