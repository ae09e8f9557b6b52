// The refs that a workspace keeps in the person's repository, each written only over the value it knows, the
// locks that a killed git leaves at them, and refs as their files have them.
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { ofFile } from "../../core/words/system-error.ts";
import { NOTES_REF } from "../../git/read-notes.ts";
import { checked } from "../../git/refs.ts";
import { failure } from "../../git/run-git.ts";
import { type Git, OBJECT_ID } from "./own-git.ts";
import { isLooseAt, isNamed, type PersonRepository, readRefs } from "./person-repository.ts";
import type { WorkspaceOptions } from "./place.ts";
import { lookAt, lookThrough } from "../../process/look-at.ts";

interface OwnRefs {
  /** Where the work started: without it, an amended start could be collected. */
  readonly base: string;
  /** The last verified commit. */
  readonly tip: string;
  /** The same, for a person: `stint/<slug>`. */
  readonly branch: string;
}

export function ownRefs({ project, slug }: WorkspaceOptions): OwnRefs {
  return {
    base: checked(`refs/stint/${project}/base`),
    tip: checked(`refs/stint/${project}/tip`),
    branch: `refs/heads/stint/${slug}`,
  };
}

export interface RefMove {
  readonly ref: string;
  /** Null removes it. */
  readonly to: string | null;
  /** Null: it must not be there yet. Undefined: whatever is there. */
  readonly from?: string | null;
}

/** All of them or none; they are there when it returns. */
export async function moveRefs(person: PersonRepository, moves: readonly RefMove[]): Promise<void> {
  if (moves.length === 0) return;
  const args = ["update-ref", "-m", "stint", "--stdin"];
  await person.git.run(args, { input: moves.map(instruction).join("") });
  for (const move of moves) {
    // oxlint-disable-next-line no-await-in-loop
    if (await isMoved(person, move)) continue;
    throw failure(person.checkout, args, `it left ${move.ref} as it was`, "");
  }
}

/** Git has just written it, so it is a file of its own, or none; if not, git is asked. */
async function isMoved(person: PersonRepository, { ref, to }: RefMove): Promise<boolean> {
  if (to === null) return !isNamed(person.folder.common, ref);
  return isLooseAt(person, ref, to) || (await readRefs(person, [ref])).get(ref)?.commit === to;
}

function instruction({ ref, to, from }: RefMove): string {
  const old = from === undefined ? "" : ` ${from ?? "0".repeat(to?.length ?? 40)}`;
  return to === null ? `delete ${ref}${old}\n` : `update ${ref} ${to}${old}\n`;
}

/** Takes away what held the start and the tip of a workspace that goes. Safe to repeat. */
export async function dropRefs(person: PersonRepository, project: string): Promise<void> {
  const names = ["base", "tip", "next"].map((name) => checked(`refs/stint/${project}/${name}`));
  const refs = await readRefs(person, names);
  await moveRefs(
    person,
    [...refs].map(([ref, { commit }]) => ({ ref, to: null, from: commit })),
  );
}

/** The refs of a folder that are numbered one by one, each with its commit. */
export async function numberedRefs(
  { git }: PersonRepository,
  folder: string,
): Promise<(readonly [commit: string, number: number])[]> {
  const args = ["for-each-ref", "--format=%(objectname) %(refname)", `${folder}/`];
  const lines = (await git.run(args)).stdout.split("\n").filter((line) => line !== "");
  return lines.map((line) => [line.split(" ")[0] ?? "", Number(line.split("/").at(-1)) || 0]);
}

export function nextRef(folder: string, refs: Awaited<ReturnType<typeof numberedRefs>>): string {
  return `${folder}/${Math.max(0, ...refs.map(([, number]) => number)) + 1}`;
}

export async function isAncestor(
  { git, commits }: PersonRepository,
  older: string,
  younger: string,
): Promise<boolean> {
  if (older === younger || commits.get(younger)?.parents.includes(older) === true) return true;
  return (await commonAncestor(git, older, younger)) === older;
}

/** Null where they have nothing in common. A yes is a commit that git names, never its silence. */
export async function commonAncestor(git: Git, one: string, other: string): Promise<string | null> {
  const args = ["merge-base", one, other];
  const { code, stdout, stderr } = await git.run(args, { accept: [0, 1] });
  if (code === 1) return null;
  const id = stdout.trim();
  if (OBJECT_ID.test(id)) return id;
  throw failure(git.gitDir, args, `it answered "${id}", not a commit`, stderr);
}

