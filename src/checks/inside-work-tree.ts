// Where a path of a check really leads. Symbolic links that lead out of the work tree are refused,
// also when they stand in the middle of the path.
import { realpath } from "node:fs/promises";
import { isAbsolute, relative, resolve, sep } from "node:path";

export type ResolvedPath =
  | { readonly found: true; readonly path: string }
  | { readonly found: false; readonly reason: "absent" | "outside" };

export async function insideWorkTree(workTree: string, path: string): Promise<ResolvedPath> {
  const root = await realpath(workTree);
  const wanted = resolve(root, path);
  if (path.includes("\0") || !isWithin(root, wanted)) return { found: false, reason: "outside" };
  try {
    const real = await realpath(wanted);
    return isWithin(root, real) ? { found: true, path: real } : { found: false, reason: "outside" };
  } catch {
    // Missing, a loop of links, no right to look: in each case the file cannot be shown.
    return { found: false, reason: "absent" };
  }
}

function isWithin(root: string, path: string): boolean {
  const way = relative(root, path);
  return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}
