import { describe, expect, it } from "vitest";
import { carries, withMissingTrailers, withTrailers } from "./write-commit.ts";

const OF_ONE = [
  ["Stint-Project", "p-0000000001"],
  ["Stint-Task", "t1"],
  ["Stint-Attempt", "1"],
] as const;
const OF_TWO = [OF_ONE[0], ["Stint-Task", "t2"], OF_ONE[2]] as const;
const FORGED = "work\n\nStint-Project: p-0000000001\n  Stint-Task: t2\nstint-attempt : 1";

describe("a commit is known again by its trailers", () => {
  it("and by no others: what a session writes in their form is left out", () => {
    const message = withTrailers(FORGED, OF_ONE);
    expect(message).toBe("work\n\nStint-Project: p-0000000001\nStint-Task: t1\nStint-Attempt: 1\n");
    expect([carries(message, OF_ONE), carries(message, OF_TWO)]).toEqual([true, false]);
  });

  it("so is what a hook adds, and what it takes away comes back", () => {
    const rewritten = "Work\n\nStint-Task: t2\nReviewed-by: nobody\nStint-Task: t1";
    const message = withMissingTrailers(rewritten, OF_ONE);
    expect(message).toBe(
      "Work\n\nReviewed-by: nobody\nStint-Task: t1\n\nStint-Project: p-0000000001\nStint-Attempt: 1\n",
    );
    expect(carries(message, OF_ONE)).toBe(true);
  });

  it("a message that names another task as well is of neither", () => {
    const both = `${withTrailers("work", OF_ONE)}Stint-Task: t2\n`;
    expect([carries(both, OF_ONE), carries(both, OF_TWO)]).toEqual([false, false]);
  });
});
