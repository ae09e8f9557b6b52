import { describe, expect, it } from "vitest";
import { minute } from "../../../test/support/machine.ts";
import type { StatusView } from "../../core/schema/views.ts";
import { localTime } from "../amounts.ts";
import { sessionFacts } from "./session-facts.ts";

function facts(more: object) {
  const view = {
    status: "Paused",
    tasks: [],
    blockers: [],
    pause: null,
    last_failure: null,
    current_attempt: null,
    session_ends: [],
    provider_waits: [],
    roles: { coordinator: null },
    ...more,
  };
  return sessionFacts(view as unknown as StatusView);
}

const NOW = { task_id: "t1", number: 1, allowed: 3, session: 2, started_at: minute(1) };

describe("what status says of sessions", () => {
  it.each([
    [
      "whose checks were cut, that they are run again",
      "validating",
      null,
      [
        "Interrupted",
        "t1, attempt 1 of 3: not all of its checks were run; they are run again next",
      ],
    ],
    [
      "without an end, that the next run checks what it left",
      "in_progress",
      null,
      [
        "Interrupted",
        `t1, attempt 1 of 3: session 2, since ${localTime(minute(1))}, has no end on record; the next run checks what it left`,
      ],
    ],
    [
      "at work in a run, since when",
      "in_progress",
      "stint (r-1 on box)",
      ["Current", `t1, attempt 1 of 3, session 2 since ${localTime(minute(1))}`],
    ],
  ])("tells of one %s", (_, status, coordinator, line) => {
    const tasks = [{ id: "t1", status }];
    expect(facts({ current_attempt: NOW, tasks, roles: { coordinator } })).toEqual([line]);
  });

  it("says of one whose end a line above tells that it does", () => {
    const end = { session: 3, task_id: "t1", words: "crashed (exit 3)", log: "/r/err.log" };
    const blockers = [{ reason: "t1 was stopped: session 3 crashed (exit 3)" }];
    expect(facts({ session_ends: [end], blockers })).toEqual([
      ["Session", "3 ended as told above (t1), log /r/err.log"],
    ]);
  });

  it("says nothing more of one that gave up, where its task is blocked by that", () => {
    const words = "could not continue: no network";
    const ends = [{ session: 3, task_id: "t1", words, log: null }];
    const blockers = [{ reason: "the session says that t1 cannot be done: no network" }];
    expect(facts({ session_ends: ends, blockers })).toEqual([]);
    const other = [{ reason: "the session says that t2 cannot be done: no network" }];
    expect(facts({ session_ends: ends, blockers: other })).toEqual([
      ["Session", `3 ${words} (t1)`],
    ]);
  });
});
