// Files of the repository that the person's git settings name as programs: filters, drivers, helpers. Git starts them by
// itself, outside the walls. So what a session made of one is neither started nor committed.
import {
  chmodSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  writeFileSync,
} from "node:fs";
import { join, normalize, relative } from "node:path";
import type { TreeEntry } from "../../git/diff-trees.ts";
import type { Setting } from "../base/git-config.ts";
import type { Place } from "../base/place.ts";
import {
  factsOf,
  foldersAbove,
  isReallyInside,
  onDisk,
  parentOf,
  type RawPath,
  toRaw,
  toText,
} from "../base/raw-path.ts";
import { removeInside, removeTree } from "../base/remove-tree.ts";
import { askForObject } from "./git-objects.ts";
import { readEntries } from "./read-trees.ts";

const STARTS_PROGRAMS =
  /^(?:filter\..+\.(?:clean|smudge|process)|diff\..+\.(?:command|textconv)|diff\.external|merge\..+\.driver|gpg\.(?:.+\.)?program|core\.(?:sshcommand|gitproxy|alternaterefscommand)|credential\.(?:.+\.)?helper|hook\..+\.command|trailer\..+\.(?:cmd|command)|remote\..+\.(?:uploadpack|receivepack))$/i;

/** Words of these settings that may be files below a checkout. A plain first word is a program of the PATH. */
export function wordsStarted(settings: readonly Setting[], checkout: string): string[] {
  const words = settings
    .filter(({ key }) => STARTS_PROGRAMS.test(key))
    .flatMap(({ value }) => {
      const [first = "", ...rest] = (value ?? "").split(/[\s"'`;|&()<>=$!]+/).filter(Boolean);
      return [...(first.includes("/") ? [first] : []), ...rest.filter((word) => /[./]/.test(word))];
    });
  // Behind "$(git rev-parse --show-toplevel)" a path begins with a slash.
  const paths = words.flatMap((word) =>
    word.startsWith("/") ? [relative(checkout, word), normalize(word).slice(1)] : [normalize(word)],
  );
  return [...new Set(paths)].filter(
    (path) => !/^(?:$|\.$|-|\.\.(?:\/|$)|\.git(?:\/|$))/.test(path),
  );
}

/** Also what a link among them leads to. */
function startedFiles({ settings, options: { checkout }, folder }: Place): string[] {
  const words = wordsStarted(settings, checkout);
  const isThere = (path: string): boolean =>
    [checkout, folder].some((top) => factsOf(onDisk(top, toRaw(path))) !== null);
  return words.filter(isThere).flatMap((path) => {
    const target = realOf(join(checkout, path));
    const inside = target === null ? path : relative(checkout, target);
    return inside === path || inside === "" || inside.startsWith("..") ? [path] : [path, inside];
  });
}

function realOf(path: string): string | null {
  try {
    return realpathSync(path);
  } catch {
    return null;
  }
}

/** Those that are not as they are in a tree, with what they are there; null where it has none. */
async function changed(place: Place, tree: string): Promise<ReadonlyMap<RawPath, Content | null>> {
  const paths = startedFiles(place);
  const found = new Map<RawPath, Content | null>();
  if (paths.length === 0) return found;
  const entries = await readEntries(place, tree, paths);
  for (const path of paths) {
    const raw = toRaw(path);
    const facts = factsOf(onDisk(place.folder, raw));
    // A word may be the name of a folder.
    if (facts?.isDirectory() === true && !entries.has(path)) continue;
    // oxlint-disable-next-line no-await-in-loop
    const wanted = await contentOf(place, entries.get(path));
    if (!isSame(contentAt(place.folder, raw), wanted)) found.set(raw, wanted);
  }
  return found;
}

interface Content {
  readonly mode: string;
  readonly bytes: Buffer;
}

async function contentOf(place: Place, entry: TreeEntry | undefined): Promise<Content | null> {
  if (entry === undefined || !entry.mode.startsWith("1")) return null;
  const { content } = await askForObject(place.git, "blob", entry.oid);
  return { mode: entry.mode, bytes: content };
}

const LINK = "120000";

function contentAt(folder: string, path: RawPath): Content | null {
  const at = onDisk(folder, path);
  const facts = isReallyInside(folder, path) ? factsOf(at) : null;
  if (facts?.isSymbolicLink() === true) return { mode: LINK, bytes: readlinkSync(at, "buffer") };
  return facts?.isFile() === true ? { mode: "100644", bytes: readFileSync(at) } : null;
}

/** A checkout may have given the lines other ends. */
function isSame(one: Content | null, other: Content | null): boolean {
  if (one === null || other === null) return one === other;
  if ((one.mode === LINK) !== (other.mode === LINK)) return false;
  const plain = ({ bytes }: Content): string => bytes.toString("latin1").replaceAll("\r\n", "\n");
  return one.bytes.equals(other.bytes) || plain(one) === plain(other);
}

/** Before git looks at the files: those that a session changed of the tree that was verified last. */
export async function changedStarted(place: Place): Promise<RawPath[]> {
  const tree = place.tip?.tree ?? place.record.laid;
  return tree === null ? [] : [...(await changed(place, tree)).keys()];
}

/** Before git looks at the files: what it would start is that of the tree. */
export async function restoreStarted(
  place: Place,
  tree: string,
  keep: ReadonlySet<RawPath>,
): Promise<void> {
  for (const [path, wanted] of await changed(place, tree)) {
    if (keep.has(path)) continue;
    removeInside(place.folder, path);
    if (wanted !== null) put(place.folder, path, wanted);
  }
}

/** As plain bytes; git gives them their line ends. */
function put(folder: string, path: RawPath, { mode, bytes }: Content): void {
  for (const above of foldersAbove(path).toReversed()) {
    const facts = factsOf(onDisk(folder, above));
    if (facts !== null && !facts.isDirectory()) removeTree(onDisk(folder, above));
  }
  mkdirSync(onDisk(folder, parentOf(path)), { recursive: true });
  // Of a link git makes one: what it leads to is looked at by itself.
  if (mode === LINK) return;
  const at = onDisk(folder, path);
  writeFileSync(at, bytes, { flag: "wx" });
  chmodSync(at, mode === "100755" ? 0o755 : 0o644);
}

export function startedProblem(path: RawPath): { path: string; why: string; hint: string } {
  return {
    path: toText(path),
    why: "is started by git itself, because your git settings name it as a program, and a session changed it",
    hint: `undo the change: only a person changes ${toText(path)}, because git starts it outside the walls`,
  };
}
