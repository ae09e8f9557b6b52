// Whether a project ever had a workspace, for whoever need not know where: nothing of it is read.
import { keptPath, type RegistryEntry, type Store } from "../../store/store.ts";

export const KEPT_SPACE = keptPath("logs", "workspace.json");

export function hasSpace(store: Store, { project_id }: RegistryEntry): boolean {
  return store.kept(project_id, KEPT_SPACE) !== undefined;
}
