// The person's repository as the workspace reads it. A ref that cannot be read never looks like one
// that is not there.
import { existsSync, lstatSync, readdirSync, realpathSync } from "node:fs";
import { isAbsolute, join, resolve } from "node:path";
import { StintError } from "../../core/stint-error.ts";
import { branchName } from "../../git/refs.ts";
import { findGitFolder, type GitFolder } from "../../git/git-folder.ts";
import { failure } from "../../git/run-git.ts";
import { readIfPossible, readIfThere } from "./durable-file.ts";
import { parseSettings, type ScopedSetting } from "./git-config.ts";
import { type Git, gitAt } from "./own-git.ts";

export interface PersonRepository {
  readonly checkout: string;
  readonly folder: GitFolder;
  readonly git: Git;
  /** Where its objects are: its own folder first, then those it borrows from. */
  readonly objects: readonly string[];
  /** Commits that git told of, or that were made here: they never change. */
  readonly commits: Map<string, CommitFacts>;
  /** Of its object ids, in hexadecimal digits. */
  readonly idLength: () => number;
}

interface CommitFacts {
  readonly tree: string;
  readonly parents: readonly string[];
  /** The whole message. */
  readonly message: string;
}

export interface RefValue extends Pick<CommitFacts, "tree" | "message"> {
  readonly commit: string;
}

/** Null for a folder without git. */
export function findPersonRepository(checkout: string): PersonRepository | null {
  const folder = findGitFolder(checkout);
  if (folder === null) return null;
  const git = gitAt(folder.own, checkout, "person");
  const objects = objectFolders(join(folder.common, "objects"));
  const idLength = (): number => (isSha256(folder.common) ? 64 : 40);
  return { checkout, folder, git, objects, commits: new Map(), idLength };
}

/** It cannot change after the repository was made. */
function isSha256(common: string): boolean {
  const config = String(readIfThere(join(common, "config")) ?? "");
  return /^\s*objectformat\s*=\s*"?sha256/im.test(config);
}

export async function readSettings(repository: PersonRepository): Promise<ScopedSetting[]> {
  const args = ["config", "-z", "--list", "--show-scope"];
  const { stdout, stderr } = await repository.git.run(args);
  const config = String(readIfPossible(join(repository.folder.common, "config")) ?? "");
  if (stdout === "" && /^\s*\w+\s*=/m.test(config)) {
    throw failure(repository.checkout, args, "it said nothing of settings that are there", stderr);
  }
  return parseSettings(stdout);
}

/** The branch that is checked out, by its full name; null where HEAD names a commit. */
export async function currentBranch(repository: PersonRepository): Promise<string | null> {
  const head = join(repository.folder.own, "HEAD");
  // A link is how very old repositories name the branch.
  const text = lstatSync(head).isSymbolicLink() ? "" : String(readIfThere(head)).trim();
  const ref = /^ref: (refs\/.+)$/.exec(text)?.[1];
  if (ref !== undefined && !ref.endsWith("/.invalid")) return ref;
  if (/^[0-9a-f]{40,64}$/.test(text)) return null;
  const { code, stdout } = await repository.git.run(["symbolic-ref", "--quiet", "HEAD"], {
    accept: [0, 1],
  });
  return code === 0 ? stdout.trim() : null;
}

/** The commit that is checked out, where `branch` is; null where that has none yet. */
export async function commitHere(
  repository: PersonRepository,
  branch: string | null,
  refs: ReadonlyMap<string, RefValue>,
): Promise<string | null> {
  if (branch === null) return await detachedCommit(repository);
  return refs.get(branch)?.commit ?? null;
}

/** The commit of a HEAD that names no branch. */
export async function detachedCommit(repository: PersonRepository): Promise<string> {
  return await repository.git.id(["rev-parse", "--verify", "HEAD^{commit}"]);
}

const FORMAT = "%(refname)%00%(objectname)%00%(tree)%00%(parent)%00%(contents)%00%00";

/** The refs that are there, by name; those that are not were looked for in two ways. */
export async function readRefs(
  repository: PersonRepository,
  names: readonly string[],
): Promise<Map<string, RefValue>> {
  return knownRefs(repository, names) ?? (await askForRefs(repository, names));
}

/** Null unless each is a file of its own, which rules over whatever else git has, and names a known commit. */
function knownRefs(
  { folder, commits }: PersonRepository,
  names: readonly string[],
): Map<string, RefValue> | null {
  const found = new Map<string, RefValue>();
  for (const name of names) {
    const commit = String(readIfPossible(join(folder.common, name)) ?? "").trim();
    const facts = commits.get(commit);
    if (facts === undefined) return null;
    found.set(name, { commit, ...facts });
  }
  return found;
}

/** Only so many commits are remembered. */
const MOST_COMMITS = 64;

