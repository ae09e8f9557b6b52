// The workspace of a project that is done, and whose work the person has: it goes. One that holds anything
// that is nowhere else stays. A kill before or in it leaves what the next run or `clean` removes.
import { existsSync } from "node:fs";
import { readSpace } from "../space/kept-space.ts";
import { isWaiting } from "./retry-delivery.ts";
import type { RunContext } from "../base/run-context.ts";
import { memoryOf } from "../base/task-memory.ts";
import { whileTold } from "../base/while-told.ts";

type Over = Pick<RunContext, "holder" | "store" | "space" | "host" | "tell">;

export async function removeWhenOver(context: Over): Promise<void> {
  const { holder, store, space } = context;
  const { entry, state } = holder;
  if (state.status !== "Done" || space.kind === "in-place") return;
  const home = readSpace(store, entry)?.home;
  if (home === undefined || !existsSync(home)) return;
  if (isWaiting({ holder })) return;
  if (state.tasks.some(({ id, status }) => status !== "done" && hasWork({ holder, store }, id))) {
    return;
  }
  await whileTold(context, "removing the workspace", () => space.remove());
}

/** Of a task that was left out: whoever takes it up again finds what its sessions left. */
function hasWork(
  { holder, store }: Pick<Over, "holder" | "store">,
  id: Parameters<typeof memoryOf>[2],
): boolean {
  const { work } = memoryOf(store, holder.state.project_id, id);
  return work !== undefined && work.tree !== work.base;
}
