// Lines that Markdown makes part of something else than a list of a task: of a quote, of code, of HTML, of a table, of a
// paragraph. Each is kept as it is written, so that a key in it can be named. What a person commented out is left out.
import { readKey, type StrayLine, withoutBullet } from "./manifest-document.ts";

export type RawLine = Pick<StrayLine, "text" | "written" | "line" | "isItem"> & {
  /** Where it says more than the block that it is in. */
  readonly where?: "table";
};

/** @param firstLine counted from 0 */
export function linesIn(content: string, firstLine: number): RawLine[] {
  return content.split("\n").flatMap((each, index) => rawLine(each, firstLine + index));
}

/** Only lines that can be keys: with a colon, or of a word or two. */
function rawLine(source: string, line: number): RawLine[] {
  const written = source.trim();
  const text = withoutBullet(written);
  if (!/[:：=]|^\S+(?: \S+)?$/u.test(text)) return [];
  return [{ text, written, line: line + 1, isItem: text !== written }];
}

/** Cells of rows are lines of their own. */
export function linesOfParagraph(content: string, firstLine: number): RawLine[] {
  return linesIn(content, firstLine).flatMap((each) => {
    if (!each.written.startsWith("|")) return [each];
    const cells = each.written.split("|").map((cell) => cell.trim());
    return cells
      .filter((cell) => cell !== "")
      .map((text) => ({ ...each, text, isItem: false, where: "table" as const }));
  });
}

const TAGS_BEFORE = /^(?:<\/?[a-z][a-z0-9-]*(?:\s[^>]*)?>\s*)+/i;
const TAGS_AFTER = /(?:\s*<\/?[a-z][a-z0-9-]*\s*\/?>)+$/i;

/** Without its comments and the tags around a line. */
export function linesOfHtml(html: string, firstLine: number): RawLine[] {
  return shownHtml(html)
    .split("\n")
    .flatMap((each, index) => {
      const bare = each.trim().replace(TAGS_BEFORE, "").replace(TAGS_AFTER, "");
      return rawLine(bare, firstLine + index).map((line) => ({ ...line, written: each.trim() }));
    });
}

/** Its comments are empty lines. */
export function shownHtml(html: string): string {
  return html.replace(/<!--[^]*?-->/g, (comment) => comment.replace(/.+/g, ""));
}

/** What follows in an item or a title after its first line. */
export function linesWrapped(content: string, firstLine: number): RawLine[] {
  const end = content.indexOf("\n");
  return end < 0 ? [] : linesIn(content.slice(end + 1), firstLine + 1);
}

/** Code with anything but keys shows something, and its keys are other programs' words; a check is still one. */
export function keysInCode(content: string, firstLine: number): RawLine[] {
  const written = content.split("\n").map((line) => line.trim());
  // Part of a manifest, which is shown whole.
  if (written.some((line) => /^#+ |^---|^[-*+] \[[ xX]\]/.test(line))) return [];
  const keys = written.filter((line) => line !== "").map((line) => readKey(withoutBullet(line)));
  const lines = linesIn(content, firstLine);
  return keys.every((key) => key !== undefined)
    ? lines
    : lines.filter(({ text }) => readKey(text)?.key === "check");
}

export function isOpenComment(html: string): boolean {
  return html.lastIndexOf("<!--") > html.lastIndexOf("-->");
}
