// A text as one line, or as the beginning of one.

export function oneLine(text: string): string {
  return text.replace(/\s+/gu, " ").trim();
}

export function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
