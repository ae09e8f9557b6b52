// REPORT: what was persisted, as it was persisted. It takes nothing else.
import type { Persisted } from "./persist.ts";
import type { RunContext } from "./run-context.ts";

export function reportRound(context: Pick<RunContext, "tell">, persisted: Persisted): void {
  const { state, event, summary } = persisted;
  context.tell({
    kind: "persisted",
    revision: state.revision,
    event: event.kind,
    summary,
    status: state.status,
  });
}
