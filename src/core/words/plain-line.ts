// A text as one line, or as the beginning of one; and without characters that could move a cursor or hide words.

const CONTROL =
  // oxlint-disable-next-line no-control-regex -- finding control characters is the purpose
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;

/** Each as `\u001b` and the like; tabs and line feeds stay. */
export function controlsShown(text: string): string {
  return text.replace(
    CONTROL,
    (character) => `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}`,
  );
}

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
