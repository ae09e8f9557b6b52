// Boxes that stand where people often expect something else of them.
import type { StrayBox } from "../manifest-document.ts";
import { warningAt } from "../problem.ts";
import type { LintRule } from "./rule.ts";

export const nestedBox: LintRule = (document) =>
  document.tasks
    .filter((task) => task.parent !== undefined)
    .map((task) =>
      warningAt(task.line, "nested-box", {
        message: "a nested box is a task of its own, after the one above it; a sub-step has no box",
        example: `- ${task.title}`,
        found: `- [${task.box.mark}] ${task.title}`,
      }),
    );

const MESSAGES: Record<StrayBox["where"], string> = {
  "outside-steps": "this box is outside Steps, so it is no task",
  "block-quote": "this box is in a quote, so it is no task",
  "indented-code": "this box is indented so far that it is code, so it is no task",
};

/** Success criteria are often written as a checklist; nobody takes those for tasks. */
export const strayBox: LintRule = (document) =>
  document.strayBoxes
    .filter((box) => box.where !== "outside-steps" || box.section !== "Success criteria")
    .map((box) =>
      warningAt(box.line, "stray-box", {
        message: MESSAGES[box.where],
        example: `## Steps\n\n- ${box.text.replace(/^(?:[-*+]|\d+[.)])\s+/, "")}`,
        found: box.text,
      }),
    );
