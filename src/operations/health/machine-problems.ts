// What the checks of a manifest ask of this machine: a browser, where one shows a page, and the agents
// that review. A run without them blocks the task before its session.
import { AGENT_NAMES } from "../../agents/agents.ts";
import { findBrowser } from "../../checks/find-browser.ts";
import { nearMiss } from "../../core/words/edit-distance.ts";
import type { Config } from "../../core/schema/config.ts";
import type { Plan } from "../../manifest/plan.ts";
import { errorAt, type Problem, warningAt } from "../../manifest/problem.ts";
import type { System } from "../system.ts";

export function machineProblems(
  system: System,
  plan: Plan,
  root: string,
  config: Config,
): readonly Problem[] {
  return [...browserProblems(system, plan, root, config), ...reviewerProblems(plan)];
}

function reviewerProblems(plan: Plan): Problem[] {
  return plan.tasks.flatMap(({ box, checks }) =>
    checks.flatMap((check) => {
      if (check.kind !== "agent-review" || AGENT_NAMES.includes(check.agent)) return [];
      const near = nearMiss(check.agent, AGENT_NAMES);
      const meant = near === undefined ? AGENT_NAMES.join(", ") : `did you mean ${near}?`;
      return errorAt(box.line, "unknown-reviewer", {
        message: `there is no agent "${check.agent}" to review it (${meant})`,
        example: `check: agent ${near ?? "codex"} "${check.question}"`,
        found: `check: agent ${check.agent} "${check.question}"`,
      });
    }),
  );
}

function browserProblems(
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
