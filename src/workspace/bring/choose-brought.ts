// Which of the files that git does not hold go into a new workspace. Git is asked what they are and
// what a pattern means, so that patterns are exactly those of a .gitignore.
import { lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { type Bring, isTakenAway } from "../../core/written/workspace-settings.ts";
import { StintError } from "../../core/stint-error.ts";
import { runGit } from "../../git/run-git.ts";
import { broughtByDefault, mayHoldBrought } from "./default-bring.ts";
import { bareOf, inBoth, outermost, PathSet } from "./path-set.ts";

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

export interface ChoiceOptions {
  readonly checkout: string;
  readonly bring: Bring;
  readonly ownPaths: readonly string[];
  readonly alsoFiles: readonly string[];
  readonly signal?: AbortSignal | undefined;
}

const NOT_IGNORED = "git does not ignore it, so it could end in a commit; bring: can name it";

export async function chooseBrought(options: ChoiceOptions): Promise<Choice> {
  const { bring, alsoFiles } = options;
  const words = typeof bring === "string" ? [bring] : bring;
  const also = alsoFiles.map(insideOnly);
  const isNothing = words.every((word) => word === "none") && also.length === 0;
  if (isNothing)
    return { paths: [], without: new PathSet([]), ignored: new PathSet([]), skipped: [] };
  const ignored = await others(options, ["-i", "--directory", "--exclude-standard"]);
  const chosen = [...also];
  const skipped: Skipped[] = [];
  if (words.includes("all")) {
    chosen.push(...ignored, ...(await others(options, ["--directory", "--exclude-standard"])));
  }
  if (words.includes("default")) {
    chosen.push(...defaultsAmong(options.checkout, ignored), ...(await included(options, ignored)));
    skipped.push(...(await leftByDefault(options)));
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
  const { stdout } = await runGit(options.checkout, ["ls-files", "-o", "-z", ...words], {
    signal: options.signal,
  });
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
  const isThere = (path: string): boolean =>
    lstatSync(join(checkout, path), { throwIfNoEntry: false }) !== undefined;
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
  if (lstatSync(file, { throwIfNoEntry: false })?.isFile() !== true) return [];
  return inBoth(await others(options, ["-i", `--exclude-from=${file}`]), ignored);
}

async function leftByDefault(options: ChoiceOptions): Promise<Skipped[]> {
  const untracked = await others(options, ["--directory", "--exclude-standard"]);
  const isAmbiguous = () => false;
  return untracked
    .map((path) => ({ path: bareOf(path), isFolder: path.endsWith("/") }))
    .filter((candidate) => broughtByDefault(candidate, isAmbiguous) !== null)
    .map(({ path }) => ({ path, why: NOT_IGNORED }));
}

function insideOnly(path: string): string {
  const names = path.split("/");
  if (path !== "" && !path.startsWith("/") && !names.some((name) => /^\.{0,2}$/.test(name))) {
    return path;
  }
  throw new StintError(
    "bad-input",
    `${path} is not a file below the checkout, so it cannot be brought`,
    "Name it relative to the top of the checkout.",
  );
}
