import { describe, expect, it } from "vitest";
import { CHECK_EVIDENCE, intent, minute } from "../../../test/support/machine.ts";
import type { Task } from "../../core/schema/task.ts";
import { tasksSection } from "./validation-tasks.ts";

const common = (id: string, title: string) => ({ ...intent(id, { title }), attempts: 0 });

const TASKS: readonly Task[] = [
  {
    ...common("t1", "Write hello.txt"),
    status: "done",
    evidence: [CHECK_EVIDENCE],
    done_at: minute(1),
    labels: ["weakly-verified", "no-diff"],
    label_reasons: { "weakly-verified": "it has no check" },
  },
  {
    ...common("t2", "Checked by hand"),
    status: "done",
    evidence: [{ kind: "person", who: "ada" }],
    done_at: minute(1),
  },
  { ...common("t3", "A | b <script>"), status: "pending" },
  {
    ...common("t4", "Tidy up"),
    status: "blocked",
    reason: "all 3 attempts\nare used",
    blocked_at: minute(2),
  },
  { ...common("t5", "Later"), status: "superseded", superseded_at: minute(3) },
];

describe("the tasks of validation.md", () => {
  it("have a row each, pending and blocked ones too, with their labels", () => {
    expect(tasksSection(TASKS).split("\n")).toEqual([
      "## Tasks",
      "",
      "| task | what | status | labels |",
      "|---|---|---|---|",
      "| t1 | Write hello.txt | done | weakly verified: it has no check; no diff |",
      "| t2 | Checked by hand | done, marked by a person, not verified by Stint |  |",
      "| t3 | A \\| b \\<script> | pending |  |",
      "| t4 | Tidy up | blocked: all 3 attempts are used |  |",
      "",
    ]);
  });
});
