// What a person is told before anything starts: where the work will be, where it is pushed, what of theirs is
// no part of it, and which of their files a new workspace would not hold.
import { join } from "node:path";
import { pushApproved } from "../../core/words/state-words.ts";
import { isBuilt } from "../../core/files.ts";
import { StintError } from "../../core/stint-error.ts";
import {
  type DeliverMode,
  type DeliveryChoice,
  whereWorkGoes,
} from "../../core/written/delivery-choice.ts";
import type { Bring } from "../../core/written/workspace-settings.ts";
import { runGit } from "../../git/run-git.ts";
import type { RegistryEntry, Store } from "../../store/store.ts";
import { broughtAmong } from "../../workspace/tree/bring-files.ts";
import type { WorkspaceKind } from "../../workspace/workspace.ts";
import type { DeliveryRule, PushedBranch, RunContext } from "../base/run-context.ts";
import { ownPaths } from "../base/tree-files.ts";
import { deliveryRule } from "../finish/deliver.ts";
import { openKeptSpace } from "../space/kept-space.ts";
import { changesLeftOut, hasAnyCommit, NO_COMMIT } from "../space/left-out.ts";
import { lookAt } from "../../process/look-at.ts";

type Announcer = Pick<RunContext, "space" | "holder">;

export interface WorkGoes {
  readonly kind: DeliveryChoice["kind"] | "in-place";
  /** The branch that the work belongs to, or, in place, that is checked out. */
  readonly branch: string | null;
  readonly text: string;
  /** The branch that will hold the work when it is pushed. */
  readonly pushed: PushedBranch;
}

async function whereItGoes(
  kind: WorkspaceKind,
  rule: DeliveryRule,
  { slug, project_id: project }: { readonly slug: string; readonly project_id: string },
  target: () => Promise<string | null>,
): Promise<WorkGoes> {
  if (kind === "in-place") {
    const pushed = { name: null, isOwn: false, target: null };
    const on = await target();
    const commits = on === null ? "" : `, and each task is a commit on ${on}`;
    return { kind, branch: on, text: `verified work is in your files at once${commits}`, pushed };
  }
  const branch = await target();
  const choice = await rule(branch);
  const own = `stint/${slug}`;
  const stays = choice.kind === "wait";
  return {
    kind: choice.kind,
    branch,
    text: whereWorkGoes(choice, { target: branch, own, project }),
    pushed: { name: stays ? own : branch, isOwn: stays, target: branch },
  };
}

/** Where the work of a run will be, and where it is pushed: null where there is no remote. */
export async function whereWorkWillBe({
  space,
  holder,
  rule,
  push,
}: Announcer & Pick<RunContext, "rule" | "push">): Promise<readonly (string | null)[]> {
  const goes = await whereItGoes(space.kind, rule, holder.entry, async () => space.deliversTo());
  const where =
    space.kind === "in-place"
      ? `works in place, in ${space.at}`
      : `works in a copy, at ${space.at}; ${goes.text}`;
  return [where, await push.announce(goes.pushed, pushApproved(holder.state))];
}

/** The same before a run: from the branch that a workspace has recorded, else from the one checked out. */
export async function whereWorkGoesFrom(
  store: Store,
  entry: RegistryEntry,
  { kind, deliver }: { readonly kind: WorkspaceKind; readonly deliver: DeliverMode },
): Promise<WorkGoes> {
  const { root } = entry;
  return await whereItGoes(kind, deliveryRule(root, deliver), entry, async () => {
    const space = openKeptSpace(store, entry);
    if (space !== null) return space.deliversTo();
    return await checkedOut(root);
  });
}

/** The same of a project that there is not yet. */
export async function whereNewWorkGoes(
  root: string,
  slug: string,
  { kind, deliver }: { readonly kind: WorkspaceKind; readonly deliver: DeliverMode },
): Promise<WorkGoes> {
  const unknown = { slug, project_id: "<project>" };
  return await whereItGoes(kind, deliveryRule(root, deliver), unknown, () => checkedOut(root));
}

async function checkedOut(root: string): Promise<string | null> {
  const args = ["symbolic-ref", "--quiet", "--short", "HEAD"];
  const { code, stdout } = await runGit(root, args, { accept: "any" });
  return code === 0 ? stdout.trim() : null;
}

/** Nothing where sessions work among it. */
export async function whatIsLeftOut({ space, holder }: Announcer): Promise<readonly string[]> {
  if (space.kind === "in-place") return [];
  const { root, manifest, folder: projectFolder } = holder.entry;
  const own = ownPaths({ root, manifest, projectFolder, page: holder.state.page });
  const changes = await changesLeftOut({ root, own });
  // In a new and empty repository nothing is missed.
  if (changes.length === 0 || (await hasAnyCommit(root))) return changes;
  return [NO_COMMIT, ...changes];
}

/** Of these paths, those that are there and would be missed; none where git gives no answer. */
export async function unseenFiles(
  root: string,
  paths: readonly string[],
  { bring, includesChanges }: { readonly bring: Bring; readonly includesChanges: boolean },
): Promise<ReadonlySet<string>> {
  const there = paths.filter((path) => !isBuilt(path) && isOfThisRepository(root, path));
  try {
    const missing = includesChanges ? await ignored(root, there) : await notInTip(root, there);
    const brought = await broughtAmong(root, missing, bring);
    return new Set(missing.filter((path) => !brought.has(path)));
  } catch (error) {
    // It is advice: a repository of another user, which git refuses to read, is no reason to give none.
    if (error instanceof StintError) return new Set();
    throw error;
  }
}

/** There, and not inside a submodule or another repository: those have their own commits. */
function isOfThisRepository(root: string, path: string): boolean {
  if (!isThere(join(root, path))) return false;
  const parts = path.split("/");
  return parts.every((_, at) => !isThere(join(root, ...parts.slice(0, at + 1), ".git")));
}

async function notInTip(root: string, paths: readonly string[]): Promise<readonly string[]> {
  if (paths.length === 0) return paths;
  const input = paths.map((path) => `HEAD:${path}\n`).join("");
  const { stdout } = await runGit(root, ["cat-file", "--batch-check=%(objecttype)"], { input });
  const answers = stdout.split("\n");
  return paths.filter((_, at) => answers[at]?.endsWith(" missing") === true);
}

async function ignored(root: string, paths: readonly string[]): Promise<readonly string[]> {
  const input = paths.map((path) => `${path}\0`).join("");
  const args = ["check-ignore", "-z", "--stdin"];
  const { stdout } = await runGit(root, args, { input, accept: [0, 1] });
  return stdout.split("\0").filter((path) => path !== "");
}

function isThere(path: string): boolean {
  try {
    return lookAt(path) !== undefined;
  } catch {
    return false;
  }
}
