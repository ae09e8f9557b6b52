import { describe, expect, it } from "vitest";
import { withNotes, withStep } from "./session-said.ts";

const PLAIN = "## Goal\n\nGreet.\n\n## Steps\n\n- [ ] one - Write a\n  - check: file a\n";

describe("notes of a session", () => {
  it("make the section where there is none, on the level of the others", () => {
    expect(withNotes(PLAIN, ["x"])).toBe(`${PLAIN}\n## Notes\n\n- x\n`);
    expect(withNotes("# Goal\r\n\r\nG\r\n\r\n# Steps\r\n\r\n- [ ] a\r\n", ["x"])).toMatch(
      /\r\n\r\n# Notes\r\n\r\n- x\r\n$/,
    );
  });

  it("come below what stands there, and leave every other byte alone", () => {
    const before = "## Goal\n\nG\n\n## Notes\n\nkeep\n\n## Steps\n\n- [ ] a\n";
    const after = withNotes(before, ["x", "y"]);
    expect(after).toBe("## Goal\n\nG\n\n## Notes\n\nkeep\n\n- x\n- y\n\n## Steps\n\n- [ ] a\n");
    expect(withNotes(after ?? "", ["z"])).toBe(after?.replace("- y\n", "- y\n- z\n"));
    expect(withNotes(`${PLAIN}\n## Notes`, ["x"])).toBe(`${PLAIN}\n## Notes\n\n- x\n`);
  });

  it("are one line each, so that none is a heading or a task", () => {
    const text = withNotes(PLAIN, ["a\n## Steps\n- [x] b"]);
    expect(text).toBe(`${PLAIN}\n## Notes\n\n- a ## Steps - [x] b\n`);
  });
});

describe("a step that a session proposes", () => {
  it("stands behind the others, with what is written below it", () => {
    expect(withStep(PLAIN, "two - Write b\n- check: file b")).toBe(
      `${PLAIN}- [ ] two - Write b\n  - check: file b\n`,
    );
    expect(withStep(`${PLAIN}\n## Notes\n`, "- [x] two")).toBe(`${PLAIN}- [ ] two\n\n## Notes\n`);
  });

  it("has no place where there are no steps", () => {
    expect(withStep("## Goal\n", "x")).toBeUndefined();
  });
});
