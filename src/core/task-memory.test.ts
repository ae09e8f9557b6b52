// What is remembered of a task: each move as a fact, and what an earlier Stint kept of it.
import { describe, expect, it } from "vitest";
import { judgeKept } from "./json-line.ts";
import { taskMemory } from "./schema/session-records.ts";
import type { Task } from "./schema/task.ts";
import {
  asStarted,
  baselineTaken,
  begunAnew,
  begunIn,
  checksFailed,
  checksFailedAfter,
  emptiedWords,
  filesChanged,
  handedOver,
  leftUncommittable,
  NOTHING_REMEMBERED,
  sessionMeasured,
  splitBegun,
  treesBefore,
  uncommittableIn,
  workBegun,
  workCaptured,
  workCommitted,
  workHandedOver,
  workLaid,
  workOvertaken,
  workVerified,
} from "./task-memory.ts";

const WORK = { tree: "t1", base: "b1", contents: { "a.js": "file:1" } };
const PROBLEMS = [{ path: "x/.git", why: "is a repository", hint: "remove it" }];
const worked = workCaptured(NOTHING_REMEMBERED, WORK, { session: 1, messages: ["I did it"] });

describe("what is remembered of a task that is split", () => {
  const task = (more: Partial<Task>) => ({ attempts: 0, ...more }) as Task;

  it("goes to its first chunk, and counts there before any session", () => {
    const first = handedOver(checksFailed(worked, ["a"]));
    expect(first).toMatchObject({ work: WORK, seenFailing: ["a"], trees: [] });
    expect(asStarted(first, task({ chunk_of: "t1" as never })).work).toEqual(WORK);
    expect(asStarted(first, task({})).work).toBeUndefined();
    const reopened = { by: "ada", at: "" as never, reason: "no", attempts: 0 };
    expect(asStarted(first, task({ chunk_of: "t1" as never, reopened })).work).toBeUndefined();
  });

  it("is not its own any more, until a session of its own followed", () => {
    const split = splitBegun(worked, {});
    expect(asStarted(split, task({ attempts: 1 })).work).toEqual(WORK);
    expect(asStarted(split, task({ attempts: 1, split_after: 1 })).work).toBeUndefined();
    expect(asStarted(split, task({ attempts: 2, split_after: 1 })).work).toEqual(WORK);
    const chunk = task({ attempts: 1, split_after: 1, chunk_of: "t9" as never });
    expect(asStarted(split, chunk).work).toBeUndefined();
  });

  it("is what a person does in a shell there, whenever that is", () => {
    const theirs = { ...WORK, tree: "t2", byPerson: true };
    const before = splitBegun(workCaptured(NOTHING_REMEMBERED, theirs), {});
    expect(asStarted(before, task({})).work).toEqual(theirs);
    expect(asStarted(before, task({ split_after: 0 })).work).toBeUndefined();
    const since = workCaptured(splitBegun(worked, {}), theirs);
    expect(asStarted(since, task({ attempts: 1, split_after: 1 })).work).toEqual(theirs);
    expect(workHandedOver(since)).toEqual(since);
  });

  it("keeps the files of its checks as they were before the first change", () => {
    const before = filesChanged(NOTHING_REMEMBERED, { "a.js": null });
    const digest = "d".repeat(64) as never;
    expect(splitBegun(before, { "a.js": digest, "b.js": digest }).changed).toEqual({
      "a.js": null,
      "b.js": digest,
    });
  });
});

