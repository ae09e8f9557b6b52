// Where a path really leads that may not be there yet: the links of what is there are followed.
import { realpathSync } from "node:fs";
import { basename, dirname, join } from "node:path";

export function realPathOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const above = dirname(path);
    return above === path ? path : join(realPathOf(above), basename(path));
  }
}
