// What is told of a session: that it waits for its provider, as one line and not one for each retry, and how it
// ended. An end is told once, by the run that saw it, or by the next one where none did; a session that finished, or
// asked, is told by what came of it. Retries that are worth a line are written down, so that `status` and whoever
// watches from elsewhere know of them.
import { join } from "node:path";
import type { EndTold } from "../../core/events.ts";
import type { SessionEnd, SessionStart } from "../../core/schema/session-records.ts";
import { cutShortWords, sessionEndWords } from "../../core/words/session-end-words.ts";
import { sessionPath } from "../base/kept-record.ts";
import type { RunContext } from "../base/run-context.ts";
import type { AgentEvent } from "../../agents/agent.ts";
import { isAnswer } from "../../agents/event-summary.ts";
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
import { lastInLogs } from "../base/last-in-logs.ts";
import { lookThrough } from "../../process/look-at.ts";

const TOLD_BY_WHAT_CAME = new Set<SessionEnd["outcome"]["kind"]>([
  "finished",
  "question",
  "approval-needed",
]);

/** Undefined where there is nothing to tell. */
export function endTold(end: Omit<SessionEnd, "manifest">): EndTold | undefined {
  const { session, outcome, stopped, log } = end;
  if (stopped === null && TOLD_BY_WHAT_CAME.has(outcome.kind)) return undefined;
  return { session, words: sessionEndWords(end), ...(log !== undefined && { log }) };
}

/** Of an end that nobody saw. Whoever had it in hand was no process of Stint, and nothing was cut. */
export function unseenEndTold(context: RunContext, start: SessionStart): EndTold | undefined {
  if (start.by_hand === true) return undefined;
  const { session } = start;
  const words = cutShortWords(lastInLogs(context, session));
  return { session, words, ...logOfEnd(context, session, null) };
}

/** What an agent says of its own end stands in its stream; of one that broke, what it wrote to its standard error. */
export function logOfEnd(
  { holder }: RunContext,
  session: number,
  kind: SessionEnd["outcome"]["kind"] | null,
): { readonly log?: string } {
  const isBroken = kind === "crashed" || kind === "killed";
  const names = isBroken ? ["stderr.log", "events.jsonl"] : ["events.jsonl", "stderr.log"];
  const { root, folder } = holder.entry;
  const log = firstWritten(names, (name) => join(root, folder, sessionPath(session, name)));
  return log === undefined ? {} : { log: sessionPath(session, log) };
}

/** The first of these logs that something is in. */
export function firstWritten(
  names: readonly string[],
  placeOf: (name: string) => string,
): string | undefined {
  return names.find((name) => (lookThrough(placeOf(name))?.size ?? 0) > 0);
}

export function tellEnd(
  { holder, lane, tell }: RunContext,
  ended: EndTold | undefined,
  { tasks }: SessionStart,
): void {
  if (ended === undefined) return;
  const { root, folder } = holder.entry;
  const { session, words, log } = ended;
  const [first] = tasks;
  tell({
    kind: "session-ended",
    session,
    words,
    ...(log !== undefined && { log: join(root, folder, log) }),
    ...(lane !== undefined && first !== undefined && { task: first.task_id }),
  });
}

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
    } else if (isAnswer(event)) {
      const next = afterAnswer(told, session);
      if (next === null) return;
      ({ told } = next);
      note(PROVIDER_ANSWERED, next.text);
      tell({ kind: "retrying", session, text: next.text, isLine: true, ...beside });
    }
  };
}
