// What is kept in the shadow, as names tell it: what has an ending is a file, and these are folders.
import { basename, join } from "node:path";
import { StintError } from "../../core/stint-error.ts";
import { errnoOf } from "../../core/words/system-error.ts";
import type { Disk } from "../disk.ts";
import type { FileFacts } from "../files.ts";

/** From the folder of kept files. What else has no ending, such as the marker of a session, is not judged. */
const FOLDERS = /^(?:artifacts(?:\/[^/.]+){0,3}|logs(?:\/(?:sessions|lanes)(?:\/[^/.]+)?)?)$/;

/** Of what has a name; a link that leads nowhere has no kind. */
export function isMisplacedKept(path: string, kind: FileFacts["kind"] | undefined): boolean {
  return FOLDERS.test(path) ? kind !== "folder" : basename(path).includes(".") && kind !== "file";
}

/** Whatever its kind is, where a file is meant; a folder that is not one has nothing below it. */
export function filesBelow(disk: Disk, top: string, path = ""): string[] {
  return disk.list(join(top, path)).flatMap((name) => {
    const each = join(path, name);
    const place = join(top, each);
    const isFile = name.includes(".") || (!FOLDERS.test(each) && kindOf(disk, place) !== "folder");
    return isFile ? [place] : filesBelow(disk, top, each);
  });
}

/** What is in the place of a folder, or of a file, below a folder of kept files. */
export function misplacedBelow(disk: Disk, top: string, path = ""): string[] {
  return disk.list(join(top, path)).flatMap((name) => {
    const each = join(path, name);
    const place = join(top, each);
    const kind = kindOf(disk, place);
    if (isMisplacedKept(each, kind)) return [place];
    return kind === "folder" ? misplacedBelow(disk, top, each) : [];
  });
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
