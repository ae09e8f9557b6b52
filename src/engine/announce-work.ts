// The first lines of a run: where its work will be, and what of the person's is no part of it.
import { readStatus } from "../git/read-status.ts";
import type { RunContext } from "./run-context.ts";
import { ownPaths } from "./tree-files.ts";

type Announcer = Pick<RunContext, "space" | "holder">;

export function whereWorkWillBe({ space, holder }: Announcer): string {
  if (space.kind === "in-place") return `works in place, in ${space.at}`;
  const branch = space.deliversTo();
  const goes =
    branch === null
      ? `verified work waits on stint/${holder.entry.slug}`
      : `verified work goes to ${branch}`;
  return `works in a copy, at ${space.at}; ${goes}`;
}

/** Null where there is nothing of the kind, or the work is among it. */
export async function whatStaysYours({ space, holder }: Announcer): Promise<string | null> {
  if (space.kind === "in-place") return null;
  const { root, manifest, folder: projectFolder } = holder.entry;
  const own = ownPaths({ root, manifest, projectFolder });
  const isTheirs = (path: string): boolean =>
    !own.some((each) => path === each || path.startsWith(`${each}/`));
  const { tracked, untracked, embedded } = await readStatus(root, "with-untracked");
  const modified = tracked.filter(({ path }) => isTheirs(path)).length;
  const others = [...untracked, ...embedded].filter(isTheirs).length;
  if (modified + others === 0) return null;
  const counted = [
    ...(modified === 0 ? [] : [`${modified} modified`]),
    ...(others === 0 ? [] : [`${others} untracked`]),
  ].join(" and ");
  const [files, stay] = modified + others === 1 ? ["file", "stays"] : ["files", "stay"];
  return `${counted} ${files} ${stay} yours; --include-changes starts from them`;
}
