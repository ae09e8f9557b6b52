// Writes into a log that an item is resolved: one line more at the end of its Resolution Log, every other byte
// as it was. Done twice it is written once.
import { oneLine } from "../core/words/plain-line.ts";
import { lineTable, newlineOf } from "../manifest/line-table.ts";
import { resolutionLog } from "./review-log.ts";

export interface Resolution {
  readonly id: string;
  readonly summary: string;
  /** Below the root of the repository. */
  readonly paths: readonly string[];
}

/** As it was where the line is there already, with whatever paths, and where it would not be read as one. */
export function withResolution(text: string, resolution: Resolution): string {
  const head = resolutionLine({ ...resolution, paths: [] });
  const isThere = (line: string): boolean => line === head || line.startsWith(`${head} (\``);
  if (logLines(text).some(isThere)) return text;
  const after = withLine(text, resolutionLine(resolution));
  return logLines(after).some(isThere) ? after : text;
}

/** Whether the Resolution Log says anything of this item. */
export function isResolvedIn(text: string, id: string): boolean {
  return logLines(text).some((line) => {
    const words = line.replace(
      /^(?:[-*+]|\d+[.)])[ \t]+(?:\[[ xX]\][ \t]+)?(?:\*\*|__|`|\[)?/u,
      "",
    );
    return words !== line && words.startsWith(id) && !/^[\w.-]/u.test(words.slice(id.length));
  });
}

export function resolutionLine({ id, summary, paths }: Resolution): string {
  const files = paths.map((path) => `\`${path.replace(/[`\p{Cc}]/gu, "?")}\``).join(", ");
  return `- ${id}: ${oneLine(summary)}${files === "" ? "" : ` (${files})`}`;
}

/** What stands in the Resolution Log, code excepted. */
export function logLines(text: string): string[] {
  const lines = resolutionLog(text)?.lines ?? [];
  return lines.filter(({ isCode }) => !isCode).map((line) => line.text);
}

/** The text with one line more at the end of its Resolution Log, which is made where there is none. */
export function withLine(text: string, entry: string): string {
  const newline = newlineOf(text);
  const log = resolutionLog(text);
  if (log === undefined) {
    const gap = text === "" ? "" : newline;
    return `${ended(text, newline)}${gap}## Resolution Log${newline}${newline}${entry}${newline}`;
  }
  // Just after the last line with words in it; a log that is empty yet has a heading to stand below.
  const last = log.lines.findLast((line) => !/^[ \t]*$/u.test(line.text))?.number ?? log.heading;
  const offset = lineTable(text).startOf(last);
  const gap = last === log.heading ? newline : "";
  return `${ended(text.slice(0, offset), newline)}${gap}${entry}${newline}${text.slice(offset)}`;
}

function ended(text: string, newline: string): string {
  return text === "" || /(?:\r\n|\r|\n)$/u.test(text) ? text : `${text}${newline}`;
}
