// The walls of a run: put up where its isolation can hold them. Where it cannot, a person is told once, and what demands
// them is refused.
import { realpathSync } from "node:fs";
import { join } from "node:path";
import type { RunId } from "../../core/ids.ts";
import { StintError } from "../../core/stint-error.ts";
import type { ProtectSettings } from "../../core/written/protect.ts";
import { type Isolation, whyNoStrictWalls, whyNoWalls } from "../../process/namespace/isolation.ts";
import type { View } from "../../process/namespace/view.ts";
import { NO_WALLS, type Own, type Walls, wallsOf } from "../../process/namespace/walls.ts";
import { workspacesFolder } from "../../workspace/workspace-folders.ts";
import type { RunContext } from "../base/run-context.ts";
import type { SpaceChoice } from "./open-space.ts";

export interface RunWallsOptions extends Pick<RunContext, "holder" | "tell" | "runId"> {
  readonly isolation: Isolation;
  readonly protect?: ProtectSettings;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stateHome: string;
  readonly space: Pick<SpaceChoice, "kind" | "dir">;
}

/** @throws bad-input where what is demanded cannot be held */
export function runWalls(options: RunWallsOptions): Walls {
  const { protect: wanted, isolation, holder, env, stateHome, space, tell, runId } = options;
  if (wanted === undefined) return NO_WALLS;
  const { protect, writable, show } = wanted;
  const why = protect === "strict" ? whyNoStrictWalls(isolation) : whyNoWalls(isolation);
  if (why !== null) refuse(wanted, why);
  if (protect === "off") return NO_WALLS;
  if (why !== null) {
    tellOnce(runId, () => tell({ kind: "notice", text: cannotHold(protect, why) }));
    return NO_WALLS;
  }
  const { root, project_id } = holder.entry;
  const home = join(space.dir ?? workspacesFolder(stateHome), project_id, "1");
  const walls = wallsOf({
    protect,
    writable,
    show,
    env,
    never: [stateHome],
    copies: join(home, "shown"),
  });
  // In place the person's folder is the workspace.
  if (space.kind !== "in-place") return walls;
  const folder = realpathSync(root);
  const around = (view: View, own: Own = {}): View =>
    walls.around(view, { ...own, folders: [folder, ...(own.folders ?? [])] });
  return { ...walls, around };
}

/** A run opens its context again after each wait. */
const told = new Set<RunId>();

function tellOnce(runId: RunId, tell: () => void): void {
  if (told.has(runId)) return;
  told.add(runId);
  tell();
}

function cannotHold(protect: string, why: string): string {
  return `protect: ${protect} cannot be enforced here: ${why.replace(/\.+$/, "")}. Sessions and checks can write and read what you can`;
}

function refuse({ protect, network }: ProtectSettings, why: string): void {
  const demanded =
    protect === "strict" ? "protect: strict" : network === "all" ? null : `network: ${network}`;
  if (demanded === null) return;
  throw new StintError(
    "bad-input",
    `${demanded} cannot be enforced here: ${why}`,
    process.platform === "linux"
      ? "install bubblewrap (apt install bubblewrap, dnf install bubblewrap) and leave isolation: auto; what is missing: stint doctor"
      : "walls exist on Linux only; run Stint in a Linux container or virtual machine, or choose protect: home and network: all",
  );
}
