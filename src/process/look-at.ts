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

function ifThere(look: () => Stats): Stats | undefined {
  try {
    return look();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw error;
  }
}
