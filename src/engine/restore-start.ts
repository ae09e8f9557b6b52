// Brings back what a session must not take away: the branch, commits, stashed and untracked files.
// One line tells of each; whatever the session left is kept under a ref before it is replaced.
import { fewOf } from "../core/few-of.ts";
import { touchedPaths } from "../git/changed-paths.ts";
import { type Comparison, compareWithStart } from "../git/compare-with-start.ts";
import { type KeptSnapshot, readKeptSnapshot } from "../git/keep-snapshot.ts";
import { type ParkOptions, takeBackStaging } from "../git/park.ts";
import { recoverBranch, restoreMissing } from "../git/recover.ts";
import { type Snapshot, takeSnapshot } from "../git/snapshot.ts";
import { strayedTips } from "../git/start-refs.ts";
import { undoRewind } from "../git/undo-rewind.ts";
import type { TreeLook } from "./tree-look.ts";
import type { StartPoint } from "./work-tree.ts";

export async function restoreStart(
  place: { readonly root: string; readonly exclude: readonly string[] },
  look: TreeLook,
  start: StartPoint,
  own: ReadonlySet<string>,
): Promise<readonly string[]> {
  const { root, exclude } = place;
  if (start.ref === null) return [];
  const taken = takeSnapshot(root, { exclude });
  const [begun, found] = await Promise.all([readKeptSnapshot(root, start.ref), taken]);
  if (begun === null) return [];
  // Asked for soon, and by others: git is at it while the rest is looked at.
  if (found.kind === "git") void look.changesBetween(start.tree, found.tree).catch(() => {});
  const { snapshot } = begun;
  const left = { ref: `${start.ref}-left`, from: snapshot, exclude };
  const first = await compareWithStart(root, snapshot, { exclude }, taken);
  if (first.kind === "none") return [];
  const lines = [...(await returnToBranch(root, first, left))];
  const onBranch =
    first.switched === null ? first : await compareWithStart(root, snapshot, { exclude });
  lines.push(...(await takeBack(root, onBranch, left)));
  const last = lines.length === 0 ? first : await compareWithStart(root, snapshot, { exclude });
  look.seen(last.kind === "git" ? last.now : undefined);
  const only = last.kind === "git" ? last.goneUntracked.filter((path) => !own.has(path)) : [];
  if (only.length > 0) {
    look.touched();
    const { paths } = await restoreMissing(root, snapshot, { exclude, only });
    if (paths.length > 0) {
      lines.push(
        `the session removed ${paths.length} untracked file(s); restored: ${fewOf(paths)}`,
      );
    }
  }
  await unstageWork(place, look, snapshot);
  lines.push(...(await strayedCommits(root, begun)));
  return lines;
}

/**
 * What a session staged of its own work would stay staged when that is committed, in an older version
 * perhaps. What it or a person staged of other files is left alone.
 */
async function unstageWork(
  { root, exclude }: { readonly root: string; readonly exclude: readonly string[] },
  look: TreeLook,
  start: Snapshot,
): Promise<void> {
  const now = await look.snapshot();
  if (now === null) return;
  const only = touchedPaths(await look.changesBetween(start.tree, now.tree));
  if (await takeBackStaging(root, now, { from: start, exclude, only })) look.touched();
}

async function returnToBranch(
  root: string,
  { switched }: Comparison,
  left: ParkOptions,
): Promise<readonly string[]> {
  if (switched === null) return [];
  const recovered = await recoverBranch(root, left);
  if (recovered.kind !== "recovered") return [];
  const to = switched.to ?? "a detached HEAD";
  const kept = recovered.ref === null ? "" : `, what it left is kept at ${recovered.ref}`;
  return [
    `the session switched to ${to}; back on ${left.from.branch ?? "where it started"}${kept}`,
  ];
}

/** Commits that the session dropped from the branch, changes that it stashed. */
async function takeBack(
  root: string,
  compared: Comparison | { readonly kind: "none" },
  left: ParkOptions,
): Promise<readonly string[]> {
  if (compared.kind === "none" || compared.switched !== null) return [];
  const { lostCommits, newStashes } = compared;
  if (lostCommits.length === 0 && newStashes === 0) return [];
  const undone = await undoRewind(root, left);
  if (undone.kind === "none") return [];
  const kept = `what it left is kept at ${undone.ref}`;
  if (lostCommits.length > 0)
    return [
      `the session dropped ${lostCommits.length} commit(s) from ${left.from.branch ?? "HEAD"}; they are back, ${kept}`,
    ];
  return undone.paths.length === 0
    ? []
    : [
        `the session stashed ${undone.paths.length} file(s) that were there before; they are back, ${kept}`,
      ];
}

/** Branches and stashes that the session deleted: it may have been asked to, so they only are told. */
async function strayedCommits(root: string, begun: KeptSnapshot): Promise<readonly string[]> {
  const tips = await strayedTips(root, begun);
  if (tips.length === 0) return [];
  const names = tips.map((tip) => tip.slice(0, 10)).join(", ");
  return [
    `the session left no branch or stash that leads to ${names}; kept at ${begun.ref}, bring it back: git branch <name> ${tips[0]}`,
  ];
}
