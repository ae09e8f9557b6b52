// Text from manifests, agents and file names as it may be shown: control characters are made visible. Line breaks
// become spaces where one line is meant.
import { controlsShown } from "../core/words/plain-line.ts";

/** Characters that take two columns: East Asian wide ones, and pictures. */
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}|\ufe0f/u;

export function visibleLine(text: string): string {
  return controlsShown(text.replace(/\s+/g, (space) => (/[\r\n\t]/.test(space) ? " " : space)));
}

export function visibleText(text: string): string {
  return controlsShown(text.replace(/\r\n?/g, "\n").replace(/\t/g, "  "));
}

/** How many columns of a terminal a line takes. */
export function columnsOf(line: string): number {
  if (isNarrow(line)) return line.length;
  let columns = 0;
  for (const { segment } of graphemes().segment(line)) columns += WIDE.test(segment) ? 2 : 1;
  return columns;
}

/** Cuts a line to `width` columns with an ellipsis, never inside a character; no width, no cut. */
export function shorten(line: string, width: number | undefined): string {
  if (width === undefined || columnsOf(line) <= width) return line;
  const room = Math.max(1, width - 1);
  if (isNarrow(line)) return `${line.slice(0, room)}…`;
  let kept = "";
  let columns = 0;
  for (const { segment } of graphemes().segment(line)) {
    columns += WIDE.test(segment) ? 2 : 1;
    if (columns > room) break;
    kept += segment;
  }
  return `${kept}…`;
}

/** What an agent gives as its reason may be a book; it stands whole in the journal. */
const LONGEST_REASON = 1000;

export function reasonText(text: string): string {
  return shorten(visibleLine(text), LONGEST_REASON);
}

/**
 * One line as several, broken between words so that none is wider than `width`; all but the first are
 * indented. Text that is written without spaces is broken between its characters. A word that is too long, such as a
 * path, a command to copy and an empty box stay whole, and the terminal wraps them. No width, no break.
 */
export function wrapWords(line: string, width: number | undefined, indent: string): string {
  return width === undefined ? line : wrapPieces(wordPieces(line), width, indent);
}

function wordPieces(line: string): readonly string[] {
  const glued = (command: string): string => command.replaceAll(" ", GLUE);
  const words = line.replace(QUOTED, glued).replace(COMMAND, glued).replaceAll("[ ]", glued);
  const pieces = words.split(/(?<=\S)(?= )/).flatMap(unspacedPieces);
  return pieces.map((piece) => piece.replaceAll(GLUE, " "));
}

/** What belongs to the character before it: no line begins with it. */
const CLOSING = /^[、。，．・：；？！ー）」』】〉》〕’”…,.:;?!)\]}"']/u;
/** A colour begins with it, and ends behind the text. */
const ESCAPE = "\u001b";

/** Chinese and Japanese have no spaces, and pictures stand side by side: a break is possible after each of them. */
function unspacedPieces(word: string): readonly string[] {
  if (isNarrow(word)) return [word];
  const pieces: string[] = [];
  let mayBreak = false;
  for (const { segment } of graphemes().segment(word)) {
    if (mayBreak && segment !== ESCAPE && !CLOSING.test(segment)) pieces.push(segment);
    else pieces.push(`${pieces.pop() ?? ""}${segment}`);
    mayBreak = WIDE.test(segment);
  }
  return pieces;
}

/** A command within words: its program, what it is told to do, options, ids and whatever does not look like a word. */
const COMMAND =
  /\b(?:stint|git|cd|chmod|export|kill|ls|mkdir|mv|npm|npx|rm|sudo)(?: -C \S+)?(?: -\S+)* [^\s-]\S*(?: (?:plan\b|&& \S+ \S+|"[^"]*"|'[^']*'|-\S+(?: (?:"[^"]*"|'[^']*'|[^\s-]\S*))?|p-[a-z]{10}\b|\S*[\d/=~<>]\S*))*/g;
/** A check, as it stands in a manifest. */
const QUOTED = /`[^`\n]+`/g;
/** No text that is shown holds it. */
const GLUE = "\0";

/** The same for commands, which are to be copied: broken only between one and the next, and in the words before them. */
export function wrapCommands(line: string, width: number | undefined, indent: string): string {
  const pieces = line.split(/(?=  (?:then|or)  )|(?<=\S .*:)(?= (?:stint|git) )/);
  return wrapPieces(
    pieces.flatMap((piece, at) => {
      const isBefore = at < pieces.length - 1 && !NAMES_COMMAND.test(piece);
      return isBefore ? wordPieces(piece) : [piece];
    }),
    width,
    indent,
  );
}

const NAMES_COMMAND = /(?:^|[^\p{L}])(?:stint|git) /u;

/** Whether a step names a command, and so is for copying; one that does not is words. */
export function namesCommand(step: string): boolean {
  return NAMES_COMMAND.test(step);
}

function wrapPieces(pieces: readonly string[], width: number | undefined, indent: string): string {
  if (width === undefined) return pieces.join("");
  const lines: string[] = [];
  for (const piece of pieces) {
    const last = lines.at(-1);
    if (last !== undefined && (isSign(last) || columnsOf(withoutColours(last + piece)) < width)) {
      lines[lines.length - 1] = last + piece;
    } else lines.push(last === undefined ? piece : indent + piece.trim());
  }
  return lines.join("\n");
}

/** What follows a sign has as much room on its own line as behind it. */
function isSign(line: string): boolean {
  return /^ *\S$/u.test(withoutColours(line));
}

export function withoutColours(line: string): string {
  // oxlint-disable-next-line no-control-regex -- colours are control sequences
  return line.replace(/\u001b\[[0-9;]*m/g, "");
}

export function padTo(text: string, columns: number): string {
  return text + " ".repeat(Math.max(0, columns - columnsOf(text)));
}

/** Latin text and what Stint itself draws: one column for each unit. */
function isNarrow(line: string): boolean {
  return /^[\u0020-\u02ff\u2010-\u2027\u2190-\u21ff\u2500-\u259f\u2713\u2717]*$/.test(line);
}

function graphemes(): Intl.Segmenter {
  return new Intl.Segmenter("en", { granularity: "grapheme" });
}
