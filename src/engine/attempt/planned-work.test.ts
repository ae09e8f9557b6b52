import { expect, it } from "vitest";
import { normaliseManifest } from "../../manifest/normalise-manifest.ts";
import { parseManifest } from "../../manifest/parse-manifest.ts";
import { plannedCounts } from "./planned-work.ts";

function planned(...lines: readonly string[]) {
  const text = ["# P", "", "## Goal", "", "G.", "", "## Steps", "", ...lines, ""].join("\n");
  const { tasks } = normaliseManifest(parseManifest(text)).plan;
  return plannedCounts(tasks, (task) => task);
}

it("S2-10 S2-11 S2-12 what is planned is what the words of a task and of its sub-steps name, each file once", () => {
  expect(
    planned(
      "- [ ] Create src/a.ts and src/b.ts",
      "  - move src/old.ts away, and use src/a.ts",
      "  - inputs: docs/plan.md",
      "  - outputs: a commit, tasks/a/feedback.md",
    ),
  ).toEqual({ tasks: 1, files: 3, new_files: 3, moves: 1 });
  expect(planned("- [ ] Fix the parser")).toEqual({ tasks: 1, files: 0, new_files: 0, moves: 0 });
});

it("S2-9 the tasks of a session are counted, and what they name adds up", () => {
  expect(planned("- [ ] Fix a.ts", "- [ ] Fix b.ts and c.ts")).toEqual({
    tasks: 2,
    files: 3,
    new_files: 0,
    moves: 0,
  });
});
