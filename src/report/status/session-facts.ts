// What sessions are at and how they went, as `status` tells it: the attempt under way, what failed last, how the sessions
// of unfinished tasks ended, and which wait for their provider now.
import type { StatusView } from "../../core/schema/views.ts";
import { sessionWords } from "../../core/words/session-end-words.ts";
import { localTime } from "../amounts.ts";
import { type Fact, ifAny } from "./fact-rows.ts";
import { interruptedTask } from "./idle.ts";

const SHOWN_ENDS = 3;

export function sessionFacts(view: StatusView): Fact[] {
  const { current_attempt: now, session_ends, provider_waits, blockers, pause } = view;
  // These lines stand above.
  const told = [...blockers, ...(pause === null ? [] : [pause])].map(({ reason }) => reason);
  return [
    ...(interruptedTask(view) === null
      ? ifAny(
          "Current",
          now &&
            `${now.task_id}, attempt ${now.number} of ${now.allowed}, session ${now.session} since ${localTime(now.started_at)}`,
        )
      : interruptedFacts(view)),
    ...failureFacts(view, told),
    ...provider_waits.map(({ text }): Fact => ["Waits", text]),
    ...session_ends.slice(-SHOWN_ENDS).flatMap(({ session, task_id, words, log }): Fact[] => {
      if (!isEndTold({ session, task_id, words }, told)) {
        return [["Session", `${session} ${words} (${task_id})`], ...ifAny("Its log", log)];
      }
      return ifAny("Session", log && `${session} ${ENDED_AS_TOLD} (${task_id}), log ${log}`);
    }),
  ];
}

/** An attempt that was not judged to its end. A session without an end may be one that somebody works on by hand. */
export function interruptedFacts(view: StatusView): Fact[] {
  const { current_attempt: now } = view;
  const task = interruptedTask(view);
  if (now === null || task === null) return [];
  const { number, allowed, session, started_at } = now;
  const why =
    task.status === "validating"
      ? "not all of its checks were run; they are run again next"
      : `session ${session}, since ${localTime(started_at)}, has no end on record; the next run checks what it left`;
  return [["Interrupted", `${task.id}, attempt ${number} of ${allowed}: ${why}`]];
}

/** What stands for the words of a session that an earlier line tells. */
export const ENDED_AS_TOLD = "ended as told above";

/** What failed last of a task that is not finished. A check that the lines above name is not named again. */
export function failureFacts(
  { last_failure: failed }: Pick<StatusView, "last_failure">,
  above: readonly string[],
): Fact[] {
  if (failed === null || (failed.line !== "" && isToldIn(failed.line, above))) return [];
  const check = isToldIn(failed.check, above) ? [] : [failed.check];
  const said = failed.line === "" ? "" : `: ${failed.line}`;
  const what = [failed.task_id, `attempt ${failed.attempt}`, ...check].join(", ");
  return [["Last failure", `${what}${said}`]];
}

/** Whether a line above says how a session ended; why one gave up is told as what its task is blocked by. */
export function isEndTold(
  {
    session,
    task_id,
    words,
  }: Pick<StatusView["session_ends"][number], "session" | "task_id" | "words">,
  above: readonly string[],
): boolean {
  if (isToldIn(sessionWords(session, words), above)) return true;
  const why = /^could not continue: (.+)$/.exec(words)?.[1];
  return why !== undefined && isToldIn(`${task_id} cannot be done: ${why}`, above);
}

/** Whether a line that stands above says so. */
export function isToldIn(words: string, above: readonly string[]): boolean {
  return above.some((text) => text.includes(words));
}
