// How an attempt to commit can end. Each is an answer; only a broken git is thrown.
import type { Operation } from "./operation-in-progress.ts";

export type CommitResult =
  | {
      readonly kind: "committed";
      readonly commit: string;
      /** Null: made on a detached HEAD, reachable only by its id. */
      readonly branch: string | null;
      /** A hook altered the commit or the files: checks must run again. */
      readonly hooksChangedTree: boolean;
      /** It was there already: an earlier call made it and could not say so. */
      readonly foundAgain: boolean;
    }
  | { readonly kind: "nothing-to-commit" }
  | { readonly kind: "needs-approval"; readonly paths: readonly UnwelcomeFile[] }
  | { readonly kind: "hook-failed"; readonly output: string; readonly hint: string }
  | { readonly kind: "no-identity"; readonly hint: string }
  | { readonly kind: "conflict"; readonly paths: readonly string[]; readonly hint: string }
  | { readonly kind: "operation-in-progress"; readonly operation: Operation; readonly hint: string }
  | { readonly kind: "locked"; readonly path: string; readonly hint: string }
  | { readonly kind: "not-a-repository" };

export interface UnwelcomeFile {
  readonly path: string;
  readonly why: string;
}

export const IDENTITY_HINT =
  'Tell git who you are: git config user.name "Your Name" && git config user.email you@example.com';
