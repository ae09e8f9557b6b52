// Problems of manifests for people and editors: file:line first, then what is right and what is there.
import type { LintView, ProblemView } from "../core/schema/views.ts";
import { counted } from "./amounts.ts";
import type { Block } from "./layout.ts";
import type { Paint } from "./paint.ts";
import { visibleLine, visibleText } from "./visible.ts";

export function lintText(view: LintView, paint: Paint): Block[] {
  return view.files.flatMap((file) => [
    ...file.problems.flatMap((problem) => problemText(file.file, problem, paint)),
    summary(file, paint),
  ]);
}

export function problemText(file: string, problem: ProblemView, paint: Paint): Block[] {
  const place = problem.column === undefined ? problem.line : `${problem.line}:${problem.column}`;
  const colour = problem.severity === "error" ? paint.red : paint.yellow;
  return [
    `${visibleLine(file)}:${place}: ${colour(problem.severity)}: ${visibleText(problem.message)} ${paint.dim(`[${problem.rule}]`)}`,
    ...block("found", problem.found),
    ...block("write", problem.example),
  ];
}

/** As it stands in the manifest, or is to be written there. */
function block(label: string, text: string): Block[] {
  if (text === "") return [];
  return visibleText(text)
    .split("\n")
    .map((line, index) => ({ whole: `    ${index === 0 ? `${label}:` : "      "} ${line}` }));
}

function summary(file: LintView["files"][number], paint: Paint): string {
  const counts = `${counted(file.tasks, "task")}, ${counted(file.errors, "error")}, ${counted(file.warnings, "warning")}`;
  const colour = file.errors > 0 ? paint.red : file.warnings > 0 ? paint.yellow : paint.green;
  return `${visibleLine(file.file)}: ${colour(counts)}`;
}
