// What stands below a task's title, for whoever is asked about the task: as written, but without what
// carries no meaning, so that a new indentation or another line ending asks nobody again.
import type { ManifestTask } from "./manifest-document.ts";

export function detailsOf({
  source,
  wrappedLines,
}: Pick<ManifestTask, "source" | "wrappedLines">): string {
  const lines = source
    .split(/\r\n?|\n/)
    .slice(1 + wrappedLines.length)
    .map((line) => line.trimEnd())
    .filter((line) => line !== "");
  const indent = Math.min(...lines.map((line) => line.length - line.trimStart().length));
  return lines.map((line) => line.slice(indent)).join("\n");
}
