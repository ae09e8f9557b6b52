// Where workspaces lie: `<folder>/<project id>/<n>`. What is named otherwise there is none of ours, and
// is left alone, as are links. And whose each is: the state folder that knows its project. Several may share
// one `workspace.dir`, and none of them may clean up after another.
import { existsSync, readdirSync, rmdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseProjectId, type ProjectId } from "../core/ids.ts";
import { readIfThere, writeDurably } from "./base/durable-file.ts";

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

function workspacesOf(folder: string, project: ProjectId): readonly WorkspaceFolder[] {
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

export function keepOwner(home: string, stateHome: string): void {
  if (ownerOf(home) !== stateHome) writeDurably(ownerFile(home), `${stateHome}\n`);
}

/** Of another state folder that is still there. */
export function isOfAnother(home: string, stateHome: string): boolean {
  const owner = ownerOf(home);
  return owner !== null && owner !== stateHome && existsSync(owner);
}

/** The state folder that knows its project, where it was written down. */
export function ownerOf(home: string): string | null {
  return readIfThere(ownerFile(home))?.toString("utf8").trimEnd() ?? null;
}

function ownerFile(home: string): string {
  return join(home, "state-folder");
}
