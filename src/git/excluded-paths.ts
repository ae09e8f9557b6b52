// Paths that are Stint's own business: the manifest, the marker, the project folder. They are
// given as files or folders relative to the root, with forward slashes.
import { isWithin } from "../core/files.ts";

export const MARKER = ".agent_iteration_done";

export function isExcluded(path: string, exclude: readonly string[]): boolean {
  return exclude.some((excluded) => isWithin(path, excluded));
}
