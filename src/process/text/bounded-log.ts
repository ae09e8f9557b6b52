// A log file that cannot hurt: bounded, readable by its owner only, and given up when it cannot be
// written, because the outcome of a session matters more than its log.
import { closeSync, fchmodSync, fstatSync, openSync, writeSync } from "node:fs";

/** Kept free for the lines that say what was cut. */
const NOTE_BYTES = 256;

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
