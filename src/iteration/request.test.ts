import { describe, expect, test } from "vitest";
import { DEFAULT_LIMITS } from "../core/written/bounds.ts";
import { excessOf, readRequest } from "./request.ts";

describe("S2-25 a request", () => {
  test.each([
    [
      "add tests, migrate the config and update the docs",
      ["Add tests", "Migrate the config", "Update the docs"],
    ],
    ["Add a --dry-run flag", ["Add a --dry-run flag"]],
    ["Add a flag and test it", ["Add a flag and test it"]],
    [
      "Add tests, docs and examples for the parser.",
      ["Add tests, docs and examples for the parser"],
    ],
    [
      "Fix the parser. Update README.md to say so.",
      ["Fix the parser", "Update README.md to say so"],
    ],
    [
      "Do these:\n- [ ] First, and more\n- second\n3. third",
      ["First, and more", "second", "third"],
    ],
    ["Fix the\nparser", ["Fix the parser"]],
  ])("%j is these pieces of work", (text, deliverables) => {
    expect(readRequest(text).deliverables).toEqual(deliverables);
  });

  test("is counted by what it names", () => {
    const { planned } = readRequest("Create src/a.ts and src/b.ts; rename c.ts to d.ts");
    expect(planned).toEqual({ steps: 2, files: 2, newFiles: 2, moves: 1 });
    expect(readRequest("Fix http://example.com/a.html in v1.2").planned.files).toBe(0);
  });

  test.each([
    ["max_steps_per_iteration", { steps: 7, files: 0, newFiles: 0, moves: 0 }, 6],
    ["max_files_per_step", { steps: 1, files: 9, newFiles: 0, moves: 0 }, 8],
    ["max_new_files_per_iteration", { steps: 1, files: 4, newFiles: 4, moves: 0 }, 3],
    ["max_move_operations_per_step", { steps: 1, files: 2, newFiles: 0, moves: 1 }, 0],
  ])(
    "S2-9 S2-10 S2-11 S2-12 breaks %s one past its limit, and not at it",
    (bound, planned, limit) => {
      const [excess, ...others] = excessOf(planned, DEFAULT_LIMITS);
      expect([excess?.bound, excess?.limit, others]).toEqual([bound, limit, []]);
      const atLimit = { steps: 6, files: 8, newFiles: 3, moves: 0 };
      expect(excessOf(atLimit, DEFAULT_LIMITS)).toEqual([]);
    },
  );
});
