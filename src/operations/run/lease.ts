// The lease of a project: taken by a run, for one act by hand, or for a moment; renewed for as long as it is kept; given
// back whatever happens. An answer in another terminal holds one for a moment, which is waited for; a run holds it for
// long, and with it the folder that its sessions work in, where that is the person's own: two sessions in one would find
// each other's files, boxes and markers there.
import type { ProjectId, RunId } from "../../core/ids.ts";
import type { Lease } from "../../core/schema/project.ts";
import { shellWord } from "../../core/written/commands.ts";
import { StintError } from "../../core/stint-error.ts";
import { mendCutShort, readSpace } from "../../engine/space/kept-space.ts";
import type { Holder } from "../../store/store.ts";
import { orFault } from "../faults.ts";
import { freshRunId, type System } from "../system.ts";
import type { StopWanted } from "../../engine/base/run-context.ts";
import { msOf } from "../../core/instant.ts";
import { EXPIRY_MS, HEARTBEAT_MS, mustGiveUp } from "../../core/lease-rules.ts";
import type { Host } from "../../store/host.ts";

/** Longer than any answer takes. */
const MOMENT_MS = 2_000;
const LOOK_MS = 50;
const WAIT_MS = 30_000;
const NEVER = new AbortController().signal;

/** How a run that has begun waits for a work tree that another one is at work in. */
export interface LeaseWait {
  readonly signal: AbortSignal;
  readonly tell: (text: string) => void;
}

/** @throws lease-held */
export async function takeLease(
  system: System,
  id: ProjectId,
  run_id: RunId,
  wait: LeaseWait | null,
): Promise<Holder> {
  for (let tries = 0; ; tries += 1) {
    // oxlint-disable-next-line no-await-in-loop
    const holder = await within(system, () =>
      system.store.acquire(id, { owner: system.user, run_id }),
    );
    try {
      // oxlint-disable-next-line no-await-in-loop
      await within(system, () => assertAlone(system, holder));
      return holder;
    } catch (error) {
      holder.release();
      if (wait === null || !isHeld(error) || wait.signal.aborted) throw error;
      if (tries === 0) wait.tell(`it waits: ${error.message}`);
    }
    // oxlint-disable-next-line no-await-in-loop
    await system.host.sleep(WAIT_MS, wait.signal);
  }
}

/** Repeats what finds a lease held, until it does not, or the moment is over. */
async function within<T>({ host }: System, act: () => T): Promise<T> {
  const untilMs = host.nowMs() + MOMENT_MS;
  for (;;) {
    try {
      return act();
    } catch (error) {
      if (!isHeld(error) || host.nowMs() >= untilMs) throw error;
    }
    // oxlint-disable-next-line no-await-in-loop
    await host.sleep(LOOK_MS, NEVER);
  }
}

/** Of two that begin at once the earlier one goes on: each looks after it has its own lease. */
function assertAlone(system: System, { entry, lease: own }: Holder): void {
  for (const other of system.store.list()) {
    if (other.root !== entry.root || other.project_id === entry.project_id) continue;
    // First of all: a project that is being created, or is damaged, has nothing else to read.
    // What is damaged is nobody's to work with either, and is told where that project is meant.
    const read = orFault(() => system.store.read(other.project_id).lease);
    const lease = read.ok && read.value.held ? read.value.lease : null;
    if (lease === null || !comesFirst(lease, own)) continue;
    // Each in a workspace of its own: nothing is shared but the branch, and deliveries wait for each other.
    if (readSpace(system.store, other)?.kind !== "in-place") continue;
    throw new StintError(
      "lease-held",
      `${entry.root} is in use: ${lease.run_id} (${lease.owner}, pid ${lease.pid} on ${lease.host}, since ${lease.acquired_at}) is at work there for ${other.project_id} (${other.manifest}), and only one run may work in a folder`,
      `Wait for it, or see what it does: stint status ${other.project_id}; to work on both at once, give one its own work tree: git -C ${shellWord(entry.root)} worktree add ${shellWord(`${entry.root}-2`)}`,
    );
  }
}

export function comesFirst(one: Lease, other: Lease): boolean {
  return one.acquired_at === other.acquired_at
    ? one.run_id < other.run_id
    : one.acquired_at < other.acquired_at;
}

