// Locks of refs that only Stint writes, left by a git that was killed. Whoever opens the workspace holds the
// lease, so at most the git of a dead run may still be at it, and that for a moment.
import { readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { PersonRepository } from "./person-repository.ts";
import type { WorkspaceOptions } from "./workspace-options.ts";

/** Git holds the lock of a ref while it writes one line. */
const SETTLED_MS = 2_000;
const LOOK_MS = 50;

export async function clearRefLocks(
  { folder: { common } }: PersonRepository,
  { project, slug }: Pick<WorkspaceOptions, "project" | "slug">,
): Promise<void> {
  const branch = join(common, "refs", "heads", "stint", `${slug}.lock`);
  for (const lock of [...locksBelow(join(common, "refs", "stint", project)), branch]) {
    // oxlint-disable-next-line no-await-in-loop
    if (await staysThere(lock)) rmSync(lock, { force: true });
  }
}

/** The lock of all packed refs, where it came since we began to drop ours and somebody died at it. */
export async function clearPackedLock(
  { folder: { common } }: PersonRepository,
  sinceMs: number,
): Promise<void> {
  await clearLeftLocks([join(common, "packed-refs.lock")], sinceMs);
}

/** Locks that came since an act of ours began, and whose owner died at it. */
export async function clearLeftLocks(locks: readonly string[], sinceMs: number): Promise<void> {
  for (const lock of locks) {
    const facts = statSync(lock, { throwIfNoEntry: false });
    // Clocks of file systems are coarser than ours.
    if (facts === undefined || facts.mtimeMs < sinceMs - 1000) continue;
    // oxlint-disable-next-line no-await-in-loop
    if (await staysThere(lock)) rmSync(lock, { force: true });
  }
}

/** All that end in `.lock`, at any depth. */
export function locksBelow(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return locksBelow(path);
      return entry.name.endsWith(".lock") ? [path] : [];
    });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}

async function staysThere(lock: string): Promise<boolean> {
  for (let waited = 0; waited < SETTLED_MS; waited += LOOK_MS) {
    const facts = statSync(lock, { throwIfNoEntry: false });
    if (facts === undefined) return false;
    if (Date.now() - facts.mtimeMs >= SETTLED_MS) return true;
    // oxlint-disable-next-line no-await-in-loop
    await sleep(LOOK_MS);
  }
  return true;
}
