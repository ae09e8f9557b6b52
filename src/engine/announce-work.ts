// The first lines of a run: where its work will be, and what of the person's is no part of it.
import { readStatus } from "../git/read-status.ts";
import { type DeliveryChoice, whereWorkGoes } from "../core/delivery-choice.ts";
import type { PushedBranch } from "./push-work.ts";
import type { RunContext } from "./run-context.ts";
import { ownPaths } from "./tree-files.ts";

type Announcer = Pick<RunContext, "space" | "holder">;

export async function whereWorkWillBe({
  space,
  holder,
  rule,
}: Announcer & Pick<RunContext, "rule">): Promise<string> {
  if (space.kind === "in-place") return `works in place, in ${space.at}`;
  const target = space.deliversTo();
  const { slug, project_id: project } = holder.entry;
  const places = { target, own: `stint/${slug}`, project };
  return `works in a copy, at ${space.at}; ${whereWorkGoes(await rule.choose(target), places)}`;
}

/** Null where there is no remote. */
export async function whereWorkIsPushed({
  space,
  holder,
  rule,
  push,
}: Announcer & Pick<RunContext, "rule" | "push">): Promise<string | null> {
  if (space.kind === "in-place") {
    return await push.announce({ name: null, isOwn: false, target: null });
  }
  const target = space.deliversTo();
  return await push.announce(
    branchThatIsPushed(await rule.choose(target), target, `stint/${holder.entry.slug}`),
  );
}

/** The branch that will hold the work when it is pushed. */
export function branchThatIsPushed(
  choice: DeliveryChoice,
  target: string | null,
  own: string,
): PushedBranch {
  const stays = choice.kind === "wait";
  return { name: stays ? own : target, isOwn: stays, target };
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
