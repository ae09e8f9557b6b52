// Boxes that a person almost wrote, and items without one.
import type { LooseItem, ManifestItem } from "../manifest-document.ts";
import { type Problem, warningAt } from "../problem.ts";
import { joinedLines } from "../written-values.ts";

const NEAR_BOX = /^(?:\[(?:\s*|\s*[xX]\s*|[-–_*~./>!?✓✔√✅])\](?![([:])|[☐☑☒])/u;

export function boxNearMiss(item: ManifestItem): Problem | undefined {
  const [text = ""] = item.text.split("\n", 1);
  const box = NEAR_BOX.exec(text)?.[0];
  if (box === undefined) return undefined;
  const isChecked = /[xX✓✔√✅☑☒]/u.test(box);
  const isInvisible = /[^\S ]/u.test(box);
  const why = isInvisible
    ? "the space in it is not a plain space"
    : "a box is [ ] or [x] and a space";
  return warningAt(item.line, "near-miss-box", {
    message: `this is not a box, so the item is not a task; ${why}`,
    example: `- [${isChecked ? "x" : " "}] ${text.slice(box.length).trim()}`,
    found: `- ${text}`,
  });
}

/** After another space than the plain one, or indented too far, a bullet makes no item: it goes on with the text above. */
export function boxInTitle(text: string, line: number, indent = ""): Problem | undefined {
  const [, bullet = "", box, title = ""] =
    /^([-*+•·–—][^\S\n]*)(\[[ xX]\])\s*(.*)$/su.exec(text) ?? [];
  if (box === undefined) return undefined;
  const why = /^[-*+][ \t]+$/.test(bullet)
    ? "it is indented too far; begin it in the column of the task above"
    : "write a bullet and a plain space before it";
  return warningAt(line, "box-without-bullet", {
    message: `this box is read as part of the item above it; ${why}`,
    example: `${indent}- ${box} ${title}`,
    found: text,
  });
}

export function boxWithoutBullet(paragraph: { text: string; line: number }): Problem | undefined {
  const lines = paragraph.text.split("\n");
  const index = lines.findIndex((line) => /^\s*[-*+]?\[[ xX]\](?:\s|$)/.test(line));
  const found = lines[index]?.trim();
  if (found === undefined) return undefined;
  return warningAt(paragraph.line + index, "box-without-bullet", {
    message:
      "this box is not in a list item, so it is not a task; put a bullet and a space before it",
    example: `- ${found.replace(/^[-*+]/, "")}`,
    found,
  });
}

export function itemWithoutBox(item: LooseItem): Problem | undefined {
  if (item.depth > 1 || item.isGroup) return undefined;
  return warningAt(item.line, "item-without-box", {
    message: "this item has no box, so it is never worked on; add a box, or indent it below a task",
    example: `- [ ] ${joinedLines(item.text)}`,
    found: `- ${joinedLines(item.text)}`,
  });
}
