// Where a path of a check really leads. Symbolic links that lead out of the work tree are refused,
// also when they stand in the middle of the path.
import { realpath } from "node:fs/promises";
import { resolve } from "node:path";
import { isWithin } from "../core/files.ts";

export type ResolvedPath =
  | { readonly found: true; readonly path: string }
  | { readonly found: false; readonly reason: "absent" | "outside" };

export async function insideWorkTree(workTree: string, path: string): Promise<ResolvedPath> {
  const root = await realpath(workTree);
  const wanted = resolve(root, path);
  if (path.includes("\0") || !isWithin(wanted, root)) return { found: false, reason: "outside" };
  try {
    const real = await realpath(wanted);
    return isWithin(real, root) ? { found: true, path: real } : { found: false, reason: "outside" };
  } catch {
    // Missing, a loop of links, no right to look: in each case the file cannot be shown.
    return { found: false, reason: "absent" };
  }
}
