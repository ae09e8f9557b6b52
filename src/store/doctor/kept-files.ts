// Kept files that are damaged or missing in the shadow. A record that the state names proves itself by its digest; any
// other JSON must at least be JSON, and anything else a file. A repair takes back the copy that is whole; without one it
// names what is lost.
import { basename, join, relative } from "node:path";
import { namedRecords } from "../../core/history.ts";
import type { ProjectState } from "../../core/schema/project.ts";
import { StintError } from "../../core/stint-error.ts";
import { isWithin } from "../../core/files.ts";
import { counted } from "../../core/words/amounts.ts";
import { isTemp } from "../disk.ts";
import { readCopy } from "../project-folder.ts";
import { sha256Of } from "../digest.ts";
import type { FileStore } from "../file-store.ts";
import { type KeptCopy, type KeptPath, keptPath } from "../store.ts";
import type { ProjectFiles } from "../store-files.ts";
import { filesBelow } from "./kept-tree.ts";
import { isMisplaced, type Misplaced, setAside } from "./misplaced.ts";

export interface LostFile {
  /** In the shadow. */
  readonly path: string;
  readonly what: string;
  /** A copy that is whole. */
  readonly copy: KeptCopy | undefined;
  /** The task that it proves; null for any other file. */
  readonly of: string | null;
}

const KEPT_FOLDERS = ["artifacts", "logs"];

interface Wanted {
  readonly path: KeptPath;
  readonly of: string | null;
  readonly isWhole: (bytes: Buffer) => boolean;
}

export function lostFiles(
  project: ProjectFiles,
  store: FileStore,
  state: ProjectState,
): LostFile[] {
  const { disk, shadow, entry } = project;
  const named = new Map(
    namedRecords(state).map(({ of, path, sha256 }): [string, Wanted] => [
      path,
      { path: pathOf(path), of, isWhole: (bytes) => sha256Of(bytes) === sha256 },
    ]),
  );
  const others = filesBelow(disk, shadow.kept)
    .map((path) => relative(shadow.kept, path))
    .filter((path) => !isTemp(basename(path)) && !named.has(path))
    .map((path): Wanted => ({
      path: pathOf(path),
      of: null,
      isWhole: path.endsWith(".json") && !basename(path).startsWith(".") ? isJson : () => true,
    }));
  return [...named.values(), ...others].flatMap(({ path, of, isWhole }) => {
    const bytes = keptOrNull(store, entry.project_id, path);
    const place = join(shadow.kept, path);
    const isFile = !isMisplaced(disk, place);
    // What is read from a pipe is nothing that was kept.
    if (isFile && bytes !== undefined && bytes !== null && isWhole(bytes)) return [];
    // One that is removed meanwhile is none.
    if (of === null && bytes === undefined && isFile) return [];
    const copy = store.keptCopies(entry.project_id, path).find((each) => isWhole(each.bytes));
    const how = bytes === undefined ? "missing" : "damaged";
    const what = of === null ? `this record is ${how}` : `this record of ${of} is ${how}`;
    return [{ path: place, what, copy, of }];
  });
}

/** Under the lease. @returns what was done, one line each */
export function takeBackCopies(
  project: ProjectFiles,
  store: FileStore,
  state: ProjectState,
): string[] {
  const { disk, shadow } = project;
  return lostFiles(project, store, state).map(({ path, what, copy, of }) => {
    const was = `${path}: ${what.replace(/ is (\w+)$/, " was $1")}`;
    const aside = isMisplaced(disk, path) ? `; it was set aside as ${setAside(project, path)}` : "";
    if (copy === undefined) return `${was}${aside}; no undamaged copy is left. ${wayOut(of)}`;
    disk.replaceAll(shadow.kept, new Map([[relative(shadow.kept, path), copy.bytes]]));
    return `${was}${aside}; it was taken from ${copy.place}`;
  });
}

/** Those of an adopted project, whose shadow is new: what its state names and its folder has. What is lost is found later. */
export function adoptCopies(
  project: ProjectFiles,
  store: FileStore,
  state: ProjectState,
): string[] {
  const { disk, shadow, layout } = project;
  const found = lostFiles(project, store, state).flatMap(({ path, copy }): [string, Buffer][] =>
    copy === undefined ? [] : [[relative(shadow.kept, path), copy.bytes]],
  );
  if (found.length === 0) return [];
  disk.replaceAll(shadow.kept, new Map(found));
  return [`${counted(found.length, "record")} taken from ${layout.folder}`];
}

/** Records that were in a folder of the shadow which was set aside, from their copies: what is JSON there. */
export function takeBackFolders(
  { disk, shadow, layout }: ProjectFiles,
  aside: readonly Misplaced[],
): string[] {
  const paths = aside.filter(({ wanted }) => wanted === "folder").map(({ path }) => path);
  const folders = KEPT_FOLDERS.flatMap((name) => {
    const own = join(shadow.kept, name);
    if (paths.some((path) => isWithin(own, path))) return [name];
    return paths.filter((path) => isWithin(path, own)).map((path) => relative(shadow.kept, path));
  });
  const found = folders.flatMap((name) =>
    filesBelow(disk, layout.folder, name)
      .filter((copy) => copy.endsWith(".json") && !basename(copy).startsWith("."))
      .flatMap((copy): [string, Buffer][] => {
        const path = relative(layout.folder, copy);
        if (disk.stat(join(shadow.kept, path)) !== undefined) return [];
        const bytes = readCopy(disk, copy);
        return bytes === undefined || !isJson(bytes) ? [] : [[path, bytes]];
      }),
  );
  if (found.length === 0) return [];
  disk.replaceAll(shadow.kept, new Map(found));
  return [`${counted(found.length, "record")} taken back from ${layout.folder}`];
}

/** What a person can do about a record that is lost. */
export function wayOut(of: string | null): string {
  if (of === null) return "Repair it by hand, or continue without it if the next run accepts it";
  if (of === "the proof") return "Prove the work again: stint verify --fresh";
  return `Have its checks run again: stint reopen ${of} --reason "its evidence is lost"`;
}

function pathOf(path: string): KeptPath {
  return keptPath(...path.split("/"));
}

/** Null where something is there that is not a file. */
function keptOrNull(
  store: FileStore,
  id: ProjectFiles["entry"]["project_id"],
  path: KeptPath,
): Buffer | undefined | null {
  try {
    return store.kept(id, path);
  } catch (error) {
    if (error instanceof StintError && error.code === "state-corrupt") return null;
    throw error;
  }
}

function isJson(bytes: Buffer): boolean {
  try {
    JSON.parse(bytes.toString("utf8"));
    return true;
  } catch {
    return false;
  }
}
