// A text as one line, or as the beginning of one.

export function oneLine(text: string): string {
  return text.replace(/\s+/gu, " ").trim();
}

/** In a table of Markdown: text may end neither its cell nor its row, and is shown as it is. */
export function tableCell(text: string): string {
  return oneLine(text)
    .replace(/[\\`*_<[\]]/g, "\\$&")
    .replaceAll("|", "\\|");
}

export function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
