// What Stint tells a person while it works. An update says one of four things; one that says nothing
// cannot be constructed, and its status is the persisted one, never a paraphrase.
import type { Brand } from "../brand.ts";
import type { Instant } from "../instant.ts";
import { ROUND_STATUS } from "../project-state.ts";
import type { ProjectState } from "../schema/project.ts";

export const STATUS_UPDATE_KINDS = [
  "artifact-created",
  "task-completed",
  "blocker-found",
  "next-action-in-progress",
] as const;

export type StatusUpdateKind = (typeof STATUS_UPDATE_KINDS)[number];

/** While a run is at work, an update is due at least this often. */
export const UPDATE_EVERY_MS = 5 * 60 * 1000;

export type StatusUpdate = Brand<
  {
    readonly kind: StatusUpdateKind;
    readonly at: Instant;
    readonly revision: number;
    readonly status: ProjectState["status"];
    readonly round_status: (typeof ROUND_STATUS)[ProjectState["status"]];
    /** The artifact, the task, the blocker or the action: what is new. */
    readonly what: string;
    readonly next: string;
    /** What would unblock the work; null when nothing is in its way. */
    readonly unblocked_by: string | null;
  },
  "StatusUpdate"
>;

/** Undefined when there is nothing to say. */
export function newStatusUpdate(
  state: ProjectState,
  kind: StatusUpdateKind,
  what: string,
  at: Instant,
): StatusUpdate | undefined {
  if (what.trim() === "") return undefined;
  const update = {
    kind,
    at,
    revision: state.revision,
    status: state.status,
    round_status: ROUND_STATUS[state.status],
    what: what.trim(),
    next: state.next_action,
    unblocked_by: state.blockers[0]?.unblock ?? null,
  };
  return update as StatusUpdate;
}

export function isUpdateDue(lastUpdateMs: number, nowMs: number): boolean {
  return nowMs - lastUpdateMs >= UPDATE_EVERY_MS;
}
