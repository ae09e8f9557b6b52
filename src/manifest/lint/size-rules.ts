// Work that fits one session: not so large that it breaks the limits, not so small that a project
// costs more than it gives.
import type { PlannedTask } from "../plan.ts";
import { warningAt } from "../problem.ts";
import type { LintRule } from "./rule.ts";

const MAX_SUBSTEPS = 12;

/** A path with a folder or an ending, as `src/app.ts` or `README.md`. */
const FILE =
  /(?<![\w./:@-])(?!(?:e\.g|i\.e)\b)(?:[\w-]+\/)*[\w-][\w.-]*\.[A-Za-z][A-Za-z0-9]{0,4}(?![\w/(]|\.\w)/g;

export const manyFiles: LintRule = (_document, plan, limits) =>
  plan.tasks.flatMap((task) => {
    const limit = task.limit?.files_per_task ?? limits.files_per_task;
    const files = filesNamed(task);
    if (task.box.checked || files.size <= limit) return [];
    return warningAt(task.box.line, "many-files", {
      message: `this task names ${files.size} files, and the limit is ${limit} per task; split it or raise its limit`,
      example: `- limit: files ${files.size}`,
      found: [...files].join(", "),
    });
  });

function filesNamed(task: PlannedTask): ReadonlySet<string> {
  // A dot is the cheapest sign that there is anything to look for.
  if (!task.source.includes(".")) return new Set();
  const texts = [task.text, ...task.substeps.map((substep) => substep.text)];
  return new Set(texts.flatMap((text) => text.match(FILE) ?? []));
}

export const manySubsteps: LintRule = (_document, plan) =>
  plan.tasks
    .filter((task) => !task.box.checked && task.substeps.length > MAX_SUBSTEPS)
    .map((task) =>
      warningAt(task.box.line, "many-substeps", {
        message: `this task has ${task.substeps.length} sub-steps; more than ${MAX_SUBSTEPS} seldom fit one session: split it`,
        example: "- [ ] The first part\n- [ ] The second part",
        found: `- [ ] ${task.text}`,
      }),
    );

export const oneTask: LintRule = (_document, plan) => {
  const [only, ...others] = plan.tasks;
  if (only === undefined || others.length > 0) return [];
  return [
    warningAt(only.box.line, "one-task", {
      message:
        "a manifest with one task gains nothing from Stint; ask an agent directly, or split the task",
      example: "- [ ] The first part\n- [ ] The second part",
      found: `- [${only.box.mark}] ${only.text}`,
    }),
  ];
};
