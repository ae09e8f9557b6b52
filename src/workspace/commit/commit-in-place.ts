// Commits a verified tree where the person's folder is the workspace: on the branch that is checked out,
// by the person's own git where there are hooks. The files are there already; the index follows.
import { branchName } from "../../git/refs.ts";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { StintError } from "../../core/stint-error.ts";
import { emptyTreeLike, type TreeEntry } from "../../git/diff-trees.ts";
import { failure } from "../../git/run-git.ts";
import { writePlainly } from "../base/durable-file.ts";
import { runWriting } from "../base/own-git.ts";
import {
  currentBranch,
  detachedCommit,
  type PersonRepository,
  readRefs,
  type RefValue,
} from "../base/person-repository.ts";
import { hasGit, type Place, type WithGit } from "../base/place.ts";
import type { RawPath } from "../base/raw-path.ts";
import { catchUp, note } from "../base/record.ts";
import { isAncestor, moveRefs } from "../base/refs.ts";
import { commitHooks, commitInside, hookRefusal } from "./commit-hooks.ts";
import { bringObjects } from "./tip.ts";
import { carries, type NotCommitted, withTrailers, writeCommit } from "./write-commit.ts";
import { capture } from "../tree/capture.ts";
import { combine, treeWith } from "../tree/combine.ts";
import { storeOwnFiles } from "../tree/own-index.ts";
import type { CommitRequest, Committed, Tip } from "../workspace.ts";

export async function commitInPlace(place: Place, request: CommitRequest): Promise<Committed> {
  const own = await storeOwnFiles(place, request.own, request.tree);
  const proposed = await treeWith(place, request.tree, own);
  if (!hasGit(place)) {
    settle(place, null, proposed);
    return { kind: "nothing", commit: null };
  }
  const head = await personHead(place);
  if (head !== null && carries(head.message, request.trailers)) {
    return await finish(place, head.commit, head.tree, proposed);
  }
  if (proposed === (head?.tree ?? emptyTreeLike(proposed))) {
    // A commit elsewhere is in no branch of the work, whoever made it.
    const elsewhere = (await isOnBranch(place, head)) ? null : await whatMoved(place, head);
    if (elsewhere !== null) return elsewhere;
    settle(place, head?.commit ?? null, proposed);
    return { kind: "nothing", commit: head?.commit ?? null };
  }
  const moved = await whatMoved(place, head);
  if (moved !== null) return moved;
  place.tip = { commit: head?.commit ?? null, tree: place.tip?.tree ?? proposed };
  const message = withTrailers(request.message, request.trailers);
  const hooks = commitHooks(place);
  if (hooks !== null) return await commitWithHooks(place, hooks, { own, proposed, message });
  const made = await writeCommit(place, proposed, message);
  if (typeof made !== "string") return made;
  await bringHeld(place, made);
  const from = head?.commit ?? "0".repeat(made.length);
  const args = ["update-ref", "-m", "commit: stint", "HEAD", made, from];
  await place.person.git.run(args);
  if ((await personHead(place))?.commit !== made) {
    throw failure(place.person.checkout, args, "it left HEAD as it was", "");
  }
  return await finish(place, made, proposed, proposed);
}

/** The objects alone, held by a ref until a branch holds them. */
async function bringHeld(place: WithGit, object: string): Promise<void> {
  const { person } = place;
  await bringObjects(place, object, place.tip?.commit ?? null);
  await moveRefs(person, [{ ref: `refs/stint/${place.options.project}/next`, to: object }]);
}

/** The branch must be the one of the start, and still hold what was there at the last look. */
async function whatMoved(
  { record, person }: WithGit,
  head: RefValue | null,
): Promise<NotCommitted | null> {
  const isSame = (await currentBranch(person)) === record.branch;
  const holds =
    record.tip === null || (head !== null && (await isAncestor(person, record.tip, head.commit)));
  if (isSame && holds) return null;
  const wanted = record.branch === null ? "no branch" : branchName(record.branch);
  return {
    kind: "failed",
    why: isSame
      ? `${wanted} no longer contains ${record.tip}`
      : `the checkout is no longer on ${wanted}`,
    hint: await wayBack(person, record.branch),
  };
}

/** Whether the branch of the start holds what is checked out. */
async function isOnBranch({ record, person }: WithGit, head: RefValue | null): Promise<boolean> {
  if (head === null || record.branch === null) return true;
  const tip = (await readRefs(person, [record.branch])).get(record.branch);
  return tip !== undefined && (await isAncestor(person, head.commit, tip.commit));
}

