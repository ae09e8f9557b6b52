// What an act hands out, one after another: an event, with the rows of its checks. Whoever drives it makes
// each durable before the act goes on, so the act finds it in the state; no act persists anything itself.
import type { ProjectEvent } from "../../core/events.ts";

export interface Step {
  readonly event: ProjectEvent;
  readonly rows?: readonly string[] | undefined;
}

export type Steps<T = void> = AsyncGenerator<Step, T, undefined>;

/** For what is known to hand out nothing. */
export async function withoutSteps<T>(steps: Steps<T>): Promise<T> {
  const first = await steps.next();
  if (first.done === true) return first.value;
  throw new Error(`nobody is here to persist ${first.value.event.kind}`);
}
