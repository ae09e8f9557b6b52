// Any order of any events, nonsense among them, keeps what must always hold.
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  MIXED_TASKS,
  chosenEvent,
  deepFreeze,
  draft,
  minute,
} from "../../../test/support/machine.ts";
import { DERIVED_LIST_LENGTH } from "../written/bounds.ts";
import { violations } from "../../../test/support/invariants.ts";
import { isTerminal } from "../project-state.ts";
import { projectState, type ProjectState } from "../schema/project.ts";
import { step } from "./step.ts";

const choice = fc.record({ kind: fc.nat(), thing: fc.nat(1000), odd: fc.nat(1000) });
const walk = fc.array(choice, { minLength: 30, maxLength: 120, size: "max" });
const NEVER_LOWERED = [
  "tasks",
  "sessions",
  "attempts",
  "approvals",
  "questions",
  "dispatches",
] as const;

const WHOLE_REFUSAL =
  /^["A-Z].*[.?!] (?:Legal now: [a-z-]+(?:, [a-z-]+)*|Abandoned is final: nothing is legal now)\.$/su;

/** Calls `look` with every state of a walk and the one before it; returns the refusals. */
function along(
  choices: readonly { kind: number; thing: number; odd: number }[],
  look: (before: ProjectState, after: ProjectState) => void,
): string[] {
  const refusals: string[] = [];
  let state = deepFreeze(draft(MIXED_TASKS, { attempts: 2 }));
  for (const [n, chosen] of choices.entries()) {
    const result = step(state, chosenEvent(state, chosen, minute(n)));
    if (!result.ok) {
      refusals.push(`${result.reason} ${result.legal}`);
      continue;
    }
    look(state, deepFreeze(result.state));
    state = result.state;
  }
  return refusals;
}

describe("any order of events", () => {
  it("S3-14 S4-24 keeps every invariant, and never changes the state it was given", () => {
    fc.assert(
      fc.property(walk, (choices) => {
        along(choices, (_, after) => expect(violations(after)).toEqual([]));
      }),
      { numRuns: 200, seed: 1 },
    );
  });

  it("refuses in whole sentences that say what is legal now", () => {
    fc.assert(
      fc.property(walk, (choices) => {
        const refusals = along(choices, () => {});
        expect(refusals.filter((reason) => !WHOLE_REFUSAL.test(reason))).toEqual([]);
      }),
      { numRuns: 80, seed: 7 },
    );
  });

  it("makes only states that the persisted schema accepts and JSON keeps whole", () => {
    fc.assert(
      fc.property(walk, (choices) => {
        along(choices, (_, after) => {
          const read: unknown = JSON.parse(JSON.stringify(after));
          expect(read).toStrictEqual(after);
          expect(projectState.safeParse(read).error).toBeUndefined();
        });
      }),
      { numRuns: 80, seed: 2 },
    );
  });

  it("never lowers a counter, an attempt or what was spent", () => {
    fc.assert(
      fc.property(walk, (choices) => {
        along(choices, (before, after) => {
          for (const kind of NEVER_LOWERED) {
            expect(after.counters[kind]).toBeGreaterThanOrEqual(before.counters[kind]);
          }
          expect(after.spent.wall_ms).toBeGreaterThanOrEqual(before.spent.wall_ms);
          for (const task of before.tasks) {
            const later = after.tasks.find(({ id }) => id === task.id);
            expect(later?.attempts).toBeGreaterThanOrEqual(task.attempts);
          }
        });
      }),
      { numRuns: 100, seed: 3 },
    );
  });

  it("leaves a terminal status only by reopening what is Done", () => {
    fc.assert(
      fc.property(walk, (choices) => {
        along(choices, (before, after) => {
          const isReopened = before.status === "Done" && after.status === "Ready";
          // A commit may get another id also then.
          const isSame = before.status === "Done" && after.status === "Done";
          expect(isReopened || isSame || !isTerminal(before)).toBe(true);
        });
      }),
      { numRuns: 100, seed: 4 },
    );
  });

  it("S3-22 S3-30 makes no task done without evidence and drops none that was done", () => {
    fc.assert(
      fc.property(walk, (choices) => {
        along(choices, (before, after) => {
          const unproven = after.tasks.filter(
            (t) => t.status === "done" && t.evidence.length === 0,
          );
          expect(unproven).toEqual([]);
          expect(after.tasks.length).toBeGreaterThanOrEqual(before.tasks.length);
        });
      }),
      { numRuns: 100, seed: 5 },
    );
  });

  it("keeps the object of every task it does not change, and few closed items", () => {
    fc.assert(
      fc.property(walk, (choices) => {
        along(choices, (before, after) => {
          const copied = after.tasks.filter((task) => {
            const old = before.tasks.find(({ id }) => id === task.id);
            return task !== old && JSON.stringify(task) === JSON.stringify(old);
          });
          // The task that the event is about may be rebuilt as it was.
          expect(copied.length).toBeLessThanOrEqual(1);
          const closed = after.approval_items.filter((item) => item.status !== "open");
          expect(closed.length).toBeLessThanOrEqual(DERIVED_LIST_LENGTH);
        });
      }),
      { numRuns: 100, seed: 6 },
    );
  });
});