/** Git holds the lock of a ref while it writes one line. */
const SETTLED_MS = 2_000;
const LOOK_MS = 50;

/**
 * Locks of refs that only Stint writes, left by a git that was killed. Whoever opens the workspace holds the lease,
 * so at most the git of a dead run may still be at it, and that for a moment.
 */
export async function clearRefLocks(
  { folder: { common } }: PersonRepository,
  { project, slug }: Pick<WorkspaceOptions, "project" | "slug">,
): Promise<void> {
  const branch = join(common, "refs", "heads", "stint", `${slug}.lock`);
  const notes = join(common, `${NOTES_REF}.lock`);
  for (const lock of [...locksBelow(join(common, "refs", "stint", project)), branch, notes]) {
    // oxlint-disable-next-line no-await-in-loop
    if (await staysThere(lock)) rmSync(lock, { force: true });
  }
}

/** Locks that came since an act of ours began, and whose owner died at it. */
export async function clearLeftLocks(locks: readonly string[], sinceMs: number): Promise<void> {
  for (const lock of locks) {
    const facts = lookThrough(lock);
    // Clocks of file systems are coarser than ours.
    if (facts === undefined || facts.mtimeMs < sinceMs - 1000) continue;
    // oxlint-disable-next-line no-await-in-loop
    if (await staysThere(lock)) rmSync(lock, { force: true });
  }
}

/** All that end in `.lock`, at any depth. */
export function locksBelow(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return locksBelow(path);
      return entry.name.endsWith(".lock") ? [path] : [];
    });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}

async function staysThere(lock: string): Promise<boolean> {
  for (let waited = 0; waited < SETTLED_MS; waited += LOOK_MS) {
    const facts = lookThrough(lock);
    if (facts === undefined) return false;
    if (Date.now() - facts.mtimeMs >= SETTLED_MS) return true;
    // oxlint-disable-next-line no-await-in-loop
    await sleep(LOOK_MS);
  }
  return true;
}

interface RefOnDisk {
  readonly name: string;
  readonly commit: string;
}

/**
 * The refs of a repository, read from their files: a git that is started in a workspace would follow settings of a
 * place that nobody vouches for any more. @returns null where they cannot be read; none where there is no repository
 */
export function ownRefsOnDisk(gitFolder: string): readonly RefOnDisk[] | null {
  try {
    if (lookAt(gitFolder)?.isDirectory() !== true) return [];
    const refs = new Map(packedRefs(gitFolder).map((ref) => [ref.name, ref]));
    for (const ref of looseRefs(gitFolder, "refs")) refs.set(ref.name, ref);
    return [...refs.values()];
  } catch {
    return null;
  }
}

/** Of refs/stint/<project>/<task>/<attempt>. */
export function keptTasksOf(refs: readonly RefOnDisk[]): readonly string[] {
  const tasks = refs.flatMap(
    ({ name }) => /^refs\/stint\/[^/]+\/([^/]+)\/\d+$/.exec(name)?.[1] ?? [],
  );
  return [...new Set(tasks)].filter((task) => task !== "_start").toSorted();
}

function packedRefs(gitFolder: string): RefOnDisk[] {
  const path = join(gitFolder, "packed-refs");
  if (lookAt(path)?.isFile() !== true) return [];
  return ofFile(path, () => readFileSync(path, "utf8"))
    .split("\n")
    .flatMap((line) => {
      const [, commit, name] = /^([0-9a-f]{40,64}) (refs\/\S+)$/.exec(line) ?? [];
      return commit === undefined || name === undefined ? [] : { name, commit };
    });
}

function looseRefs(gitFolder: string, folder: string): RefOnDisk[] {
  return readdirSync(join(gitFolder, folder), { withFileTypes: true }).flatMap((entry) => {
    const name = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return looseRefs(gitFolder, name);
    if (!entry.isFile() || name.endsWith(".lock")) return [];
    const path = join(gitFolder, name);
    return { name, commit: ofFile(path, () => readFileSync(path, "utf8")).trim() };
  });
}
