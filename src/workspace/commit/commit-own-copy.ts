// Commits a verified tree. Order that matters on a crash: the commit and its refs appear in the person's
// repository in one act; a repeated call finds the tip by its trailers.
import { StintError } from "../../core/stint-error.ts";
import { emptyTreeLike, type TreeEntry } from "../../git/diff-trees.ts";
import { objectId } from "../../git/object-id.ts";
import { isOn } from "../base/git-config.ts";
import type { Place, WithGit } from "../base/place.ts";
import type { RawPath } from "../base/raw-path.ts";
import { commitHooks, runCommitHooks } from "./commit-hooks.ts";
import { plainCommit, type PlainTree, plainTree } from "./plain-commit.ts";
import { type Look, lookAtRefs, publish } from "./tip.ts";
import {
  CannotSign,
  carries,
  signCommit,
  withMissingTrailers,
  withTrailers,
} from "./write-commit.ts";
import { treeWith } from "../tree/combine.ts";
import { type GitObject, packOf } from "../tree/git-objects.ts";
import {
  isIndexWith,
  type OwnEntries,
  ownFilesAsEntries,
  setEntries,
  storeObjects,
  writeTree,
} from "../tree/own-index.ts";
import { diffWith, rawChanges, rememberDiff } from "../tree/read-trees.ts";
import type { CommitRequest, Committed } from "../workspace.ts";

const IDENTITY_HINT =
  'Tell git who you are: git config user.name "Your Name" && git config user.email you@example.com';

export async function commitOwnCopy(place: WithGit, request: CommitRequest): Promise<Committed> {
  const look = await lookAtRefs(place);
  const { tip } = look;
  place.tip = tip ?? { commit: null, tree: emptyTreeLike(request.tree) };
  const hooks = request.hooksRan === true ? null : commitHooks(place);
  const own = await ownFilesAsEntries(place, request.own, request.tree);
  const plain = hooks === null ? await plainTree(place, request.tree, own) : null;
  if (plain === null) storeObjects(place, own.objects, request.tree.length);
  const proposed = plain?.tree ?? (await withOwnFiles(place, request.tree, own.entries));
  if (tip !== null && carries(tip.message, request.trailers)) {
    if (look.refs.get(`refs/heads/stint/${place.options.slug}`)?.commit !== tip.commit) {
      await publish(place, look, tip.commit);
    }
    const isLaid = place.indexTree === tip.tree;
    return { kind: "committed", commit: tip.commit, ...(isLaid ? { laid: tip.tree } : {}) };
  }
  if (proposed === place.tip.tree) return { kind: "nothing", commit: place.tip.commit };
  const written = withTrailers(request.message, request.trailers);
  if (plain !== null) {
    const object = plainCommit(place, plain.tree, written);
    if (object !== null) {
      return await commitPlainly(place, look, { request, own, plain, object, written });
    }
    storeObjects(place, plain.objects, request.tree.length);
  }
  const hooked =
    hooks === null
      ? ({ kind: "passed", tree: proposed, message: written } as const)
      : await runCommitHooks(place, hooks, {
          tree: proposed,
          own: request.own,
          message: written,
        });
  if (hooked.kind === "failed") return hooked;
  if (hooked.tree !== proposed) return { ...hooked, kind: "altered" };
  if (hooked.tree === place.tip.tree) return { kind: "nothing", commit: place.tip.commit };
  const message = withMissingTrailers(hooked.message, request.trailers);
  const made = await writeCommit(place, hooked.tree, message);
  if (typeof made !== "string") return made;
  await publish(place, look, made);
  place.tip = { commit: made, tree: hooked.tree };
  return { kind: "committed", commit: made };
}

/** Its objects go straight into the person's repository, and our index follows without git. */
async function commitPlainly(
  place: WithGit,
  look: Look,
  { request, own, plain, object, written }: PlainCommit,
): Promise<Committed> {
  const { person } = place;
  const { length } = request.tree;
  const before = place.tip;
  const commit = objectId(object.kind, object.content, length);
  await publish(place, look, commit, packOf([...plain.objects, object], length));
  const parents = before?.commit === undefined || before.commit === null ? [] : [before.commit];
  person.commits.set(commit, { tree: plain.tree, parents, message: written });
  if (before !== null) await knowTree(place, before.tree, request.tree, plain.tree, own.entries);
  place.tip = { commit, tree: plain.tree };
  return { kind: "committed", commit, laid: plain.tree };
}

interface PlainCommit {
  readonly request: CommitRequest;
  readonly own: OwnEntries;
  readonly plain: PlainTree;
  readonly object: GitObject;
  readonly written: string;
}

/** What is known of the verified tree is known of the same with Stint's own files. */
async function knowTree(
  place: Place,
  before: string,
  verified: string,
  tree: string,
  own: ReadonlyMap<RawPath, TreeEntry>,
): Promise<void> {
  const earlier = place.ownEntries?.tree === before ? place.ownEntries.entries : null;
  if (earlier !== null) {
    const changes = await rawChanges(place, before, verified);
    rememberDiff(place, before, tree, diffWith(changes, own, earlier));
    place.ownEntries = { tree, entries: new Map([...earlier, ...own]) };
  }
  if (isIndexWith(place, own)) place.indexTree = tree;
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

/** In the person's name, signed where they sign. @returns the commit, or why there is none */
export async function writeCommit(
  place: Place,
  tree: string,
  message: string,
): Promise<string | Extract<Committed, { kind: "failed" }>> {
  const commit = place.tip?.commit ?? null;
  const parent = commit === null ? [] : ["-p", commit];
  const words = [...parent, "-F", "-", tree];
  try {
    return isOn(place.settings, "commit.gpgsign")
      ? await signCommit(place, words, { input: message })
      : await place.git.id(["commit-tree", ...words], { input: message });
  } catch (error) {
    if (!(error instanceof StintError)) throw error;
    const isNameless = /tell me who you are|empty ident|auto-detect|no (?:email|name) was given/i;
    if (isNameless.test(error.message)) {
      return { kind: "failed", why: "Git does not know who you are", hint: IDENTITY_HINT };
    }
    if (!(error instanceof CannotSign)) throw error;
    const why = `The commit could not be signed: ${error.said}`;
    return { kind: "failed", why, hint: error.hint ?? "" };
  }
}
