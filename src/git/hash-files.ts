// A fingerprint of a folder without git: path, kind, executable bit and content of every file.
// Bounded: beyond the limits size and time stand for content, and the result says so.
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { lstat, readdir, readlink } from "node:fs/promises";
import { join } from "node:path";
import { isExcluded } from "./excluded-paths.ts";

export interface FilesHash {
  readonly hash: string;
  /** False: some content was not read, so an edit that keeps size and time may go unseen. */
  readonly complete: boolean;
}

export interface HashLimits {
  readonly files: number;
  readonly bytes: number;
}

/** There is no .gitignore to ask: what tools put there, nobody wrote. */
const SKIPPED_FOLDERS = new Set([".git", "node_modules", "__pycache__", ".venv", ".cache"]);
const LIMITS: HashLimits = { files: 20_000, bytes: 256 * 1024 * 1024 };

export async function hashFiles(
  root: string,
  exclude: readonly string[],
  limits: HashLimits = LIMITS,
): Promise<FilesHash> {
  const hash = createHash("sha256");
  let files = 0;
  let bytes = 0;
  let complete = true;
  for await (const path of filesBelow(root, "", exclude)) {
    if (++files > limits.files) return { hash: hash.digest("hex"), complete: false };
    const found = await lstat(join(root, path)).catch(() => undefined);
    if (found === undefined) continue;
    const kind = found.isSymbolicLink() ? "link" : (found.mode & 0o100) === 0 ? "file" : "program";
    hash.update(`${kind}\0${path}\0`);
    if (found.isSymbolicLink()) {
      hash.update(await readlink(join(root, path)));
    } else if (found.isFile() && bytes + found.size <= limits.bytes) {
      bytes += found.size;
      const content = createHash("sha256");
      const isRead = await readInto(content, join(root, path));
      complete &&= isRead;
      hash.update(content.digest("hex"));
    } else {
      complete = false;
      hash.update(`${found.size} ${found.mtimeMs}`);
    }
    hash.update("\0");
  }
  return { hash: hash.digest("hex"), complete };
}

async function readInto(hash: ReturnType<typeof createHash>, path: string): Promise<boolean> {
  try {
    for await (const part of createReadStream(path)) hash.update(part as Buffer);
    return true;
  } catch {
    return false;
  }
}

/** In one order on every machine. Symlinks are files here: nothing is followed. */
async function* filesBelow(
  root: string,
  folder: string,
  exclude: readonly string[],
): AsyncGenerator<string> {
  const entries = await readdir(join(root, folder), { withFileTypes: true }).catch(() => []);
  const sorted = entries.toSorted((one, other) => (one.name < other.name ? -1 : 1));
  for (const entry of sorted) {
    const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
    if (isExcluded(path, exclude)) continue;
    if (!entry.isDirectory()) {
      if (entry.isFile() || entry.isSymbolicLink()) yield path;
    } else if (!SKIPPED_FOLDERS.has(entry.name)) {
      yield* filesBelow(root, path, exclude);
    }
  }
}
