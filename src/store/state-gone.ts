// The state that a living owner works with is gone: somebody removed it, or moved it away. It is a hard stop, and nothing
// is made again: what was moved is still somewhere, and a second state of the same project would contradict it.
import { dirname } from "node:path";
import type { ProjectId } from "../core/ids.ts";
import { StintError } from "../core/stint-error.ts";
import type { Disk } from "./disk.ts";

/** @param path of the state, which is not there */
export function stateGone(disk: Disk, id: ProjectId, path: string): StintError {
  return new StintError(
    "state-unwritable",
    `the state of ${id} is gone: somebody removed or moved ${topmostMissing(disk, path)} while Stint worked with it. Nothing more was started.`,
    `If it was moved, move it back, then run: stint resume ${id}\nIf it was removed: what Stint delivered is in your branch; see what else is left: stint doctor`,
  );
}

function topmostMissing(disk: Disk, path: string): string {
  const above = dirname(path);
  return above === path || disk.stat(above) !== undefined ? path : topmostMissing(disk, above);
}
