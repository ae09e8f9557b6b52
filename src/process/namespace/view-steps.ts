// What a namespace has to do, in order, so that a child sees a view. Everything is looked at first: no
// link stands in a path that is mounted or mounted on, so that nothing which was put into a tree in
// the meantime leads a mount out of it. Whoever could put one there must not be running now.
import { lstatSync, mkdirSync, realpathSync } from "node:fs";
import { dirname, isAbsolute, normalize } from "node:path";
import { StintError } from "../../core/stint-error.ts";
import { isWithin } from "../../core/files.ts";
import { placeBehind } from "./place-behind.ts";
import type { Mount, View } from "./view.ts";

export type ViewStep =
  | { readonly act: "hide"; readonly at: string }
  /** Mount points where only an empty hidden folder is. */
  | { readonly act: "make-folder" | "make-file"; readonly at: string }
  | { readonly act: Mount["mode"]; readonly from: string; readonly at: string };

/** Throws a StintError when the view cannot be shown. */
export function viewSteps(view: View): ViewStep[] {
  const hide = foldersToHide(view.hide);
  return [
    ...hide.map((at): ViewStep => ({ act: "hide", at })),
    ...view.mounts.flatMap((mount, index) =>
      mountSteps({ hide, mounts: view.mounts.slice(0, index) }, mount),
    ),
  ];
}

/** A folder that is not there has nothing to hide, and one below another is hidden with it. */
function foldersToHide(hide: readonly string[]): string[] {
  const real = new Set(hide.flatMap((path) => realPath(path) ?? []));
  return [...real].filter(
    (path) => ![...real].some((each) => each !== path && isWithin(path, each)),
  );
}

/** @param before what the child sees already where this is mounted */
function mountSteps(before: View, { from, at, mode }: Mount): ViewStep[] {
  checkPlain(from);
  checkPlain(at);
  const isFolder = typeOf(from) === "folder";
  const place = placeBehind(before, at);
  const mount: ViewStep = { act: mode, from, at };
  if (place === undefined) return [{ act: isFolder ? "make-folder" : "make-file", at }, mount];
  if (isFolder && canMake(before, at)) makeFolders(place, at);
  if (typeOf(place, at) !== typeOf(from)) {
    throw new StintError(
      "bad-input",
      `${at} cannot show ${from}: one of them is a folder, the other is not`,
      `look at both: ls -ld '${from}' '${place}'`,
    );
  }
  return [mount];
}

/** Missing folders may be made in what is the child's to change, and nowhere else. */
function canMake({ mounts }: View, at: string): boolean {
  return mounts.findLast((mount) => isWithin(at, mount.at))?.mode === "read-write";
}

function makeFolders(place: string, at: string): void {
  if (lstatSync(place, { throwIfNoEntry: false }) !== undefined) return;
  makeFolders(dirname(place), at);
  if (typeOf(dirname(place), at) !== "folder") throw notReal(dirname(place), at);
  mkdirSync(place);
}

/** Of what is there without following a link; throws when nothing is, or a link is in the way. */
function typeOf(place: string, at = place): "folder" | "file" {
  const real = realPath(place);
  if (real === place) return lstatSync(place).isDirectory() ? "folder" : "file";
  if (real !== undefined || lstatSync(place, { throwIfNoEntry: false }) !== undefined) {
    throw notReal(place, at);
  }
  const message = `${shown(place, at)} does not exist, so nothing can be mounted there or from there`;
  throw new StintError("bad-input", message, `create it: mkdir -p '${place}'`);
}

function notReal(place: string, at: string): StintError {
  return new StintError(
    "bad-input",
    `${shown(place, at)} is or goes through a symbolic link, so nothing is mounted there or from there`,
    `see what it is: ls -ld '${place}'; put a real file or folder in its place`,
  );
}

function shown(place: string, at: string): string {
  return place === at ? at : `${at} (really ${place})`;
}

function checkPlain(path: string): void {
  if (isAbsolute(path) && normalize(path) === path && (path === "/" || !path.endsWith("/"))) return;
  throw new Error(`a mount needs a plain absolute path, not ${path}`);
}

function realPath(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}
