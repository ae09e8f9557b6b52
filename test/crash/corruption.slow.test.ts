// Any single turned bit and any cut in a state, a journal or a lease is healed or refused with the command
// that repairs it. Every byte and every length once; every bit by chance on top.
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { damage, type Damage, FILES, sizeOf, type Verdict } from "../support/corruption.ts";

function damageAll(path: string, damages: readonly Damage[]): Record<Verdict, number> {
  const verdicts = { unnoticed: 0, healed: 0, refused: 0 };
  for (const how of damages) {
    try {
      verdicts[damage(path, how)]++;
    } catch (error) {
      throw new Error(`${JSON.stringify(how)}: ${String(error)}`, { cause: error });
    }
  }
  return verdicts;
}

describe.each(Object.entries(FILES))("S3 damage to %s", (_, path) => {
  it("a bit turned over in any byte is healed or refused", () => {
    const flips = Array.from({ length: sizeOf(path) }, (__, i) => ({ flip: i, bit: i % 8 }));
    expect(flips.length).toBeGreaterThan(10);
    expect(damageAll(path, flips).unnoticed).toBe(0);
  });

  it("a cut at any length is healed or refused", () => {
    const cuts = Array.from({ length: sizeOf(path) }, (__, i) => ({ cutTo: i }));
    expect(damageAll(path, cuts).unnoticed).toBe(0);
  });

  it("any bit of any byte is healed or refused", () => {
    const anyFlip = fc.record({ flip: fc.nat(sizeOf(path) - 1), bit: fc.nat(7) });
    const result = fc.check(
      fc.property(anyFlip, (how) => damage(path, how) !== "unnoticed"),
      { seed: 20_260_101, numRuns: 200 },
    );
    expect(result.counterexample).toBeNull();
  });
});
