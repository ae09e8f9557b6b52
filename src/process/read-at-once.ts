// A whole file, without ever waiting for it: a pipe that somebody put in its place would be waited for for ever.
import { closeSync, constants, openSync, readFileSync } from "node:fs";
import { ofFile } from "../core/words/system-error.ts";

/** @throws what the system says, with the path */
export function readAtOnce(path: string): Buffer {
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    return ofFile(path, () => readFileSync(fd));
  } finally {
    closeSync(fd);
  }
}
