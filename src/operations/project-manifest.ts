// The manifest of a project: the person's file, and what was read of it last.
import type { ProjectState } from "../core/schema/project.ts";
import { treeFiles } from "../engine/base/tree-files.ts";
import { normaliseManifest } from "../manifest/normalise-manifest.ts";
import { parseManifest } from "../manifest/parse-manifest.ts";
import type { Plan } from "../manifest/plan.ts";
import type { RegistryEntry, Store } from "../store/store.ts";

export function checkoutOf({ root, manifest, folder: projectFolder }: RegistryEntry) {
  return treeFiles({ root, manifest, projectFolder });
}

/** As the text says it that the state holds by. */
export function writtenPlan(store: Store, { project_id, manifest }: ProjectState): Plan {
  return planIn(store.manifestText(project_id, manifest.digest));
}

export function planIn(text: string): Plan {
  return normaliseManifest(parseManifest(text)).plan;
}
