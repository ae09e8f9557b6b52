// Where each line of a text starts and ends, in UTF-16 offsets of the original text.
// Lines break at LF, CRLF and lone CR, exactly as the Markdown parser breaks them, so that its
// line numbers index this table. A leading byte order mark belongs to no line.

const BYTE_ORDER_MARK = 0xfeff;
const LF = 10;
const CR = 13;

export interface LineTable {
  readonly count: number;
  /** Offset of the first character of a line; the end of the text for a line past the last. */
  startOf(line: number): number;
  /** Offset just after the last character of a line, before its line break. */
  endOf(line: number): number;
  textOf(line: number): string;
  isBlank(line: number): boolean;
}

export function lineTable(text: string): LineTable {
  const starts: number[] = [];
  const ends: number[] = [];
  let start = startsWithByteOrderMark(text) ? 1 : 0;
  for (let at = start; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code !== LF && code !== CR) continue;
    starts.push(start);
    ends.push(at);
    if (code === CR && text.charCodeAt(at + 1) === LF) at++;
    start = at + 1;
  }
  if (start < text.length) {
    starts.push(start);
    ends.push(text.length);
  }
  const startOf = (line: number): number => starts[line] ?? text.length;
  const endOf = (line: number): number => ends[line] ?? text.length;
  return {
    count: starts.length,
    startOf,
    endOf,
    textOf: (line) => text.slice(startOf(line), endOf(line)),
    isBlank: (line) => /^[ \t]*$/.test(text.slice(startOf(line), endOf(line))),
  };
}

export function startsWithByteOrderMark(text: string): boolean {
  return text.charCodeAt(0) === BYTE_ORDER_MARK;
}

/** The line break a text uses: that of its first line, or LF when there is none. */
export function newlineOf(text: string): "\n" | "\r\n" | "\r" {
  const found = /\r\n|\n|\r/.exec(text)?.[0];
  return found === "\r\n" || found === "\r" ? found : "\n";
}
