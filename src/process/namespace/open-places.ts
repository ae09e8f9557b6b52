// Which of the places that may be written really are to be: where links lead, but none that a session could have put
// there; nothing so wide that the home is in it; and what keeps a place that is hidden from being moved away.
import { lstatSync, readlinkSync } from "node:fs";
import { dirname, isAbsolute, join } from "node:path";
import { isWithin } from "../../core/files.ts";
import { innermost, type View } from "./view.ts";

export interface Wanted {
  readonly path: string;
  /** Makes it where it is missing. */
  readonly make?: (path: string) => void;
  /** `named`: a person named it, and means it. `temporary`: it may hold a home, which stays as it is. */
  readonly by: "named" | "temporary" | "tool";
  /** Not to be written now, but an earlier session may have put links there. */
  readonly isShut?: boolean;
}

export interface OpenPlaces {
  /** Real, none below another. */
  readonly writable: readonly string[];
  /** Real, of those that a person named. */
  readonly named: readonly string[];
  /** Homes that lie in a temporary folder: not to be changed. */
  readonly locked: readonly string[];
}

/** @param homes as they are written and as they really are */
export function openPlaces(all: readonly Wanted[], homes: readonly string[]): OpenPlaces {
  const covers = (outer: Wanted, path: string): boolean =>
    path !== outer.path &&
    isWithin(path, outer.path) &&
    (outer.by === "named" || !homes.some((home) => isBetween(home, path, outer.path)));
  const look = (places: readonly Wanted[]) =>
    places.flatMap(({ path, by }) => {
      const way = wayTo(path);
      return way === undefined || isTooWide(by, way.path, homes) ? [] : [{ ...way, by }];
    });
  const wanted = all.filter(({ isShut }) => isShut !== true);
  const outermost = wanted.filter(({ path }) => !wanted.some((each) => covers(each, path)));
  for (const { path, make } of outermost) make?.(path);
  const found = look(outermost);
  const led = [...found, ...look(all.filter(({ isShut }) => isShut === true))];
  const real = found.filter(
    ({ path, links }) =>
      !found.some((each) => covers(each, path)) &&
      !led.some((each) => links.some((link) => covers(each, link))),
  );
  const reals = (by?: Wanted["by"]): string[] => [
    ...new Set(real.filter((each) => by === undefined || each.by === by).map(({ path }) => path)),
  ];
  const [writable, named] = [reals(), reals("named")];
  const isIn = (folders: readonly string[], home: string): boolean =>
    folders.some((folder) => home !== folder && isWithin(home, folder));
  const locked = homes.filter(
    (home) => isIn(writable, home) && !isIn(named, home) && !named.includes(home),
  );
  return { writable, named, locked: locked.filter((home) => wayTo(home)?.path === home) };
}

function isBetween(home: string, path: string, outer: string): boolean {
  return home !== outer && isWithin(path, home) && isWithin(home, outer);
}

/** A variable may name a folder that everything is in. */
function isTooWide(by: Wanted["by"], path: string, homes: readonly string[]): boolean {
  return by === "tool" && homes.some((home) => isWithin(home, path));
}

interface Way {
  /** Where it really leads. */
  readonly path: string;
  /** The links that it goes through. */
  readonly links: readonly string[];
}

/** Undefined where nothing is there. */
function wayTo(written: string): Way | undefined {
  const links: string[] = [];
  const names = written.split("/");
  let path = "/";
  for (let name = names.shift(); name !== undefined; name = names.shift()) {
    const next = join(path, name);
    const target = targetOf(next);
    if (target === undefined || links.length > MOST_LINKS) return undefined;
    if (target === null) {
      path = next;
      continue;
    }
    links.push(next);
    if (isAbsolute(target)) path = "/";
    names.unshift(...target.split("/"));
  }
  return { path, links };
}

const MOST_LINKS = 40;

/** Null for what is no link, undefined for what is not there, or not for us to see. */
function targetOf(path: string): string | null | undefined {
  try {
    return lstatSync(path).isSymbolicLink() ? readlinkSync(path) : null;
  } catch {
    return undefined;
  }
}

/**
 * The folders between what may be written and what in it is hidden, covered or mounted. Each is mounted on itself, because
 * a mount point cannot be renamed: under another name nobody would hide it from the next session.
 */
export function pins(
  { writable, locked = [], hide }: Pick<View, "writable" | "locked" | "hide">,
  held: readonly string[],
): string[] {
  const all = held.flatMap((path) => {
    const outer = innermost([...(writable ?? []), ...locked, ...hide], dirname(path));
    return outer !== undefined && writable?.includes(outer) === true
      ? foldersBetween(outer, path)
      : [];
  });
  return [...new Set(all)];
}

function foldersBetween(outer: string, path: string): string[] {
  const above = dirname(path);
  return above === outer ? [] : [...foldersBetween(outer, above), above];
}
