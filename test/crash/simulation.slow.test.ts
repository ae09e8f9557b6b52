// Layer (c): deterministic simulation. The same seed gives the same months; a failure names its seed.
import { describe, expect, it } from "vitest";
import { type Happened, simulate } from "../support/simulation.ts";

const SEEDS = Array.from({ length: 8 }, (_, i) => i + 1);

describe("S3 months of runs, crashes, expired leases and woken owners", () => {
  it.each([1, 2, 3])(
    "on %i machines: nothing lost, nothing twice, one owner at a time",
    (machines) => {
      const seen = SEEDS.map((seed) => {
        try {
          return simulate({ seed, machines, steps: 250 });
        } catch (error) {
          throw new Error(`seed ${seed}: ${String(error)}`, { cause: error });
        }
      });
      const total = (what: keyof Happened) => seen.reduce((sum, each) => sum + each[what], 0);
      expect(total("days")).toBeGreaterThan(50);
      expect(total("revisions")).toBeGreaterThan(500);
      const often = [
        "takenOver",
        "heldByOther",
        "released",
        "diedInAct",
        "sleptInAct",
        "rebooted",
      ] as const;
      expect(often.filter((what) => total(what) <= 10)).toEqual([]);
      expect(total("zombieRefused")).toBeGreaterThan(0);
    },
  );

  it("repeats itself for one seed", () => {
    const once = simulate({ seed: 99, machines: 2, steps: 100 });
    expect(simulate({ seed: 99, machines: 2, steps: 100 })).toEqual(once);
  });
});
