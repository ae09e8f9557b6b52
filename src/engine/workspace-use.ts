// How much the workspace of a project takes. To show it nothing is walked; to measure it takes a while.
import type { ProjectId } from "../core/ids.ts";
import type { Instant } from "../core/instant.ts";
import { measureUse, type MeasuredUse, readMeasuredUse } from "../workspace/measured-use.ts";
import { workspacesFolder, workspacesOf } from "../workspace/workspace-folders.ts";

export interface WorkspaceUse {
  readonly path: string;
  /** Null: never measured. */
  readonly use: MeasuredUse | null;
}

/** Null: it has no workspace. */
export function workspaceUse(stateHome: string, project: ProjectId): WorkspaceUse | null {
  const path = firstOf(stateHome, project);
  return path === null ? null : { path, use: readMeasuredUse(path) };
}

export async function measureWorkspace(
  stateHome: string,
  project: ProjectId,
  at: Instant,
): Promise<WorkspaceUse | null> {
  const path = firstOf(stateHome, project);
  return path === null ? null : { path, use: await measureUse(path, at) };
}

function firstOf(stateHome: string, project: ProjectId): string | null {
  const folders = workspacesOf(workspacesFolder(stateHome), project);
  return folders.find(({ kind }) => kind === "workspace")?.path ?? null;
}
