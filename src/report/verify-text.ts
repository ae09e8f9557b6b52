// The answer to "Proper cross-session persistence?" for people: each criterion, and why not.
import type { VerifyView } from "../core/schema/views.ts";
import type { Block } from "./layout.ts";
import type { Paint } from "./paint.ts";
import { visibleLine } from "./visible.ts";

export function verifyText(view: VerifyView, paint: Paint): Block[] {
  const failed = view.criteria.filter(({ passed }) => !passed).length;
  const at = view.revision === null ? "" : ` at revision ${view.revision}`;
  return [
    `${paint.bold(view.question)} ${view.project_id}${at}`,
    ...view.criteria.flatMap(({ name, passed, found, problems }) => [
      `${passed ? paint.green("pass") : paint.red("FAIL")}  ${name}: ${visibleLine(found)}`,
      ...problems.map((problem) => `        - ${visibleLine(problem)}`),
    ]),
    view.passed
      ? `${paint.green("Yes")}: all three criteria hold.`
      : `${paint.red("No")}: ${failed} of 3 criteria do not hold. See also: stint doctor ${view.project_id}`,
  ];
}
