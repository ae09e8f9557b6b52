// What sessions are at and how they went, as `status` tells it: the attempt under way, what failed last, how the sessions
// of unfinished tasks ended, and which wait for their provider now.
import type { StatusView } from "../../core/schema/views.ts";
import { localTime } from "../amounts.ts";
import { type Fact, ifAny } from "./fact-rows.ts";
import { isIdle } from "./idle.ts";

const SHOWN_ENDS = 3;

export function sessionFacts(view: StatusView): Fact[] {
  const { current_attempt: now, session_ends, provider_waits } = view;
  return [
    ...ifAny(
      isIdle(view) && view.status === "Running" ? "Interrupted" : "Current",
      now &&
        `${now.task_id}, attempt ${now.number} of ${now.allowed}, session ${now.session} since ${localTime(now.started_at)}`,
    ),
    ...failureFacts(view),
    ...provider_waits.map(({ text }): Fact => ["Waits", text]),
    ...session_ends.slice(-SHOWN_ENDS).flatMap(({ session, task_id, words, log }): Fact[] => {
      if (!isToldAbove(words, view)) {
        return [["Session", `${session} ${words} (${task_id})`], ...ifAny("Its log", log)];
      }
      return ifAny("Session", log && `${session} (${task_id}), log ${log}`);
    }),
  ];
}

/** What failed last of a task that is not finished. A check that the reason above names is not named again. */
export function failureFacts(view: StatusView): Fact[] {
  const failed = view.last_failure;
  if (failed === null || (failed.line !== "" && isToldAbove(failed.line, view))) return [];
  const check = isToldAbove(failed.check, view) ? [] : [failed.check];
  const said = failed.line === "" ? "" : `: ${failed.line}`;
  const what = [failed.task_id, `attempt ${failed.attempt}`, ...check].join(", ");
  return [["Last failure", `${what}${said}`]];
}

/** Whether what blocks the project, or lets it wait, says so. */
export function isToldAbove(words: string, { blockers, pause }: StatusView): boolean {
  const reasons = [...blockers, ...(pause === null ? [] : [pause])].map(({ reason }) => reason);
  return reasons.some((reason) => reason.includes(words));
}
