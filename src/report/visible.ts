// Text from manifests and agents as it may be shown: control characters, which could move the cursor
// or hide words, are made visible. Line breaks become spaces where one line is meant.

// oxlint-disable-next-line no-control-regex -- finding control characters is the purpose
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

export function visibleLine(text: string): string {
  return text.replace(/\s*[\r\n\t]+\s*/g, " ").replace(CONTROL, escape);
}

export function visibleText(text: string): string {
  return text
    .replace(/\r\n?/g, "\n")
    .replace(/\t/g, "  ")
    .replace(CONTROL, (c) => (c === "\n" ? c : escape(c)));
}

function escape(character: string): string {
  return `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}`;
}

/** Cuts a line to `width` columns with an ellipsis; no width, no cut. */
export function shorten(line: string, width: number | undefined): string {
  if (width === undefined || line.length <= width) return line;
  return `${line.slice(0, Math.max(1, width - 1))}…`;
}
