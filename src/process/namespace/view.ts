// What a child sees at places where something else really is, and what of it is its to change: the view, where the
// things in it really are, and what a namespace has to do to show it. Only a namespace can show it; without one a
// child sees what is there.
import { lstatSync, mkdirSync, readFileSync, readlinkSync } from "node:fs";
import { dirname, isAbsolute, join, normalize, relative, resolve } from "node:path";
import { isWithin } from "../../core/files.ts";
import { StintError } from "../../core/stint-error.ts";
import type { Network } from "../../core/written/protect.ts";
import { mountPoints } from "./mount-points.ts";
import { realPlace } from "./real-place.ts";
import { lookAt } from "../look-at.ts";

export interface Mount {
  /** A real, existing file or folder; held before anything covers it. */
  readonly from: string;
  /** Where the child sees it: a real, existing path, or one below a hidden folder or an earlier mount. */
  readonly at: string;
  readonly mode: "read-write" | "read-only";
  /** Left out where no real file or folder is there any more, or no place for it. */
  readonly isOptional?: true;
  /** A folder of Stint's own that a person may remove at any time. It is made again below this one, if that is there. */
  readonly madeBelow?: string;
}

/** Of what is hidden, covered, writable and locked, the inner place decides for what is in it. */
export interface View {
  /** Folders that are empty for the child. A mount may lie below one of them. */
  readonly hide: readonly string[];
  /** Laid in this order, each over the ones before it, and over what is hidden. */
  readonly mounts: readonly Mount[];
  /** Real files, sockets among them, that are empty for the child. One that is gone by then is left out. */
  readonly cover?: readonly string[];
  /** Real files and folders that it may change, beside mounts and what is hidden. Absent: everything, as it is. */
  readonly writable?: readonly string[];
  /** Real files and folders in one of those, or in a hidden one, that it sees and may not change. */
  readonly locked?: readonly string[];
  /** Real folders in what it may change that it may not move. Who owns them may take one away; it is left out then. */
  readonly pinned?: readonly string[];
  /** Absent: all of it. */
  readonly network?: Network;
}

export const PLAIN_VIEW: View = { hide: [], mounts: [] };

/** As many links in one path as Linux itself follows. */
const MOST_LINKS = 40;

/** Where the things really are that a child sees at a path. Undefined for what is hidden. No link is followed. */
export function placeBehind(view: View, path: string): string | undefined {
  const mount = view.mounts.findLast(({ at }) => isWithin(path, at));
  if (mount !== undefined) return join(mount.from, relative(mount.at, path));
  const { hide, writable = [], locked = [] } = view;
  const place = innermost([...writable, ...locked, ...hide], path);
  return place !== undefined && hide.includes(place) ? undefined : path;
}

/** The innermost of these places that a path is, or is in. */
export function innermost(places: readonly string[], path: string): string | undefined {
  return outerFirst(places.filter((place) => isWithin(path, place))).at(-1);
}

function outerFirst(places: readonly string[]): string[] {
  return places.toSorted((one, other) => one.length - other.length);
}

/** The same with links followed as the child would follow them. Undefined for what is hidden. */
export function followBehind(view: View, path: string): string | undefined {
  let seen = "/";
  let links = 0;
  const names = namesIn(resolve(path));
  for (let name = names.shift(); name !== undefined; name = names.shift()) {
    const next = join(seen, name);
    const target = linkAt(placeBehind(view, next));
    if (target === undefined) {
      seen = next;
      continue;
    }
    links += 1;
    if (links > MOST_LINKS) return undefined;
    if (isAbsolute(target)) seen = "/";
    names.unshift(...namesIn(target));
  }
  return placeBehind(view, seen);
}

function namesIn(path: string): string[] {
  return path.split("/").filter((name) => name !== "" && name !== ".");
}

/** Undefined where there is no link, or none that can be read. */
function linkAt(place: string | undefined): string | undefined {
  if (place === undefined) return undefined;
  try {
    return readlinkSync(place);
  } catch {
    return undefined;
  }
}

export type ViewStep =
  /** Before anything covers them, everything is held to be mounted again elsewhere. */
  | { readonly act: "hold" }
  | { readonly act: "lock" | "hide" | "cover" | "pin"; readonly at: string }
  /** Mount points where only an empty hidden folder is. */
  | { readonly act: "make-folder" | "make-file"; readonly at: string }
  /** `show`: read-write, unless its place is gone by then. */
  | { readonly act: Mount["mode"] | "show"; readonly from: string; readonly at: string };

/**
 * What a namespace has to do, in order. Everything is looked at first: no link stands in a path that is
 * mounted or mounted on, so that nothing which was put into a tree in the meantime leads a mount out of it.
 * Whoever could put one there must not be running now. Throws a StintError when the view cannot be shown.
 */
export function viewSteps(view: View): ViewStep[] {
  const hide = [...new Set(view.hide.flatMap((path) => realPlace(path) ?? []))];
  const there = view.mounts.filter(
    (each) => each.isOptional !== true || (isReal(each.from) && isReal(each.at)),
  );
  const before: View = { ...view, hide };
  return [
    ...lockSteps(view),
    ...placeSteps(before),
    ...there.flatMap((mount, index) =>
      mountSteps({ ...before, mounts: there.slice(0, index) }, mount),
    ),
  ];
}

/** Devices and terminals; who may use them is decided by their own permissions. */
const DEVICES = "/dev";
/** Where everything is held; it is made read-only before. */
const HELD = "/sys";

