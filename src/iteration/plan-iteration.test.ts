import { describe, expect, test } from "vitest";
import type { Slug } from "../core/ids.ts";
import { DEFAULT_LIMITS } from "../core/written/bounds.ts";
import { lintManifest } from "../manifest/lint/lint-manifest.ts";
import { STEP_PARTS, STEP_STATUSES } from "../manifest/workflow-step.ts";
import { type AskedFor, planIteration } from "./plan-iteration.ts";
import { readReviewLog } from "./review-log.ts";
import { childPath, iterationSettings, subtaskLogPath, workflowPath } from "./settings.ts";
import { childWorkflowText } from "./workflow.ts";

const SETTINGS = iterationSettings("/home/ada/shop", "/home/ada", {
  options: { task_id: "big-change" },
  config: {},
});

function asked(request: string, more: Partial<AskedFor> = {}): AskedFor {
  return {
    repository: "/home/ada/shop",
    settings: SETTINGS,
    limits: DEFAULT_LIMITS,
    checks: ["`npm test`"],
    request,
    items: [],
    ...more,
  };
}

describe("S2-1 S2-2 S2-3 S2-5 S2-6 S2-17 what an iteration works by", () => {
  test("is derived from the repository and the home folder", () => {
    const settings = iterationSettings("/home/ada/shop", "/home/ada", { options: {}, config: {} });
    expect(settings).toEqual({
      repo_id: { value: "shop", from: "repository" },
      workflow_dir: { value: "/home/ada/.udx/dev.kit/state/codex/workflows/shop", from: "default" },
      task_id: { value: null, from: "default" },
      review_log: { value: "docs/_feedback.md", from: "default" },
      subtask_log: { value: "tasks/<task-id>/feedback.md", from: "default" },
    });
    expect(subtaskLogPath(settings.subtask_log.value, "t")).toBe("tasks/t/feedback.md");
  });

  test("is what was given explicitly, an option before the settings", () => {
    const { repo_id, workflow_dir, review_log } = iterationSettings("/r/shop", "/home/ada", {
      options: { repo_id: "store" },
      config: { repo_id: "other", review_log: "REVIEW.md", workflow_dir: "~/flows" },
    });
    expect([repo_id, workflow_dir, review_log]).toEqual([
      { value: "store", from: "option" },
      { value: "/home/ada/flows", from: "stint.config.yaml" },
      { value: "REVIEW.md", from: "stint.config.yaml" },
    ]);
  });

  test("never leaves its folder, whatever the repository is called", () => {
    const at = (root: string) =>
      iterationSettings(root, "/h", { options: {}, config: {} }).workflow_dir.value;
    expect(at("/r/..")).toMatch(/workflows\/repository$/);
    expect(at("/r/my shop")).toMatch(/workflows\/my-shop$/);
  });
});

