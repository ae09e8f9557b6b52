// Tells a person that a project does not go on: the project is paused with the reason, under the lease for a moment, and
// that is told as every pause is (docs/notifications.md). Paused without an end, it is left alone until they go on.
import type { ProjectId } from "../../core/ids.ts";
import { isTerminal } from "../../core/project-state.ts";
import { noticesWithoutRun } from "../../engine/people/open-notices.ts";
import { persist } from "../../engine/base/persist.ts";
import { acquireIfFree, whileHeld } from "../run/lease.ts";
import { configToFollow } from "../run/run-surroundings.ts";
import { nowOf, type System } from "../system.ts";

const SILENT = { tell: (): void => {} };

/** @returns false where somebody is at work after all */
export async function escalate(system: System, id: ProjectId, why: string): Promise<boolean> {
  const holder = acquireIfFree(system, id);
  if (holder === null) return false;
  return await whileHeld(system, holder, async () => {
    if (isTerminal(holder.state)) return false;
    const { notify, env } = await configToFollow(system, SILENT, holder);
    // Opened first: it tells what it has not seen yet.
    const notices = noticesWithoutRun({ ...system, holder, settings: notify, allow: env?.allow });
    const { pause } = holder.state;
    // A tick that was killed right after it had paused the project has only to tell it.
    if (pause?.reason !== why) {
      const fact = { at: nowOf(system), by: holder.state.owner_agent };
      const wanted = { kind: "interruption", reason: why } as const;
      persist({ holder }, { kind: "paused", ...fact, pause: wanted });
    }
    notices?.persisted(holder.state);
    await notices?.settle(() => false);
    return true;
  });
}
