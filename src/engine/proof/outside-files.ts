// What was made outside of the repository since a project began, where sessions put such things: beside the
// repository, in the folder for temporary files, in the person's home. A clone elsewhere would not have it.
import { readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { isWithin } from "../../core/files.ts";
import { msOf } from "../../core/instant.ts";
import type { RunContext } from "../base/run-context.ts";
import { lookAt } from "../../process/look-at.ts";

/** In each folder the newest: more would only slow every check down. */
const MOST = 100;

/** Files and folders that a fresh clone is not shown. */
export function outsideFiles(
  { holder, space }: Pick<RunContext, "holder" | "space">,
  env: Readonly<Record<string, string | undefined>>,
): readonly string[] {
  const { root } = holder.entry;
  const home = env["HOME"];
  const folders = new Set([dirname(root), tmpdir(), ...(home === undefined ? [] : [home])]);
  // What is needed to run at all, and what the environment names: a socket of an agent for keys, a folder of programs.
  const needed = [root, space.folder, ...space.view.hide, process.execPath, ...pathsIn(env)];
  const sinceMs = msOf(holder.state.created_at);
  return [...folders].flatMap((folder) => {
    const isHome = folder === home;
    return newIn(resolve(folder), sinceMs, isHome).filter(
      (path) => !needed.some((each) => isWithin(each, path)),
    );
  });
}

function newIn(folder: string, sinceMs: number, isHome: boolean): string[] {
  // In a home, what begins with a dot is the caches and settings of programs.
  const names = namesIn(folder).filter((name) => !isHome || !name.startsWith("."));
  const born = names.flatMap((name) => {
    const path = join(folder, name);
    const atMs = bornAtMs(path);
    return atMs !== null && atMs > sinceMs ? [{ path, atMs }] : [];
  });
  const newest = born.toSorted((a, b) => b.atMs - a.atMs).slice(0, MOST);
  return newest.map(({ path }) => path);
}

/** Of files and folders alone. Not every file system tells when something was made. */
function bornAtMs(path: string): number | null {
  const facts = lookAt(path);
  if (facts === undefined || !(facts.isFile() || facts.isDirectory())) return null;
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
