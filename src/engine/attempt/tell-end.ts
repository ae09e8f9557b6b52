// How a session ended, for whoever watches and for its event: told once, by the run that saw it, or by the next
// one where none did. A session that finished, or asked, is told by what came of it.
import { statSync } from "node:fs";
import { join } from "node:path";
import type { EndTold } from "../../core/events.ts";
import type { SessionEnd, SessionStart } from "../../core/schema/session-records.ts";
import { CUT_SHORT, sessionEndWords } from "../../core/words/session-end-words.ts";
import { sessionPath } from "../base/kept-record.ts";
import type { RunContext } from "../base/run-context.ts";

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
  return { session, words: CUT_SHORT, ...logOfEnd(context, session, null) };
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
  const log = names
    .map((name) => sessionPath(session, name))
    .find((path) => (statSync(join(root, folder, path), { throwIfNoEntry: false })?.size ?? 0) > 0);
  return log === undefined ? {} : { log };
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
