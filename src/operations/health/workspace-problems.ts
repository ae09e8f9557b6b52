// What a manifest expects of the workspace and would not find there.
import type { Config } from "../../core/schema/config.ts";
import { unseenFiles as unseenAmong } from "../../engine/run/announce-work.ts";
import {
  mentionedPaths,
  type MentionedPath,
  loopbackWithoutServe,
  unseenFiles,
} from "../../manifest/lint/workspace-lint.ts";
import type { ManifestDocument } from "../../manifest/manifest-document.ts";
import type { Plan } from "../../manifest/plan.ts";
import type { Problem } from "../../manifest/problem.ts";
import {
  workspaceSettings,
  type WorkspaceSettings,
} from "../../core/written/workspace-settings.ts";

export interface LookedAt {
  readonly root: string;
  readonly hasGit: boolean;
  /** The manifest itself: every workspace has it, committed or not. */
  readonly manifest: string;
  /** What the person has not committed, and git does not ignore, is there too. */
  readonly includesChanges?: boolean;
}

export async function workspaceProblems(
  document: ManifestDocument,
  plan: Plan,
  config: Config,
  at: LookedAt,
): Promise<readonly Problem[]> {
  const settings = { ...workspaceSettings(config), ...workspaceSettings(plan.settings) };
  if (isInPlace(settings, at)) return [];
  const unseen = await unseenMentions(plan, settings, at);
  return [
    ...unseenFiles(document, unseen),
    ...(settings.serve === undefined ? loopbackWithoutServe(plan) : []),
  ];
}

/** Files that the manifest mentions, that lie in the checkout, and that no session would see. */
export async function unseenMentions(
  plan: Plan,
  settings: WorkspaceSettings,
  { root, manifest, includesChanges = false }: LookedAt,
): Promise<readonly MentionedPath[]> {
  const mentions = mentionedPaths(plan, settings).filter(({ path }) => path !== manifest);
  const paths = mentions.map(({ path }) => path);
  const unseen = await unseenAmong(root, paths, {
    bring: settings.bring ?? "default",
    includesChanges,
  });
  return mentions.filter(({ path }) => unseen.has(path));
}

function isInPlace({ workspace }: WorkspaceSettings, { hasGit }: LookedAt): boolean {
  return !hasGit || workspace?.kind === "in-place";
}
