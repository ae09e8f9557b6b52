import { describe, expect, it, test } from "vitest";
import { dispatched, returned, T1 } from "../../test/support/events.ts";
import { after, BY_ADA, BY_STINT, minute, running } from "../../test/support/machine.ts";
import { sentTo } from "../../test/support/events.ts";
import { numberedDispatchId } from "./ids.ts";
import { judgeMessage, type Judgement, messageText, readMessage } from "./returned-work.ts";
import type { ReturnCondition } from "./schema/items.ts";
import type { ProjectState } from "./schema/project.ts";

const d1 = { dispatch_id: numberedDispatchId(1) };

/** Sent to somebody outside, who returns it so. */
function sent(returns: ReturnCondition = { kind: "message" }): ProjectState {
  const event = dispatched("t1");
  if (event.kind !== "dispatch-sent") throw new Error("not sent");
  const outside = { ...event.dispatch, worker: { kind: "outside" }, returns } as const;
  return after(running([T1]), { ...event, dispatch: outside });
}

const out = sent();
const timedOut = after(out, { kind: "dispatch-timed-out", ...d1, by: "stint", at: minute(61) });
const STATES: Readonly<Record<string, ProjectState>> = {
  "out, by message": out,
  "out, by a file": sent({ kind: "file", path: "a" }),
  "out, a session": after(running([T1]), sentTo("t1", 1, 1)),
  returned: after(out, returned(1)),
  "timed out": timedOut,
  superseded: after(timedOut, { ...dispatched("t1"), at: minute(5) }),
  lost: after(out, { kind: "dispatch-lost", ...d1, ...BY_STINT, reason: "gone" }),
  cancelled: after(out, { kind: "dispatch-cancelled", ...d1, ...BY_ADA, reason: "no" }),
  unknown: running([T1]),
};

/** State of the dispatch × what its worker says → what comes of it. */
const TABLE: readonly (readonly [
  keyof typeof STATES,
  "done" | "failed",
  Judgement["kind"],
  string,
])[] = [
  ["out, by message", "done", "back", ""],
  ["out, by message", "failed", "failed", "worker-1 says: It is drawn."],
  ["out, by a file", "done", "look", ""],
  ["out, by a file", "failed", "failed", "worker-1 says: It is drawn."],
  ["out, a session", "done", "ignored", "d1 is a session; it is back when it has ended"],
  ["out, a session", "failed", "ignored", "d1 is a session; it is back when it has ended"],
  ["returned", "done", "ignored", "this is a second result"],
  ["returned", "failed", "ignored", "this is a second result"],
  ["timed out", "done", "ignored", "this is too late"],
  ["timed out", "failed", "ignored", "this is too late"],
  ["superseded", "done", "ignored", "this is too late; d2 was sent instead, to worker-1"],
  ["lost", "done", "ignored", "d1 was lost at"],
  ["cancelled", "done", "ignored", "ada cancelled d1 at"],
  ["unknown", "done", "ignored", "there is no dispatch d1"],
];

describe("a result of work that is", () => {
  test.each(TABLE)("%s, said to be %s, is %s", (state, status, kind, words) => {
    const judged = judgeMessage(STATES[state] ?? out, { ...d1, status, words: "It is drawn." });
    expect(judged.kind).toBe(kind);
    const told = judged.kind === "ignored" ? judged.why : "reason" in judged ? judged.reason : "";
    expect(told).toContain(words);
  });

  it("closed so long ago that only the journal knows it is said to be that", () => {
    const long = { ...out, dispatches: [], counters: { ...out.counters, dispatches: 9 } };
    const judged = judgeMessage(long as ProjectState, { ...d1, status: "done", words: "x" });
    expect(judged).toEqual({ kind: "ignored", why: "d1 was closed earlier" });
  });
});

describe("a message", () => {
  it("is read as it is written by the verb, under any name of its dispatch", () => {
    const text = messageText({ status: "failed", words: 'no "fonts"\nhere' });
    for (const name of ["d1.json", "d1-8f2a.json"]) {
      expect(readMessage(name, text)).toEqual({
        ...d1,
        status: "failed",
        words: 'no "fonts"\nhere',
      });
    }
  });

  test.each([
    ["d0.json", "{}", "its name is not that of a dispatch"],
    ["d1.txt", "{}", "its name is not that of a dispatch"],
    ["d1-../x.json", "{}", "its name is not that of a dispatch"],
    ["d1.json", "[]", "it is not a JSON object"],
    ["d1.json", '{"status":"done","result":" "}', "it has no result, in words"],
  ])("%s with %s is none", (name, text, why) => {
    expect(readMessage(name, text)).toContain(why);
  });
});
