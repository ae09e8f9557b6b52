// What a problem shows begins as the person's own line does: with their bullet, or their number. What is suggested below
// an item is indented as their list needs it.
import type { ManifestDocument } from "./manifest-document.ts";
import type { Problem } from "./problem.ts";
import { widthOf } from "./text-lines.ts";

/** An item may begin a list in a list: its own bullet is the last one. */
const ITEM =
  /^((?:\s*(?:[-*+]|\d{1,9}[.)])[ \t]+)*?\s*)([-*+]|\d{1,9}[.)])([ \t]+)(?!(?:[-*+]|\d{1,9}[.)])[ \t])/;

/** Rules know the text of an item and not its bullet: they put a dash before it, and two spaces before what is below. */
export function asWritten(
  problems: readonly Problem[],
  { text }: Pick<ManifestDocument, "text">,
): Problem[] {
  const lines = text.replace("\uFEFF", "").split(/\r\n|\n|\r/);
  return problems.map((problem) => {
    const [, before, bullet, gap] = ITEM.exec(lines[problem.line - 1] ?? "") ?? [];
    if (before === undefined || bullet === undefined || !problem.found.startsWith("- ")) {
      return problem;
    }
    const found = `${bullet}${problem.found.slice(1)}`;
    if (!problem.example.startsWith("- ")) return { ...problem, found };
    const column = " ".repeat(widthOf(before));
    const indent = " ".repeat(widthOf(`${before}${bullet}${gap}`));
    const [first = "", ...others] = problem.example.split("\n");
    const below = others.map((line) =>
      line.startsWith("- ") ? `${column}${bullet}${line.slice(1)}` : line.replace(/^ {2}/, indent),
    );
    return { ...problem, found, example: [`${bullet}${first.slice(1)}`, ...below].join("\n") };
  });
}
