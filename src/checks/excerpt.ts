// A bounded part of a long output: its beginning and, larger, its end, where failures are told.

export const EXCERPT_BYTES = 64 * 1024;

export function excerpt(text: string, maxBytes: number = EXCERPT_BYTES): string {
  const bytes = Buffer.from(text, "utf8");
  if (bytes.length <= maxBytes) return text;
  const room = Math.max(0, maxBytes - Buffer.byteLength(note(bytes.length)));
  const headEnd = atCharacter(bytes, Math.floor(room / 3));
  const tailStart = nextCharacter(bytes, bytes.length - (room - headEnd));
  const head = bytes.toString("utf8", 0, headEnd);
  return head + note(tailStart - headEnd) + bytes.toString("utf8", tailStart);
}

function note(left: number): string {
  return `\n… ${left} bytes left out …\n`;
}

/** The last boundary between characters at or before an offset. */
function atCharacter(bytes: Buffer, offset: number): number {
  let at = offset;
  while (at > 0 && isContinuation(bytes[at])) at--;
  return at;
}

function nextCharacter(bytes: Buffer, offset: number): number {
  let at = offset;
  while (at < bytes.length && isContinuation(bytes[at])) at++;
  return at;
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}
