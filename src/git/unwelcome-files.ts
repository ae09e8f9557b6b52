// New files that need a person's word before they enter history, whoever would commit them.
import type { Change } from "./changed-paths.ts";
import { LARGE_FILE_BYTES, looksSecret } from "./secret-paths.ts";

interface UnwelcomeFile {
  readonly path: string;
  readonly why: string;
}

export function unwelcomeFiles(
  changes: readonly Change[],
  approved: readonly string[] = [],
): UnwelcomeFile[] {
  return changes
    .filter(({ path, change }) => isNewName(change) && !approved.includes(path))
    .flatMap(({ path, change, bytes }) => {
      if (looksSecret(path)) return [{ path, why: "its name is one that secrets have" }];
      if (change === "added" && bytes > LARGE_FILE_BYTES) {
        const megabytes = (bytes / 1024 / 1024).toFixed(1);
        return [{ path, why: `it is new and ${megabytes} MB large` }];
      }
      return [];
    });
}

function isNewName(change: Change["change"]): boolean {
  return change === "added" || change === "moved";
}
