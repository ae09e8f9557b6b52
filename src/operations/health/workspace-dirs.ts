// Every folder in which workspaces may lie: that of the state folder, those that settings name, here and in
// the checkouts of known projects, and those where known projects have had one.
import { realpathSync } from "node:fs";
import { dirname } from "node:path";
import { readSpace } from "../../engine/space/kept-space.ts";
import { workspacesIn } from "../../engine/space/look-at-workspaces.ts";
import { workspaceSettings } from "../../core/written/workspace-settings.ts";
import { findRepository } from "../../store/repository.ts";
import type { RegistryEntry } from "../../store/store.ts";
import { faultOf, orFault } from "../or-fault.ts";
import { chooseWorkspace } from "../run/choose-workspace.ts";
import { readConfig } from "../run/read-config.ts";
import type { System } from "../system.ts";

export async function workspaceDirs(system: System): Promise<readonly string[]> {
  const entries = system.store.list();
  const roots = new Set([findRepository(system.cwd).root, ...entries.map(({ root }) => root)]);
  const named = await Promise.all([...roots].map((root) => dirOf(system, root)));
  const dirs = [
    workspacesIn(system.stateHome),
    ...named,
    ...entries.map((entry) => keptDir(system, entry)),
  ];
  // One that is not there holds nothing, and one by two names is one.
  const real = new Map<string, string>();
  for (const dir of dirs) {
    const path = dir === null ? null : realPathOf(dir);
    if (dir !== null && path !== null && !real.has(path)) real.set(path, dir);
  }
  return [...real.values()];
}

/** A workspace is `<folder>/<project>/<n>`. */
function keptDir({ store }: System, entry: RegistryEntry): string | null {
  // A record that cannot be read says nothing; `doctor` says why.
  const read = orFault(() => readSpace(store, entry)?.home);
  return !read.ok || read.value === undefined ? null : dirname(dirname(read.value));
}

/** Settings that cannot be read name nothing; whoever runs there is told. */
async function dirOf({ env }: System, root: string): Promise<string | null> {
  try {
    const { workspace } = workspaceSettings(await readConfig(root));
    if (workspace?.dir === undefined) return null;
    const place = { root, hasGit: true, home: env["HOME"] };
    return chooseWorkspace({ workspace: "own-path" }, workspace, place).dir ?? null;
  } catch (error) {
    faultOf(error);
    return null;
  }
}

function realPathOf(path: string): string | null {
  try {
    return realpathSync(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR" || code === "EACCES") return null;
    throw error;
  }
}
