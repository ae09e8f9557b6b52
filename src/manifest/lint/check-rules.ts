// A task is only as verified as its checks.
import { hasCredentials, shownAddress } from "../../core/words/shown-address.ts";
import { isReleaseStep } from "../../core/written/release-step.ts";
import type { PlannedTask } from "../plan.ts";
import { errorAt, warningAt, type Problem } from "../problem.ts";
import type { LintRule } from "./rule.ts";

export const noCheck: LintRule = (_document, plan) =>
  plan.tasks.flatMap((task) => (isUnverified(task) ? [noCheckProblem(task)] : []));

function isUnverified(task: PlannedTask): boolean {
  const isJudgedOtherwise =
    task.run !== undefined || task.webhook !== undefined || task.approve === "after";
  return !task.box.checked && task.checks.length === 0 && !isJudgedOtherwise;
}

function noCheckProblem(task: PlannedTask): Problem {
  return warningAt(task.box.line, "no-check", {
    message: "this task has no check, so it can only be weakly verified: any change would count",
    example: `- [ ] ${task.text}\n  - check: \`npm test\``,
    found: `- [ ] ${task.text}`,
  });
}

export const agentReviewOfRelease: LintRule = (_document, plan) =>
  plan.tasks
    .filter((task) => isRelease(task) && task.approve === undefined)
    .filter(
      (task) =>
        task.checks.length > 0 && task.checks.every((check) => check.kind === "agent-review"),
    )
    .map((task) =>
      errorAt(task.box.line, "agent-review-of-release", {
        message:
          "an agent's review is never the only check of a release; add one that a person or a program makes",
        example: `- [ ] ${task.text}\n  - check: review`,
        found: `- [${task.box.mark}] ${task.text}, checked by agents only`,
      }),
    );

function isRelease({ title, run, docsOnly }: PlannedTask): boolean {
  return isReleaseStep({ title, run, ...(docsOnly && { docs_only: true }) });
}

/** Everybody who reads the manifest, or the state that repeats it, reads the password. */
export const passwordInCheck: LintRule = (_document, plan) =>
  plan.tasks.flatMap((task) =>
    task.checks.flatMap((check) => {
      if (check.kind !== "http" && check.kind !== "browser") return [];
      if (!hasCredentials(check.url)) return [];
      return warningAt(task.box.line, "password-in-check", {
        message:
          "this check has a password in its address, and whoever reads the manifest can read it; name a variable of the environment instead",
        example: "check: GET https://ada:$API_PASSWORD@example.com/health 200",
        found: `check: … ${shownAddress(check.url)}`,
      });
    }),
  );
