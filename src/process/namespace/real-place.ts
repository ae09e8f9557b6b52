// Where a path of a view really leads. What the disk refuses to tell is not taken for nothing: it might have to be hidden.
import { realpathSync } from "node:fs";

/** What these say of a path is that nothing can be reached by it, from inside either. */
const LEADS_NOWHERE = new Set(["ENOENT", "ENOTDIR", "ELOOP", "EACCES", "ENAMETOOLONG"]);

/** Undefined where it leads nowhere. @throws what the system refused */
export function realPlace(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch (error) {
    if (LEADS_NOWHERE.has((error as NodeJS.ErrnoException).code ?? "")) return undefined;
    throw error;
  }
}
