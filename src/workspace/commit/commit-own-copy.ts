// Commits a verified tree. Order that matters on a crash: the commit and its refs appear in the person's
// repository in one act; a repeated call finds the tip by its trailers.
import { emptyTreeLike, type TreeEntry } from "../../git/diff-trees.ts";
import type { Place, WithGit } from "../base/place.ts";
import type { RawPath } from "../base/raw-path.ts";
import { ownRefs } from "../base/refs.ts";
import { commitHooks, type Hooked, runCommitHooks } from "./commit-hooks.ts";
import { commitPlainly } from "./plain-commit.ts";
import { lookAtRefs, publish } from "./tip.ts";
import { carries, withMissingTrailers, withTrailers, writeCommit } from "./write-commit.ts";
import { treeWith } from "../tree/combine.ts";
import { ownFilesAsEntries, setEntries, storeObjects, writeTree } from "../tree/own-index.ts";
import type { CommitRequest, Committed } from "../workspace.ts";

export async function commitOwnCopy(place: WithGit, request: CommitRequest): Promise<Committed> {
  const look = await lookAtRefs(place);
  const { tip } = look;
  place.tip = tip ?? { commit: null, tree: emptyTreeLike(request.tree) };
  if (tip !== null && carries(tip.message, request.trailers)) {
    const { branch } = ownRefs(place.options);
    if (look.refs.get(branch)?.commit !== tip.commit) await publish(place, look, tip.commit);
    const isLaid = place.indexTree === tip.tree;
    return { kind: "committed", commit: tip.commit, ...(isLaid ? { laid: tip.tree } : {}) };
  }
  const hooks = request.hooksRan === true ? null : commitHooks(place);
  const own = await ownFilesAsEntries(place, request.own, request.tree);
  const written = withTrailers(request.message, request.trailers);
  if (hooks === null) {
    const { tree, evidence } = request;
    const plain = await commitPlainly(place, look, { tree, own, message: written, evidence });
    if (plain !== null) return plain;
  }
  storeObjects(place, own.objects, request.tree.length);
  const proposed = await withOwnFiles(place, request.tree, own.entries);
  const nothing: Committed = { kind: "nothing", commit: place.tip.commit };
  if (proposed === place.tip.tree) return nothing;
  const work = { tree: proposed, own: request.own, message: written };
  const hooked: Hooked =
    hooks === null ? { kind: "passed", ...work } : await runCommitHooks(place, hooks, work);
  if (hooked.kind === "failed") return hooked;
  const { tree, message } = hooked;
  if (tree !== proposed) return { kind: "altered", tree, message };
  const made = await writeCommit(place, tree, withMissingTrailers(message, request.trailers));
  if (typeof made !== "string") return made;
  await publish(place, look, made);
  place.tip = { commit: made, tree };
  return { kind: "committed", commit: made };
}

/** Where our index holds the tree it follows: what is committed is what is laid next. */
async function withOwnFiles(
  place: Place,
  tree: string,
  own: ReadonlyMap<RawPath, TreeEntry>,
): Promise<string> {
  if (own.size === 0 || place.indexTree !== tree) return await treeWith(place, tree, own);
  await setEntries(place, own);
  return await writeTree(place);
}
