// Paths that are Stint's own business: the manifest, the marker, the project folder. They are
// given as files or folders relative to the root, with forward slashes.

export const MARKER = ".agent_iteration_done";

export function isWithin(path: string, fileOrFolder: string): boolean {
  const folder = fileOrFolder.replace(/\/+$/, "");
  return path === folder || path.startsWith(`${folder}/`);
}

export function isExcluded(path: string, exclude: readonly string[]): boolean {
  return exclude.some((excluded) => isWithin(path, excluded));
}
