// What is wanted of the workspace: by the manifest as it is known, and where it says nothing by the
// settings. Commands that came into the manifest and that nobody has allowed yet are not among it: until
// somebody does, the text that was approved counts.
import { lstatSync } from "node:fs";
import { join } from "node:path";
import type { Sha256 } from "../../core/schema/scalar.ts";
import { frontMatterOf } from "../../manifest/settings.ts";
import { workspaceSettings } from "../../core/written/workspace-settings.ts";
import type { Task } from "../../core/schema/task.ts";
import type { RunContext, WorkspaceWishes } from "../base/run-context.ts";
import { consentOf } from "../people/consent.ts";

export function wishesOf(
  context: Pick<RunContext, "store" | "holder" | "settings">,
): WorkspaceWishes {
  const { store, holder, settings } = context;
  const digest = allowedText(context);
  const text = digest === null ? "" : store.manifestText(holder.state.project_id, digest);
  const { setup, serve, dir } = { ...settings.wishes, ...workspaceSettings(frontMatterOf(text)) };
  return {
    ...(setup === undefined ? {} : { setup }),
    ...(serve === undefined ? {} : { serve }),
    ...(dir === undefined ? {} : { dir }),
  };
}

/** The manifest's text whose commands for the workspace may be executed; null for none. */
function allowedText({ store, holder }: Pick<RunContext, "store" | "holder">): Sha256 | null {
  const { manifest, plan } = holder.state;
  const isAllowed = consentOf(store, holder.state).missingOfWorkspace().length === 0;
  return isAllowed ? manifest.digest : (plan?.digest ?? null);
}

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
