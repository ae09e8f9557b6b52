// Whether git may store other bytes than the files have: line ends, filters, encodings. All of them are
// switched on by one setting or by attributes.
import { homedir } from "node:os";
import { join } from "node:path";
import { readIfThere } from "../disk/durable-file.ts";
import { valueOf } from "../repository/git-config.ts";
import type { Listing } from "./list-tree.ts";
import type { Place } from "../repository/place.ts";

export const ATTRIBUTES = /(?:^|\/)\.gitattributes$/;

export function mayConvert(place: Place, listing: Listing): boolean {
  const autocrlf = (valueOf(place.settings, "core.autocrlf") ?? "false").toLowerCase();
  if (!["false", "no", "off", "0", ""].includes(autocrlf)) return true;
  return (
    hasOutsideAttributes(place) || namesAttributes([...listing.tracked.keys(), ...listing.others])
  );
}

export function namesAttributes(paths: readonly string[]): boolean {
  return paths.some((path) => ATTRIBUTES.test(path));
}

function hasOutsideAttributes({ git, settings }: Place): boolean {
  const home = process.env["HOME"] ?? homedir();
  const config = process.env["XDG_CONFIG_HOME"] ?? join(home, ".config");
  const named = valueOf(settings, "core.attributesfile")?.replace(/^~(?=\/)/, home);
  const files = [
    join(git.gitDir, "info", "attributes"),
    named ?? join(config, "git", "attributes"),
    "/etc/gitattributes",
  ];
  return files.some((path) => isFilled(path));
}

function isFilled(path: string): boolean {
  try {
    return (readIfThere(path)?.length ?? 0) > 0;
  } catch {
    return true;
  }
}
