// What a failure really was that says "Read-only file system" or "Connection refused": a write outside the workspace or
// a socket of another program, which walls refused, and what allows it. Pure, from what a program printed.
import { isWithin } from "../files.ts";

export interface Refusing {
  /** `home` or `strict`. */
  readonly protect: string;
  /** The person's home, to write paths as they do. */
  readonly home: string;
  /** Where the work is: a write that fails there fails for another reason. */
  readonly workTree: string;
}

const REFUSED = /read-only file system|\bEROFS\b/i;
/** In quotes, or bare after a blank, a colon, an equals sign or a bracket. */
const PATH = /['"`‘]((?:\/|~\/)[^'"`’\\]+)['"`’]|(?<=^|[\s:=(])((?:\/|~\/)[^\s:'"`’,)\\]+)/g;
/** Some programs name the path a line later. */
const LINES_AFTER = 2;

/** Null where nothing tells of such a write. */
export function refusedWrite(output: string, refusing: Refusing): string | null {
  if (!REFUSED.test(output)) return null;
  // Output in JSON has its line ends and quotes escaped.
  const lines = output
    .replaceAll(String.raw`\n`, "\n")
    .replaceAll(String.raw`\"`, '"')
    .split("\n");
  for (const [index, line] of lines.entries()) {
    if (!REFUSED.test(line)) continue;
    const around = [line, ...lines.slice(index + 1, index + 1 + LINES_AFTER)];
    const path = around.flatMap(pathsIn).find((each) => !isWithin(each, refusing.workTree));
    if (path !== undefined) return refusedAt(path, refusing);
  }
  return null;
}

function pathsIn(line: string): string[] {
  return [...line.matchAll(PATH)].map(([, quoted, bare = ""]) =>
    (quoted ?? bare).replace(/(?<=.)\/+$/, ""),
  );
}

function refusedAt(path: string, { protect, home }: Refusing): string {
  const written = belowHome(path, home);
  return `${written} is read-only by \`protect: ${protect}\`; allow with \`writable: ${toAllow(written)}\``;
}

function belowHome(path: string, home: string): string {
  return home !== "/" && isWithin(path, home) ? `~${path.slice(home.length)}` : path;
}

/** Where many programs have a folder each. */
const SHARED = [".config", ".local", ".local/share", ".local/state", ".local/lib", "Library"];

/** The folder of the program in question; of other files the folder that they are in, but never all of the home. */
function toAllow(path: string): string {
  const folder = path.slice(0, path.lastIndexOf("/"));
  if (!path.startsWith("~/.")) return folder === "" || folder === "~" ? path : folder;
  const parts = path.slice(2).split("/");
  let count = 1;
  while (count < parts.length && SHARED.includes(parts.slice(0, count).join("/"))) count += 1;
  return `~/${parts.slice(0, count).join("/")}`;
}

const CONNECTION_REFUSED = /connection refused|\bECONNREFUSED\b/i;

/** The same of a socket that is covered. Null where nothing tells of one. */
export function refusedSocket(
  output: string,
  sockets: () => readonly string[],
  { protect, home }: Omit<Refusing, "workTree">,
): string | null {
  if (!CONNECTION_REFUSED.test(output)) return null;
  const path = sockets().find((each) => output.includes(each));
  if (path === undefined) return null;
  const written = belowHome(path, home);
  return `${written} is hidden by \`protect: ${protect}\`; allow with \`show: ${written}\``;
}
