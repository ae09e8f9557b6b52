// A hash of a folder's files, for projects without git: enough to see that something changed.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

const SKIPPED = new Set(["node_modules", ".git"]);
const MOST_FILES = 20_000;
const WHOLE_BYTES = 1024 * 1024;

/** Stands for all files together, where nothing tells which of them changed. */
export const UNNAMED_FILES = "(files; no git to name them)";

/** Large files count by size and time, the rest by content. */
export function hashFolder(root: string, exclude: readonly string[]): string {
  const hash = createHash("sha256");
  let files = 0;
  visit("");
  return hash.digest("hex").slice(0, 40);

  function visit(folder: string): void {
    const entries = readdirSync(join(root, folder), { withFileTypes: true });
    for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
      const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
      if (SKIPPED.has(entry.name) || exclude.includes(path) || files >= MOST_FILES) continue;
      if (entry.isDirectory()) visit(path);
      if (!entry.isFile()) continue;
      files += 1;
      const facts = statSync(join(root, path), { throwIfNoEntry: false });
      if (facts === undefined) continue;
      hash.update(`${path}\0${facts.mode & 0o111}\0`);
      if (facts.size > WHOLE_BYTES) hash.update(`${facts.size} ${facts.mtimeMs}`);
      else hash.update(readFileSync(join(root, path)));
    }
  }
}