async function askForRefs(
  repository: PersonRepository,
  names: readonly string[],
): Promise<Map<string, RefValue>> {
  const { commits } = repository;
  const args = ["for-each-ref", `--format=${FORMAT}`, ...names];
  const { stdout } = await repository.git.run(args, { isStrict: true });
  const found = new Map<string, RefValue>();
  if (commits.size >= MOST_COMMITS) commits.clear();
  for (const record of stdout.split("\0\0\n")) {
    const [name = "", commit = "", tree = "", parents = "", ...rest] = record.split("\0");
    if (commit === "") continue;
    const message = rest.join("\0");
    commits.set(commit, { tree, parents: parents.split(" "), message });
    found.set(name, { commit, tree, message });
  }
  for (const name of names) {
    if (found.has(name) || !isNamed(repository.folder.common, name)) continue;
    throw new StintError(
      "git-failed",
      `${name} is in ${repository.folder.common}, but git does not show it`,
      `Look at it, and repair it: cd ${repository.checkout} && git fsck && git show-ref`,
    );
  }
  return found;
}

/** Of commits that are there. */
export async function treesOf(
  { git, commits: known }: PersonRepository,
  commits: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const asked = commits.filter((commit) => !known.has(commit));
  const { stdout } =
    asked.length === 0
      ? { stdout: "" }
      : await git.run(
          ["log", "--no-walk=unsorted", "--no-show-signature", "--stdin", "--format=%H %T"],
          {
            input: asked.map((commit) => `${commit}\n`).join(""),
          },
        );
  const told = new Map(stdout.split("\n").map((line) => line.split(" ") as [string, string]));
  return new Map(
    commits.flatMap((commit): [string, string][] => {
      const tree = known.get(commit)?.tree ?? told.get(commit);
      return tree === undefined ? [] : [[commit, tree]];
    }),
  );
}

/** Whether a ref that has a file of its own is at this commit. False may also mean that it has none. */
export function isLooseAt({ folder }: PersonRepository, ref: string, commit: string): boolean {
  return readIfThere(join(folder.common, ref))?.toString("latin1").trim() === commit;
}

/** A folder on the way that cannot be read throws. */
export function isNamed(common: string, name: string): boolean {
  try {
    if (!lstatSync(join(common, name)).isDirectory()) return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== "ENOENT" && code !== "ENOTDIR") throw error;
  }
  const packed = String(readIfThere(join(common, "packed-refs")) ?? "");
  return packed.split("\n").some((line) => line.slice(line.indexOf(" ") + 1) === name);
}

/** Other work trees of the repository that have this branch checked out. */
export function otherHolders(repository: PersonRepository, branch: string): string[] {
  const { own } = repository.folder;
  return workTrees(repository).filter((folder) => folder !== own && headOf(folder) === branch);
}

/** Whether some work tree has the branch checked out, or an operation there will come back to it. */
export function isInUse(repository: PersonRepository, branch: string): boolean {
  const isHere = workTrees(repository).some((folder) => headOf(folder) === branch);
  return isHere || operationOn(repository, branch) !== null;
}

const NAMED_IN: readonly (readonly [string, "rebase" | "bisect"])[] = [
  ["rebase-merge/head-name", "rebase"],
  ["rebase-apply/head-name", "rebase"],
  ["rebase-merge/update-refs", "rebase"],
  ["BISECT_START", "bisect"],
];

/** A rebase or bisect that will put the branch somewhere when it ends, in any work tree. */
export function operationOn(
  repository: PersonRepository,
  branch: string,
): "rebase" | "bisect" | null {
  const short = branchName(branch);
  for (const folder of workTrees(repository)) {
    const found = NAMED_IN.find(([path]) => {
      const lines = String(readIfThere(join(folder, path)) ?? "").split("\n");
      return lines.includes(branch) || (path === "BISECT_START" && lines.includes(short));
    });
    if (found !== undefined) return found[1];
  }
  return null;
}

/** The git folder of each. */
function workTrees({ folder: { common } }: PersonRepository): string[] {
  const linked = join(common, "worktrees");
  const names = existsSync(linked) ? readdirSync(linked) : [];
  return [common, ...names.map((name) => join(linked, name))];
}

function headOf(folder: string): string | null {
  const head = String(readIfThere(join(folder, "HEAD")) ?? "").trim();
  return /^ref: (.+)$/.exec(head)?.[1] ?? null;
}

function objectFolders(first: string, seen = new Set<string>()): string[] {
  if (!existsSync(first)) return [];
  const real = realpathSync(first);
  if (seen.has(real)) return [];
  seen.add(real);
  const lines = String(readIfThere(join(real, "info", "alternates")) ?? "").split("\n");
  const named = lines.filter((line) => line !== "" && !line.startsWith("#"));
  const others = named.map((line) => (isAbsolute(line) ? line : resolve(real, line)));
  return [real, ...others.flatMap((other) => objectFolders(other, seen))];
}
