// Which of the files that git does not hold go into a new workspace. Git is asked what they are and
// what a pattern means, so that patterns are exactly those of a .gitignore.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { type Bring, isTakenAway } from "../../core/written/workspace-settings.ts";
import { runGit } from "../../git/run-git.ts";
import { broughtByDefault, mayHoldBrought } from "./default-bring.ts";
import { lookAt } from "../../process/look-at.ts";

export interface Skipped {
  readonly path: string;
  readonly why: string;
}

export interface Choice {
  /** As git lists them: a folder ends in a slash. */
  readonly paths: readonly string[];
  readonly without: PathSet;
  readonly ignored: PathSet;
  readonly skipped: readonly Skipped[];
}

interface ChoiceOptions {
  readonly checkout: string;
  readonly bring: Bring;
  readonly ownPaths: readonly string[];
}

const NOT_IGNORED =
  "git does not ignore it, so it could end up in a commit; name it in bring: if you want it";

export async function chooseBrought(options: ChoiceOptions): Promise<Choice> {
  const { bring } = options;
  const words = typeof bring === "string" ? [bring] : bring;
  if (words.every((word) => word === "none"))
    return { paths: [], without: new PathSet([]), ignored: new PathSet([]), skipped: [] };
  const isAll = words.includes("all");
  const isDefault = words.includes("default");
  // Both walk the whole checkout, so they do it at the same time.
  const [ignored, untracked] = await Promise.all([
    others(options, ["-i", "--directory", "--exclude-standard"]),
    isAll || isDefault ? others(options, ["--directory", "--exclude-standard"]) : [],
  ]);
  const chosen: string[] = [];
  const skipped: Skipped[] = [];
  if (isAll) chosen.push(...ignored, ...untracked);
  if (isDefault) {
    chosen.push(...defaultsAmong(options.checkout, ignored), ...(await included(options, ignored)));
    skipped.push(...leftByDefault(untracked));
  }
  chosen.push(...(await matching(options, patternsOf(words, "wanted"))));
  const unwanted = await matching(options, patternsOf(words, "unwanted"));
  const own = options.ownPaths.map((path) => `${bareOf(path)}/`);
  const paths = outermost(chosen);
  const without = new PathSet([...unwanted, ...own, ...options.ownPaths]);
  const brought = new PathSet(paths);
  return {
    paths,
    without,
    ignored: new PathSet(ignored),
    skipped: skipped.filter(({ path }) => !brought.covers(path) && !without.covers(path)),
  };
}

/** Paths that git does not hold, once, as `ls-files` chooses them by these words. */
async function others(options: ChoiceOptions, words: readonly string[]): Promise<string[]> {
  const { stdout } = await runGit(options.checkout, ["ls-files", "-o", "-z", ...words]);
  return stdout.split("\0").filter((path) => path !== "");
}

async function matching(
  options: ChoiceOptions,
  patterns: readonly string[],
): Promise<readonly string[]> {
  if (patterns.length === 0) return [];
  return await others(options, ["-i", ...patterns.map((pattern) => `--exclude=${pattern}`)]);
}

function patternsOf(words: readonly string[], which: "wanted" | "unwanted"): string[] {
  const patterns = words.filter((word) => !["default", "all", "none", ""].includes(word));
  return which === "wanted"
    ? patterns.filter((pattern) => !isTakenAway(pattern))
    : patterns.filter(isTakenAway).map((pattern) => pattern.slice(1));
}

function defaultsAmong(checkout: string, paths: readonly string[]): string[] {
  const isThere = (path: string): boolean => lookAt(join(checkout, path)) !== undefined;
  return paths.flatMap((path) => {
    const candidate = { path: bareOf(path), isFolder: path.endsWith("/") };
    if (broughtByDefault(candidate, isThere) !== null) return [path];
    if (!candidate.isFolder || !mayHoldBrought(candidate.path)) return [];
    return childrenOf(checkout, candidate.path).filter(
      (child) =>
        broughtByDefault({ path: bareOf(child), isFolder: child.endsWith("/") }, isThere) !== null,
    );
  });
}

function childrenOf(checkout: string, folder: string): string[] {
  try {
    return readdirSync(join(checkout, folder), { withFileTypes: true }).map(
      (child) => `${folder}/${child.name}${child.isDirectory() ? "/" : ""}`,
    );
  } catch {
    // Gone meanwhile, or not to be read: there is nothing to choose in it.
    return [];
  }
}

/** What `.worktreeinclude` names: never a tracked file, and only what is ignored too. */
async function included(
  options: ChoiceOptions,
  ignored: readonly string[],
): Promise<readonly string[]> {
  const file = join(options.checkout, ".worktreeinclude");
  if (lookAt(file)?.isFile() !== true) return [];
  return inBoth(await others(options, ["-i", `--exclude-from=${file}`]), ignored);
}

function leftByDefault(untracked: readonly string[]): Skipped[] {
  const isAmbiguous = () => false;
  return untracked
    .map((path) => ({ path: bareOf(path), isFolder: path.endsWith("/") }))
    .filter((candidate) => broughtByDefault(candidate, isAmbiguous) !== null)
    .map(({ path }) => ({ path, why: NOT_IGNORED }));
}

/** Paths as git lists them: relative, parted by slashes; a folder ends in one and stands for all below it. */
export class PathSet {
  readonly #files = new Set<string>();
  readonly #folders = new Set<string>();

  constructor(paths: Iterable<string>) {
    for (const path of paths) {
      if (path.endsWith("/")) this.#folders.add(path.slice(0, -1));
      else this.#files.add(path);
    }
  }

  /** Whether a path is in it, by itself or below one of its folders. */
  covers(path: string): boolean {
    const bare = bareOf(path);
    if (this.#folders.has(bare) || (this.#files.has(bare) && bare === path)) return true;
    for (let end = bare.lastIndexOf("/"); end > 0; end = bare.lastIndexOf("/", end - 1)) {
      if (this.#folders.has(bare.slice(0, end))) return true;
    }
    return false;
  }
}

/** What both lists hold, each path once and as deep as the deeper list names it. */
export function inBoth(one: readonly string[], other: readonly string[]): readonly string[] {
  const inOther = new PathSet(other);
  const inOne = new PathSet(one);
  return outermost([
    ...one.filter((path) => inOther.covers(path)),
    ...other.filter((path) => inOne.covers(path)),
  ]);
}

/** Without paths that lie below another one of them. Sorted. */
export function outermost(paths: readonly string[]): readonly string[] {
  const folders = new PathSet(paths.filter((path) => path.endsWith("/")));
  return [...new Set(paths)]
    .filter((path) => {
      const parent = bareOf(path).lastIndexOf("/");
      return parent < 0 || !folders.covers(path.slice(0, parent + 1));
    })
    .toSorted();
}

export function bareOf(path: string): string {
  return path.endsWith("/") ? path.slice(0, -1) : path;
}
