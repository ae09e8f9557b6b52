// Text of Steps that belongs to no task. It reads as if every session were told it, and none is.
import { counted } from "../../core/words/amounts.ts";
import type { ManifestDocument } from "../manifest-document.ts";
import { type Problem, warningAt } from "../problem.ts";
import { joinedLines } from "../written-values.ts";

/** Fewer words are a label: they only group tasks. */
const FEWEST_WORDS = 4;

/** @param told what is said of these lines already: a key, a box or a heading that is not read as one */
export function unreadText(document: ManifestDocument, told: readonly Problem[]): Problem[] {
  const isTold = ({ text, line }: { readonly text: string; readonly line: number }): boolean =>
    told.some((each) => each.line >= line && each.line < line + text.split("\n").length);
  const found = [...document.paragraphs, ...document.quotes]
    .filter((each) => each.section === "Steps" && isProse(each.text) && !isTold(each))
    .toSorted((a, b) => a.line - b.line);
  const [first] = found;
  if (first === undefined) return [];
  const all =
    found.length === 1
      ? "this text"
      : `this text and ${counted(found.length - 1, "other")} in Steps`;
  const text = joinedLines(first.text);
  return [
    warningAt(first.line, "unread-text", {
      message: `sessions are not told ${all}, because no task has it in its list; write what all should know below Notes, and the rest below its task`,
      example: `## Notes\n\n${text}`,
      sample: true,
      found: text,
    }),
  ];
}

/** `First the server:` introduces what follows. */
function isProse(text: string): boolean {
  const isLabel = /:[*_]*$/.test(text.trim()) && !text.includes("\n");
  return !isLabel && (text.match(/[\p{L}\p{N}]+/gu) ?? []).length >= FEWEST_WORDS;
}
