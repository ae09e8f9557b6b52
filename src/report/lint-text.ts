// Problems of manifests for people and editors: file:line first, then what is right and what is there.
import type { LintView, ProblemView } from "../core/schema/views.ts";
import type { Paint } from "./paint.ts";
import { visibleLine, visibleText } from "./visible.ts";

export function lintText(view: LintView, paint: Paint): string {
  return view.files
    .flatMap((file) => [
      ...file.problems.map((problem) => problemText(file.file, problem, paint)),
      summary(file, paint),
    ])
    .join("\n");
}

export function problemText(file: string, problem: ProblemView, paint: Paint): string {
  const place = problem.column === undefined ? problem.line : `${problem.line}:${problem.column}`;
  const colour = problem.severity === "error" ? paint.red : paint.yellow;
  return [
    `${visibleLine(file)}:${place}: ${colour(problem.severity)}: ${visibleText(problem.message)} ${paint.dim(`[${problem.rule}]`)}`,
    ...block("found", problem.found),
    ...block("write", problem.example),
  ].join("\n");
}

function block(label: string, text: string): string[] {
  if (text === "") return [];
  return visibleText(text)
    .split("\n")
    .map((line, index) => `    ${index === 0 ? `${label}:` : "      "} ${line}`);
}

function summary(file: LintView["files"][number], paint: Paint): string {
  const counts = `${plural(file.tasks, "task")}, ${plural(file.errors, "error")}, ${plural(file.warnings, "warning")}`;
  const colour = file.errors > 0 ? paint.red : file.warnings > 0 ? paint.yellow : paint.green;
  return `${visibleLine(file.file)}: ${colour(counts)}`;
}

function plural(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? "" : "s"}`;
}
