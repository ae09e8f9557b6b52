// Where workspaces lie: `<folder>/<project id>/<n>`. What is named otherwise there is none of ours, and
// is left alone, as are links.
import { readdirSync, rmdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseProjectId, type ProjectId } from "../core/ids.ts";

export interface WorkspaceFolder {
  readonly path: string;
  readonly project: ProjectId;
  /** `litter`: begun and never finished, or removed in part. */
  readonly kind: "workspace" | "litter";
}

/** In the state folder, unless `workspace.dir` names another place. */
export function workspacesFolder(stateHome: string): string {
  return join(stateHome, "workspaces");
}

export function workspaceFolders(folder: string): readonly WorkspaceFolder[] {
  return foldersIn(folder).flatMap((name) => {
    const project = parseProjectId(name);
    return project === undefined ? [] : workspacesOf(folder, project);
  });
}

export function workspacesOf(folder: string, project: ProjectId): readonly WorkspaceFolder[] {
  return foldersIn(join(folder, project)).flatMap((name) => {
    const [, ending] = /^\d+((?:\.(?:tmp|gone))*)$/.exec(name) ?? [];
    if (ending === undefined) return [];
    const kind = ending === "" ? "workspace" : "litter";
    return { path: join(folder, project, name), project, kind };
  });
}

/** The folder of a project goes with the last one in it. */
export function dropIfEmpty(workspace: string): void {
  try {
    rmdirSync(dirname(workspace));
  } catch {
    // Others are left in it, or somebody was faster.
  }
}

function foldersIn(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name)
      .toSorted();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return [];
    throw error;
  }
}
