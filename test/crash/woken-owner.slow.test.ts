// A process that stood still at any operation of any act and wakes after its lease was taken over:
// nothing it was told is lost, nothing it was refused is there, and its successor's work stands.
import { describe, expect, it } from "vitest";
import {
  type Awakening,
  deathsInCommit,
  type Meanwhile,
  OWNER_ACTS,
  wakeOpener,
  wakeOwner,
} from "../support/woken-owner.ts";

const MEANWHILE = ["acquires", "commits", "works on", "releases"] as const satisfies Meanwhile[];

/** Wakes at 1, 2, 3 … until there is no such operation. @returns how many there were */
function everywhere(what: string, wakeAt: (at: number) => Awakening): number {
  for (let at = 1; ; at++) {
    try {
      const { slept } = wakeAt(at);
      if (!slept) return at - 1;
    } catch (error) {
      throw new Error(`${what}, asleep at operation ${at}: ${String(error)}`, { cause: error });
    }
  }
}

describe("S3 a resumed zombie cannot overwrite its successor", () => {
  describe.each(OWNER_ACTS)("stopped inside %s", (act) => {
    it.each(MEANWHILE)("while its successor %s", (meanwhile) => {
      expect(everywhere(act, (at) => wakeOwner(act, at, meanwhile))).toBeGreaterThan(3);
    });
  });

  it("stopped inside a commit while its successor dies at any operation of opening", () => {
    let pairs = 0;
    let deaths = 0;
    for (let diesAt = 1; diesAt === deaths + 1; diesAt++) {
      everywhere(`the successor dies at ${diesAt}`, (at) => {
        const seen = wakeOwner("commit", at, { diesAt });
        if (seen.successorDied) deaths = diesAt;
        if (seen.slept && seen.successorDied) pairs++;
        return seen;
      });
    }
    expect(pairs).toBeGreaterThan(300);
  });

  it("stopped inside opening after any death in a commit, while its successor works on", () => {
    const points = deathsInCommit().map((death, i) =>
      everywhere(`death ${i + 1}`, (at) => wakeOpener(death, at, "works on")),
    );
    expect(points.length).toBeGreaterThan(10);
    expect(points.reduce((sum, each) => sum + each, 0)).toBeGreaterThan(300);
  });
});
