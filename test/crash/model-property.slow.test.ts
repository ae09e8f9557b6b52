// Layer (b): random lives of a project over the modelled disk. A failure shrinks to the shortest
// life, the earliest death and the simplest disk that break a promise.
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { withoutFolderSync, withoutFsync } from "../support/careless-files.ts";
import { LIFE_ACTS, type LifeStep, live } from "../support/random-life.ts";

const SEED = 20_260_101;

const step: fc.Arbitrary<LifeStep> = fc.record({
  act: fc.constantFrom(...LIFE_ACTS),
  diesAt: fc.option(fc.integer({ min: 1, max: 70 })),
  disk: fc.option(fc.nat(200)),
});

const life = fc.array(step, { maxLength: 14 });

describe("S3 any life with any crashes", () => {
  it("loses nothing, tears nothing and does nothing twice", () => {
    const property = fc.property(life, (steps) => live(steps));
    expect(() => fc.assert(property, { seed: SEED, numRuns: 500 })).not.toThrow();
  });

  it.each([
    ["the fsync of its journal", withoutFsync, /shadows\/.*journal/],
    ["the fsync of the folder of its states", withoutFolderSync, /\/shadows\/.*\/state$/],
  ] as const)("finds and shrinks what a store without %s does wrong", (_, plant, path) => {
    const result = fc.check(
      fc.property(life, (steps) => live(steps, (files) => plant(files, path))),
      { seed: SEED, numRuns: 500 },
    );
    expect(result.failed).toBe(true);
    expect(result.counterexample?.[0].length).toBeLessThanOrEqual(3);
  });
});