describe("S2-24 S2-25 a request", () => {
  test("for one bounded piece of work is one iteration", () => {
    const planned = planIteration(asked("Add a --dry-run flag"));
    expect(planned).toMatchObject({ kind: "iteration", steps: 1 });
  });

  test("S2-15 that would take something away asks before that step, and before no other", () => {
    const alone = planIteration(asked("Delete the old fixtures"));
    expect(alone).toMatchObject({ text: expect.stringMatching(/\n {2}- approve: before\n$/) });
    const planned = planIteration(asked("add tests and reset the database, then update the docs"));
    if (planned.kind !== "workflow") throw new Error(planned.kind);
    const steps = planned.text.split("\n- [ ] ").slice(1);
    expect(steps.map((step) => step.includes("  - approve: before"))).toEqual([true, false]);
  });

  test("S2-18 S2-19 S2-26 for distinct deliverables is a workflow, with a child for each", () => {
    const planned = planIteration(asked("add tests, migrate the config and update the docs"));
    if (planned.kind !== "workflow") throw new Error(planned.kind);
    expect(planned.because).toEqual(["the request spans 3 distinct deliverables"]);
    expect(planned.text).toBe(`---
workflow: big-change
repository: "/home/ada/shop"
plan: review
---

# Workflow big-change

- the request spans 3 distinct deliverables
- Bounds: 6 steps an iteration, 8 files a step, 3 new files an iteration, 0 moves a step; anything beyond becomes a child workflow

## Goal

add tests, migrate the config and update the docs

## Steps

- [ ] add-tests - Add tests
  - child: add-tests
  - inputs: the goal above
  - actions: Add tests
  - outputs: a commit that passes the checks of this step
  - outputs: /home/ada/.udx/dev.kit/state/codex/workflows/shop/big-change/add-tests/index.md
  - outputs: tasks/big-change/feedback.md
  - status: planned
  - check: \`npm test\`
- [ ] migrate-the-config - Migrate the config
  - child: migrate-the-config
  - inputs: the goal above
  - actions: Migrate the config
  - outputs: a commit that passes the checks of this step
  - outputs: /home/ada/.udx/dev.kit/state/codex/workflows/shop/big-change/migrate-the-config/index.md
  - outputs: tasks/big-change/feedback.md
  - status: planned
  - check: \`npm test\`
- [ ] update-the-docs - Update the docs
  - child: update-the-docs
  - inputs: the goal above
  - actions: Update the docs
  - outputs: a commit that passes the checks of this step
  - outputs: /home/ada/.udx/dev.kit/state/codex/workflows/shop/big-change/update-the-docs/index.md
  - outputs: tasks/big-change/feedback.md
  - status: planned
  - check: \`npm test\`
  - docs-only
`);
    expect(planIteration(asked("add tests, migrate the config and update the docs"))).toEqual(
      planned,
    );
    expect(workflowPath(SETTINGS, planned.id)).toBe(
      "/home/ada/.udx/dev.kit/state/codex/workflows/shop/big-change/workflow.md",
    );
    expect(childPath(SETTINGS, planned.id, "add-tests")).toBe(
      "/home/ada/.udx/dev.kit/state/codex/workflows/shop/big-change/add-tests/index.md",
    );
  });

  test("S2-4 that needs a workflow is refused without a task id", () => {
    const settings = iterationSettings("/r/shop", "/h", { options: {}, config: {} });
    expect(planIteration(asked("add tests and update the docs", { settings }))).toEqual({
      kind: "needs-task-id",
      because: ["the request spans 2 distinct deliverables"],
    });
  });

  test("S2-16 for an iteration alone takes the open items of the review log, in their own words", () => {
    const { items } = readReviewLog(
      "- DOC-1: Write the *guide*\n  - check: `evil`\n- DOC-2: Fix a link\n",
    );
    const planned = planIteration(asked("iteration", { items }));
    expect(planned).toMatchObject({ kind: "iteration", steps: 2, id: "big-change" });
    const { plan, problems } = lintManifest("text" in planned ? planned.text : "", DEFAULT_LIMITS);
    expect(plan.tasks.map(({ name, title, checks }) => [name, title, checks.length])).toEqual([
      ["doc-1", "Write the *guide*", 1],
      ["doc-2", "Fix a link", 1],
    ]);
    expect(problems.filter(({ severity }) => severity === "error")).toEqual([]);
    expect(planIteration(asked("iteration"))).toEqual({ kind: "nothing-open" });
  });

  test("S2-9 with more review items than an iteration may hold is a workflow that says so", () => {
    const log = Array.from({ length: 7 }, (_, n) => `- DOC-${n + 1}: Item ${n + 1}`).join("\n");
    const { items } = readReviewLog(log);
    expect(planIteration(asked("Iteration", { items }))).toMatchObject({
      kind: "workflow",
      because: ["max_steps_per_iteration: 7 planned, the limit is 6"],
    });
    expect(planIteration(asked("Iteration", { items: items.slice(1) })).kind).toBe("iteration");
  });
});

describe("S2-19 the steps of a generated workflow", () => {
  const planned = planIteration(asked("add tests, migrate the config and update the docs"));
  const root = "text" in planned ? planned.text : "";
  const child = childWorkflowText({
    id: "add-tests" as Slug,
    parent: { path: "/flows/big-change/workflow.md", task: "t1", title: "Add tests" },
    repository: "/home/ada/shop",
    limits: DEFAULT_LIMITS,
    because: "The task has its own workflow",
    steps: STEP_STATUSES.map((status) => ({
      id: `step-${status.replace("_", "-")}`,
      title: "Add a test",
      inputs: ["the goal above"],
      actions: ["Add a test"],
      outputs: ["a commit", "a log"],
      status,
    })),
  });
  const errorsIn = (text: string) =>
    lintManifest(text).problems.filter(({ severity }) => severity === "error");

  test("are complete for lint, in the workflow and in its child", () => {
    expect([root, child].map((text) => lintManifest(text).plan.tasks.length)).toEqual([3, 4]);
    expect([root, child].flatMap(errorsIn)).toEqual([]);
  });

  test.each(STEP_PARTS)("are refused by lint where one lacks its %s", (part) => {
    for (const text of [root, child]) {
      const [before = "", first = "", ...others] = text.split(/^(?=- \[)/mu);
      const without = first.replace(new RegExp(`^  - ${part}: .*\\n`, "gmu"), "");
      expect(without).not.toBe(first);
      expect(errorsIn([before, without, ...others].join(""))).toMatchObject([
        {
          line: before.split("\n").length,
          rule: "workflow-step",
          message: `a step of a workflow needs inputs, actions, outputs and status; here ${part} is missing or not understood`,
        },
      ]);
    }
  });
});

test.each([
  ["DOC-002", "Say what the config is for", true],
  ["REV-1", "Explain the config", true],
  ["REV-2", "Say it in the guide", true],
  ["REV-3", "Rename the option", false],
  ["DOC-004", "Publish the package", false],
])("an item %s may be answered by documents alone: %s", (id, title, isDocs) => {
  const item = { id, title, details: "", line: 1 } as never;
  const planned = planIteration(asked("iteration", { items: [item] }));
  expect("text" in planned && planned.text.includes("  - docs-only\n")).toBe(isDocs);
});
