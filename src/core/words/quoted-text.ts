// Text of others in what a session is told: fenced, or in one line, and never longer than its share in bytes. What is
// cut says so. Control characters are shown, so that a text cannot hide its words from whoever prints it.
import { controlsShown, oneLine } from "./plain-line.ts";

/** Quoted text of at most so many bytes, its fence included; nothing for no text. */
export function fencedIn(text: string, bytes: number): string {
  if (text.trim() === "") return "";
  const shown = asLines(text);
  const whole = fenced(cut(shown, bytes - 16));
  if (Buffer.byteLength(whole) <= bytes) return whole;
  // A text of nothing but backticks needs fences as long as itself.
  return fenced(cut(shown, Math.floor(bytes / 3) - 16));
}

function asLines(text: string): string {
  return controlsShown(text.replace(/\r\n?/g, "\n"));
}

/** A fence longer than any inside, so that quoted text cannot end it. */
export function fenced(text: string): string {
  let longest = 2;
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  const fence = "`".repeat(longest + 1);
  return `${fence}\n${asLines(text).replace(/\n$/, "")}\n${fence}`;
}

/** In one line of at most so many bytes. */
export function inOneLine(text: string, bytes = 192): string {
  return oneLine(cut(controlsShown(oneLine(text)), bytes));
}

export function bullets(lines: readonly string[]): string {
  return lines.map((line) => `- ${oneLine(line)}`).join("\n");
}

/** At most `bytes` of a text: its beginning and its end, with a line that says what is missing. */
export function cut(text: string, bytes: number): string {
  const all = Buffer.from(text, "utf8");
  if (all.length <= bytes) return text;
  const half = Math.max(0, Math.floor((bytes - 48) / 2));
  const missing = all.length - 2 * half;
  const head = all
    .subarray(0, half)
    .toString("utf8")
    .replace(/\uFFFD+$/, "");
  const tail = all
    .subarray(all.length - half)
    .toString("utf8")
    .replace(/^\uFFFD+/, "");
  return `${head}\n… ${missing} bytes left out …\n${tail}`;
}
