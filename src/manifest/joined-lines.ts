// Wrapped text as one line. Splitting keeps it linear, where a pattern over spaces would not be.

export function joinedLines(text: string): string {
  return text
    .split("\n")
    .map((line) => line.trim())
    .join(" ")
    .trim();
}
