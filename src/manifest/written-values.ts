// How values are written in a manifest: as a code span, over several lines, as a path, below a title.
import type { ManifestTask } from "./manifest-document.ts";

// A value is a command only when it is one whole code span, by CommonMark's rules: as many
// backticks at the end as at the start, none of that length between, one space of padding dropped.

/** The content of the code span that makes up the whole value, if it does. */
export function wholeCodeSpan(value: string): string | undefined {
  const fence = /^`+/.exec(value)?.[0];
  if (fence === undefined || value.length <= 2 * fence.length) return undefined;
  for (const run of value.slice(fence.length).matchAll(/`+/g)) {
    if (run[0].length !== fence.length) continue;
    const end = fence.length + run.index;
    if (end + fence.length !== value.length) return undefined;
    const content = unpadded(value.slice(fence.length, end).replace(/\r\n|\n|\r/g, " "));
    return content.trim() === "" ? undefined : content;
  }
  return undefined;
}

/** A command as one code span, whatever backticks are in it. */
export function codeSpan(command: string): string {
  let longest = 0;
  for (const [run] of command.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  const fence = "`".repeat(longest + 1);
  return longest === 0 ? `${fence}${command}${fence}` : `${fence} ${command} ${fence}`;
}

function unpadded(content: string): string {
  const isPadded = content.startsWith(" ") && content.endsWith(" ") && content.trim() !== "";
  return isPadded ? content.slice(1, -1) : content;
}

/** Wrapped text as one line. Splitting keeps it linear, where a pattern over spaces would not be. */
export function joinedLines(text: string): string {
  return text
    .split("\n")
    .map((line) => line.trim())
    .join(" ")
    .trim();
}

// Paths that a manifest names stay inside the repository.

/** Why a path is refused, or undefined when it stays below the repository root. */
export function pathProblem(path: string): string | undefined {
  if (path === "") return "the path is empty";
  if (path.includes("\0")) return "the path contains a NUL character";
  if (/^(?:[\\/]|[A-Za-z]:)/.test(path)) return "the path is absolute";
  if (/^~(?:[\\/]|$)/.test(path)) return "the path leads to a home folder";
  let depth = 0;
  for (const part of path.split(/[\\/]/)) {
    if (part === "..") depth--;
    else if (part !== "." && part !== "") depth++;
    if (depth < 0) return "the path leaves the repository";
  }
  return undefined;
}

/**
 * What stands below a task's title, for whoever is asked about the task: as written, but without what
 * carries no meaning, so that a new indentation or another line ending asks nobody again.
 */
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
