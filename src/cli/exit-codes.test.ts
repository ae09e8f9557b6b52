import { describe, expect, it } from "vitest";
import { exitCodeOfError, exitCodeOfState } from "./exit-codes.ts";

describe("the exit code", () => {
  it.each([
    ["bad-input", 2],
    ["not-found", 2],
    ["state-unwritable", 5],
    ["state-corrupt", 5],
    ["state-changed", 5],
    ["lease-held", 6],
    ["lease-lost", 6],
  ] as const)("of %s is %i", (code, exit) => {
    expect(exitCodeOfError(code)).toBe(exit);
  });

  it.each([
    ["Draft", 1],
    ["Ready", 1],
    ["Running", 1],
    ["AwaitingResult", 1],
    ["Validating", 1],
    ["AwaitingApproval", 3],
    ["Blocked", 4],
    ["Paused", 1],
    ["Done", 0],
    ["Abandoned", 4],
  ])("of a project that is %s is %i, and 3 while a person is waited for", (status, exit) => {
    expect(exitCodeOfState({ status, waiting_for_a_person: [] })).toBe(exit);
    expect(exitCodeOfState({ status, waiting_for_a_person: [{}] })).toBe(3);
  });
});
