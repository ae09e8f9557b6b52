// Which text of the person's manifest was last taken into account.
import type { ProjectState } from "../core/schema/project.ts";
import type { Sha256 } from "../core/schema/scalar.ts";
import { keptPath, type Store } from "../store/store.ts";

export const SEEN = keptPath("logs", "seen-manifest.sha256");

export function seenDigest(store: Store, { project_id, manifest }: ProjectState): Sha256 {
  const kept = store.kept(project_id, SEEN)?.toString("utf8").trim();
  return (kept as Sha256 | undefined) ?? manifest.digest;
}
