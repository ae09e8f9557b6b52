// What git does in the person's checkout beside them: a switch, a stash, a pull, a rebase put a text of the
// manifest there that nobody wrote just now.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathInTree } from "../../core/files.ts";
import { ofFile } from "../../core/words/system-error.ts";
import { runGit } from "../../git/run-git.ts";
import { findGitFolder, type GitFolder } from "../../git/git-folder.ts";
import { operationInProgress } from "../../git/work-tree.ts";
import { type Holder, keptPath, type RegistryEntry, type Store } from "../../store/store.ts";
import type { PersonsGit } from "../base/run-context.ts";
import { isThere } from "../../process/look-at.ts";

/** In a folder without git whatever is there was written by somebody. */
export const NO_GIT: PersonsGit = {
  away: () => null,
  gitsDoing: async () => null,
  isManifestCommitted: async () => false,
  isCommitted: async () => false,
};

const HEAD = keptPath("logs", "head");

export function personsGit(holder: Holder, store: Store): PersonsGit {
  const { root, project_id } = holder.entry;
  const folder = findGitFolder(root);
  if (folder === null) return NO_GIT;
  if (store.kept(project_id, HEAD) === undefined) holder.keep(HEAD, headOf(folder));
  return lookAtPersonsGit(holder.entry, store);
}

/** The work goes to another branch of the person's from now on: a manifest counts as an edit there. */
export function workBelongsTo(holder: Holder, store: Store, branch: string): void {
  const head = `ref: refs/heads/${branch}`;
  const { project_id } = holder.entry;
  if (store.kept(project_id, HEAD)?.toString("utf8") !== head) holder.keep(HEAD, head);
}

/** The same for whoever only looks: before the first run the checkout is where the work belongs. */
export function lookAtPersonsGit(
  { root, manifest, project_id }: RegistryEntry,
  store: Store,
): PersonsGit {
  const folder = findGitFolder(root);
  if (folder === null) return NO_GIT;
  // Read each time: the branch may get another name during a run.
  const begun = (): string => store.kept(project_id, HEAD)?.toString("utf8") ?? headOf(folder);
  const away = (): string | null => awayFrom(folder, begun());
  const isUnchanged = async (path: string): Promise<boolean> => {
    const words = ["diff", "--quiet", "--no-ext-diff", "HEAD", "--", `:(literal)${path}`];
    const { code } = await runGit(root, words, { accept: "any" });
    return code === 0;
  };
  const isCommitted = async (path: string): Promise<boolean> =>
    (await isHeld(root, path)) && (await isUnchanged(path));
  // Git holds nothing outside of the work tree, and puts nothing there.
  if (pathInTree(manifest) === null) return { ...NO_GIT, away, isCommitted };
  const isManifestCommitted = (): Promise<boolean> => isUnchanged(manifest);
  return {
    away,
    isManifestCommitted,
    isCommitted,
    async gitsDoing() {
      const why = away();
      if (why !== null) return why;
      const last = lastMove(folder);
      if (last === null || last.startsWith("commit") || !(await isHeld(root, manifest)))
        return null;
      return (await isManifestCommitted()) ? `git put it there (${last})` : null;
    },
  };
}

function awayFrom(folder: GitFolder, begun: string): string | null {
  const operation = operationInProgress(folder);
  if (operation !== null) return `a ${operation} is in progress`;
  const head = headOf(folder);
  if (head === begun) return null;
  return `the checkout is on ${nameOf(head)}, the work belongs to ${nameOf(begun)}`;
}

/** The branch as git writes it; every detached HEAD is the same. */
function headOf({ own }: GitFolder): string {
  const head = join(own, "HEAD");
  const text = ofFile(head, () => readFileSync(head, "utf8")).trim();
  return text.startsWith("ref: ") ? text : "detached";
}

function nameOf(head: string): string {
  return head === "detached" ? "no branch" : head.replace(/^ref: refs\/heads\//, "");
}

/** What moved HEAD last, in git's words; null where it keeps no record. */
function lastMove({ own }: GitFolder): string | null {
  const log = join(own, "logs", "HEAD");
  if (!isThere(log)) return null;
  const line = ofFile(log, () => readFileSync(log, "utf8"))
    .trimEnd()
    .split("\n")
    .at(-1);
  return line?.split("\t")[1] ?? null;
}

/** Whether the commit that is checked out holds such a file at all. */
async function isHeld(root: string, path: string): Promise<boolean> {
  const { code } = await runGit(root, ["cat-file", "-e", `HEAD:${path}`], { accept: "any" });
  return code === 0;
}
