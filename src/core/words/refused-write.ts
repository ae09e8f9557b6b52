// What a failure really was that says "Read-only file system" or "Connection refused": a write outside the workspace or
// a socket of another program, which walls refused, and what allows it. Pure, from what a program printed.
import { isWithin } from "../files.ts";
import { shellWord } from "../written/commands.ts";

export interface Refusing {
  /** `home` or `strict`. */
  readonly protect: string;
  /** The person's home, to write paths as they do. */
  readonly home: string;
  /** Where the work is: a write that fails there fails for another reason. */
  readonly workTree: string;
  /** A place that is not there is made as a folder before anything may be written to it. */
  readonly isThere: (path: string) => boolean;
}

const REFUSED = /read-only file system|\bEROFS\b/gi;
/** In quotes, or bare after a blank, a colon, an equals sign or a bracket. */
const PATH = /['"`‘]((?:\/|~\/)[^'"`’\\]+)['"`’]|(?<=^|[\s:=(])((?:\/|~\/)[^\s:'"`’,)\\]+)/g;
/** Right after the words: `: '/a'` (Python, zsh), `, open '/a'` (Node.js), ` @ rb_sysopen - /a` (Ruby). */
const BEFORE_PATH = /^(?::|, \w+| @ \w+ -) /;
/** A program or a script that tells of it, and its line: `/bin/touch: `, `/a/run.sh: line 3: `, `/a/x.rb:3:in `. */
const TELLER = /^:(?:\s*(?:line )?\d+:|\d+\b| )/;
/** Some programs name the path a line or two later, as such. */
const NAMED_LATER = /\bpath\b/i;
const LINES_AFTER = 2;
const MAKES_FOLDER = /\bmkdir|\bdirectory\b/i;

/** Null where nothing tells of such a write. */
export function refusedWrite(output: string, refusing: Refusing): string | null {
  // Output in JSON has its line ends and quotes escaped.
  const lines = output
    .replaceAll(String.raw`\n`, "\n")
    .replaceAll(String.raw`\"`, '"')
    .split("\n");
  for (const [index, line] of lines.entries()) {
    const words = [...line.matchAll(REFUSED)];
    if (words.length === 0) continue;
    const later = lines.slice(index + 1, index + 1 + LINES_AFTER);
    const paths = [
      ...words.toReversed().flatMap((found) => pathsAt(line, found)),
      ...later.filter((each) => NAMED_LATER.test(each)).flatMap((each) => pathsIn(each)),
    ];
    const path = paths.find((each) => !isWithin(each, refusing.workTree));
    if (path !== undefined) return refusedAt(path, MAKES_FOLDER.test(line), refusing);
  }
  return null;
}

/** What the words are about: named right after them, else nearest before them. */
function pathsAt(line: string, { index, 0: words }: RegExpExecArray): string[] {
  const [before, rest] = [line.slice(0, index), line.slice(index + words.length)];
  if (BEFORE_PATH.test(rest)) {
    const paths = pathsIn(rest);
    if (paths.length > 0) return paths;
  }
  return pathsIn(before, (after) => !isTeller(after)).toReversed();
}

/** `after` is the rest of the line up to the words that refuse; nothing but a colon: the path itself was refused. */
function isTeller(after: string): boolean {
  return TELLER.test(after) && after.trim() !== ":";
}

function pathsIn(line: string, isMeant: (after: string) => boolean = () => true): string[] {
  return [...line.matchAll(PATH)]
    .filter(({ 0: whole, index }) => isMeant(line.slice(index + whole.length)))
    .map(({ 1: quoted, 2: bare = "" }) => (quoted ?? bare).replace(/(?<=.)\/+$/, ""));
}

function refusedAt(path: string, isFolder: boolean, refusing: Refusing): string {
  const { protect, home, workTree, isThere } = refusing;
  const allowed = toAllow(path, refusing);
  // Of what holds the repository or all of the home, a part is to be allowed, and nothing here says which.
  const isTooMuch = [home, workTree].some((each) => isWithin(each, fromHome(allowed, home)));
  const isNewFile = !isFolder && fromHome(allowed, home) === path && !isThere(path);
  const make = isNewFile ? `\`touch ${shellWord(path)}\` and ` : "";
  const allow = isTooMuch ? "" : `; allow with ${make}\`writable: ${allowed}\``;
  return `${belowHome(path, home)} is read-only by \`protect: ${protect}\`${allow}`;
}

function belowHome(path: string, home: string): string {
  return home !== "/" && isWithin(path, home) ? `~${path.slice(home.length)}` : path;
}

function fromHome(written: string, home: string): string {
  return written === "~" || written.startsWith("~/") ? `${home}${written.slice(1)}` : written;
}

/** Where many programs have a folder each. */
const SHARED = [".config", ".local", ".local/share", ".local/state", ".local/lib", "Library"];

/** The folder of the program in question; of other files the folder that they are in, unless that holds more than them. */
function toAllow(path: string, { home, workTree }: Refusing): string {
  const written = belowHome(path, home);
  if (written.startsWith("~/.")) {
    const parts = written.slice(2).split("/");
    let count = 1;
    while (count < parts.length && SHARED.includes(parts.slice(0, count).join("/"))) count += 1;
    return `~/${parts.slice(0, count).join("/")}`;
  }
  const folder = written.slice(0, written.lastIndexOf("/"));
  const isShared = [home, workTree].some((each) => isWithin(each, fromHome(folder, home)));
  return folder === "" || isShared ? written : folder;
}

const CONNECTION_REFUSED = /connection refused|\bECONNREFUSED\b/i;

/** The same of a socket that is covered. Null where nothing tells of one. */
export function refusedSocket(
  output: string,
  sockets: () => readonly string[],
  { protect, home }: Pick<Refusing, "protect" | "home">,
): string | null {
  if (!CONNECTION_REFUSED.test(output)) return null;
  const path = sockets().find((each) => output.includes(each));
  if (path === undefined) return null;
  const written = belowHome(path, home);
  return `${written} is hidden by \`protect: ${protect}\`; allow with \`show: ${written}\``;
}
