// The workspace of a run: which kind, where it lies, and what its processes see.
import { mkdirSync, realpathSync } from "node:fs";
import { join } from "node:path";
import type { RunId } from "../../core/ids.ts";
import type { News } from "../../core/news.ts";
import type { Bring } from "../../core/written/workspace-settings.ts";
import { childEnvironment } from "../../process/child-environment.ts";
import type { Isolation } from "../../process/namespace/isolation.ts";
import { runCommand } from "../../process/run-command.ts";
import { makeRedactor } from "../../process/text/redact.ts";
import type { Holder, Store } from "../../store/store.ts";
import { bringFiles } from "../../workspace/tree/bring-files.ts";
import { openWorkspace, type Remembered, remembered } from "../../workspace/open-workspace.ts";
import { workspacesFolder } from "../../workspace/workspace-folders.ts";
import type { Workspace, WorkspaceKind } from "../../workspace/workspace.ts";
import type { StopWanted } from "../base/run-context.ts";
import { ownPaths } from "../base/tree-files.ts";
import { whileWanted } from "../base/while-wanted.ts";
import { keepSpace } from "./kept-space.ts";
import { forgetSetup } from "./set-up.ts";

/** What a person chose, and what is there to choose from. */
export interface SpaceChoice {
  readonly hasGit: boolean;
  readonly kind: WorkspaceKind;
  /** Not shown at the checkout's path even where that could be done. */
  readonly ownPath: boolean;
  /** Folder of all workspaces, where a person moved them. */
  readonly dir: string | undefined;
  /** What a new workspace gets of the files that git does not hold. */
  readonly bring?: Bring;
}

export interface SpaceOptions {
  readonly holder: Holder;
  readonly store: Store;
  /** Laid beside the files, and never captured. */
  readonly agentFiles: readonly string[];
  readonly runId: RunId;
  readonly isolation: Isolation;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stateHome: string;
  readonly choice: SpaceChoice;
  readonly tell: (news: News) => void;
  readonly stopWanted: () => StopWanted | null;
}

const HOOK_OUTPUT_BYTES = 64 * 1024;
/** A person's hooks may run a whole test suite. */
const HOOK_TIMEOUT_MS = 15 * 60_000;

export function openSpace(options: SpaceOptions): Remembered {
  const { holder, isolation, stateHome, choice } = options;
  const { root, manifest, folder, project_id, slug } = holder.entry;
  const checkout = realpathSync(root);
  const home = join(choice.dir ?? workspacesFolder(stateHome), project_id, "1");
  const projectFolder = join(checkout, folder);
  const inbox = join(projectFolder, "inbox");
  mkdirSync(inbox, { recursive: true });
  const own = [...ownPaths({ root, manifest, projectFolder: folder }), ...options.agentFiles];
  const isShown = isolation.kind !== "group" && !choice.ownPath;
  const space: Workspace = openWorkspace({
    kind: choice.kind,
    checkout,
    home,
    owner: stateHome,
    project: project_id,
    slug,
    manifest,
    ownPaths: own,
    shownAt: isShown ? "checkout" : "own-path",
    hide: [stateHome],
    mounts: [
      { from: projectFolder, at: projectFolder, mode: "read-only" },
      { from: inbox, at: inbox, mode: "read-write" },
    ],
    bring: async (tree) => {
      const bring = choice.bring ?? "default";
      forgetSetup(options);
      const said = (text: string): void => options.tell({ kind: "notice", text });
      const brought = await bringFiles({
        checkout,
        tree,
        bring,
        ownPaths: own,
        tell: said,
      });
      for (const { path, why } of brought.skipped) said(`${path} was not brought along: ${why}`);
      return brought.paths;
    },
    runInside: async (command) =>
      await whileWanted(options.stopWanted, "a git hook", async (signal) => {
        const result = await runCommand(
          {
            ...command,
            env: {
              ...childEnvironment(options.env, {
                allow: undefined,
                extra: { [WORK_TREE_VARIABLE]: space.at },
              }),
              ...command.env,
            },
          },
          {
            timeoutMs: HOOK_TIMEOUT_MS,
            maxOutputBytes: HOOK_OUTPUT_BYTES,
            runId: options.runId,
            isolation,
            view: space.view,
            redact: makeRedactor(options.env),
            signal,
          },
        );
        if (result.stopped) throw signal.reason;
        return result;
      }),
  });
  keepSpace(options, {
    kind: choice.kind,
    home,
    at: space.at,
    isolation: isolation.kind,
  });
  return remembered(space);
}

export { RUN_ID_VARIABLE } from "../../process/child-environment.ts";

/** The folder that it was started in, as it sees it. */
export const WORK_TREE_VARIABLE = "STINT_WORK_TREE";