/** `whenHeld`: what to do first where a run is live. @throws lease-held */
export async function underLease<T>(
  system: System,
  id: ProjectId,
  whenHeld: string,
  act: (holder: Holder, kept: KeptLease) => Promise<T>,
): Promise<T> {
  const holder = await takeLease(system, id, freshRunId(system), null).catch((error: unknown) => {
    if (!isHeld(error)) throw error;
    throw new StintError("lease-held", error.message, whenHeld, { cause: error });
  });
  return await whileKept(system.host, holder, (kept) => act(holder, kept));
}

export interface KeptLease {
  /** Null while it is held. Looks at the clock each time, so that no work goes on after a sleep. */
  readonly loss: () => StintError | null;
  /** The loss as what ends sessions, checks, hooks, acts and pushes. */
  readonly stopWanted: () => StopWanted | null;
  /** Renews it no longer. */
  readonly end: () => void;
}

export function keepLease(host: Host, holder: Holder): KeptLease {
  let lost: StintError | null = null;
  const loss = (): StintError | null => {
    if (lost === null && mustGiveUp(msOf(holder.lease.heartbeat_at), host.nowMs())) {
      lost = overdue(holder, host.nowMs());
      holder.giveUp(lost);
    }
    return lost;
  };
  const renew = (): void => {
    if (loss() !== null) return;
    try {
      holder.renew();
    } catch (error) {
      if (!(error instanceof StintError)) throw error;
      lost = error;
    }
  };
  return {
    loss,
    stopWanted: () => (loss() === null ? null : { kind: "signal", reason: "the lease was lost" }),
    end: host.every(HEARTBEAT_MS, renew),
  };
}

/** Works under a lease for as long as it takes, and gives it back whatever happens. Its loss is told before all else. */
export async function whileKept<T>(
  host: Host,
  holder: Holder,
  work: (kept: KeptLease) => Promise<T>,
): Promise<T> {
  const kept = keepLease(host, holder);
  try {
    const result = await work(kept);
    giveBack(holder, kept);
    return result;
  } catch (error) {
    kept.end();
    // Whatever else was thrown came of the loss.
    const cause = kept.loss() ?? error;
    releaseQuietly(holder);
    throw cause;
  }
}

/** Gives it back. @throws the loss, where it was lost: then nothing that came of the work counts */
export function giveBack(holder: Holder, kept: KeptLease): void {
  kept.end();
  const loss = kept.loss();
  if (loss !== null) throw loss;
  holder.release();
}

function overdue({ entry, lease }: Holder, nowMs: number): StintError {
  const seconds = Math.round((nowMs - msOf(lease.heartbeat_at)) / 1000);
  const { project_id } = entry;
  return new StintError(
    "lease-lost",
    `${project_id}: the lease of ${lease.run_id} was not renewed for ${seconds} s (the machine slept, or the process was stopped); after ${EXPIRY_MS / 1000} s another run may take it. Stint ended what was running and wrote nothing since.`,
    `See where it stands: stint status ${project_id}; then continue: stint resume ${project_id}`,
  );
}

export function isHeld(error: unknown): error is StintError {
  return error instanceof StintError && error.code === "lease-held";
}

/** Null where somebody holds it. */
export function acquireIfFree(system: System, id: ProjectId): Holder | null {
  const claim = { owner: system.user, run_id: freshRunId(system) };
  const taken = orFault(() => system.store.acquire(id, claim));
  if (taken.ok) return taken.value;
  if (isHeld(taken.fault)) return null;
  throw taken.fault;
}

/** Gives the lease back whatever happens; what went wrong first is what is told. */
export async function whileHeld<T>(
  { store, host }: System,
  holder: Holder,
  act: (mended: readonly string[]) => T | Promise<T>,
): Promise<T> {
  let result: T;
  try {
    result = await act(await mendCutShort({ holder, store, nowMs: host.nowMs() }));
  } catch (error) {
    releaseQuietly(holder);
    throw error;
  }
  holder.release();
  return result;
}

/** After a failure that is to be told: that the lease cannot be given back, too, is not. */
export function releaseQuietly(holder: Holder): void {
  orFault(() => holder.release());
}
