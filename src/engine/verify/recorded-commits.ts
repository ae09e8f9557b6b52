// Whether the commits that a state names are still in the repository.
import { runGit } from "../../git/run-git.ts";

/** @returns those that git does not have as commits */
export async function missingCommits(root: string, commits: readonly string[]): Promise<string[]> {
  if (commits.length === 0) return [];
  const input = commits.map((commit) => `${commit}^{commit}\n`).join("");
  const { stdout } = await runGit(root, ["cat-file", "--batch-check=%(objecttype)"], { input });
  const types = stdout.split("\n");
  return commits.filter((_, index) => types[index] !== "commit");
}
