// Whose a workspace is: the state folder that knows its project. Several may share one `workspace.dir`, and
// none of them may clean up after another.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { readIfThere, writeDurably } from "./disk/durable-file.ts";

export function keepOwner(home: string, stateHome: string): void {
  if (ownerOf(home) !== stateHome) writeDurably(ownerFile(home), `${stateHome}\n`);
}

/** Of another state folder that is still there. */
export function isOfAnother(home: string, stateHome: string): boolean {
  const owner = ownerOf(home);
  return owner !== null && owner !== stateHome && existsSync(owner);
}

function ownerOf(home: string): string | null {
  return readIfThere(ownerFile(home))?.toString("utf8").trimEnd() ?? null;
}

function ownerFile(home: string): string {
  return join(home, "state-folder");
}
