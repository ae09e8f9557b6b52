import { describe, expect, it } from "vitest";
import { failureLine } from "./failure-line.ts";

describe("a failure in one line", () => {
  it.each([
    ["it exited with code 1\ncompiling\n2 red\n\n", "2 red"],
    ["it exited with code 1", "it exited with code 1"],
    ["it exited with code 139 (SIGSEGV)\n12 tests passed", "it exited with code 139 (SIGSEGV)"],
    ["it did not end within 2 s\n12 tests passed", "it did not end within 2 s"],
    ["it was ended by a signal\n12 tests passed", "it was ended by a signal"],
    ["codex answers fail: no test\nIs it fine?\n\nfail\n- no test", "codex answers fail: no test"],
    ["", ""],
  ])("of %j is %j", (excerpt, line) => {
    expect(failureLine(excerpt)).toBe(line);
  });
});
