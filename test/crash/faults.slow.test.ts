// A disk that says no, at every file operation of every act, once or from then on: a full disk, a
// failing one, no permission, too many open files, a read-only file system, an answer that got lost,
// and writes that take fewer bytes than asked.
import { describe, expect, it } from "vitest";
import { callsOf, FAULTY_ACTS, type FaultyAct, strike } from "../support/fault-scene.ts";
import type { FileFault } from "../support/faulty-files.ts";

const ERRORS = ["ENOSPC", "EIO", "EACCES", "EMFILE", "EROFS"] as const;

/** Injects the fault at every call of the act. @returns what was said, and how often */
function strikeEverywhere(act: FaultyAct, fault: Omit<FileFault, "at">): Record<string, number> {
  const matching = callsOf(act).filter((call) => call !== "close");
  const count = matching.filter((call) => fault.kind === undefined || call === fault.kind).length;
  const said: Record<string, number> = {};
  for (let at = 1; at <= count; at++) {
    try {
      const answer = strike(act, { ...fault, at });
      said[answer] = (said[answer] ?? 0) + 1;
    } catch (error) {
      const what = `${act}, call ${at} (${matching[at - 1]}), ${JSON.stringify(fault)}`;
      throw new Error(`${what}: ${String(error)}`, { cause: error });
    }
  }
  return said;
}

describe.each(FAULTY_ACTS)("S3-24 a fault at every file operation of %s", (act) => {
  it.each(ERRORS)("%s once stops hard or changes nothing about the outcome", (effect) => {
    const said = strikeEverywhere(act, { effect });
    expect(said["state-unwritable"]).toBeGreaterThan(3);
  });

  it.each(["ENOSPC", "EIO"] as const)("%s from then on stops hard", (effect) => {
    const said = strikeEverywhere(act, { effect, lasting: true });
    expect(said["state-unwritable"]).toBeGreaterThan(3);
  });

  it("a lost answer stops hard and is settled when the project is opened again", () => {
    const said = strikeEverywhere(act, { effect: { afterwards: "EIO" } });
    expect(said["state-unwritable"]).toBeGreaterThan(3);
  });

  it.each(["one byte", "half"] as const)("writes of %s still make whole files", (writes) => {
    for (const lasting of [false, true]) {
      const said = strikeEverywhere(act, { kind: "write", effect: { writes }, lasting });
      expect(Object.keys(said)).toEqual(["told"]);
    }
  });

  it("a disk that takes nothing stops hard instead of trying for ever", () => {
    const effect = { writes: "nothing" } as const;
    const said = strikeEverywhere(act, { kind: "write", effect, lasting: true });
    expect(Object.keys(said)).toEqual(["state-unwritable"]);
  });
});
