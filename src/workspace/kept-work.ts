// Unfinished work as commits in Stint's own repository: nothing of it reaches the person's.
import { join } from "node:path";
import { parkRef } from "../git/stint-refs.ts";
import { StintError } from "../core/stint-error.ts";
import { factsOf } from "./remove-tree.ts";
import type { Place } from "./place.ts";
import type { KeptName, KeptWork } from "./workspace.ts";

export const STINT = {
  GIT_AUTHOR_NAME: "Stint",
  GIT_AUTHOR_EMAIL: "stint@localhost",
  GIT_COMMITTER_NAME: "Stint",
  GIT_COMMITTER_EMAIL: "stint@localhost",
};

export async function keepWork(
  place: Place,
  { task, attempt }: KeptName,
  tree: string,
  base: string,
): Promise<KeptWork> {
  const ref = parkRef(place.options.project, task, attempt);
  const message = `Unfinished work of ${task}, attempt ${attempt}\n\nStint-Base: ${base}\n`;
  const args = ["commit-tree", "-F", "-", tree];
  const commit = await place.git.id(args, { input: message, env: STINT });
  await place.git.run(["update-ref", ref, commit]);
  return { tree, base, ref };
}

export async function readKept(place: Place, name: KeptName): Promise<KeptWork | null> {
  const ref = parkRef(place.options.project, name.task, name.attempt);
  const format = "%(tree)%00%(contents)";
  const { stdout } = await place.git.run(["for-each-ref", `--format=${format}`, ref], {
    isStrict: true,
  });
  const [tree = "", contents = ""] = stdout.split("\0");
  const base = /^Stint-Base: ([0-9a-f]+)$/m.exec(contents)?.[1];
  if (tree !== "" && base !== undefined) return { tree, base, ref };
  if (factsOf(join(place.git.gitDir, ref)) === null) return null;
  throw new StintError(
    "git-failed",
    `${ref} is in ${place.git.gitDir}, but git does not show it`,
    `Look at it: git --git-dir=${place.git.gitDir} fsck`,
  );
}