describe("what is remembered of a task", () => {
  it("keeps the failing checks for good, and those of the last baseline apart", () => {
    const first = baselineTaken(NOTHING_REMEMBERED, {
      failing: ["a", "b"],
      tellsNothing: false,
      tree: "t0",
    });
    const second = baselineTaken(checksFailed(first, ["c"]), {
      failing: ["b"],
      tellsNothing: false,
      tree: "t0",
    });
    expect(second).toMatchObject({ seenFailing: ["a", "b", "c"], failing: ["b"] });
  });

  it("is told only before the first session that its checks tell nothing", () => {
    const first = baselineTaken(NOTHING_REMEMBERED, {
      failing: [],
      tellsNothing: true,
      tree: "t0",
    });
    expect(first.notDiscriminating).toBe(true);
    const tried = sessionMeasured(first, 1, "t1");
    expect(
      baselineTaken(tried, { failing: [], tellsNothing: false, tree: "t0" }).notDiscriminating,
    ).toBe(true);
    const failing = sessionMeasured(
      baselineTaken(NOTHING_REMEMBERED, { failing: ["a"], tellsNothing: false, tree: "t0" }),
      1,
      "t1",
    );
    expect(
      baselineTaken(failing, { failing: [], tellsNothing: true, tree: "t0" }).notDiscriminating,
    ).toBe(false);
  });

  it("knows which checks were red twice: at once, or before two attempts", () => {
    const red = { failing: ["a", "b"], tellsNothing: false, tree: "t0", redTwice: ["a"] };
    const first = baselineTaken(NOTHING_REMEMBERED, red);
    expect(first).toMatchObject({ redTwice: ["a"], redIn: { a: "t0", b: "t0" } });
    // The same attempt, begun again after a kill.
    expect(baselineTaken(first, { ...red, redTwice: [] }).redTwice).toEqual(["a"]);
    const tried = sessionMeasured(first, 1, "t1");
    const second = baselineTaken(tried, { failing: ["b"], tellsNothing: false, tree: "t1" });
    expect(second).toMatchObject({ redTwice: ["a", "b"], redIn: { a: "t0", b: "t1" } });
    const green = baselineTaken(tried, { failing: [], tellsNothing: false, tree: "t1" });
    expect(green.redIn).toEqual({ a: "t0", b: "t0" });
  });

  it("knows on which files a check last failed after a session, and that it had passed there", () => {
    const torn = [{ key: "a", flickered: true }];
    const first = checksFailedAfter(NOTHING_REMEMBERED, "t1", torn);
    expect(first).toMatchObject({
      seenFailing: ["a"],
      redAfter: { a: { tree: "t1", flickered: true } },
    });
    const red = [{ key: "a", flickered: false }];
    expect(checksFailedAfter(first, "t2", red).redAfter).toEqual({ a: { tree: "t2" } });
    expect(checksFailedAfter(first, "t2", []).redAfter).toEqual(first.redAfter);
  });

  it("does not forget which checks went green by themselves", () => {
    const first = { failing: [], tellsNothing: true, tree: "t0", unreliable: ["a"] };
    const second = baselineTaken(baselineTaken(NOTHING_REMEMBERED, first), {
      failing: ["a"],
      tellsNothing: false,
      tree: "t1",
    });
    expect(second.unreliable).toEqual(["a"]);
  });

  it("is one thing at a time that lies there and is in no tree: begun, or not to be committed", () => {
    const begun = workBegun(worked, "b2", "person");
    expect([begunIn(begun), uncommittableIn(begun)]).toEqual([
      { is: "begun", base: "b2", by: "person" },
      undefined,
    ]);
    const left = leftUncommittable(begun, 3, PROBLEMS);
    expect([begunIn(left), uncommittableIn(left)]).toEqual([
      undefined,
      { is: "uncommittable", session: 3, problems: PROBLEMS },
    ]);
    expect(workCaptured(left, WORK).unsettled).toBeUndefined();
  });

  it("does not count a session against itself when it is measured again", () => {
    const once = sessionMeasured(NOTHING_REMEMBERED, 1, "t1");
    const again = sessionMeasured(once, 1, "t2");
    expect([treesBefore(again, 1), treesBefore(again, 2)]).toEqual([[], ["t2"]]);
    expect(sessionMeasured(again, 2, "t3").trees).toEqual(["t2", "t3"]);
  });

  it("counts a file as changed since before the first session that changed it", () => {
    const before = { "a.js": null };
    const later = filesChanged(filesChanged(NOTHING_REMEMBERED, before), {
      "a.js": "0".repeat(64) as never,
    });
    expect(later.changed).toEqual(before);
  });

  it("hands over once what others overtook", () => {
    const overtaken = workOvertaken(worked, ["a.js"]);
    expect(overtaken.elsewhere).toEqual({ tree: "t1", paths: ["a.js"] });
    expect(filesChanged(overtaken, {}).elsewhere).toBeUndefined();
  });

  it("moves work on with the last commit, and nothing where there is none", () => {
    expect(workLaid(worked, { tree: "t2", base: "b2", contents: {} }).work).toEqual({
      tree: "t2",
      base: "b2",
      contents: {},
    });
    expect(workLaid(NOTHING_REMEMBERED, WORK)).toBe(NOTHING_REMEMBERED);
  });

  it("forgets work, its verified tree and its words once they are committed, and nothing else", () => {
    const verified = workVerified(checksFailed(worked, ["a"]), WORK);
    expect(verified.verified).toEqual({ tree: "t1", base: "b1" });
    expect(workCommitted(verified)).toEqual({ ...NOTHING_REMEMBERED, seenFailing: ["a"] });
  });

  it("begins anew with what its checks can tell", () => {
    const all = baselineTaken(workVerified(worked, WORK), {
      failing: ["a"],
      tellsNothing: true,
      tree: "t0",
    });
    expect(begunAnew(all)).toEqual({ ...NOTHING_REMEMBERED, seenFailing: ["a"], failing: ["a"] });
  });

  it("counts nothing of a start that was never persisted, but what a person did", () => {
    const task = (attempts: number) => ({ attempts, status: "pending" }) as Task;
    expect(asStarted(worked, task(0)).work).toBeUndefined();
    expect(asStarted(worked, task(1)).work).toEqual(WORK);
    const own = workCaptured(NOTHING_REMEMBERED, { ...WORK, byPerson: true });
    expect(asStarted(own, task(0)).work).toEqual({ ...WORK, byPerson: true });
  });
});

