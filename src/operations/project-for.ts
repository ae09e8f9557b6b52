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
  const known = await knownProject(system, target);
  return known ?? (await newProject(system, { manifest: target })).project.id;
}

/** Undefined also where its creation was cut short: it is finished like a new one. */
async function knownProject(system: System, manifest: string): Promise<ProjectId | undefined> {
  try {
    const id = await resolveProject(system, manifest);
    return system.store.hasState(id) ? id : undefined;
  } catch (error) {
    if (error instanceof StintError && error.code === "not-found") return undefined;
    throw error;
  }
}
