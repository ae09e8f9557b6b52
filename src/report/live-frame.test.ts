import * as fc from "fast-check";
import { createColors } from "picocolors";
import { describe, expect, it } from "vitest";
import { instantFromMs } from "../core/instant.ts";
import { localTime } from "./amounts.ts";
import { liveFrame, type LiveModel, liveModel, withNews } from "./live-frame.ts";
import { PLAIN } from "../../test/support/plain-paint.ts";
import type { News, RunPlace } from "../core/news.ts";
import { columnsOf } from "./visible.ts";

const NONE = { wall_ms: 0, tokens: null, cost_usd: null };

function place(more: Partial<RunPlace> = {}): RunPlace {
  return { done: 1, total: 4, sessions: 2, task: null, spent: NONE, allowed: NONE, ...more };
}

const TASK = { id: "t2", title: "Write hallo.txt", status: "in_progress", attempt: 2, attempts: 3 };

const STARTED: News = {
  kind: "started",
  project_id: "p-0123456789",
  slug: "prompt",
  place: place(),
};

function persisted(event: string, where: RunPlace): News {
  return { kind: "persisted", revision: 1, event, summary: event, status: "Running", place: where };
}

function after(...news: readonly News[]): LiveModel {
  return news.reduce(withNews, liveModel(0));
}

function frame(model: LiveModel, width = 80, nowMs = 42_000): string[] {
  return liveFrame(model, { nowMs, width, paint: PLAIN });
}

describe("the frame of a run", () => {
  it("is empty before anything is known", () => {
    expect(frame(liveModel(0))).toEqual([]);
  });

  it("S4-23 shows progress, session, time, spend, task, attempt, last action and checks", () => {
    const spent = { wall_ms: 1, tokens: 12_345, cost_usd: 0.4 };
    const model = after(
      STARTED,
      persisted("attempt-started", place({ task: TASK, spent })),
      { kind: "session", session: 2, line: "Bash npm test" },
      persisted("session-ended", place({ task: { ...TASK, status: "validating" }, spent })),
      { kind: "checking", check: "`npm test`", when: "after" },
      { kind: "check", check: "`npm test`", passed: true, when: "after" },
      { kind: "checking", check: "file a.txt exists", when: "after" },
    );
    expect(frame(model, 100)).toEqual([
      "█████░░░░░░░░░░░░░░░ 1 of 4 done · session 2 · 0:42 · 12.3k tokens · $0.40 · prompt p-0123456789",
      "▶ checking t2, attempt 2 of 3: Write hallo.txt",
      "  Bash npm test",
      "  ✓ `npm test`  … file a.txt exists",
    ]);
  });

  it("shows a session that waits for its provider as it does now, in one line", () => {
    const retry = (text: string): News => ({ kind: "retrying", session: 2, text, isLine: false });
    const begun = [STARTED, persisted("attempt-started", place({ task: TASK }))];
    const waiting = [
      ...begun,
      retry("session 2 waits (retry 1)"),
      retry("session 2 waits (retry 2)"),
    ];
    expect(frame(after(...waiting)).slice(2)).toEqual(["  session 2 waits (retry 2)"]);
    const answered: News = { kind: "session", session: 2, line: "Bash npm test" };
    expect(frame(after(...waiting, answered)).slice(2)).toEqual(["  Bash npm test"]);
  });

  it("shows until when it waits and how long that still is", () => {
    const until = instantFromMs(42_000 + 3_723_000);
    const waiting = {
      kind: "waiting",
      project_id: "p-0123456789",
      until,
      now: until,
      reason: "claude: used up",
    } as const;
    const model = after(STARTED, { kind: "session", session: 2, line: "ls" }, waiting);
    const now = instantFromMs(42_000);
    expect(frame(model).slice(1)).toEqual([
      `… waits until ${localTime(until, now)}, 1:02:03 left: claude: used up`,
    ]);
    expect(frame(withNews(model, { kind: "woken" }))[1]).toBe("▶ between two tasks");
  });

  it("forgets action and checks when the next attempt starts, and between two tasks", () => {
    const worked = after(
      STARTED,
      persisted("attempt-started", place({ task: TASK })),
      { kind: "session", session: 2, line: "thinking" },
      { kind: "check", check: "`npm test`", passed: false, when: "after" },
    );
    expect(frame(worked)).toHaveLength(4);
    expect(frame(withNews(worked, persisted("checks-recorded", place())))).toEqual([
      "█████░░░░░░░░░░░░░░░ 1 of 4 done · session 2 · 0:42 · prompt p-0123456789",
      "▶ between two tasks",
    ]);
    const again = persisted("attempt-started", place({ task: { ...TASK, attempt: 3 } }));
    expect(frame(withNews(worked, again)).slice(1)).toEqual([
      "▶ working on t2, attempt 3 of 3: Write hallo.txt",
    ]);
  });

  it("shows a chunk below the tasks that it is a part of", () => {
    const task = { ...TASK, id: "t5", within: ["t1", "t3"] };
    expect(frame(after(STARTED, persisted("attempt-started", place({ task }))))[1]).toBe(
      "▶ working on t1 › t3 › t5, attempt 2 of 3: Write hallo.txt",
    );
  });

  it("does not call a check failed that fails before any work", () => {
    const model = after(STARTED, {
      kind: "check",
      check: "`npm test`",
      passed: false,
      when: "before",
    });
    expect(frame(model).at(-1)).toBe("  · `npm test` (before)");
  });

  it("says that the run is ending once it was asked to", () => {
    const model = { ...after(STARTED), ending: "SIGINT: ending what runs and pausing …" };
    expect(frame(model)[1]).toBe("■ SIGINT: ending what runs and pausing …");
  });

  it.each([80, 120, 22, 20, 3])("fits into %i columns, whatever titles and agents say", (width) => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.string({ unit: "binary" }), (title, line) => {
        const model = after(
          STARTED,
          persisted("attempt-started", place({ task: { ...TASK, title: `日本語 ${title}` } })),
          { kind: "session", session: 2, line },
          { kind: "checking", check: line, when: "after" },
        );
        for (const shown of frame(model, width)) {
          expect(columnsOf(shown)).toBeLessThan(width);
          // oxlint-disable-next-line no-control-regex -- looking for them is the purpose
          expect(shown).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202e]/);
        }
      }),
    );
  });

  it("cuts what is seen, not what colours it", () => {
    const model = after(STARTED, persisted("attempt-started", place({ task: TASK })));
    const coloured = liveFrame(model, { nowMs: 0, width: 30, paint: createColors(true) });
    // oxlint-disable-next-line no-control-regex -- colours are control sequences
    const bare = coloured.map((line) => line.replace(/\u001b\[\d+m/g, ""));
    expect(bare).toEqual(frame(model, 30, 0));
    expect(coloured.join("")).not.toBe(bare.join(""));
  });
});