describe("what an earlier Stint kept of a task", () => {
  const read = (value: object) => judgeKept(JSON.stringify(value), taskMemory);
  const whole = { trees: [], seenFailing: [], notDiscriminating: false };

  it.each([
    ["a tree", { ...whole, trees: ["t1"] }, { ...NOTHING_REMEMBERED, trees: ["t1"] }],
    [
      "an act that was begun",
      { ...whole, trying: "b1" },
      { ...NOTHING_REMEMBERED, unsettled: { is: "begun", base: "b1", by: "act" } },
    ],
    [
      "a shell that was begun",
      { ...whole, trying: "b1", inShell: true },
      { ...NOTHING_REMEMBERED, unsettled: { is: "begun", base: "b1", by: "person" } },
    ],
    [
      "what no commit can hold",
      { ...whole, uncommittable: { session: 2, problems: PROBLEMS } },
      { ...NOTHING_REMEMBERED, unsettled: { is: "uncommittable", session: 2, problems: PROBLEMS } },
    ],
    ["work", { ...whole, work: WORK }, { ...NOTHING_REMEMBERED, work: WORK }],
  ])("is read: %s", (_, kept, value) => {
    expect(read(kept)).toEqual({ ok: true, value });
  });

  it.each([
    ["a list", "[]", "it does not fit"],
    ["nothing", "{}", 'its field "trees" does not fit'],
    ["half a file", '{"trees": [', "it is not JSON"],
    ["another tree", '{"work": {"tree": 7}}', 'its field "work.tree" does not fit'],
  ])("is refused: %s", (_, text, why) => {
    expect(judgeKept(text, taskMemory)).toEqual({ ok: false, why });
  });
});

describe("empty folders that a session left", () => {
  const left = (session: number, ...emptied: string[]) => ({ session, messages: [], emptied });
  const once = workCaptured(NOTHING_REMEMBERED, WORK, left(1, "out", "a/b"));

  it("are named with what helps, however often the session is captured", () => {
    const words =
      "git keeps no empty folder, so the work does not have out/, a/b/; put a file into it, such as out/.gitkeep";
    expect(emptiedWords(once)).toBe(words);
    expect(emptiedWords(workCaptured(once, WORK, left(1)))).toBe(words);
    expect(judgeKept(JSON.stringify(once), taskMemory)).toMatchObject({ ok: true });
  });

  it("are those of the last session alone", () => {
    expect(emptiedWords(workCaptured(once, WORK, left(2)))).toBeUndefined();
    expect(emptiedWords(workCaptured(once, WORK, left(2, "x")))).toContain("does not have x/;");
    expect(emptiedWords(workCaptured(once, WORK))).toBeUndefined();
    expect(emptiedWords(worked)).toBeUndefined();
  });
});
