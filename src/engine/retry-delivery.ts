// Work that waits on its own branch is tried again whenever a run begins or ends: what was in the way may be
// gone by then.
import { deliverWork } from "./deliver-work.ts";
import { followBranch } from "./follow-branch.ts";
import { readDelivery } from "./kept-delivery.ts";
import type { RunContext } from "./run-context.ts";

/** Whether verified work has not reached the person's branch yet. */
export async function isWaiting({ store, holder }: RunContext): Promise<boolean> {
  return (await readDelivery(store, holder.entry))?.kind === "waiting";
}

export async function retryDelivery(context: RunContext): Promise<void> {
  if (!(await isWaiting(context))) return;
  // A project that is not done follows the person's branch in its rounds.
  if (context.holder.state.status === "Done") await followBranch(context);
  await deliverWork(context);
}
