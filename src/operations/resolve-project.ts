// Which project a person means: an id, the beginning of one, a slug, a manifest, or the only project
// of this work tree.
import { existsSync } from "node:fs";
import { relative, resolve, sep } from "node:path";
import { parseProjectId, type ProjectId } from "../core/ids.ts";
import { StintError } from "../core/stint-error.ts";
import { findRepository } from "../store/repository.ts";
import type { RegistryEntry } from "../store/store.ts";
import type { System } from "./system.ts";

export function resolveProject(system: System, reference: string | undefined): ProjectId {
  const exact = reference === undefined ? undefined : parseProjectId(reference);
  if (exact !== undefined && system.store.find(exact) !== undefined) return exact;
  const entries = system.store.list();
  const here = findRepository(system.cwd).root;
  const found =
    reference === undefined
      ? entries.filter((entry) => entry.root === here)
      : matching(system, entries, reference, here);
  const [only, ...others] = found;
  if (only === undefined) throw nothingFound(system, reference, here);
  if (others.length > 0) throw severalFound(reference, found, here);
  return only.project_id;
}

/** The narrowest reading that finds something wins: manifest, slug here, slug anywhere, id prefix. */
function matching(
  system: System,
  entries: readonly RegistryEntry[],
  reference: string,
  here: string,
): RegistryEntry[] {
  const path = resolve(system.cwd, reference);
  const readings = [
    (entry: RegistryEntry) => resolve(entry.root, entry.manifest) === path,
    (entry: RegistryEntry) => entry.slug === reference && entry.root === here,
    (entry: RegistryEntry) => entry.slug === reference,
    (entry: RegistryEntry) => reference.length >= 3 && entry.project_id.startsWith(reference),
  ];
  for (const reading of readings) {
    const found = entries.filter(reading);
    if (found.length > 0) return found;
  }
  return [];
}

function nothingFound(system: System, reference: string | undefined, here: string): StintError {
  if (reference === undefined) {
    return new StintError(
      "not-found",
      `${here} has no project`,
      "Create one: stint new <manifest.md>; or name one: stint list",
    );
  }
  const path = resolve(system.cwd, reference);
  if (existsSync(path)) {
    const shown = relative(system.cwd, path).split(sep).join("/");
    return new StintError("not-found", `${shown} has no project`, `Create it: stint new ${shown}`);
  }
  return new StintError(
    "not-found",
    `there is no project "${reference}": it is no id, no slug and no manifest`,
    "See what there is: stint list",
  );
}

function severalFound(
  reference: string | undefined,
  found: readonly RegistryEntry[],
  here: string,
): StintError {
  const what = reference === undefined ? here : `"${reference}"`;
  const list = found.map((entry) => `${entry.project_id} (${entry.slug}, ${entry.root})`);
  return new StintError(
    "bad-input",
    `${what} has ${found.length} projects: ${list.join("; ")}`,
    `Name one of them: stint status ${found[0]?.project_id}`,
  );
}
