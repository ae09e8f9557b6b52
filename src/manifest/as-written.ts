// What a problem shows as found begins as the person's own line does: with their bullet, or their number.
import type { ManifestDocument } from "./manifest-document.ts";
import type { Problem } from "./problem.ts";

const BULLET = /^\s*((?:[-*+]|\d{1,9}[.)]))[ \t]/;

/** Rules know the text of an item and not its bullet, and put a dash before it. */
export function asWritten(
  problems: readonly Problem[],
  { text }: Pick<ManifestDocument, "text">,
): Problem[] {
  const lines = text.split(/\r\n|\n|\r/);
  return problems.map((problem) => {
    const bullet = BULLET.exec(lines[problem.line - 1] ?? "")?.[1];
    const isItem = bullet !== undefined && problem.found.startsWith("- ");
    return isItem ? { ...problem, found: `${bullet}${problem.found.slice(1)}` } : problem;
  });
}
