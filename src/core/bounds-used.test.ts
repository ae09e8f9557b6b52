import { describe, expect, it } from "vitest";
import { EPOCH, sampleState } from "../../test/support/project-fixture.ts";
import { boundsUsed, hasBoundsOfItsOwn } from "./bounds-used.ts";
import type { Slug } from "./ids.ts";
import { instantFromMs } from "./instant.ts";
import type { JournalEntry, ProjectState } from "./schema/project.ts";
import type { Task, WorkCounts } from "./schema/task.ts";

const AT = instantFromMs(EPOCH);
const STATE = sampleState("tidy" as Slug, AT, 2);
const COUNTS = { tasks: 1, files: 2, new_files: 1, moves: 0 };

function line(kind: string, data: Record<string, unknown>): JournalEntry {
  return { v: 1, revision: 1, at: AT, kind, by: "stint", summary: kind, data } as never;
}

function withTasks(change: (task: Task) => Partial<Task>): ProjectState {
  return { ...STATE, tasks: STATE.tasks.map((task) => ({ ...task, ...change(task) })) } as never;
}

function used(state: ProjectState, journal: JournalEntry[], planned: WorkCounts = COUNTS) {
  const found = boundsUsed(state, journal, () => planned);
  return (id: string) => found.get(id as never);
}

describe("the bounds of a task", () => {
  it("S2-9 S2-10 S2-11 S2-12 before its session are what is planned, and what that leaves", () => {
    expect(used(STATE, [])("t1")).toEqual({
      session: null,
      with: [],
      tasks: { limit: 6, planned: 1, used: null, left: 5 },
      files: { limit: 8, planned: 2, used: null, left: 6 },
      new_files: { limit: 3, planned: 1, used: null, left: 2 },
      moves: { limit: 0, planned: 0, used: null, left: 0 },
    });
  });

  it("S2-10 S2-11 after it are what it really changed, by the limit of the task; nothing is left beyond it", () => {
    const state = withTasks(({ id }) => (id === "t1" ? { limit: { files_per_task: 5 } } : {}));
    const journal = [
      line("attempt-started", { task_id: "t1", session: 1, planned: COUNTS }),
      line("session-ended", { task_id: "t1", actual: { ...COUNTS, files: 7, new_files: 2 } }),
    ];
    expect(used(state, journal, { ...COUNTS, files: 99 })("t1")).toMatchObject({
      session: 1,
      files: { limit: 5, planned: 2, used: 7, left: 0 },
      new_files: { limit: 3, planned: 1, used: 2, left: 1 },
    });
    expect(used(state, journal)("t2")?.files).toMatchObject({ limit: 8, used: null });
  });

  it("of sessions beside each other are each its own", () => {
    const sent = (task_id: string, session: number) =>
      line("dispatch-sent", {
        planned: COUNTS,
        dispatch: { task_id, worker: { kind: "session", session, lane: session } },
      });
    const journal = [
      sent("t1", 1),
      sent("t2", 2),
      line("session-ended", { task_id: "t1", actual: { ...COUNTS, files: 7 } }),
    ];
    expect(used(STATE, journal)("t1")).toMatchObject({ session: 1, files: { used: 7 } });
    expect(used(STATE, journal)("t2")).toMatchObject({ session: 2, files: { used: null } });
  });

  it("of a session with several tasks are those of all of them", () => {
    const journal = [
      line("attempt-started", { task_id: "t1", session: 1, planned: { ...COUNTS, tasks: 2 } }),
      line("session-ended", { task_id: "t1", actual: { ...COUNTS, tasks: 2, files: 9 } }),
      line("attempt-started", { task_id: "t2", session: 1 }),
    ];
    const both = { files: { limit: 16, used: 9, left: 7 }, tasks: { limit: 6, used: 2 } };
    expect(used(STATE, journal)("t1")).toMatchObject({ with: ["t2"], ...both });
    expect(used(STATE, journal)("t2")).toMatchObject({ with: ["t1"], ...both });
  });

  it("are not told of what no session works on", () => {
    expect(
      used(
        withTasks(() => ({ run: "make" })),
        [],
      )("t1"),
    ).toBeUndefined();
    expect(
      used(
        withTasks(() => ({ split_after: 0 })),
        [],
      )("t1"),
    ).toBeUndefined();
  });

  it("are there where somebody wrote them, or the work is split by them, and nowhere else", () => {
    expect(hasBoundsOfItsOwn(STATE)).toBe(false);
    expect(hasBoundsOfItsOwn(withTasks(() => ({ child: "the-ground" })))).toBe(true);
    expect(hasBoundsOfItsOwn(withTasks(() => ({ limit: { moves_per_task: 1 } })))).toBe(true);
    const { scope_guardrails: before } = STATE;
    const limits = { ...before.limits, files_per_task: 9 };
    expect(hasBoundsOfItsOwn({ ...STATE, scope_guardrails: { ...before, limits } })).toBe(true);
  });
});
