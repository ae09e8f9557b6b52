// Which commits of a project no branch, remote branch or tag of the person's holds, beside Stint's own.
import { branchName } from "../../git/refs.ts";
import { gitLines, runGit } from "../../git/run-git.ts";

export interface ProjectRefs {
  readonly root: string;
  readonly project: string;
  readonly slug: string;
}

/** The names of those whose commits would be found nowhere else. */
export async function undeliveredBranches(refs: ProjectRefs): Promise<readonly string[]> {
  // Where both are the same commit, the branch is the name that a person knows.
  const own = [`refs/heads/stint/${refs.slug}`, `refs/stint/${refs.project}/tip`];
  const format = "--format=%(refname) %(objectname)";
  const lines = await gitLines(refs.root, ["for-each-ref", "--sort=-refname", format, ...own]);
  const byCommit = new Map(lines.map((line) => line.split(" ")).map(([name, at]) => [at, name]));
  const found = await Promise.all(
    [...byCommit].map(async ([commit = "", name = ""]) =>
      (await isHeldElsewhere(refs.root, commit, own)) ? [] : [branchName(name)],
    ),
  );
  return found.flat();
}

/** Takes away what held the start and the tip of a workspace that goes. Safe to repeat. */
export async function dropWorkspaceRefs({ root, project }: ProjectRefs): Promise<void> {
  const names = ["base", "tip"].map((name) => `refs/stint/${project}/${name}`);
  const lines = await gitLines(root, [
    "for-each-ref",
    "--format=%(refname) %(objectname)",
    ...names,
  ]);
  const input = lines.map((line) => `delete ${line}\n`).join("");
  if (input !== "") await runGit(root, ["update-ref", "--stdin"], { input });
}

async function isHeldElsewhere(
  root: string,
  commit: string,
  own: readonly string[],
): Promise<boolean> {
  const args = ["for-each-ref", "--format=%(refname)", `--contains=${commit}`];
  const holders = await gitLines(root, [...args, "refs/heads", "refs/remotes", "refs/tags"]);
  return holders.some((name) => !own.includes(name));
}
