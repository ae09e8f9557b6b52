// What a manifest asks of this machine: a browser, where a check shows a page. A run without one blocks
// the task before its session.
import { findBrowser } from "../checks/find-browser.ts";
import type { Config } from "../core/schema/config.ts";
import type { Plan } from "../manifest/plan.ts";
import { type Problem, warningAt } from "../manifest/problem.ts";
import type { System } from "./system.ts";

export function browserProblems(
  system: System,
  plan: Plan,
  root: string,
  config: Config,
): readonly Problem[] {
  const task = plan.tasks.find(({ box, checks }) => !box.checked && checks.some(isPage));
  if (task === undefined) return [];
  const { browser: configured } = config;
  const found = findBrowser({ configured, env: system.env, root, own: system.browserProgram });
  if (found.found) return [];
  return [
    warningAt(task.box.line, "no-browser", {
      message: `a check of this task needs a browser, and ${found.why}`,
      example: found.hint,
      found: `- [${task.box.mark}] ${task.text}`,
    }),
  ];
}

function isPage({ kind }: { readonly kind: string }): boolean {
  return kind === "browser" || kind === "render";
}
