// The files of a skill as they lie on disk. No link is followed; what is neither file nor folder is named, not read.
import { closeSync, constants, fstatSync, openSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { StintError } from "../core/stint-error.ts";

export interface SkillTree {
  /** By their paths below the folder, with slashes, in order. */
  readonly files: ReadonlyMap<string, Buffer>;
  /** Links, sockets and their like. */
  readonly others: readonly string[];
}

/** A skill is text for a model; a folder with more than this is something else. */
const MOST_FILES = 1000;
const MOST_BYTES = 16 * 1024 * 1024;

/** Empty where there is no such folder. */
export function readSkillTree(folder: string): SkillTree {
  const files = new Map<string, Buffer>();
  const others: string[] = [];
  let bytes = 0;
  const look = (below: string): void => {
    for (const entry of entriesOf(join(folder, below))) {
      const path = below === "" ? entry.name : `${below}/${entry.name}`;
      if (entry.isDirectory()) look(path);
      else if (entry.isFile()) {
        const content = readNoLink(join(folder, path));
        files.set(path, content);
        bytes += content.length;
      } else others.push(path);
      if (files.size > MOST_FILES || bytes > MOST_BYTES) throw tooLarge(folder);
    }
  };
  look("");
  return { files, others };
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true }).toSorted((a, b) =>
      a.name < b.name ? -1 : 1,
    );
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}

function readNoLink(path: string): Buffer {
  const fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    if (fstatSync(fd).size > MOST_BYTES) throw tooLarge(path);
    return readFileSync(fd);
  } finally {
    closeSync(fd);
  }
}

function tooLarge(folder: string): StintError {
  return new StintError(
    "bad-input",
    `${folder} is too large for a skill: more than ${MOST_FILES} files or ${MOST_BYTES / 1024 / 1024} MiB`,
    "Name the folder that contains SKILL.md",
  );
}
