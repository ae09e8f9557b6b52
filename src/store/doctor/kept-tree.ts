// What is kept in the shadow, as names tell it: what has an ending is a file, and so are two without one; and these are
// folders.
import { basename, join } from "node:path";
import { StintError } from "../../core/stint-error.ts";
import { errnoOf } from "../../core/words/system-error.ts";
import type { Disk } from "../disk.ts";
import type { FileFacts } from "../files.ts";

/** From the folder of kept files. What else has no ending is not judged. */
const FOLDERS = /^(?:artifacts(?:\/[^/.]+){0,3}|logs(?:\/(?:sessions|lanes)(?:\/[^/.]+)?)?)$/;
/** Where git stood when it was last looked at, and the marker of a session. */
const BARE_FILES = /^logs\/(?:head|sessions\/[^/.]+\/marker)$/;

/** Of what has a name; a link that leads nowhere has no kind. */
export function isMisplacedKept(path: string, kind: FileFacts["kind"] | undefined): boolean {
  return FOLDERS.test(path) ? kind !== "folder" : isFileByName(path) && kind !== "file";
}

/** From the folder of kept files. */
export function isFileByName(path: string): boolean {
  return basename(path).includes(".") || BARE_FILES.test(path);
}

/** Whatever its kind is, where a file is meant; a folder that is not one has nothing below it. */
export function filesBelow(disk: Disk, top: string, path = ""): string[] {
  return namesIn(disk, join(top, path)).flatMap((name) => {
    const each = join(path, name);
    const place = join(top, each);
    const isFile = isFileByName(each) || (!FOLDERS.test(each) && kindOf(disk, place) !== "folder");
    return isFile ? [place] : filesBelow(disk, top, each);
  });
}

/** What is in the place of a folder, or of a file, below a folder of kept files. */
export function misplacedBelow(disk: Disk, top: string, path = ""): string[] {
  return namesIn(disk, join(top, path)).flatMap((name) => {
    const each = join(path, name);
    const place = join(top, each);
    const kind = kindOf(disk, place);
    if (isMisplacedKept(each, kind)) return [place];
    return kind === "folder" ? misplacedBelow(disk, top, each) : [];
  });
}

/** A circle of links has none. */
export function namesIn(disk: Disk, folder: string): string[] {
  return kindOf(disk, folder) === "folder" ? disk.list(folder) : [];
}

/** Undefined where nothing is, or a link that leads nowhere. */
export function kindOf(disk: Disk, path: string): FileFacts["kind"] | undefined {
  try {
    return disk.stat(path)?.kind;
  } catch (error) {
    if (error instanceof StintError && errnoOf(error.cause) === "ELOOP") return "other";
    throw error;
  }
}
