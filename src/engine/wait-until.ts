// A run that waits for its agents holds nothing: no lease, no process, no open file. It looks at the
// clock again and again, because a machine may sleep and a clock may be set, and at the project,
// because somebody else may have gone on with it.
import { LONGEST_LIMIT_MS } from "../core/back-off.ts";
import type { ProjectId } from "../core/ids.ts";
import type { ProjectState } from "../core/schema/project.ts";
import type { Host } from "../store/host.ts";
import type { LeaseView, Store } from "../store/store.ts";

/** How long nobody looks. */
const STEP_MS = 30_000;

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
  for (;;) {
    if (signal.aborted) return { by: "signal" };
    const { state, lease } = store.read(project);
    if (lease.held) return { by: "other-run", lease };
    if (state.revision !== revision) return { by: "change", state };
    const leftMs = untilMs - host.nowMs();
    // More than any limit lasts: the clock was set back since the limit was written.
    if (leftMs <= 0 || leftMs > LONGEST_LIMIT_MS) return { by: "time" };
    // oxlint-disable-next-line no-await-in-loop
    await host.sleep(Math.min(leftMs, STEP_MS), signal);
  }
}
