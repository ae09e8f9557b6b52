// A run that waits for its agents, or for work that somebody else has, holds nothing: no lease, no process, no open file. It looks at the
// clock again and again, because a machine may sleep and a clock may be set, and at the project,
// because somebody else may have gone on with it.
import { LONGEST_LIMIT_MS } from "../../core/agent-limits.ts";
import type { ProjectId } from "../../core/ids.ts";
import { type Instant, msOf } from "../../core/instant.ts";
import type { ProjectState } from "../../core/schema/project.ts";
import { MAX_DURATION_MS } from "../../core/written/times.ts";
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
  /** Whether what is waited for may have come before that; asked at every look, and as soon as it is told so. */
  readonly news?: News;
}

interface News {
  readonly hasCome: () => boolean;
  /** @returns how to end it */
  readonly watch: (onChange: () => void) => () => void;
}

export type Woken =
  | { readonly by: "time" }
  | { readonly by: "news" }
  /** Somebody wants the run to end. */
  | { readonly by: "signal" }
  | { readonly by: "other-run"; readonly lease: LeaseView }
  | { readonly by: "change"; readonly state: ProjectState };

export async function waitUntil(
  { store, host }: { readonly store: Store; readonly host: Host },
  { project, revision, untilMs, signal, news }: Wait,
): Promise<Woken> {
  let seenHeld: string | undefined;
  let wake = new AbortController();
  const unwatch = news?.watch(() => wake.abort());
  try {
    for (;;) {
      if (signal.aborted) return { by: "signal" };
      if (news?.hasCome() === true) return { by: "news" };
      const { state, lease } = store.read(project);
      // Whoever answers holds the lease for a moment; a run holds it for longer.
      if (lease.held && seenHeld === lease.lease?.run_id) return { by: "other-run", lease };
      seenHeld = lease.held ? lease.lease?.run_id : undefined;
      if (state.revision !== revision && !isSameWait(state, untilMs))
        return { by: "change", state };
      const leftMs = untilMs - host.nowMs();
      // More than any limit, or look, lasts: the clock was set back since it was written.
      if (leftMs <= 0 || leftMs > (news === undefined ? LONGEST_LIMIT_MS : MAX_DURATION_MS))
        return { by: "time" };
      // oxlint-disable-next-line no-await-in-loop
      await host.sleep(
        Math.min(leftMs, seenHeld === undefined ? STEP_MS : HELD_STEP_MS),
        AbortSignal.any([signal, wake.signal]),
      );
      wake = new AbortController();
    }
  } finally {
    unwatch?.();
  }
}

/** Until when a run waits that holds nothing: for its agents, or for the next look at what others have. */
export function waitsUntil(state: ProjectState): Instant | undefined {
  const looks = state.dispatches.flatMap((item) =>
    item.status === "sent" && item.worker.kind === "outside" ? [item.checkpoint_at] : [],
  );
  if (state.status === "AwaitingResult") return looks.toSorted()[0];
  const resume_at = state.status === "Paused" ? state.pause.resume_at : undefined;
  return resume_at === undefined ? undefined : [resume_at, ...looks].toSorted()[0];
}

/** An answer that was given meanwhile changes the project, but not what is waited for. */
function isSameWait(state: ProjectState, untilMs: number): boolean {
  const until = waitsUntil(state);
  return until !== undefined && msOf(until) === untilMs;
}
