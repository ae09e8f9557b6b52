// The lease of a run. An answer in another terminal holds one for a moment, which is waited for; a run
// holds it for long, and with it the folder that its sessions work in, where that is the person's own: two
// sessions in one would find each other's files, boxes and markers there.
import type { ProjectId, RunId } from "../../core/ids.ts";
import type { Lease } from "../../core/schema/project.ts";
import { shellWord } from "../../core/written/commands.ts";
import { StintError } from "../../core/stint-error.ts";
import { readSpace } from "../../engine/space/kept-space.ts";
import type { Holder, RegistryEntry } from "../../store/store.ts";
import { orFault } from "../or-fault.ts";
import type { System } from "../system.ts";
import { isHeld } from "./while-held.ts";

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
    const holder = await within(system, () => acquire(system, id, run_id));
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

function acquire({ store, user }: System, id: ProjectId, run_id: RunId): Holder {
  return store.acquire(id, { owner: user, run_id });
}

/** Of two that begin at once the earlier one goes on: each looks after it has its own lease. */
function assertAlone(system: System, { entry, lease: own }: Holder): void {
  for (const other of system.store.list()) {
    if (other.root !== entry.root || other.project_id === entry.project_id) continue;
    // First of all: a project that is being created, or is damaged, has nothing else to read.
    const lease = heldLease(system, other);
    if (lease === null || !comesFirst(lease, own)) continue;
    // Each in a workspace of its own: nothing is shared but the branch, and deliveries wait for each other.
    if (readSpace(system.store, other)?.kind !== "in-place") continue;
    throw new StintError(
      "lease-held",
      `${entry.root} is in use: ${lease.run_id} (${lease.owner}, pid ${lease.pid} on ${lease.host}, since ${lease.acquired_at}) is at work there for ${other.project_id} (${other.manifest}), and a folder has one session at a time`,
      `Wait for it, or see what it does: stint status ${other.project_id}; to work on both at once, give one a work tree of its own: git -C ${shellWord(entry.root)} worktree add ${shellWord(`${entry.root}-2`)}`,
    );
  }
}

/** What is damaged is nobody's to work with either, and is told where that project is meant. */
function heldLease({ store }: System, { project_id }: RegistryEntry): Lease | null {
  const read = orFault(() => store.read(project_id).lease);
  return read.ok && read.value.held ? read.value.lease : null;
}

export function comesFirst(one: Lease, other: Lease): boolean {
  return one.acquired_at === other.acquired_at
    ? one.run_id < other.run_id
    : one.acquired_at < other.acquired_at;
}
