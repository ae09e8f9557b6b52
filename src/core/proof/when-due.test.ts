import { describe, expect, it } from "vitest";
import { after, draft, intent, minute, running, taskId } from "../../../test/support/machine.ts";
import { work } from "../../../test/support/events.ts";
import { isMadeElsewhere, isProofSettled, repeatedChecks } from "./when-due.ts";
import type { Proof } from "../schema/project.ts";
import type { Sha256 } from "../schema/scalar.ts";
import type { Check, Task } from "../schema/task.ts";

const COMMAND: Check = { kind: "command", command: "npm test" };
const CHECKED = intent("t1", { checks: [COMMAND] });

describe("which checks a clone repeats", () => {
  it("those that ask nobody, reach nothing outside and need no state from before", () => {
    const checks: Check[] = [
      COMMAND,
      { kind: "file", path: "a.txt", expect: { is: "exists" } },
      { kind: "file", path: "a.txt", expect: { is: "changed" } },
      { kind: "render", path: "index.html", sees: "Hello" },
      { kind: "http", method: "GET", url: "http://localhost/", status: 200 },
      { kind: "browser", url: "http://localhost/", sees: "Hello" },
    ];
    const state = after(running([intent("t1", { checks })]), ...work("t1", 1));
    const [found] = repeatedChecks(state.tasks);
    expect(found?.checks).toEqual([checks[0], checks[1], checks[3]]);
  });

  it("of boxes that a person had checked too, and of nothing that is not done", () => {
    const state = draft([CHECKED, intent("t2", { checks: [COMMAND] }), intent("t3")], {
      checked: ["t1", "t3"],
    });
    expect(repeatedChecks(state.tasks).map(({ task }) => task.id)).toEqual(["t1"]);
  });

  it("an act of the manifest and an artefact are in no commit, by their own words", () => {
    const of = (more: Partial<Task>): boolean => isMadeElsewhere({ ...CHECKED, ...more } as Task);
    expect([
      of({}),
      of({ run: "make" }),
      of({ webhook: "http://x" }),
      of({ ignored: "ok" }),
    ]).toEqual([false, true, true, true]);
  });
});

describe("whether a commit has its answer", () => {
  const of = { commit: "abc", at: minute(5), checks: 1 };
  const record = { path: "artifacts/proof/abc.json", sha256: "0".repeat(64) as Sha256 };
  const proven: Proof = { kind: "proven", ...of, ...record, superseded: [], elsewhere: [] };
  const failing = [{ task_id: taskId("t1"), check: "`x`", reason: "unknown" }] as const;
  const failed: Proof = { kind: "failed", ...of, ...record, failing: [...failing] };
  const unproven: Proof = { kind: "not-proven", commit: "abc", at: minute(5), why: "w", hint: "h" };

  it("the same commit is proven once; another one is not proven by it", () => {
    expect(isProofSettled(undefined, "abc", minute(1))).toBe(false);
    expect(isProofSettled(proven, "abc", minute(9))).toBe(true);
    expect(isProofSettled(proven, "abd", minute(1))).toBe(false);
  });

  it("what could not be proven is tried again by the next run, and what failed always", () => {
    expect(isProofSettled(unproven, "abc", minute(5))).toBe(true);
    expect(isProofSettled(unproven, "abc", minute(6))).toBe(false);
    expect(isProofSettled(failed, "abc", minute(1))).toBe(false);
  });
});
