// What was made outside of the repository since a project began, where sessions put such things: beside the
// repository, in folders for temporary files, in the person's home. A clone elsewhere would not have it.
import { readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { isWithin } from "../../core/files.ts";
import { msOf } from "../../core/instant.ts";
import type { RunContext } from "../base/run-context.ts";
import { lookAt } from "../../process/look-at.ts";
import { realPlace } from "../../process/namespace/real-place.ts";

/** In each folder: more would slow every check down. */
const MOST = 1000;

interface OutsideFiles {
  /** Files and folders that a fresh clone is not shown. */
  readonly hidden: readonly string[];
  /** Folders in which more was made than can be hidden. */
  readonly tooMany: readonly string[];
}

export function outsideFiles(
  { holder, space }: Pick<RunContext, "holder" | "space">,
  env: Readonly<Record<string, string | undefined>>,
): OutsideFiles {
  const { root } = holder.entry;
  const home = env["HOME"];
  const folders = new Set(
    [dirname(root), tmpdir(), ...TEMPORARY, ...(home === undefined ? [] : [home])].map(realOf),
  );
  // What is needed to run at all, and what the environment names: a socket of an agent for keys, a folder of programs.
  const needed = [root, space.folder, ...space.view.hide, process.execPath, ...pathsIn(env)];
  const sinceMs = msOf(holder.state.created_at);
  const found = [...folders].map((folder) => {
    const isHome = home !== undefined && folder === realOf(home);
    const paths = newIn(folder, sinceMs, isHome).filter(
      (path) => !needed.some((each) => isWithin(each, path)),
    );
    return { folder, paths };
  });
  return {
    hidden: found.flatMap(({ paths }) => paths.slice(0, MOST)),
    tooMany: found.filter(({ paths }) => paths.length > MOST).map(({ folder }) => folder),
  };
}

/** Where sessions may write whatever the folder for temporary files is. */
const TEMPORARY = ["/tmp", "/var/tmp", "/dev/shm"];

function realOf(folder: string): string {
  return realPlace(folder) ?? resolve(folder);
}

/** The newest first. */
function newIn(folder: string, sinceMs: number, isHome: boolean): string[] {
  // In a home, what begins with a dot is the caches and settings of programs.
  const names = namesIn(folder).filter((name) => !isHome || !name.startsWith("."));
  const born = names.flatMap((name) => {
    const path = join(folder, name);
    const atMs = bornAtMs(path);
    return atMs !== null && atMs > sinceMs ? [{ path, atMs }] : [];
  });
  return born.toSorted((a, b) => b.atMs - a.atMs).map(({ path }) => path);
}

/**
 * Of files and folders alone, and not of another user's, which no session made. Not every file system tells when
 * something was made.
 */
function bornAtMs(path: string): number | null {
  const facts = lookAt(path);
  if (facts === undefined || !(facts.isFile() || facts.isDirectory())) return null;
  if (facts.uid !== process.getuid?.()) return null;
  if (facts.birthtimeMs > 0) return facts.birthtimeMs;
  return facts.isFile() ? facts.ctimeMs : null;
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function pathsIn(env: Readonly<Record<string, string | undefined>>): string[] {
  return Object.values(env)
    .flatMap((value) => (value ?? "").split(":"))
    .filter((word) => word.startsWith("/") && word !== "/");
}
