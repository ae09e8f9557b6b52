// What a program prints, with bounded memory and on bounded disk, whatever comes: cut into lines, of a long
// text the beginning and the end, and a log file that cannot hurt.
import { closeSync, fchmodSync, fstatSync, openSync, writeSync } from "node:fs";

const LONGEST_LINE_BYTES = 1024 * 1024;

/**
 * Bytes of a long line that are read but never kept: a secret that the cut would halve is whole
 * here, so it is recognised.
 */
const MARGIN_BYTES = 8 * 1024;

const NEWLINE = 0x0a;

/**
 * Cuts a stream of bytes into lines: no newline at all, invalid UTF-8, NUL bytes. A line that is too long
 * keeps its beginning and says what was dropped.
 */
export class LineSplitter {
  readonly #onLine: (line: string) => void;
  readonly #redact: (line: string) => string;
  readonly #longest: number;
  /** The line so far. One buffer that grows: a program may write byte by byte. */
  #line = Buffer.allocUnsafe(4096);
  #kept = 0;
  #dropped = 0;

  constructor(
    redact: (line: string) => string,
    onLine: (line: string) => void,
    longest = LONGEST_LINE_BYTES,
  ) {
    this.#redact = redact;
    this.#onLine = onLine;
    this.#longest = longest;
  }

  push(bytes: Buffer): void {
    let from = 0;
    for (let at = bytes.indexOf(NEWLINE); at !== -1; at = bytes.indexOf(NEWLINE, from)) {
      this.#keep(bytes.subarray(from, at));
      this.#emit();
      from = at + 1;
    }
    this.#keep(bytes.subarray(from));
  }

  /** What is left without a newline is a line too. */
  end(): void {
    if (this.#kept > 0) this.#emit();
  }

  #keep(part: Buffer): void {
    const room = this.#longest + MARGIN_BYTES - this.#kept;
    const taken = Math.min(part.length, room);
    const needed = this.#kept + taken;
    if (needed > this.#line.length) {
      const grown = Buffer.allocUnsafe(Math.max(needed, this.#line.length * 2));
      this.#line.copy(grown, 0, 0, this.#kept);
      this.#line = grown;
    }
    part.copy(this.#line, this.#kept, 0, taken);
    this.#kept = needed;
    this.#dropped += part.length - taken;
  }

  #emit(): void {
    const text = this.#redact(this.#line.toString("utf8", 0, this.#kept));
    const beyond = this.#kept + this.#dropped - this.#longest;
    this.#kept = 0;
    this.#dropped = 0;
    if (beyond <= 0) return this.#onLine(text);
    const beginning = text.slice(0, Math.max(0, text.length - MARGIN_BYTES));
    this.#onLine(`${beginning} [stint: the rest of this line is dropped, ${beyond} bytes or more]`);
  }
}

/** Keeps the beginning and the end of a text and counts what was between them. */
export class HeadAndTail {
  readonly #half: number;
  #head = "";
  #headBytes = 0;
  #tail: Buffer[] = [];
  #tailBytes = 0;
  #cutBytes = 0;

  constructor(maxBytes: number) {
    this.#half = Math.floor(maxBytes / 2);
  }

  push(text: string): void {
    const bytes = Buffer.from(text, "utf8");
    const room = this.#half - this.#headBytes;
    // Whole pieces only, so that no character is cut in the head.
    if (bytes.length <= room && this.#tail.length === 0) {
      this.#head += text;
      this.#headBytes += bytes.length;
      return;
    }
    this.#tail.push(bytes);
    this.#tailBytes += bytes.length;
    this.#shorten();
  }

  get text(): string {
    const tail = Buffer.concat(this.#tail);
    // A character that the cut halved begins with bytes that continue nothing.
    let from = 0;
    while (this.#cutBytes > 0 && from < tail.length && ((tail[from] ?? 0) & 0xc0) === 0x80) from++;
    const cut = this.#cutBytes + from;
    const note = cut > 0 ? `[stint: ${cut} bytes cut here]\n` : "";
    return `${this.#head}${note}${tail.toString("utf8", from)}`;
  }

  #shorten(): void {
    for (let first = this.#tail[0]; first !== undefined; first = this.#tail[0]) {
      const excess = this.#tailBytes - this.#half;
      if (excess <= 0) return;
      const cut = Math.min(excess, first.length);
      if (cut === first.length) this.#tail.shift();
      else this.#tail[0] = first.subarray(cut);
      this.#tailBytes -= cut;
      this.#cutBytes += cut;
    }
  }
}

/** Kept free for the lines that say what was cut. */
const NOTE_BYTES = 256;

/**
 * A log file: bounded, readable by its owner only, and given up when it cannot be written, because the outcome
 * of a session matters more than its log.
 */
export class BoundedLog {
  readonly #path: string;
  readonly #maxBytes: number;
  readonly #onLost: (note: string) => void;
  #fd: number | undefined;
  #size = 0;
  #cutBytes = 0;

  /** `onLost` is told once, when the log can no longer be written. */
  constructor(path: string, maxBytes: number, onLost: (note: string) => void) {
    this.#path = path;
    this.#maxBytes = maxBytes;
    this.#onLost = onLost;
    this.#attempt(() => {
      // Appends: what an earlier session left is evidence.
      this.#fd = openSync(path, "a", 0o600);
      const stat = fstatSync(this.#fd);
      // A device has its own permissions, for everybody.
      if (stat.isFile()) fchmodSync(this.#fd, 0o600);
      this.#size = stat.size;
    });
  }

  /** Whether a further line would be kept. After the first cut none is: the log has one gap. */
  get isOpen(): boolean {
    return this.#fd !== undefined && this.#cutBytes === 0;
  }

  line(text: string): void {
    const bytes = Buffer.from(`${text}\n`, "utf8");
    if (this.isOpen && this.#size + bytes.length <= this.#maxBytes - NOTE_BYTES) {
      this.#write(bytes);
    } else this.cut(bytes.length);
  }

  /** Counts output that is not kept. */
  cut(byteCount: number): void {
    // Said at once, because a run that is killed says nothing at the end.
    if (this.isOpen) this.#note(`the log is limited to ${this.#maxBytes} bytes; the rest is cut`);
    this.#cutBytes += byteCount;
  }

  close(): void {
    if (this.#cutBytes > 0) this.#note(`${this.#cutBytes} bytes were cut`);
    const fd = this.#fd;
    this.#fd = undefined;
    if (fd !== undefined) this.#attempt(() => closeSync(fd));
  }

  #note(text: string): void {
    this.#write(Buffer.from(`[stint: ${text}]\n`, "utf8"));
  }

  #write(bytes: Buffer): void {
    this.#attempt(() => {
      for (let at = 0; at < bytes.length && this.#fd !== undefined;) {
        at += writeSync(this.#fd, bytes, at);
      }
      this.#size += bytes.length;
    });
  }

  #attempt(act: () => void): void {
    try {
      act();
    } catch (error) {
      const fd = this.#fd;
      this.#fd = undefined;
      if (fd !== undefined) closeQuietly(fd);
      this.#onLost(`[stint: ${this.#path} is no longer written: ${(error as Error).message}]`);
    }
  }
}

function closeQuietly(fd: number): void {
  try {
    closeSync(fd);
  } catch {
    // It was lost already.
  }
}
