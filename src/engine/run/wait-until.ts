// A run that waits for its agents holds nothing: no lease, no process, no open file. It looks at the
// clock again and again, because a machine may sleep and a clock may be set, and at the project,
// because somebody else may have gone on with it.
import { LONGEST_LIMIT_MS } from "../../core/agent-limits.ts";
import type { ProjectId } from "../../core/ids.ts";
import { msOf } from "../../core/instant.ts";
import type { ProjectState } from "../../core/schema/project.ts";
import type { Host } from "../../store/host.ts";
import type { LeaseView, Store } from "../../store/store.ts";

/** How long nobody looks. */
const STEP_MS = 30_000;
const HELD_STEP_MS = 2000;

export interface Wait {
  readonly project: ProjectId;
  /** The revision that began the wait; any other means that it is over. */
  readonly revision: number;
  readonly untilMs: number;
  readonly signal: AbortSignal;
}

export type Woken =
  | { readonly by: "time" }
  /** Somebody wants the run to end. */
  | { readonly by: "signal" }
  | { readonly by: "other-run"; readonly lease: LeaseView }
  | { readonly by: "change"; readonly state: ProjectState };

export async function waitUntil(
  { store, host }: { readonly store: Store; readonly host: Host },
  { project, revision, untilMs, signal }: Wait,
): Promise<Woken> {
  let seenHeld: string | undefined;
  for (;;) {
    if (signal.aborted) return { by: "signal" };
    const { state, lease } = store.read(project);
    // Whoever answers holds the lease for a moment; a run holds it for longer.
    if (lease.held && seenHeld === lease.lease?.run_id) return { by: "other-run", lease };
    seenHeld = lease.held ? lease.lease?.run_id : undefined;
    if (state.revision !== revision && !isSameWait(state, untilMs)) return { by: "change", state };
    const leftMs = untilMs - host.nowMs();
    // More than any limit lasts: the clock was set back since the limit was written.
    if (leftMs <= 0 || leftMs > LONGEST_LIMIT_MS) return { by: "time" };
    // oxlint-disable-next-line no-await-in-loop
    await host.sleep(Math.min(leftMs, seenHeld === undefined ? STEP_MS : HELD_STEP_MS), signal);
  }
}

/** An answer that was given meanwhile changes the project, but not what is waited for. */
function isSameWait(state: ProjectState, untilMs: number): boolean {
  const until = state.status === "Paused" ? state.pause.resume_at : undefined;
  return until !== undefined && msOf(until) === untilMs;
}
