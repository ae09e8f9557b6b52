// What is wanted of the workspace: by the manifest as it is known, and where it says nothing by the
// settings. Commands that came into the manifest and that nobody has allowed yet are not among it: until
// somebody does, the text that was approved counts.
import { lstatSync } from "node:fs";
import { join } from "node:path";
import type { Task } from "../../core/schema/task.ts";
import { frontMatterOf } from "../../manifest/front-matter-of.ts";
import { workspaceSettings } from "../../manifest/workspace-settings.ts";
import type { RunContext, WorkspaceWishes } from "../base/run-context.ts";
import { consentOf } from "../people/consent.ts";

export function wishesOf(
  context: Pick<RunContext, "store" | "holder" | "settings">,
): WorkspaceWishes {
  const { store, holder, settings } = context;
  const { manifest, plan, project_id } = holder.state;
  const isAllowed = consentOf(store, holder.state).missingOfWorkspace().length === 0;
  const digest = isAllowed ? manifest.digest : plan?.digest;
  const text = digest === undefined ? "" : store.manifestText(project_id, digest);
  return { ...settings.wishes, ...workspaceSettings(frontMatterOf(text)) };
}

/**
 * The folder in which sessions, checks and acts of a task start. It is a folder of the workspace itself: a
 * link could lead anywhere, and a session could have made it.
 */
export interface StartFolder {
  /** Below the root; "" is the root itself. */
  readonly dir: string;
  /** Why nothing can start there; null where it can. */
  readonly problem: string | null;
}

export function startFolder(context: RunContext, task: Pick<Task, "dir">): StartFolder {
  const dir = dirOf(context, task);
  return { dir, problem: dir === "" ? null : folderProblem(context.space.folder, dir) };
}

/** The same in the person's own files. */
export function startInCheckout(context: RunContext, task: Pick<Task, "dir">): StartFolder {
  const dir = dirOf(context, task);
  const { root } = context.holder.entry;
  return { dir, problem: dir === "" ? null : folderProblem(root, dir) };
}

export function dirOf(context: RunContext, task: Pick<Task, "dir">): string {
  return task.dir ?? wishesOf(context).dir ?? "";
}

export function folderProblem(root: string, dir: string): string | null {
  let path = root;
  for (const name of dir.split("/")) {
    path = join(path, name);
    const shown = path.slice(root.length + 1);
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found === undefined) return `dir: ${dir} is not in the work tree (${shown} is missing)`;
    if (found.isSymbolicLink()) return `dir: ${dir} leads through a link (${shown})`;
    if (!found.isDirectory()) return `dir: ${dir} is not a folder (${shown} is a file)`;
  }
  return null;
}
