// The front matter as it is written: on which line a key is, and what stands there. A correction keeps the person's own
// text, so it is made of these lines and not of the values that were read.
import type { FrontMatter } from "../front-matter.ts";

export function sourceLines({ source }: FrontMatter): readonly string[] {
  return source.split(/\r\n|\n|\r/);
}

/** As lines of the manifest are counted; the first line of the block where it is not found. */
export function lineOfSetting(frontMatter: FrontMatter, key: string): number {
  return frontMatter.line + 1 + Math.max(indexOfSetting(frontMatter, key), 0);
}

/** The line of an entry of a map that is written over several lines; undefined where all is on one line. */
export function lineOfEntry(
  frontMatter: FrontMatter,
  key: string,
  entry: string,
): number | undefined {
  const lines = blockOf(frontMatter, key).split("\n");
  const index = lines.findIndex((line, at) => at > 0 && isKeyLine(line.trimStart(), entry));
  return index === -1 ? undefined : lineOfSetting(frontMatter, key) + index;
}

/** Without the spaces around it; the fence where the line is not one of the block. */
export function writtenAt(frontMatter: FrontMatter, line: number): string {
  return sourceLines(frontMatter)[line - frontMatter.line - 1]?.trim() ?? "---";
}

/** A key with all of its value, however many lines that takes. */
export function blockOf(frontMatter: FrontMatter, key: string): string {
  const lines = sourceLines(frontMatter);
  const first = indexOfSetting(frontMatter, key);
  if (first === -1) return "";
  const below = lines.slice(first + 1);
  const length = below.findIndex((line) => !/^(?:\s|-(?:\s|$)|$)/.test(line));
  const block = [lines[first], ...below.slice(0, length === -1 ? undefined : length)];
  return block.join("\n").trim();
}

/** The same block under another key. */
export function renamedBlock(frontMatter: FrontMatter, key: string, name: string): string {
  const block = blockOf(frontMatter, key);
  return `${name}${block.slice(block.indexOf(key) + key.length).replace(/^["']?\s*:/, ":")}`;
}

function indexOfSetting(frontMatter: FrontMatter, key: string): number {
  return sourceLines(frontMatter).findIndex((line) => isKeyLine(line, key));
}

function isKeyLine(line: string, key: string): boolean {
  const bare = line.replace(/^["']/, "");
  return bare.startsWith(key) && /^["']?\s*:/.test(bare.slice(key.length));
}
