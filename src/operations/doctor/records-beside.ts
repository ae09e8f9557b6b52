// What runs in the background and the watchdog leave beside a project, for `clean`: found by the id in its name, and left
// alone as long as a process writes there.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { parseProjectId, type ProjectId } from "../../core/ids.ts";
import type { FoundRecords } from "../../core/what-to-clean.ts";
import { errnoOf } from "../../core/words/system-error.ts";
import type { System } from "../system.ts";

const FOLDERS = {
  "background-runs": "detached",
  "watchdog-notes": "watchdog",
} as const satisfies Record<FoundRecords["kind"], string>;

export async function recordsBeside(system: System): Promise<readonly FoundRecords[]> {
  const found = (Object.keys(FOLDERS) as FoundRecords["kind"][]).flatMap((kind) => {
    const folder = join(system.stateHome, FOLDERS[kind]);
    return foldersIn(folder).flatMap((name) => {
      const project = parseProjectId(name);
      return project === undefined ? [] : [{ kind, project, path: join(folder, name) }];
    });
  });
  return await Promise.all(
    found.map(async (each) => ({
      ...each,
      isInUse: await isInUse(system, each.kind, each.project),
    })),
  );
}

export async function isInUse(
  system: System,
  kind: FoundRecords["kind"],
  project: ProjectId,
): Promise<boolean> {
  if (kind === "watchdog-notes") {
    const watch = await system.watchFiles();
    return watch.isRecovering(project) || watch.escalating(project) !== undefined;
  }
  const detached = await system.detachedFiles();
  const run = detached.current(project);
  return run !== undefined && detached.isAlive(run);
}

/** Never behind a link. */
function foldersIn(folder: string): string[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true });
    return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  } catch (error) {
    const errno = errnoOf(error);
    if (errno === "ENOENT" || errno === "ENOTDIR") return [];
    throw error;
  }
}
