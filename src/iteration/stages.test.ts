import { describe, expect, test } from "vitest";
import { EPOCH, sampleState } from "../../test/support/project-fixture.ts";
import type { Slug } from "../core/ids.ts";
import { instantFromMs } from "../core/instant.ts";
import type { JournalEntry, ProjectState } from "../core/schema/project.ts";
import { endToNote, responseIn, STAGE, type Stage, stagesToNote } from "./stages.ts";

const AT = instantFromMs(EPOCH);
const DRAFT = sampleState("fix-it" as Slug, AT, 2);
const STATE = { ...DRAFT, status: "Running" } as unknown as ProjectState;
const ID = STATE.project_id;

type Fact = readonly [kind: string, data?: Record<string, unknown>];

/** Lines as a journal has them: each with the next revision. */
function journalOf(...facts: readonly Fact[]): JournalEntry[] {
  return facts.map(([kind, data = {}], index) => {
    return { v: 1, revision: index + 1, at: AT, kind, by: "stint", summary: kind, data } as never;
  });
}

function lineOf({ number, ...data }: Stage): Fact {
  return [STAGE, { stage: number, ...data }];
}

const COUNTS = { tasks: 1, files: 2, new_files: 1, moves: 0 };
const PASSED = { passed: true, evidence: [{ kind: "check" }, { kind: "check" }] };
const FAILED = { passed: false, failure: { check: "`make test`" } };
const WORK: readonly Fact[] = [
  ["project-created"],
  ["attempt-started", { task_id: "t1", session: 1, run_id: "r-1" }],
  ["session-ended", { task_id: "t1", session: 1, outcome: "finished", actual: COUNTS }],
  ["checks-recorded", { task_id: "t1", attempt: 1, result: FAILED }],
  ["attempt-started", { task_id: "t1", session: 2, run_id: "r-1" }],
  ["attempt-interrupted", { task_id: "t1", attempt: 2, reason: "it asked: which one?" }],
  ["attempt-started", { task_id: "t1", session: 3, run_id: "r-1" }],
  ["session-ended", { task_id: "t1", session: 3, outcome: "finished", actual: COUNTS }],
  ["checks-recorded", { task_id: "t1", attempt: 3, result: PASSED }],
  ["attempt-started", { task_id: "t2", session: 3, run_id: "r-1" }],
  ["session-ended", { task_id: "t2", session: 3, outcome: "finished" }],
  ["checks-recorded", { task_id: "t2", attempt: 1, result: { passed: true, evidence: [] } }],
  ["output-verified", { task_id: "t3", evidence: [{ kind: "check" }, { kind: "chunks" }] }],
];

function told(state: ProjectState, journal: readonly JournalEntry[]): unknown[] {
  return stagesToNote(state, journal).map(({ number, name, result }) => [number, name, result]);
}

describe("S2-7 the stages of an iteration", () => {
  test("are in order, each with its own result, and those of a session are its own", () => {
    const bounds = "bounds: 6 steps, 8 files a step, 3 new files, 0 moves";
    expect(told(STATE, journalOf(...WORK))).toEqual([
      [1, "parse", `2 tasks in ${STATE.manifest.path}`],
      [2, "validate", bounds],
      [3, "execute", "session 1 on t1"],
      [4, "process results", "session 1: finished, 2 files changed, 1 new, 0 moved"],
      [5, "run checks", "t1: failed, `make test`"],
      [3, "execute", "session 2 on t1"],
      [4, "process results", "session 2: it asked: which one?"],
      [3, "execute", "session 3 on t1"],
      [4, "process results", "session 3: finished, 2 files changed, 1 new, 0 moved"],
      [5, "run checks", "t1: passed, 2 checks"],
      [5, "run checks", "t2: passed, no check to run"],
      [5, "run checks", "t3: passed, 1 check"],
    ]);
  });

  test("of sessions beside each other are each its own, in whatever order they end", () => {
    const sent = (task_id: string, session: number): Fact => [
      "dispatch-sent",
      { dispatch: { task_id, worker: { kind: "session", session, lane: session } } },
    ];
    const journal = journalOf(
      sent("t1", 1),
      sent("t2", 2),
      ["session-ended", { task_id: "t2", session: 2, outcome: "finished" }],
      ["session-ended", { task_id: "t1", session: 1, outcome: "idle" }],
    );
    expect(told(STATE, journal).slice(2)).toEqual([
      [3, "execute", "session 1 on t1"],
      [3, "execute", "session 2 on t2"],
      [4, "process results", "session 2: finished"],
      [4, "process results", "session 1: idle"],
    ]);
  });

  test("are validated only once the plan is approved", () => {
    expect(told(DRAFT, journalOf(["project-created"]))).toEqual([
      [1, "parse", `2 tasks in ${STATE.manifest.path}`],
    ]);
  });

  test("are written once for each fact, wherever a kill came", () => {
    const due = stagesToNote(STATE, journalOf(...WORK));
    for (let seen = 0; seen <= due.length; seen += 1) {
      const journal = journalOf(...WORK, ...due.slice(0, seen).map(lineOf));
      expect(stagesToNote(STATE, journal)).toEqual(due.slice(seen));
    }
  });

  test("say anew what is no longer so: tasks that were added after a kill", () => {
    const journal = journalOf(["project-created"], ...stagesToNote(STATE, []).map(lineOf));
    expect(told(STATE, journal)).toEqual([]);
    const third = { ...STATE.tasks[0], id: "t3" };
    const more = { ...STATE, tasks: [...STATE.tasks, third] };
    expect(told(more as unknown as ProjectState, journal)).toEqual([
      [1, "parse", `3 tasks in ${STATE.manifest.path}`],
    ]);
    // A chunk is no task of the manifest.
    const chunk = { ...third, chunk_of: "t1" };
    const split = { ...STATE, tasks: [chunk, ...STATE.tasks] } as unknown as ProjectState;
    expect(told(split, journal)).toEqual([]);
  });

  test("begin anew where the project was reopened", () => {
    const all = stagesToNote(STATE, journalOf(...WORK)).map(lineOf);
    const journal = journalOf(...WORK, ...all, ["reopened"]);
    expect(stagesToNote(STATE, journal).map(({ number }) => number)).toEqual([1, 2]);
    expect(responseIn(journal)).toBeUndefined();
  });
});

