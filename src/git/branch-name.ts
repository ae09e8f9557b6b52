/** A branch as people say it: `main` for `refs/heads/main`. */
export function branchName(ref: string): string {
  return ref.replace(/^refs\/heads\//, "");
}
