// What of a person's files a new workspace does not hold, in the words in which a plan and a run say it: what is not
// committed, and what is not copied along. Only looks.
import type { Bring } from "../../core/written/workspace-settings.ts";
import { counted } from "../../core/words/amounts.ts";
import { StintError } from "../../core/stint-error.ts";
import { isWithin } from "../../core/files.ts";
import { runGit } from "../../git/run-git.ts";
import { readStatus } from "../../git/work-tree.ts";
import { chooseBrought, type Skipped } from "../../workspace/tree/choose-brought.ts";

/** Paths in it are relative to the root. */
export interface StartPlace {
  readonly root: string;
  /** Stint's own. */
  readonly own: readonly string[];
}

export interface StartFacts {
  readonly hasCommit: boolean;
  /** Sentences without their end. */
  readonly leftOut: readonly string[];
}

/** Of a work tree that a workspace is to be a copy of; where git gives no answer, nothing is known to be left out. */
export async function factsOfStart(
  place: StartPlace,
  { bring, includesChanges }: { readonly bring: Bring; readonly includesChanges: boolean },
): Promise<StartFacts> {
  const { root, own } = place;
  try {
    const hasCommit = await hasAnyCommit(root);
    if (includesChanges) return { hasCommit, leftOut: [] };
    const changes = await changesLeftOut(place);
    const { skipped } = await chooseBrought({ checkout: root, bring, ownPaths: own });
    return { hasCommit, leftOut: [...changes, ...skipped.map(notCopied)] };
  } catch (error) {
    // It is advice: the run itself says what is wrong with the repository.
    if (error instanceof StintError) return { hasCommit: true, leftOut: [] };
    throw error;
  }
}

/** What is not committed stays where it is. */
export async function changesLeftOut({ root, own }: StartPlace): Promise<string[]> {
  const isTheirs = (path: string): boolean => !own.some((each) => isWithin(path, each));
  const { tracked, untracked } = await readStatus(root);
  const kinds = [
    [tracked.filter(isTheirs).length, "modified file"],
    [untracked.filter(isTheirs).length, "untracked file"],
  ] as const;
  const there = kinds.filter(([count]) => count > 0);
  if (there.length === 0) return [];
  const files = there.map(([count, kind]) => counted(count, kind)).join(" and ");
  const isOne = there.length === 1 && there[0]?.[0] === 1;
  const [stay, them] = isOne ? ["stays", "it"] : ["stay", "them"];
  return [`${files} ${stay} yours; --include-changes starts from ${them}`];
}

export function notCopied({ path, why }: Skipped): string {
  return `${path} is not copied into the workspace: ${why}`;
}

/** A repository without one gives sessions no file at all. */
export async function hasAnyCommit(root: string): Promise<boolean> {
  const args = ["rev-parse", "--quiet", "--verify", "HEAD^{commit}"];
  return (await runGit(root, args, { accept: [0, 1, 128] })).code === 0;
}

export const NO_COMMIT =
  "the repository has no commit yet: sessions start without any of your files";
