// What sessions are at and how they went, as `status` tells it: the attempt under way, what failed last, how the sessions
// of unfinished tasks ended, and which wait for their provider now.
import type { StatusView } from "../../core/schema/views.ts";
import { localTime } from "../amounts.ts";
import { type Fact, ifAny } from "./fact-rows.ts";

const SHOWN_ENDS = 3;

export function sessionFacts(view: StatusView): Fact[] {
  const { current_attempt: now, last_failure: failed, session_ends, provider_waits } = view;
  const said = failed === null || failed.line === "" ? "" : `: ${failed.line}`;
  return [
    ...ifAny(
      "Current",
      now &&
        `${now.task_id}, attempt ${now.number} of ${now.allowed}, session ${now.session} since ${localTime(now.started_at)}`,
    ),
    ...ifAny(
      "Last failure",
      failed && `${failed.task_id}, attempt ${failed.attempt}, ${failed.check}${said}`,
    ),
    ...provider_waits.map(({ text }): Fact => ["Waits", text]),
    ...session_ends.slice(-SHOWN_ENDS).flatMap(({ session, task_id, words, log }): Fact[] => {
      const told = isToldAbove(words, view) ? "" : ` ${words}`;
      return [["Session", `${session}${told} (${task_id})`], ...ifAny("Its log", log)];
    }),
  ];
}

/** Whether what blocks the project, or lets it wait, says how a session ended. */
export function isToldAbove(words: string, { blockers, pause }: StatusView): boolean {
  const reasons = [...blockers, ...(pause === null ? [] : [pause])].map(({ reason }) => reason);
  return reasons.some((reason) => reason.includes(words));
}
