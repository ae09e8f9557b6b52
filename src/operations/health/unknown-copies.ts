// Projects that lie in a work tree but that this user's state folder has no shadow of: a fresh clone,
// another machine, a lost state folder. They are never believed, and never created over.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { StintError } from "../../core/stint-error.ts";
import type { ProjectState } from "../../core/schema/project.ts";
import { readConfig } from "../run/read-config.ts";
import type { System } from "../system.ts";

export interface UnknownCopy {
  readonly folder: string;
  readonly state: ProjectState;
}

export async function unknownCopies(system: System, root: string): Promise<UnknownCopy[]> {
  const folder = (await readConfig(root)).root ?? "agents";
  // Where nothing can lie, nobody who judges copies is loaded.
  if (!existsSync(join(root, folder))) return [];
  const physician = await system.doctor();
  return physician
    .adoptables(root, folder)
    .flatMap(({ folder: copy, verdict }) =>
      verdict.kind === "refused" ? [] : [{ folder: copy, state: verdict.state }],
    );
}

/** The refusal of every verb that would need to believe such a copy. */
export function withoutShadow(root: string, { folder, state }: UnknownCopy): StintError {
  return new StintError(
    "state-corrupt",
    `${folder} holds ${state.project_id} at revision ${state.revision}, but this machine has no shadow of it (another machine, a fresh clone, a moved work tree, a lost state folder). Nothing of it is believed.`,
    `See what would be trusted: stint doctor; then, in ${root}: stint doctor --adopt`,
  );
}