describe("S2-8 the last stage", () => {
  const state = (changes: object): ProjectState => ({ ...STATE, ...changes });
  const blocker = { kind: "dead-end", reason: "no key", unblock: "stint resume it", at: AT };
  const open = { id: "a1", kind: "task-before", status: "open" };
  const ENDS: readonly [string, ProjectState, isDone: boolean, summary: string, next: string][] = [
    ["Done", STATE, true, "", `stint verify ${ID}`],
    [
      "Done, with work that waits",
      state({ delivery: { kind: "waiting" } }),
      true,
      "",
      `stint deliver ${ID}`,
    ],
    [
      "Paused",
      state({ status: "Paused", pause: { kind: "requested", reason: "lunch" } }),
      false,
      ", Paused: lunch",
      `stint resume ${ID}`,
    ],
    [
      "Paused for a budget",
      state({ status: "Paused", pause: { kind: "budget", reason: "3 sessions are used" } }),
      false,
      ", Paused: 3 sessions are used",
      `stint resume ${ID} --grant <what>=<amount>`,
    ],
    [
      "Blocked",
      state({ status: "Blocked", blockers: [blocker] }),
      false,
      ", Blocked: no key",
      "stint resume it",
    ],
    [
      "that a person is needed",
      state({ status: "AwaitingApproval", approval_items: [open] }),
      false,
      ", AwaitingApproval: waits for an answer to a1",
      `stint approve a1 ${ID}`,
    ],
    ["Abandoned", state({ status: "Abandoned" }), false, ", Abandoned", `stint status ${ID}`],
  ];

  test.each(ENDS)("is a terse summary and the next action: %s", (_, at, isDone, more, next) => {
    const summary = `fix-it: 0 of 2 tasks done in 3 sessions${more}`;
    const end = endToNote(at, journalOf(...WORK), isDone);
    expect(end).toEqual({
      number: 6,
      name: "respond",
      result: `${summary}; next: ${next}`,
      response: { summary, next },
    });
    const journal = journalOf(...WORK, lineOf(end as Stage));
    expect(responseIn(journal)).toEqual({ summary, next });
    // The same end of another run that did nothing is no other fact.
    expect(endToNote(at, journal, isDone)).toBeUndefined();
    const later = journalOf(...WORK, lineOf(end as Stage), [STAGE, { stage: 3, of: 99 }]);
    expect(endToNote(at, later, isDone)).toEqual(end);
  });

  test("is nothing before a run ended", () => {
    expect(responseIn(journalOf(...WORK))).toBeUndefined();
  });

  test("keeps to one short line, whatever the reason is", () => {
    const reason = `${"x".repeat(500)}\nand more; next: nothing`;
    const paused = state({ status: "Paused", pause: { kind: "requested", reason } });
    const { summary = "", next } = endToNote(paused, [], false)?.response ?? {};
    expect(summary.length).toBeLessThan(230);
    expect([summary.includes("\n"), next]).toEqual([false, `stint resume ${ID}`]);
  });
});
