// The project that a manifest or a name means; a manifest without one gets its own.
import { existsSync, statSync } from "node:fs";
import { resolve } from "node:path";
import type { ProjectId } from "../core/ids.ts";
import { StintError } from "../core/stint-error.ts";
import { newProject } from "./new-project.ts";
import { resolveProject } from "./resolve-project.ts";
import type { System } from "./system.ts";

export async function projectFor(system: System, target: string | undefined): Promise<ProjectId> {
  const path = target === undefined ? undefined : resolve(system.cwd, target);
  const isFile = path !== undefined && existsSync(path) && statSync(path).isFile();
  if (!isFile || target === undefined) return resolveProject(system, target);
  try {
    return await resolveProject(system, target);
  } catch (error) {
    if (!(error instanceof StintError) || error.code !== "not-found") throw error;
    return (await newProject(system, { manifest: target })).project.id;
  }
}
