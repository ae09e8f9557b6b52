// The page of a project that a person wants to see among their own files, such as docs/shop-state.md: a copy of
// state.md in the project folder, made again at every revision. It lies in the person's checkout, so a file there
// that Stint did not make is theirs and stays, no link is followed, and git is told to leave the page out.
import { dirname, join } from "node:path";
import { StintError } from "../core/stint-error.ts";
import { type Disk, readIfPresent } from "./disk.ts";
import { linkOnTheWay } from "./repository.ts";
import { isSealedPage } from "./pages.ts";

import { excludeFromCommits, findRepository } from "./repository.ts";

/** What hinders no work: the page says from which revision it was made. */
export function writeStatePage(disk: Disk, root: string, page: string, bytes: Buffer): void {
  try {
    const path = join(root, page);
    if (whyNotOurs(disk, root, page) !== null) return;
    if (disk.stat(path) === undefined) {
      disk.ensureFolderLightly(dirname(path));
      excludeFromCommits(findRepository(root), `/${page}`);
    }
    disk.replaceLightly(path, bytes);
  } catch (error) {
    if (!(error instanceof StintError)) throw error;
  }
}

/** Why the file there is not written; null where it is Stint's to write. */
export function whyNotOurs(disk: Disk, root: string, page: string): string | null {
  const path = join(root, page);
  const link = linkOnTheWay(disk, root, path);
  if (link !== undefined) return `${link} is a link`;
  const facts = disk.stat(path);
  if (facts === undefined) return null;
  if (facts.kind !== "file") return `${path} is not a file`;
  const bytes = readIfPresent(disk.files, path);
  return bytes === undefined || isSealedPage(bytes) ? null : `${path} is not what Stint made`;
}