describe("sessions beside each other", () => {
  const BESIDE = [
    { session: 3, id: "t2", title: "Write hallo.txt", attempt: 1, attempts: 3 },
    { session: 4, id: "t3", title: "Write ciao.txt", attempt: 2, attempts: 3 },
  ];

  it("have a line each, with what its agent did last", () => {
    const model = after(STARTED, persisted("dispatch-sent", place({ beside: BESIDE })), {
      kind: "session",
      session: 4,
      line: "Bash npm test",
      task: "t3",
    });
    expect(frame(model).slice(1)).toEqual([
      "▶ 2 sessions at work",
      "  ▸ t2, attempt 1 of 3: Write hallo.txt",
      "  ▸ t3, attempt 2 of 3: Write ciao.txt · Bash npm test",
    ]);
  });

  it("say at once how one of them ended", () => {
    const words = "crashed (exit 3): no API";
    const ended: News = { kind: "session-ended", session: 4, words, task: "t3", log: "/x" };
    const model = after(STARTED, persisted("dispatch-sent", place({ beside: BESIDE })), ended);
    expect(frame(model).at(-1)).toBe(
      "  ▸ t3, attempt 2 of 3: Write ciao.txt · crashed (exit 3): no API",
    );
  });

  it("stay in sight while what one of them made is checked", () => {
    const model = after(
      STARTED,
      persisted("dispatch-sent", place({ beside: BESIDE })),
      persisted(
        "session-ended",
        place({ task: { ...TASK, id: "t3" }, beside: BESIDE.slice(0, 1) }),
      ),
      { kind: "checking", check: "`npm test`", when: "after" },
    );
    expect(frame(model).slice(1)).toEqual([
      "▶ working on t3, attempt 2 of 3: Write hallo.txt",
      "  ▸ t2, attempt 1 of 3: Write hallo.txt",
      "  … `npm test`",
    ]);
  });
});
