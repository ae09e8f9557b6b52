// Commits a verified tree where the person's folder is the workspace: on the branch that is checked out,
// by the person's own git where there are hooks. The files are there already; the index follows.
import { branchName } from "../../git/refs.ts";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { emptyTreeLike, type TreeEntry } from "../../git/diff-trees.ts";
import { bringObjects } from "./bring-objects.ts";
import { capture } from "../tree/capture.ts";
import { treeWith } from "../tree/combine.ts";
import { commitHooks, hookRefusal } from "./commit-hooks.ts";
import { carries, withTrailers } from "./commit-message.ts";
import { writeCommit } from "./commit-own-copy.ts";
import { storeOwnFiles } from "../tree/own-entries.ts";
import {
  currentBranch,
  type PersonRepository,
  type RefValue,
} from "../repository/person-repository.ts";
import type { Place } from "../repository/place.ts";
import type { RawPath } from "../disk/raw-path.ts";
import { writeRecord } from "../repository/record.ts";
import { isAncestor, moveRefs } from "./refs.ts";
import { personHead } from "./tip-in-place.ts";
import type { Committed, CommitRequest } from "../workspace.ts";

export async function commitInPlace(place: Place, request: CommitRequest): Promise<Committed> {
  const { person } = place;
  const own = await storeOwnFiles(place, request.own, request.tree);
  const proposed = await treeWith(place, request.tree, own);
  if (person === null) {
    settle(place, null, proposed);
    return { kind: "nothing", commit: null };
  }
  const head = await personHead(place);
  if (head !== null && carries(head.message, request.trailers)) {
    return await finish(place, person, head.commit, head.tree, proposed);
  }
  if (proposed === (head?.tree ?? emptyTreeLike(proposed))) {
    settle(place, head?.commit ?? null, proposed);
    return { kind: "nothing", commit: head?.commit ?? null };
  }
  const moved = await whatMoved(place, person, head);
  if (moved !== null) return moved;
  place.tip = { commit: head?.commit ?? null, tree: place.tip?.tree ?? proposed };
  const message = withTrailers(request.message, request.trailers);
  const hooks = commitHooks(place, person);
  if (hooks !== null)
    return await commitWithHooks(place, person, hooks, { own, proposed, message });
  const made = await writeCommit(place, proposed, message);
  if (typeof made !== "string") return made;
  await bringHeld(place, person, made);
  const from = head?.commit ?? "0".repeat(made.length);
  await person.git.run(["update-ref", "-m", "commit: stint", "HEAD", made, from]);
  return await finish(place, person, made, proposed, proposed);
}

/** The objects alone, held by a ref until a branch holds them. */
async function bringHeld(place: Place, person: PersonRepository, object: string): Promise<void> {
  await bringObjects(place, person, object, place.tip?.commit ?? null);
  await moveRefs(person, [{ ref: `refs/stint/${place.options.project}/next`, to: object }]);
}

/** The branch must be the one of the start, and still hold what was there at the last look. */
async function whatMoved(
  { record }: Place,
  person: PersonRepository,
  head: RefValue | null,
): Promise<Extract<Committed, { kind: "failed" }> | null> {
  const isSame = (await currentBranch(person)) === record.branch;
  const holds =
    record.tip === null || (head !== null && (await isAncestor(person, record.tip, head.commit)));
  if (isSame && holds) return null;
  const wanted = record.branch === null ? "no branch" : branchName(record.branch);
  return {
    kind: "failed",
    why: isSame
      ? `${wanted} no longer holds ${record.tip}`
      : `the checkout is no longer on ${wanted}`,
    hint: `Go back to it, then go on: git switch ${wanted}`,
  };
}

interface HookedWork {
  readonly own: ReadonlyMap<RawPath, TreeEntry>;
  readonly proposed: string;
  readonly message: string;
}

/** Where sessions run: a session could have written the hooks. */
async function commitWithHooks(
  place: Place,
  person: PersonRepository,
  hooks: string,
  { own, proposed, message }: HookedWork,
): Promise<Committed> {
  const before = place.tip?.commit ?? null;
  await bringHeld(place, person, proposed);
  await person.git.run(["read-tree", "--reset", proposed]);
  const file = join(person.folder.own, "STINT_MESSAGE");
  writeFileSync(file, message);
  const args = ["commit", "--quiet", "--no-status", "--cleanup=whitespace", "-F", file];
  const inside = { program: "git", args, cwd: place.at, env: {} };
  const { exitCode, output } = await place.options.runInside(inside);
  rmSync(file, { force: true });
  const head = await personHead(place);
  if (exitCode !== 0 || head === null || head.commit === before) {
    if (head !== null) await person.git.run(["reset", "--quiet"]);
    return hookRefusal(hooks, output);
  }
  const captured = await capture(place);
  const tree = captured.kind === "captured" ? await treeWith(place, captured.tree, own) : head.tree;
  return await finish(place, person, head.commit, tree, proposed);
}

/** The index follows; what was staged for another commit is unstaged, its file stays. */
async function finish(
  place: Place,
  person: PersonRepository,
  commit: string,
  tree: string,
  proposed: string,
): Promise<Committed> {
  await person.git.run(["reset", "--quiet"]);
  settle(place, commit, tree);
  // It is committed already, and found by its trailers once it has been verified.
  return tree === proposed ? { kind: "committed", commit } : { kind: "altered", tree, message: "" };
}

function settle(place: Place, commit: string | null, tree: string): void {
  place.tip = { commit, tree };
  place.record = { ...place.record, tip: commit, tipTree: tree };
  writeRecord(place.options.home, place.record);
}
