// Paths that a manifest names stay inside the repository.

/** Why a path is refused, or undefined when it stays below the repository root. */
export function pathProblem(path: string): string | undefined {
  if (path === "") return "the path is empty";
  if (path.includes("\0")) return "the path holds a NUL character";
  if (/^(?:[\\/]|[A-Za-z]:)/.test(path)) return "the path is absolute";
  if (/^~(?:[\\/]|$)/.test(path)) return "the path leads to a home folder";
  let depth = 0;
  for (const part of path.split(/[\\/]/)) {
    if (part === "..") depth--;
    else if (part !== "." && part !== "") depth++;
    if (depth < 0) return "the path leaves the repository";
  }
  return undefined;
}
