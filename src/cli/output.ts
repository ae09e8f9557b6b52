// Where Stint prints, and what becomes of it when printing fails: nothing is thrown, and nothing more is written there.
// A reader that went away is quiet: a pipe that was closed (`stint log | head`), a terminal that was closed. Any other
// failure, as of a full disk, is told at the end of the process: exit code 5.
import { closeSync, openSync, writeSync } from "node:fs";
import { isatty } from "node:tty";
import { meaningOf } from "../core/words/system-error.ts";
import { EXIT } from "./exit-codes.ts";

export class Output {
  readonly stream: NodeJS.WriteStream;
  readonly #listeners = new Set<(why: string) => void>();
  #errno: string | null = null;

  constructor(stream: NodeJS.WriteStream) {
    this.stream = stream;
    stream.on("error", (error: NodeJS.ErrnoException) => this.#lose(error));
  }

  write(text: string): void {
    if (this.#errno !== null) return;
    try {
      this.stream.write(text);
    } catch (error) {
      this.#lose(error as NodeJS.ErrnoException);
    }
  }

  /** Tells once why nothing can be written any more. @returns how to hear of it no longer */
  onLost(tell: (why: string) => void): () => void {
    this.#listeners.add(tell);
    return () => void this.#listeners.delete(tell);
  }

  /** The error code, where it is not simply the reader who went away. */
  get fault(): string | null {
    return this.#errno === null || this.#isReaderGone(this.#errno) ? null : this.#errno;
  }

  #lose({ code = "unknown error" }: NodeJS.ErrnoException): void {
    if (this.#errno !== null) return;
    this.#errno = code;
    const why = this.#isReaderGone(code)
      ? this.stream.isTTY
        ? `its terminal was closed (${code})`
        : `nobody reads its output any more (${code})`
      : `its output could not be written: ${meaningOf(code).reason} (${code})`;
    for (const tell of this.#listeners) tell(why);
  }

  #isReaderGone(errno: string): boolean {
    return errno === "EPIPE" || errno === "ECONNRESET" || (errno === "EIO" && this.stream.isTTY);
  }
}

const DESCRIPTORS = [0, 1, 2] as const;

/**
 * Node sets its terminals back when it exits, and aborts where one is gone; nothing is set back where something else
 * stands in its place. @returns what puts it there, to be called when the process exits
 */
export function watchTerminals(): () => void {
  const terminals = DESCRIPTORS.filter((fd) => isatty(fd));
  return () => {
    for (const fd of terminals.filter((each) => !isatty(each))) {
      closeSync(fd);
      // It gets the lowest number that is free.
      openSync("/dev/null", "r+");
    }
  };
}

/** Called when the process exits: an answer that could not be printed is no answer. */
export function tellLostOutput(out: Output): void {
  const errno = out.fault;
  if (errno === null) return;
  process.exitCode = EXIT.stateBroken;
  const { reason, repair } = meaningOf(errno);
  try {
    writeSync(
      process.stderr.fd,
      `stint: could not write the output: ${reason} (${errno}). What Stint did is kept; only this output is lost.\n  ${repair("the output")} Then look: stint status\n`,
    );
  } catch {
    // Nowhere is left to say it; the exit code does.
  }
}
