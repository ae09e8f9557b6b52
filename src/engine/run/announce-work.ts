// The first lines of a run and of a plan: where the work will be, where it is pushed, and what of the person's is no part of it.
import type { PushedBranch } from "../base/ports.ts";
import { runGit } from "../../git/run-git.ts";
import { readStatus } from "../../git/work-tree.ts";
import {
  type DeliverMode,
  type DeliveryChoice,
  whereWorkGoes,
} from "../../core/written/delivery-choice.ts";
import type { RegistryEntry, Store } from "../../store/store.ts";
import type { WorkspaceKind } from "../../workspace/workspace.ts";
import { deliveryRule } from "../finish/delivery-rule.ts";
import { openKeptSpace } from "../space/open-kept-space.ts";
import type { RunContext } from "../base/run-context.ts";
import { ownPaths } from "../base/tree-files.ts";

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

/** The same before a run: from the branch that a workspace has recorded, else from the one checked out. */
export async function whereWorkGoesFrom(
  store: Store,
  entry: RegistryEntry,
  { kind, deliver }: { readonly kind: WorkspaceKind; readonly deliver: DeliverMode },
): Promise<{
  readonly kind: DeliveryChoice["kind"] | "in-place";
  readonly branch: string | null;
  readonly text: string;
  readonly pushed: PushedBranch;
}> {
  const { root, slug, project_id: project } = entry;
  if (kind === "in-place") {
    const pushed = { name: null, isOwn: false, target: null };
    return { kind, branch: null, text: "verified work is in your files at once", pushed };
  }
  const branch = await targetBranch(store, entry);
  const choice = await deliveryRule(root, deliver).choose(branch);
  const own = `stint/${slug}`;
  return {
    kind: choice.kind,
    branch,
    text: whereWorkGoes(choice, { target: branch, own, project }),
    pushed: branchThatIsPushed(choice, branch, own),
  };
}

async function targetBranch(store: Store, entry: RegistryEntry): Promise<string | null> {
  const space = openKeptSpace(store, entry);
  if (space !== null) return space.deliversTo();
  const { code, stdout } = await runGit(
    entry.root,
    ["symbolic-ref", "--quiet", "--short", "HEAD"],
    {
      accept: "any",
    },
  );
  return code === 0 ? stdout.trim() : null;
}

/** The branch that will hold the work when it is pushed. */
function branchThatIsPushed(
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
  const { tracked, untracked } = await readStatus(root);
  const modified = tracked.filter(isTheirs).length;
  const others = untracked.filter(isTheirs).length;
  if (modified + others === 0) return null;
  const counted = [
    ...(modified === 0 ? [] : [`${modified} modified`]),
    ...(others === 0 ? [] : [`${others} untracked`]),
  ].join(" and ");
  const [files, stay] = modified + others === 1 ? ["file", "stays"] : ["files", "stay"];
  return `${counted} ${files} ${stay} yours; --include-changes starts from them`;
}
