import { expect, it } from "vitest";
import { PLAIN } from "../../test/support/plain-paint.ts";
import type { BranchVerifyView } from "../core/schema/views.ts";
import { branchEvidenceText } from "./branch-evidence-text.ts";
import { layOut } from "./layout.ts";

const TASK: BranchVerifyView["tasks"][number] = {
  project: "p-1",
  task: "t2",
  name: "two",
  title: "Two",
  commit: "0123456789abcdef",
  status: "verified",
  why: "`npm test`",
  labels: [],
  checks: [],
  approvals: [],
  signature: { kind: "none" },
};
const VIEW: BranchVerifyView = {
  branch: "main",
  commit: "0123456789abcdef",
  tasks: [TASK],
  proof: null,
  cut: [],
  passed: true,
  next: [],
};

const ROWS: readonly [what: string, view: Partial<BranchVerifyView>, lines: readonly string[]][] = [
  ["all verified", {}, ["Yes: 1 task, all verified."]],
  [
    "some not",
    { passed: false, tasks: [TASK, { ...TASK, status: "weakly" }] },
    ["No: of 2 tasks, 1 verified, 1 weakly verified."],
  ],
  ["none at all", { passed: false, tasks: [] }, ["No: the branch has no task of Stint."]],
  [
    "all that is here, of a history that is cut",
    { passed: false, cut: ["0123456789abcdef"], next: ["git fetch --unshallow origin"] },
    [
      "No: this clone does not have the whole history. Commits before 0123456789 may contain tasks that are not judged here.",
      "In the part that is here: of 1 task, 1 verified.",
      "  Next: git fetch --unshallow origin",
    ],
  ],
];

it.each(ROWS)("the answer about a branch: %s", (_, view, lines) => {
  const told = layOut(branchEvidenceText({ ...VIEW, ...view }, PLAIN), 200).split("\n");
  expect(told.slice(-lines.length)).toEqual(lines);
});
