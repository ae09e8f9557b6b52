import { describe, expect, it } from "vitest";
import {
  LivedProject,
  migrationAfterOne,
  migrationAfterTwo,
  workOf,
} from "../../test/support/lived-project.ts";
import {
  adopted,
  dispatched,
  planApproved,
  returned,
  started,
  workStarted,
} from "../../test/support/events.ts";
import { BY_ADA, draft, intent, must, taskId } from "../../test/support/machine.ts";
import { LINE_LOST, readHistory, judgePersistence, lostLines, NO_PROBLEMS } from "./history.ts";
import type { JournalEntry, ProjectState } from "./schema/project.ts";

function judge({ state, lines }: { state: ProjectState; lines: readonly JournalEntry[] }) {
  return judgePersistence(state, lines);
}

function withTask(state: ProjectState, id: string, change: object): ProjectState {
  const tasks = state.tasks.map((task) => (task.id === id ? { ...task, ...change } : task));
  return { ...state, tasks };
}

describe("persistence", () => {
  it("S1-19 holds for a list that two runs worked through one after the other", () => {
    const { project } = migrationAfterTwo();
    expect(judge(project)).toEqual(NO_PROBLEMS);
    const { runs, attempts } = readHistory(project.lines);
    expect(runs.map(({ run_id }) => run_id)).toEqual(["r-aaaaaaaaaa", "r-bbbbbbbbbb"]);
    expect(attempts.map(({ task_id, session }) => [task_id, session])).toEqual([
      ["t1", 1],
      ["t2", 2],
      ["t3", 3],
    ]);
  });

  it("S1-18 fails when a task that was done is not done any more", () => {
    const { state, lines } = migrationAfterOne();
    const lost = withTask(state, "t1", { status: "pending" });
    expect(judge({ state: lost, lines })["status-preservation"]).toEqual([
      "t1 was done at revision 6, but is pending",
    ]);
  });

  it("fails when a task is done and the journal does not say how", () => {
    const { state, lines } = migrationAfterOne();
    const done = must(state.tasks.find(({ id }) => id === "t1"));
    const forged = withTask(state, "t2", { ...done, id: "t2", attempts: 0 });
    expect(judge({ state: forged, lines })["status-preservation"]).toEqual([
      "t2 is done, but the journal does not say how",
    ]);
  });

  it("S1-10 lets the state know more than a journal that lost lines, and never less", () => {
    const { state, lines } = migrationAfterTwo().project;
    const torn = lines.map((line) =>
      line.revision <= 6 ? { ...line, kind: LINE_LOST, data: {} } : line,
    );
    expect(judge({ state, lines: torn })).toEqual(NO_PROBLEMS);
    expect(lostLines(torn)).toEqual(["6 lines of the journal are lost"]);
    const fewer = { ...state, counters: { ...state.counters, sessions: 1 } } as ProjectState;
    expect(judge({ state: withTask(fewer, "t3", { attempts: 0 }), lines: torn })).toEqual({
      ...NO_PROBLEMS,
      "seamless-continuation": [
        "the state counts 1 sessions, the journal 3",
        "t3 counts 0 attempts in the state, 1 in the journal",
      ],
    });
  });

  it("fails when the evidence is another one", () => {
    const { state, lines } = migrationAfterOne();
    const other = { kind: "check", path: "evidence/2.json", sha256: "f".repeat(64) };
    const forged = withTask(state, "t1", { evidence: [other] });
    expect(judge({ state: forged, lines })["status-preservation"]).toEqual([
      "t1 has other evidence than at revision 6",
    ]);
  });

  it("S1-16 fails when a task id is lost, doubled, or the list was made again", () => {
    const { state, lines } = migrationAfterOne();
    const without = { ...state, tasks: state.tasks.filter(({ id }) => id !== "t1") };
    expect(judge({ state: without, lines })["id-continuity"]).toEqual([
      "the journal names task t1, which the state does not have",
    ]);
    const [first] = state.tasks;
    const doubled = { ...state, tasks: [...state.tasks, must(first)] };
    expect(judge({ state: doubled, lines })["id-continuity"]).toEqual([
      "two tasks have the same id",
    ]);
    const again = migrationAfterOne().note("project-created");
    expect(judge(again)["id-continuity"]).toEqual([
      `the project was created again at revision ${again.revision}`,
    ]);
  });

  it("S1-11 fails when sessions have a gap, attempts are miscounted, or a done task is executed again", () => {
    const { state, lines } = migrationAfterTwo().project;
    const gap = lines.map((line) =>
      line.data?.["session"] === 2 && line.kind === "attempt-started"
        ? { ...line, data: { ...line.data, session: 7 } }
        : line,
    );
    expect(judge({ state, lines: gap })["seamless-continuation"]).toEqual([
      "session 7 follows session 1",
      "session 3 follows session 7",
    ]);
    const counted = withTask(state, "t2", { attempts: 2 });
    expect(judge({ state: counted, lines })["seamless-continuation"]).toEqual([
      "t2 counts 2 attempts in the state, 1 in the journal",
    ]);
    const last = lines.length + 1;
    const { kind, at: _at, by: _by, ...data } = started("t1", 3);
    const repeated = [...lines, { ...must(lines.at(-1)), kind, revision: last, data: { ...data } }];
    const at = withTask({ ...state, revision: last }, "t1", { attempts: 2 });
    expect(judge({ state: at, lines: repeated })["seamless-continuation"]).toEqual([
      `t1 was executed again at revision ${last}, after it was done`,
    ]);
  });

  it("fails when the journal misses a line or goes on after the state", () => {
    const { state, lines } = migrationAfterOne();
    expect(judge({ state, lines: lines.toSpliced(2, 1) })["seamless-continuation"]).toEqual([
      "the journal has a gap before revision 4",
    ]);
    expect(judge({ state, lines: lines.slice(0, -1) })["seamless-continuation"]).toEqual([
      `the journal ends at revision ${lines.length - 1}, the state at ${lines.length}`,
    ]);
  });

  it("holds when a person reopened what was done, by name or in a change too large to write out", () => {
    const project = migrationAfterTwo().project.live({
      kind: "reopened",
      ...BY_ADA,
      reason: "Once more.",
      task_ids: [taskId("t3")],
    });
    expect(judge(project)).toEqual(NO_PROBLEMS);
    const tasks = [intent("t1"), intent("t2")];
    const marked = [
      { intent: must(tasks[0]), marked: "reopened" as const },
      { intent: must(tasks[1]) },
    ];
    const edited = new LivedProject(draft(tasks)).live(
      planApproved(),
      workStarted,
      ...workOf(0, "t1", 1),
      adopted(...marked),
    );
    expect(judge(edited)).toEqual(NO_PROBLEMS);
    const large = edited.lines.map((line) =>
      line.kind === "manifest-adopted" ? { ...line, data: { tasks: { count: 2 } } } : line,
    );
    expect(judge({ state: edited.state, lines: large })).toEqual(NO_PROBLEMS);
  });

  it("counts work that is delegated as an attempt and a session of its own", () => {
    const project = new LivedProject(draft([intent("t1"), intent("t2", { after: [] })])).live(
      planApproved(),
      workStarted,
      dispatched("t1"),
      ...workOf(0, "t2", 2),
      returned(1),
    );
    expect(judge(project)).toEqual(NO_PROBLEMS);
  });
});
