import { describe, expect, it } from "vitest";
import type { TaskId } from "../ids.ts";
import type { Instant } from "../instant.ts";
import type { DoneTask } from "../project-state.ts";
import type { Sha256 } from "../schema/scalar.ts";
import { markedSince, notedTask, tellsOf, evidenceStatement } from "./evidence-statement.ts";

const SHA = "0".repeat(64) as Sha256;

function done(id: string, at: number, more: Partial<DoneTask> = {}): DoneTask {
  return {
    id: id as TaskId,
    name: id,
    title: `Do\n${id}`,
    status: "done",
    attempts: 1,
    evidence: [{ kind: "check", path: "artifacts/evidence/t1/1/1-command.json", sha256: SHA }],
    done_at: `2026-01-01T00:00:0${at}.000Z` as Instant,
    ...more,
  };
}

const person = (who: string): Partial<DoneTask> => ({ evidence: [{ kind: "person", who }] });

describe("a statement", () => {
  it("is a test result of the commit and its tree, without a path of the machine", () => {
    const check = { text: "`npm test`", kind: "command", result: "passed", evidence_sha256: SHA };
    const strong = notedTask(done("t1", 1), [check]);
    const weak = notedTask(done("t2", 2, { labels: ["own-tests"] }), [check]);
    const facts = { project: "p-0000000001" as never, manifest: "prompt.md" };
    const made = evidenceStatement({ commit: "c", tree: "t" }, { ...facts, tasks: [strong, weak] });
    expect(made.subject.map(({ digest }) => digest)).toEqual([
      { gitCommit: "c" },
      { gitTree: "t" },
    ]);
    expect(made.predicate).toMatchObject({
      result: "WARNED",
      passedTests: ["t1: `npm test`"],
      warnedTests: ["t2: `npm test`"],
      failedTests: [],
    });
    expect(JSON.stringify(made)).not.toContain("artifacts/");
    const alone = evidenceStatement({ commit: "c", tree: "t" }, { ...facts, tasks: [strong] });
    expect(alone.predicate.result).toBe("PASSED");
  });

  it("names who approved what, and on what else it rests", () => {
    const at = "2026-01-01T00:00:00.000Z" as Instant;
    const grant = { kind: "task-after", approval_id: "a1", subject_sha256: SHA, by: "ada", at };
    const task = done("t1", 1, {
      evidence: [
        { kind: "diff", tree: "abc" },
        { kind: "person", who: "ada" },
      ],
      grants: [grant as never],
    });
    expect(notedTask(task, [])).toMatchObject({
      changed_tree: "abc",
      said_by: ["ada"],
      approvals: [{ kind: "task-after", by: "ada", at, subject_sha256: SHA }],
    });
  });

  it("tells of one completion of a task: of its project, its attempt and its time", () => {
    const made = evidenceStatement(
      { commit: "c", tree: "t" },
      { project: "p-1" as never, manifest: "m", tasks: [notedTask(done("t1", 1), [])] },
    );
    expect(tellsOf(made, "p-1", done("t1", 1))).toBe(true);
    expect(tellsOf(made, "p-2", done("t1", 1))).toBe(false);
    expect(tellsOf(made, "p-1", done("t1", 2))).toBe(false);
    expect(tellsOf(made, "p-1", done("t1", 1, { attempts: 2 }))).toBe(false);
    expect(tellsOf(made, "p-1", done("t2", 1))).toBe(false);
  });
});

describe("tasks that a person marked", () => {
  it("are told of by the next commit alone", () => {
    const first = done("t1", 1, person("ada"));
    const working = done("t2", 2);
    const later = done("t3", 4, person("bob"));
    expect(markedSince([first, working]).map(({ id, by }) => [id, by])).toEqual([["t1", "ada"]]);
    const recorded = { ...working, commit: "c" };
    expect(markedSince([first, recorded])).toEqual([]);
    expect(markedSince([first, recorded, later]).map(({ id }) => id)).toEqual(["t3"]);
  });
});
