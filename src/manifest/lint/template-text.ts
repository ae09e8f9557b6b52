// What `stint init` wrote for a person to replace, and nobody has replaced yet: agents would work on the placeholder.
import { lineOfKey } from "../key-lines.ts";
import type { ManifestDocument } from "../manifest-document.ts";
import { TEMPLATE_CHECK, TEMPLATE_GOAL, TEMPLATE_TITLE } from "../manifest-template.ts";
import type { Plan } from "../plan.ts";
import { errorAt, type Problem } from "../problem.ts";

export function templateText({ goal, tasks }: Plan, document: ManifestDocument): Problem[] {
  return [...templateGoal(goal, document), ...templateTasks(tasks, document)];
}

function templateGoal(goal: string, { sections, text }: ManifestDocument): Problem[] {
  if (!goal.includes(TEMPLATE_GOAL)) return [];
  const line = text.split(/\r\n|\n|\r/).findIndex((each) => each.includes(TEMPLATE_GOAL)) + 1;
  return [
    errorAt(line > 0 ? line : (sections[0]?.line ?? 1), "template-text", {
      message: "this is still the goal of the template; say what your work should achieve",
      example: "Users can log in with a passkey.",
      sample: true,
      found: TEMPLATE_GOAL,
    }),
  ];
}

function templateTasks(tasks: Plan["tasks"], document: ManifestDocument): Problem[] {
  return tasks.flatMap(({ title, text, box, checks }, index): Problem[] => {
    if (box.checked) return [];
    const isSame = title.startsWith(TEMPLATE_TITLE);
    const ofTitle = errorAt(box.line, "template-text", {
      message: "this is still a task of the template; write your own there, or delete it",
      example: "- [ ] login - Add a login form in src/login.ts",
      sample: true,
      found: `- [ ] ${text}`,
    });
    const hasItsCheck = checks.some(
      (check) => check.kind === "command" && check.command === TEMPLATE_CHECK,
    );
    const ofCheck = errorAt(lineOfKey(document, index, "check", TEMPLATE_CHECK), "template-text", {
      message:
        "this is still the check of the template and never passes; write one that fails today and passes when the work is done, or delete it",
      example: '- check: `grep -q "loginForm" src/login.ts`',
      sample: true,
      found: `- check: \`${TEMPLATE_CHECK}\``,
    });
    // Whoever replaces the task reads its checks, too: one problem for each task.
    if (isSame) return [ofTitle];
    return hasItsCheck ? [ofCheck] : [];
  });
}
