// Where the things really are that a child sees at a path, for whoever is outside of its namespace.
import { isWithin } from "../../core/files.ts";
import { readlinkSync } from "node:fs";
import { isAbsolute, join, relative, resolve } from "node:path";
import type { View } from "./view.ts";

/** As many links in one path as Linux itself follows. */
const MOST_LINKS = 40;

/** Undefined for what is hidden. No link is followed. */
export function placeBehind(view: View, path: string): string | undefined {
  const mount = view.mounts.findLast(({ at }) => isWithin(path, at));
  if (mount !== undefined) return join(mount.from, relative(mount.at, path));
  return view.hide.some((folder) => isWithin(path, folder)) ? undefined : path;
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
