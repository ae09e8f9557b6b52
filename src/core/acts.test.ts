import { describe, expect, it } from "vitest";
import { actStanding, type ActStanding } from "./acts.ts";
import type { ActIntent, ActResult } from "./schema/run-records.ts";
import type { Task } from "./schema/task.ts";

const INTENT: ActIntent = { act: "make", revision: 7, first: 7, undone: 0, tried_again: 0 };
const RESULT: ActResult = { revision: 7, ok: true, summary: "exit code 0", output: "" };
const REOPENED = { reopened: { by: "ada", at: "x", reason: "again", attempts: 0 } } as Pick<
  Task,
  "reopened"
>;
const { undone: _, ...OLD } = INTENT;

describe("an act of the manifest", () => {
  it.each<
    readonly [
      string,
      Pick<Task, "undone" | "tried_again" | "reopened">,
      ActIntent | undefined,
      ActResult | undefined,
      ActStanding,
    ]
  >([
    ["nothing was kept of it", {}, undefined, undefined, "new"],
    ["it ended", {}, INTENT, RESULT, "known"],
    ["the run was killed in it", {}, INTENT, undefined, "unknown"],
    ["only the try before it ended", {}, INTENT, { ...RESULT, revision: 3 }, "unknown"],
    ["a person wants it tried again", { tried_again: 1 }, INTENT, RESULT, "wanted-again"],
    [
      "they wanted that before it",
      { tried_again: 1 },
      { ...INTENT, tried_again: 1 },
      RESULT,
      "known",
    ],
    ["its task was done and taken back", { undone: 1 }, INTENT, RESULT, "wanted-anew"],
    ["and is tried again since", { undone: 1, tried_again: 2 }, INTENT, RESULT, "wanted-anew"],
    ["it was done after that", { undone: 1 }, { ...INTENT, undone: 1 }, RESULT, "known"],
    ["an earlier Stint kept it", {}, OLD, RESULT, "known"],
    [
      "an earlier Stint kept it, and its task was reopened, nobody knows when",
      REOPENED,
      OLD,
      RESULT,
      "unknown",
    ],
  ])("%s", (_name, task, intent, result, standing) => {
    expect(actStanding(task, intent, result)).toBe(standing);
  });
});
