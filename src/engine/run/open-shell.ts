// Opens the workspace of a project for a person who wants to look into it, as a run would open it.
import type { RunId } from "../../core/ids.ts";
import { chooseIsolation } from "../../process/namespace/isolation.ts";
import type { Holder, Store } from "../../store/store.ts";
import { agentFiles } from "./agent-files.ts";
import { openSpace, type SpaceChoice } from "../space/open-space.ts";
import type { Agents } from "../base/run-context.ts";
import type { ShellContext } from "./shell-in-space.ts";
import { treeFiles } from "../base/tree-files.ts";

export interface ShellOptions {
  readonly holder: Holder;
  readonly store: Store;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly allow: readonly string[] | undefined;
  readonly stateHome: string;
  readonly isolation: "auto" | "on" | "off";
  readonly dir: string;
  readonly agents: Agents;
  readonly choice: SpaceChoice;
  readonly tell: (text: string) => void;
}

export async function openShell(options: ShellOptions): Promise<ShellContext> {
  const { holder, store, env, allow, dir, choice } = options;
  const { root, manifest, folder: projectFolder } = holder.entry;
  const isolation = chooseIsolation(options.isolation);
  const runId: RunId = holder.lease.run_id;
  const tell = (news: { readonly kind: string }): void => {
    if ("text" in news) options.tell(String(news.text));
  };
  const { space } = openSpace({
    holder,
    store,
    agentFiles:
      choice.kind === "in-place" ? [] : await agentFiles(root, holder.state.tasks, options.agents),
    runId,
    isolation,
    env,
    stateHome: options.stateHome,
    choice,
    tell,
    stopWanted: () => null,
  });
  if (space.kind === "own-copy") for (const text of await space.open()) options.tell(text);
  const copy = treeFiles({ root: space.folder, manifest, projectFolder });
  return { holder, store, space, copy, tell, runId, isolation, env, allow, dir };
}
