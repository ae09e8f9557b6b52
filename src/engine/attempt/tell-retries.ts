// A session that waits for its provider, as one line and not one for each retry; those that are worth a line are
// written down, so that `status` and whoever watches from elsewhere know of them.
import type { AgentEvent } from "../../agents/agent.ts";
import type { News } from "../../core/news.ts";
import {
  afterAnswer,
  afterRetry,
  NO_RETRIES,
  PROVIDER_ANSWERED,
  PROVIDER_WAITED_FOR,
} from "../../core/words/retries-told.ts";
import { StintError } from "../../core/stint-error.ts";
import { fact } from "../base/fact.ts";
import type { RunContext } from "../base/run-context.ts";

/** What it does before its provider has answered. */
const NO_ANSWER = new Set<AgentEvent["kind"]>([
  "retrying",
  "error",
  "limit",
  "unreadable",
  "result",
]);

/** @returns what hears every event of the session */
export function retryTeller(
  context: RunContext,
  session: number,
  beside: Pick<Extract<News, { kind: "session" }>, "task">,
): (event: AgentEvent) => void {
  const { holder, host, tell } = context;
  let told = NO_RETRIES;
  const note = (kind: string, summary: string): void => {
    try {
      holder.note({ ...fact(context), kind, summary, data: { session, times: told.times } });
    } catch (error) {
      // A holder that cannot write any more says so at the next act.
      if (!(error instanceof StintError)) throw error;
    }
  };
  return (event) => {
    if (event.kind === "retrying") {
      const next = afterRetry(told, session, event, host.nowMs());
      ({ told } = next);
      if (next.isLine) note(PROVIDER_WAITED_FOR, next.text);
      tell({ kind: "retrying", session, text: next.text, isLine: next.isLine, ...beside });
    } else if (!NO_ANSWER.has(event.kind)) {
      const next = afterAnswer(told, session);
      if (next === null) return;
      ({ told } = next);
      note(PROVIDER_ANSWERED, next.text);
      tell({ kind: "retrying", session, text: next.text, isLine: true, ...beside });
    }
  };
}
