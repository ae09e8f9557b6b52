// Sockets on which some program of this machine listens now. Who reaches the socket of a terminal multiplexer, an editor
// or an agent of keys can make it act outside of every wall, also where the file itself cannot be changed.
import { accessSync, constants, lstatSync, readFileSync, realpathSync } from "node:fs";
import { isWithin } from "../../core/files.ts";

/** Those below these folders that this user may connect to, as real paths. */
export function listeningBelow(
  folders: readonly string[],
  table: string = kernelTable(),
): string[] {
  const real = listeningPaths(table).flatMap((path) => realSocket(path) ?? []);
  return [...new Set(real)].filter((path) => folders.some((folder) => isWithin(path, folder)));
}

/** `__SO_ACCEPTCON` */
const LISTENS = 0x1_00_00;

/** Of the text of /proc/net/unix. One in no file has a name that begins with `@`, one without a name none. */
function listeningPaths(table: string): string[] {
  return table.split("\n").flatMap((line) => {
    const [, flags = "", path] = /^\S+ \S+ \S+ (\S+) \S+ \S+ +\d+ (\/.*)$/.exec(line) ?? [];
    const listens = (Number.parseInt(flags, 16) & LISTENS) !== 0;
    return listens && path !== undefined ? [path] : [];
  });
}

function kernelTable(): string {
  try {
    return readFileSync("/proc/net/unix", "utf8");
  } catch {
    return "";
  }
}

/** Undefined where it is gone, in another file system, or another user's own. */
function realSocket(path: string): string | undefined {
  try {
    const real = realpathSync(path);
    accessSync(real, constants.W_OK);
    return lstatSync(real).isSocket() ? real : undefined;
  } catch {
    return undefined;
  }
}