/** Everything read-only but what is mounted where it may be changed. */
function lockSteps({ writable }: View): ViewStep[] {
  if (writable === undefined) return [{ act: "hold" }];
  const points = mountPoints(readFileSync("/proc/self/mountinfo", "utf8")).filter(
    (at) => ![DEVICES, "/proc", ...writable].some((folder) => isWithin(at, folder)) && isReal(at),
  );
  const [held, others] = [true, false].map((isHeld) =>
    points
      .filter((at) => isWithin(at, HELD) === isHeld)
      .map((at): ViewStep => ({ act: "lock", at })),
  );
  return [...(held ?? []), { act: "hold" }, ...(others ?? [])];
}

/** What is hidden, covered, pinned, writable and locked, the outer before the inner. */
function placeSteps(view: View): ViewStep[] {
  const { hide, cover = [], writable = [], locked = [], pinned = [] } = view;
  const acts = new Map<string, "hide" | "cover" | "pin" | Mount["mode"]>([
    ...pinned.map((at) => [at, "pin"] as const),
    ...locked.map((at) => [at, "read-only"] as const),
    ...writable.map((at) => [at, "read-write"] as const),
    ...cover.map((at) => [at, "cover"] as const),
    ...hide.map((at) => [at, "hide"] as const),
  ]);
  const folders = [...locked, ...writable, ...hide];
  return outerFirst([...acts.keys()].filter(isReal)).flatMap((at): ViewStep[] => {
    const act = acts.get(at) ?? "hide";
    const around = innermost(folders, dirname(at));
    const isInHidden = around !== undefined && acts.get(around) === "hide";
    if (act !== "read-write" && act !== "read-only") return isInHidden ? [] : [{ act, at }];
    const mount: ViewStep = { act, from: at, at };
    return isInHidden ? [{ act: makeAct(at), at }, mount] : [mount];
  });
}

function makeAct(from: string): "make-folder" | "make-file" {
  return typeOf(from) === "folder" ? "make-folder" : "make-file";
}

/** @param before what the child sees already where this is mounted */
function mountSteps(before: View, { from, at, mode, isOptional, madeBelow }: Mount): ViewStep[] {
  checkPlain(from);
  if (madeBelow !== undefined && isReal(madeBelow)) makeFolders(from, from);
  checkPlain(at);
  const place = placeBehind(before, at);
  const act = isOptional === true && mode === "read-write" ? "show" : mode;
  const mount: ViewStep = { act, from, at };
  if (place === undefined) return [{ act: makeAct(from), at }, mount];
  if (typeOf(from) === "folder" && canMake(before, at)) makeFolders(place, at);
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
  if (lookAt(place) !== undefined) return;
  makeFolders(dirname(place), at);
  if (typeOf(dirname(place), at) !== "folder") throw notReal(dirname(place), at);
  mkdirSync(place);
}

/** Of what is there without following a link; throws when nothing is, or a link is in the way. */
function typeOf(place: string, at = place): "folder" | "file" {
  const real = realPlace(place);
  if (real === place) return lstatSync(place).isDirectory() ? "folder" : "file";
  if (real !== undefined || lookAt(place) !== undefined) {
    throw notReal(place, at);
  }
  const message = `${shown(place, at)} does not exist, so nothing can be mounted there or from there`;
  throw new StintError("bad-input", message, `create it: mkdir -p '${place}'`);
}

function isReal(path: string): boolean {
  return realPlace(path) === path;
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

/**
 * Shows a view from inside with util-linux alone: `mount umount mkdir folder [steps] -- program …`. The text
 * is fixed: every path and program comes as an argument, and programs by absolute path, because the child's
 * PATH is not ours.
 * The whole old root is held at /sys, which no project is in, so that sources can still be reached when
 * something covers them; it is let go of before anything else starts. The working folder is entered
 * last: the one from before may be covered and would still lead behind the mount.
 */
export const LAY_VIEW = `set -e
mount=$1 umount=$2 mkdir=$3 folder=$4; shift 4
cd /
# What is covered, hidden or pinned may be another program's, which may take it away and bring it back at any time.
# Where it is gone there is nothing to do, and nothing to say.
over() {
  place=$1; shift
  for again in 1 2 3 4; do
    "$mount" "$@" "$place" 2>/dev/null && return
    [ -e "$place" ] || return 0
  done
  said=$("$mount" "$@" "$place" 2>&1) && return
  [ -e "$place" ] || return 0
  echo "$said" >&2
  return 1
}
while [ "$1" != -- ]; do
  case $1 in
    hold) "$mount" --rbind / /sys; shift ;;
    lock) "$mount" --options-source=mtab -o remount,bind,ro -- "$2"; shift 2 ;;
    cover) over "$2" --rbind -- /sys/dev/null; shift 2 ;;
    pin) over "$2" --rbind -- "/sys$2"; shift 2 ;;
    loopback) "$2" link set lo up; shift 2 ;;
    hide) over "$2" -t tmpfs -o mode=0755 stint; shift 2 ;;
    show) over "$3" --rbind -- "/sys$2"; shift 3 ;;
    make-folder) "$mkdir" -p -- "$2"; shift 2 ;;
    make-file) "$mkdir" -p -- "\${2%/*}"; : >"$2"; shift 2 ;;
    read-write) "$mount" --rbind -- "/sys$2" "$3"; shift 3 ;;
    read-only) "$mount" --bind -- "/sys$2" "$3"
      # In two steps, the second with the options that are there: a user namespace may not drop any.
      "$mount" --options-source=mtab -o remount,bind,ro -- "$3"; shift 3 ;;
    *) exit 125 ;;
  esac
done
shift
"$umount" -l /sys
cd -- "$folder"
exec "$@"`;
