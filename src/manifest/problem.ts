// What is wrong with a manifest: where, what was found, and how it is written right.
import { exampleLabel } from "../core/words/example-label.ts";

/** One thing that is wrong with a manifest, with its line and the same thing written right. */
export interface Problem {
  readonly rule: string;
  readonly severity: "error" | "warning";
  /** Counted from 1. */
  readonly line: number;
  readonly message: string;
  /** The same thing written right, to be put in place of what was found. */
  readonly example: string;
  /** The example has the right form, but other values: what this person means is not known. */
  readonly sample?: true | undefined;
  readonly found: string;
}

/** What a problem needs besides its rule, severity and line. */
export type ProblemText = Pick<Problem, "message" | "example" | "sample" | "found">;

export function errorAt(line: number, rule: string, text: ProblemText): Problem {
  return { rule, severity: "error", line, ...text };
}

export function warningAt(line: number, rule: string, text: ProblemText): Problem {
  return { rule, severity: "warning", line, ...text };
}

export function isError(problem: Problem): boolean {
  return problem.severity === "error";
}

export function byLine(a: Problem, b: Problem): number {
  return a.line - b.line;
}

/** `file:line: message`, then a right example and what was found, each on its own line. */
export function formatProblem(file: string, problem: Problem): string {
  return [
    `${file}:${problem.line}: ${problem.severity}: ${problem.message} [${problem.rule}]`,
    ...indentedBlock(exampleLabel(problem), problem.example),
    ...indentedBlock("found", problem.found),
  ].join("\n");
}

function indentedBlock(label: string, text: string): string[] {
  if (text === "") return [];
  return text
    .split("\n")
    .map((line, index) => `  ${index === 0 ? `${label}:` : "      "} ${line}`.trimEnd());
}
