// What came of a commit, as the engine acts on it and a person is told.
import { fewOf } from "../core/few-of.ts";
import type { CommitResult } from "../git/commit-result.ts";
import type { CommitOutcome } from "./work-tree.ts";

/** `head` is what HEAD named before. */
export function commitOutcome(result: CommitResult, head: string | null): CommitOutcome {
  switch (result.kind) {
    case "committed":
      return {
        kind: "committed",
        commit: result.commit,
        isToBeChecked: result.hooksChangedTree || result.foundAgain,
      };
    case "nothing-to-commit":
      return { kind: "nothing", commit: head };
    case "not-a-repository":
      return { kind: "nothing", commit: null };
    case "needs-approval":
      return {
        kind: "needs-approval",
        why: result.paths.map(({ path, why }) => `${path} ${why}`).join("; "),
        paths: result.paths.map(({ path }) => path),
      };
    case "hook-failed":
      return failed(`a git hook refused it: ${result.output}`, result);
    case "no-identity":
      return failed("git does not know who you are", result);
    case "operation-in-progress":
      return failed(`a ${result.operation} is in progress`, result);
    case "conflict":
      return failed(`there are conflicts in ${fewOf(result.paths)}`, result);
    case "locked":
      return failed(`${result.path} is locked`, result);
    default:
      return result satisfies never;
  }
}

function failed(why: string, { hint }: { readonly hint: string }): CommitOutcome {
  return { kind: "failed", why, hint };
}
