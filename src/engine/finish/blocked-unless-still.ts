// What stands still already cannot be blocked once more: it is told, and the next run tries again.
import type { EventOf, ProjectEvent } from "../../core/events.ts";
import { isActive } from "../../core/project-state.ts";
import type { RunContext } from "../base/run-context.ts";
import type { Steps } from "../base/steps.ts";

export async function* blockedUnlessStill(context: RunContext, event: ProjectEvent): Steps {
  if (event.kind !== "blocked" || isActive(context.holder.state)) {
    yield { event };
    return;
  }
  context.tell({ kind: "notice", text: reasonOf(event) });
}

function reasonOf({ blocker }: EventOf<"blocked">): string {
  return blocker?.reason ?? "it cannot go on";
}
