// What a person asks of `run` and `resume`, and how they hear of it.
import type { StopWanted } from "../../engine/base/ports.ts";
import type { BudgetsSet } from "../../core/written/budget-limits.ts";
import type { News } from "../../core/news.ts";
import type { DeliverMode } from "../../core/written/delivery-choice.ts";
import type { Permission } from "../../core/written/permission.ts";
import type { WorkspaceWord } from "../../core/written/workspace-choice.ts";
import type { Grant } from "../answers/grant.ts";

export interface RunInput {
  /** A manifest, or a project by id, slug or manifest. */
  readonly target?: string | undefined;
  readonly agent?: string | undefined;
  /** Agents that take over, in this order, while those before them are refused. */
  readonly fallback?: readonly string[] | undefined;
  readonly session?: string | undefined;
  /** Agent, session policy, isolation and kind of workspace are those of the run before, where none are given. */
  readonly resumes?: boolean;
  readonly approvePlan?: boolean;
  /** Gives every blocked task another attempt. */
  readonly retry?: boolean;
  /** Start from the person's uncommitted changes: they become a first commit in their name. */
  readonly includeChanges?: boolean;
  /** Work in the checkout itself; the same as `workspace: "in-place"`. */
  readonly inPlace?: boolean;
  readonly workspace?: WorkspaceWord | undefined;
  readonly isolation?: "auto" | "on" | "off" | undefined;
  readonly deliver?: DeliverMode | undefined;
  readonly push?: "auto" | "ask" | "never" | undefined;
  readonly model?: string | undefined;
  readonly permission?: Permission | undefined;
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
