// What an error code means for a path: the file system that it lies on tells more than the code.
import { statfsSync } from "node:fs";
import { dirname } from "node:path";
import { type Meaning, meaningOf, NO_INODES } from "../core/words/system-error.ts";

export function meaningAt(errno: string, path: string): Meaning {
  return errno === "ENOSPC" && isWithoutInodes(path) ? NO_INODES : meaningOf(errno);
}

/** File systems that make inodes as they need them have none to count. */
function isWithoutInodes(path: string): boolean {
  for (let at = path; ; at = dirname(at)) {
    try {
      const { files, ffree, bavail } = statfsSync(at);
      return files > 0 && ffree === 0 && bavail > 0;
    } catch {
      // The path is not there, or its file system does not tell.
      if (dirname(at) === at) return false;
    }
  }
}
