// What lies at a path; undefined where nothing does. A file on the way to it means that, too: a session or a person may have
// put one in the place of a folder.
import { lstatSync, type Stats, statSync } from "node:fs";

/** Without following a link. */
export function lookAt(path: string | Buffer): Stats | undefined {
  return ifThere(() => lstatSync(path));
}

/** Where a link leads. */
export function lookThrough(path: string | Buffer): Stats | undefined {
  return ifThere(() => statSync(path));
}

/**
 * Whether anything is there, behind links too. Unlike existsSync it does not take a disk that fails for an answer: whoever
 * believed that there is no repository would work in the person's own files. @throws what the system says
 */
export function isThere(path: string): boolean {
  try {
    return lookThrough(path) !== undefined;
  } catch (error) {
    // A circle of links leads nowhere.
    if ((error as NodeJS.ErrnoException).code === "ELOOP") return false;
    throw error;
  }
}

/** Whether a look finds it: not below a closed folder, nor below a circle of links. */
export function canBeSeen(path: string): boolean {
  try {
    return lookAt(path) !== undefined;
  } catch {
    return false;
  }
}

function ifThere(look: () => Stats): Stats | undefined {
  try {
    return look();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw error;
  }
}
