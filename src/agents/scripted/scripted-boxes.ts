// Boxes of a manifest as the scripted agent flips them: the way a careless session would, by lines.
import { type Slug, slugify } from "../../core/ids.ts";

const BOX = /^(\s*(?:[-*+]|\d+[.)])\s+\[) (\]\s+)(.*)$/;
const FENCE = /^\s*(?:```|~~~)/;

export function flipBoxes(text: string, which: "own" | "other" | "all", taskName: string): string {
  const lines = text.split("\n");
  const open = openBoxes(lines);
  const own = open.find((n) => isNamed(lines[n] ?? "", taskName)) ?? open[0];
  const others = open.filter((n) => n !== own);
  const chosen = which === "all" ? open : which === "own" ? [own] : others.slice(0, 1);
  for (const n of chosen) {
    if (n !== undefined) lines[n] = (lines[n] ?? "").replace(BOX, "$1x$2$3");
  }
  return lines.join("\n");
}

function openBoxes(lines: readonly string[]): readonly number[] {
  let isFenced = false;
  return lines.flatMap((line, n) => {
    if (FENCE.test(line)) isFenced = !isFenced;
    return !isFenced && BOX.test(line) ? [n] : [];
  });
}

/** A task's name stands before its title or is made from it. */
function isNamed(line: string, taskName: string): boolean {
  const title = BOX.exec(line)?.[3] ?? "";
  const written = /^([a-z0-9-]+)(?:\s+[-–—]\s|:\s)/.exec(title)?.[1];
  return taskName !== "" && (written === taskName || slugify(title, "" as Slug) === taskName);
}
