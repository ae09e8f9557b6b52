// Who holds each role now: Origin (goal and acceptance), Coordinator (state, sequence, recovery),
// Worker (bounded sub-work), Watchdog (liveness and recovery only).
import type { Lease } from "../schema/lease.ts";
import { currentTask } from "../project-state.ts";
import type { ProjectState } from "../schema/project.ts";

export interface Roles {
  readonly origin: string;
  /** Null while no run acts for the project. */
  readonly coordinator: string | null;
  readonly workers: readonly string[];
  readonly watchdog: string | null;
  /** One run does it all: nothing is delegated and no watchdog stands beside it. */
  readonly collapsed: boolean;
}

export function rolesOf(state: ProjectState, lease: Lease | null): Roles {
  const sent = state.dispatches.filter((dispatch) => dispatch.status === "sent");
  const current = currentTask(state);
  const session =
    current?.status === "in_progress"
      ? [`session ${current.attempt.session} on ${current.id}`]
      : [];
  const isHeld = lease !== null && lease.released_at === null;
  return {
    origin: state.plan?.approved_by ?? "a person",
    coordinator: isHeld ? `${lease.owner} (${lease.run_id} on ${lease.host})` : null,
    workers: [
      ...session,
      ...sent.map(({ owner, id, task_id }) => `${owner} (${id} on ${task_id})`),
    ],
    watchdog: state.watchdog.installed ? `watchdog of ${state.owner_agent}` : null,
    collapsed: sent.length === 0 && !state.watchdog.installed,
  };
}