/** Renamed or deleted, a branch cannot be switched to. */
async function wayBack(person: PersonRepository, branch: string | null): Promise<string> {
  if (branch === null) return "Leave the branch, then continue: git switch --detach";
  const name = branchName(branch);
  const isThere = (await readRefs(person, [branch])).has(branch);
  return isThere
    ? `Switch back to it, then continue: git switch ${name}`
    : `It was renamed or deleted. Make it again here, then continue: git switch -c ${name}`;
}

interface HookedWork {
  readonly own: ReadonlyMap<RawPath, TreeEntry>;
  readonly proposed: string;
  readonly message: string;
}

async function commitWithHooks(
  place: WithGit,
  hooks: string,
  { own, proposed, message }: HookedWork,
): Promise<Committed> {
  const { person } = place;
  const before = place.tip?.commit ?? null;
  await bringHeld(place, proposed);
  await runWriting(person.git, person.folder.index, ["read-tree", "--reset", proposed]);
  const file = join(person.folder.own, "STINT_MESSAGE");
  writePlainly(file, message);
  const { exitCode, output } = await commitInside(place, file);
  rmSync(file, { force: true });
  const head = await personHead(place);
  if (exitCode !== 0 || head === null || head.commit === before) {
    if (head !== null) await resetIndex(person);
    return hookRefusal(hooks, output);
  }
  const captured = await capture(place);
  const tree = captured.kind === "captured" ? await treeWith(place, captured.tree, own) : head.tree;
  return await finish(place, head.commit, tree, proposed);
}

/** The index follows; what was staged for another commit is unstaged, its file stays. */
async function finish(
  place: WithGit,
  commit: string,
  tree: string,
  proposed: string,
): Promise<Committed> {
  const { person } = place;
  await resetIndex(person);
  settle(place, commit, tree);
  // It is committed already, and found by its trailers once it has been verified.
  return tree === proposed ? { kind: "committed", commit } : { kind: "altered", tree, message: "" };
}

async function resetIndex({ git, folder }: PersonRepository): Promise<void> {
  await runWriting(git, folder.index, ["reset", "--quiet"]);
}

function settle(place: Place, commit: string | null, tree: string): void {
  place.tip = { commit, tree };
  note(place, { tip: commit, tipTree: tree });
}

/** The commit that is checked out; null without git and before the first one. */
export async function personHead({ person, record }: Place): Promise<RefValue | null> {
  if (person === null) return null;
  const branch = await currentBranch(person);
  if (branch !== null) {
    const found = (await readRefs(person, [branch])).get(branch);
    if (found === undefined && record.tip !== null && branch === record.branch) throw gone(branch);
    return found ?? null;
  }
  const commit = await detachedCommit(person);
  const tree = await person.git.id(["rev-parse", "--verify", `${commit}^{tree}`]);
  return {
    commit,
    tree,
    message: (await person.git.run(["log", "-1", "--format=%B", commit])).stdout,
  };
}

/** What new work starts from: what is there, with what the last verified work holds beyond it. */
export async function readTipInPlace(place: Place): Promise<Tip> {
  const head = await personHead(place);
  const { isActing, tipTree } = place.record;
  const tree = isActing && tipTree !== null ? tipTree : await absorb(place);
  place.tip = { commit: head?.commit ?? null, tree };
  catchUp(place, { tip: place.tip.commit });
  return place.tip;
}

/** What changed since the last look while nothing of ours ran is the person's, and part of every start. */
async function absorb(place: Place): Promise<string> {
  const captured = await capture(place);
  if (captured.kind === "uncommittable") {
    const [problem] = captured.problems;
    throw new StintError(
      "bad-input",
      `${problem?.path} ${problem?.why}`,
      `To continue, ${problem?.hint ?? "move it away"}`,
    );
  }
  const there = captured.tree;
  const { laid, tipTree } = place.record;
  if (tipTree !== null && there === laid) return tipTree;
  const tree =
    laid === null || tipTree === null
      ? there
      : (await combine(place, { base: laid, ours: there, theirs: tipTree })).tree;
  note(place, { tipTree: tree, laid: there });
  return tree;
}

function gone(branch: string): StintError {
  return new StintError(
    "git-failed",
    `${branch} had a commit and now has none`,
    "Look at the repository: git fsck && git reflog",
  );
}
