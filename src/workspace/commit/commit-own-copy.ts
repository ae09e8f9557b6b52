// Commits a verified tree. Order that matters on a crash: the commit and its refs appear in the person's
// repository in one act; a repeated call finds the tip by its trailers.
import { StintError } from "../../core/stint-error.ts";
import { emptyTreeLike, type TreeEntry } from "../../git/diff-trees.ts";
import { treeWith } from "../tree/combine.ts";
import { commitHooks, runCommitHooks } from "./commit-hooks.ts";
import { carries, withMissingTrailers, withTrailers } from "./commit-message.ts";
import { isOn } from "../repository/git-config.ts";
import { storeOwnFiles } from "../tree/own-entries.ts";
import { setEntries, writeTree } from "../tree/own-index.ts";
import type { PersonRepository } from "../repository/person-repository.ts";
import type { Place } from "../repository/place.ts";
import { publish } from "./publish.ts";
import type { RawPath } from "../disk/raw-path.ts";
import { CannotSign, signCommit } from "./sign-commit.ts";
import { lookAtRefs } from "./tip.ts";
import type { Committed, CommitRequest } from "../workspace.ts";

const IDENTITY_HINT =
  'Tell git who you are: git config user.name "Your Name" && git config user.email you@example.com';

export async function commitOwnCopy(
  place: Place,
  person: PersonRepository,
  request: CommitRequest,
): Promise<Committed> {
  const look = await lookAtRefs(place, person);
  const { tip } = look;
  place.tip = tip ?? { commit: null, tree: emptyTreeLike(request.tree) };
  const own = await storeOwnFiles(place, request.own, request.tree);
  const proposed = await withOwnFiles(place, request.tree, own);
  if (tip !== null && carries(tip.message, request.trailers)) {
    if (look.refs.get(`refs/heads/stint/${place.options.slug}`)?.commit !== tip.commit) {
      await publish(place, person, look, tip.commit);
    }
    return { kind: "committed", commit: tip.commit };
  }
  if (proposed === place.tip.tree) return { kind: "nothing", commit: place.tip.commit };
  const written = withTrailers(request.message, request.trailers);
  const hooks = request.hooksRan === true ? null : commitHooks(place, person);
  const hooked =
    hooks === null
      ? ({ kind: "passed", tree: proposed, message: written } as const)
      : await runCommitHooks(place, person, hooks, {
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
  await publish(place, person, look, made);
  place.tip = { commit: made, tree: hooked.tree };
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
