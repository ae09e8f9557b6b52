// Removes a whole workspace. It is renamed first, so that a kill leaves something that is plainly to be
// removed; removing it once more goes on where that ended. Nothing that is mounted in it is touched.
import { lstatSync, realpathSync, renameSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { StintError } from "../../core/stint-error.ts";
import { mountsBelow } from "./mounts-below.ts";
import { codeOf, notRemoved, removing } from "./remove-tree.ts";

/** What a folder is named from the moment when it is to be removed. */
export const GONE = ".gone";

/** Between two turns of the event loop, so that a lease is renewed and Ctrl-C is heard meanwhile. */
const ACTS_A_TURN = 500;

/** @throws state-unwritable with what is left; everything else is removed then */
export async function discardFolder(path: string): Promise<void> {
  const gone = path.endsWith(GONE) ? path : `${path}${GONE}`;
  // A kill may have left one of another time.
  for (const each of new Set([gone, path])) {
    if (!isThere(each)) continue;
    refuseMounts(each);
    if (each !== gone) rename(each, gone);
    let acts = 0;
    for (const _ of removing(gone)) {
      acts += 1;
      // oxlint-disable-next-line no-await-in-loop
      if (acts % ACTS_A_TURN === 0) await nextTurn();
    }
  }
}

function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

function refuseMounts(path: string): void {
  const [mounted] = mountsBelow(join(realpathSync(dirname(path)), basename(path)));
  if (mounted === undefined) return;
  throw new StintError(
    "state-unwritable",
    `${path} was not removed: something is mounted at ${mounted}, and would be removed with it`,
    `Unmount it, then repeat this: umount '${mounted}'`,
  );
}

function rename(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    throw notRemoved(from, [`${from} (${codeOf(error)})`]);
  }
}
