// A program that performs one act of a workspace and ends; the crash tests kill it between two commands.
//   workspace-act <act> <options as JSON>
import { openWorkspace, type WorkspaceOptions } from "../../src/workspace/open-workspace.ts";
import type { Workspace } from "../../src/workspace/workspace.ts";
import { optionsFor, request, treeOf } from "./workspace-scene.ts";

export const OWN = [{ path: "PROMPT.md", content: Buffer.from("- [x] one\n") }];

/** Each as a run repeats it after a crash: open first, then the same again. */
export const ACTS = {
  open: async () => {},
  lay: async (workspace: Workspace) => {
    await workspace.lay((await workspace.tip()).tree);
  },
  capture: async (workspace: Workspace) => {
    const tip = await workspace.tip();
    const tree = treeOf(await workspace.capture());
    await workspace.keep({ task: "t1", attempt: 1 }, tree, tip.tree);
  },
  commit: async (workspace: Workspace) => {
    await workspace.commit(request(treeOf(await workspace.capture()), "t1", { own: OWN }));
  },
  follow: async (workspace: Workspace) => {
    await workspace.follow({
      settle: ({ theirs }) => theirs,
      verify: async () => [],
      keep: () => {},
      conflicts: "ask",
      removed: "ask",
      asked: null,
    });
  },
  deliver: async (workspace: Workspace) => {
    await workspace.deliver();
  },
} satisfies Record<string, (workspace: Workspace) => Promise<void>>;

export interface ActArgument {
  readonly checkout: string;
  readonly home: string;
  readonly more: Partial<WorkspaceOptions>;
}

export async function perform(act: keyof typeof ACTS, argument: ActArgument): Promise<void> {
  const { checkout, home, more } = argument;
  const workspace = openWorkspace(optionsFor(checkout, home, more));
  await workspace.open();
  await ACTS[act](workspace);
}

const [, program, act, argument] = process.argv;
if (
  program?.endsWith("workspace-act.mjs") === true &&
  act !== undefined &&
  argument !== undefined
) {
  await perform(act as keyof typeof ACTS, JSON.parse(argument) as ActArgument);
}
