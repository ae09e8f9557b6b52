// Parts of a text of several lines, and how wide they are, as Markdown counts.

/** In columns; a tab leads to the next multiple of four. */
export function widthOf(text: string): number {
  let width = 0;
  for (const character of text) width += character === "\t" ? 4 - (width % 4) : 1;
  return width;
}

export function firstLines(text: string, count: number): string {
  return text.split("\n").slice(0, count).join("\n");
}

export function firstLineOf(content: string): string {
  const end = content.indexOf("\n");
  return end < 0 ? content : content.slice(0, end);
}

/** Without the indentation that wrapped lines may have; it carries no meaning in a paragraph. */
export function unindented(content: string): string {
  if (!content.includes("\n")) return content.trim();
  return content
    .split("\n")
    .map((line) => line.trim())
    .join("\n")
    .trim();
}

export function trimmedEnd(text: string): string {
  let end = text.length;
  while (end > 0 && (text[end - 1] === " " || text[end - 1] === "\t")) end--;
  return text.slice(0, end);
}
