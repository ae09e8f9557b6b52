// Bytes to text, or a refusal that says exactly why. Reading stops at the size limit, so that a
// huge file costs no more than the largest manifest.
import { StintError } from "../core/stint-error.ts";

export const MAX_MANIFEST_BYTES = 8 * 1024 * 1024;

/** The little of a file system that reading a manifest takes. */
export interface ManifestReader {
  stat(path: string): {
    readonly isFile: boolean;
    readonly isDirectory: boolean;
    readonly size: number;
  };
  /** At most `maxBytes` bytes from the start of the file. */
  read(path: string, maxBytes: number): Uint8Array;
}

/** The manifest's text, a byte order mark included. A missing file is the reader's own error. */
export function readManifest(path: string, reader: ManifestReader): string {
  const { isFile, isDirectory, size } = reader.stat(path);
  if (isDirectory) {
    throw badInput(
      `${path} is a directory, not a manifest`,
      `name the Markdown file in it: ${path}/prompt.md`,
    );
  }
  if (!isFile) {
    throw badInput(`${path} is not a regular file`, "name a Markdown file");
  }
  if (size > MAX_MANIFEST_BYTES) throw tooLarge(path, `${size} bytes`);
  // One byte more than allowed: a file that grew since it was measured is noticed, not cut off.
  return decodeManifest(path, reader.read(path, MAX_MANIFEST_BYTES + 1));
}

export function decodeManifest(path: string, bytes: Uint8Array): string {
  if (bytes.length > MAX_MANIFEST_BYTES)
    throw tooLarge(path, `more than ${MAX_MANIFEST_BYTES} bytes`);
  if (bytes.length === 0) {
    throw badInput(
      `${path} is empty`,
      "write a Goal and a Steps section; one to start from: stint init --print",
    );
  }
  const nul = bytes.indexOf(0);
  if (nul >= 0) {
    throw badInput(
      `${path} is not text: byte ${nul} is NUL`,
      "save it as UTF-8 text; UTF-16 files and binaries are not read",
    );
  }
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw new StintError(
      "bad-input",
      `${path} is not valid UTF-8`,
      `convert it: iconv -f WINDOWS-1252 -t UTF-8 ${path}`,
      { cause },
    );
  }
  if (text.replace("\uFEFF", "").trim() === "") {
    throw badInput(
      `${path} contains only white space`,
      "write a Goal and a Steps section; one to start from: stint init --print",
    );
  }
  return text;
}

function tooLarge(path: string, found: string): StintError {
  return badInput(
    `${path} is too large for a manifest: ${found}, at most ${MAX_MANIFEST_BYTES} are read`,
    "move long material to separate files and name them under References",
  );
}

function badInput(message: string, hint: string): StintError {
  return new StintError("bad-input", message, hint);
}
