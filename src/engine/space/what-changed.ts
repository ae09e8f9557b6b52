// What work changed, file by file, for whoever looks: between two trees that the workspace still holds, or by a
// commit of the person's repository. Reads only; null where the objects are gone.
import type { TaskId } from "../../core/ids.ts";
import { StintError } from "../../core/stint-error.ts";
import { type Change, touchedPaths } from "../../git/changed-paths.ts";
import { runGit } from "../../git/run-git.ts";
import type { RegistryEntry, Store } from "../../store/store.ts";
import { openKeptSpace } from "./kept-space.ts";

export interface ChangedFile {
  readonly path: string;
  readonly change: Change["change"];
  /** Lines; null of what is no text, and of files beyond the first. */
  readonly added: number | null;
  readonly removed: number | null;
}

type Lines = Pick<ChangedFile, "added" | "removed">;

/** Of so many files the lines are counted. */
const COUNTED = 100;
const UNKNOWN: Lines = { added: null, removed: null };

export async function changedBetween(
  store: Store,
  entry: RegistryEntry,
  { before, after }: { readonly before: string; readonly after: string },
): Promise<readonly ChangedFile[] | null> {
  return await orNull(async () => {
    const space = openKeptSpace(store, entry);
    if (space === null) return null;
    const changes = await space.changes(before, after);
    const counted = changes.slice(0, COUNTED);
    const lines =
      counted.length === 0
        ? []
        : countedLines(await space.diff(before, after, touchedPaths(counted)));
    // One part for each file, in the same order; anything else is not guessed at.
    const isKnown = lines.length === counted.length;
    return changes.map(({ path, change }, index) => ({
      path,
      change,
      ...((isKnown ? lines[index] : undefined) ?? UNKNOWN),
    }));
  });
}

export async function changedByCommit(
  root: string,
  commit: string,
): Promise<readonly ChangedFile[] | null> {
  return await orNull(async () => {
    const words = ["diff-tree", "--root", "--no-commit-id", "-r", "-z", "--no-renames"];
    const ask = async (how: string): Promise<string[]> =>
      (await runGit(root, [...words, how, commit, "--"])).stdout.split("\0");
    const lines = new Map(
      (await ask("--numstat")).map((row): [string, Lines] => {
        const [added = "", removed = "", path = ""] = row.split("\t");
        return [path, { added: numberOf(added), removed: numberOf(removed) }];
      }),
    );
    const fields = await ask("--name-status");
    return fields.flatMap((path, index) => {
      if (index % 2 === 0) return [];
      const change = KINDS[fields[index - 1] ?? ""] ?? "modified";
      return { path, change, ...(lines.get(path) ?? UNKNOWN) };
    });
  });
}

/** Whether a commit says that it is of a task; not where it is not here. */
export async function namesTask(root: string, commit: string, task: TaskId): Promise<boolean> {
  const words = ["log", "-1", "--format=%B", "--end-of-options", commit, "--"];
  const said = await orNull(async () => (await runGit(root, words)).stdout.split("\n"));
  return said?.includes(`Stint-Task: ${task}`) === true;
}

const KINDS: Readonly<Record<string, Change["change"]>> = { A: "added", D: "deleted" };

/** Git writes a dash for what is no text. */
function numberOf(text: string): number | null {
  return /^\d+$/.test(text) ? Number(text) : null;
}

/** What a difference adds and removes, file by file. */
function countedLines(diff: string): Lines[] {
  const files: { added: number; removed: number; isText: boolean }[] = [];
  let isInside = false;
  for (const line of diff.split("\n")) {
    const file = files.at(-1);
    if (line.startsWith("diff --git ")) {
      files.push({ added: 0, removed: 0, isText: true });
      isInside = false;
    } else if (line.startsWith("@@ ")) isInside = true;
    else if (file === undefined) continue;
    else if (!isInside && line.startsWith("Binary files ")) file.isText = false;
    else if (isInside && line.startsWith("+")) file.added += 1;
    else if (isInside && line.startsWith("-")) file.removed += 1;
  }
  return files.map(({ added, removed, isText }) => (isText ? { added, removed } : UNKNOWN));
}

/** Git refuses what is no longer there. */
async function orNull<T>(read: () => Promise<T | null>): Promise<T | null> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof StintError && error.code === "git-failed") return null;
    throw error;
  }
}
