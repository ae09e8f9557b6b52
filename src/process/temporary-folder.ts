// Where files lie that are needed for a moment: below TMPDIR. One that is missing, full or read-only is a hard stop that
// names it; nothing falls back to a weaker way because of it.
import { mkdtempSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { StintError } from "../core/stint-error.ts";
import { noTemporaryFolder } from "../core/words/system-error.ts";
import { meaningAt } from "./meaning-at.ts";

/** @param beginning of its name. Whoever makes it removes it. */
export function makeTemporaryFolder(beginning: string): string {
  try {
    return mkdtempSync(join(realpathSync(tmpdir()), beginning));
  } catch (error) {
    throw noRoom(error);
  }
}

/** For whoever cannot write in it either. */
export function noRoom(error: unknown): StintError {
  return noTemporaryFolder(tmpdir(), error, meaningAt);
}
