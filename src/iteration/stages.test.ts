import { describe, expect, test } from "vitest";
import { EPOCH, sampleState } from "../../test/support/project-fixture.ts";
import type { Slug } from "../core/ids.ts";
import { instantFromMs } from "../core/instant.ts";
import type { JournalEntry } from "../core/schema/project.ts";
import { responseIn, STAGE, STAGES, stagesToNote } from "./stages.ts";

const AT = instantFromMs(EPOCH);
const STATE = sampleState("fix-it" as Slug, AT, 2);

function line(kind: string, data: Record<string, unknown> = {}): JournalEntry {
  return {
    v: 1,
    revision: 1,
    at: AT,
    kind,
    by: "stint",
    summary: kind,
    data,
  } as unknown as JournalEntry;
}

const BEGUN = [
  line("project-created"),
  line("attempt-started", { task_id: "t1", session: 1, run_id: "r-1" }),
  line("commit-recorded", { task_id: "t1", commit: "none" }),
  line("attempt-started", { task_id: "t2", session: 2, run_id: "r-1" }),
  line("commit-recorded", { task_id: "t2", commit: "abc" }),
];

function noted(numbers: readonly number[]): JournalEntry[] {
  return numbers.map((stage) => line(STAGE, { stage, name: "x", result: "a; next: b" }));
}

describe("S2-7 the stages of an iteration", () => {
  test("are six, in order, each with its own result", () => {
    expect(
      stagesToNote(STATE, BEGUN, 6).map(({ number, name, result }) => [number, name, result]),
    ).toEqual([
      [1, "parse", `2 tasks in ${STATE.manifest.path}`],
      [2, "validate", "bounds: 6 steps, 8 files a step, 3 new files, 0 moves"],
      [3, "execute", "2 sessions ended"],
      [4, "process results", "0 of 2 tasks done, 1 commit"],
      [5, "run checks", "no check to run"],
      [
        6,
        "respond",
        `fix-it: 0 of 2 tasks done in 2 sessions; next: stint verify ${STATE.project_id}`,
      ],
    ]);
  });

  test.each([0, 1, 2, 3, 4, 5, 6])(
    "are written once, wherever a kill came: after %s of them",
    (seen) => {
      const journal = [...BEGUN, ...noted(STAGES.map((_, index) => index + 1).slice(0, seen))];
      const due = stagesToNote(STATE, journal, 6).map(({ number }) => number);
      expect(due).toEqual([1, 2, 3, 4, 5, 6].slice(seen));
      expect(stagesToNote(STATE, journal, 2)).toHaveLength(Math.max(0, 2 - seen));
    },
  );

  test("begin anew where the project was reopened", () => {
    const journal = [...BEGUN, ...noted([1, 2, 3, 4, 5, 6]), line("reopened")];
    expect(stagesToNote(STATE, journal, 2).map(({ number }) => number)).toEqual([1, 2]);
    expect(responseIn(journal)).toBeUndefined();
  });

  test("S2-8 end with a terse summary and what is next", () => {
    expect(responseIn([...BEGUN, ...noted([6])])).toEqual({ summary: "a", next: "b" });
    expect(responseIn([...BEGUN, ...noted([5])])).toBeUndefined();
  });
});
