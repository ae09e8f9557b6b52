// Bytes to text, or a refusal that says exactly why. Reading stops at the size limit, so that a
// huge file costs no more than the largest manifest.
import { posix } from "node:path";
import { StintError } from "../core/stint-error.ts";
import { shellWord } from "../core/written/commands.ts";

export const MAX_MANIFEST_BYTES = 8 * 1024 * 1024;

/** The little of a file system that reading a manifest takes. */
export interface ManifestReader {
  stat(path: string): {
    readonly isFile: boolean;
    readonly isDirectory: boolean;
    readonly size: number;
  };
  /** The names of the Markdown files in a folder. */
  markdownIn(path: string): readonly string[];
  /** At most `maxBytes` bytes from the start of the file. */
  read(path: string, maxBytes: number): Uint8Array;
}

/** The manifest's text, a byte order mark included. A missing file is the reader's own error. */
export function readManifest(path: string, reader: ManifestReader): string {
  const { isFile, isDirectory, size } = reader.stat(path);
  if (isDirectory) {
    throw badInput(`${path} is a directory, not a manifest`, inFolder(path, reader));
  }
  if (!isFile) {
    throw badInput(`${path} is not a regular file`, "name a Markdown file");
  }
  const ending = NOT_MARKDOWN.exec(path)?.[0];
  if (ending !== undefined) {
    throw badInput(`${path} is not Markdown: its name ends in ${ending}`, "name a Markdown file");
  }
  if (size > MAX_MANIFEST_BYTES) throw tooLarge(path, `${size} bytes`);
  // One byte more than allowed: a file that grew since it was measured is noticed, not cut off.
  return decodeManifest(path, reader.read(path, MAX_MANIFEST_BYTES + 1));
}

/** Files that have another form, whatever is in them. A name without an ending may be a manifest. */
const NOT_MARKDOWN =
  /\.(?:json|jsonc|jsonl|ya?ml|toml|xml|html?|css|csv|[cm]?[jt]sx?|py|rb|go|rs|java|kt|c|cpp|h|cs|php|swift|sh|sql|lock|log|png|jpe?g|gif|webp|svg|ico|pdf|docx?|xlsx?|pptx?|zip|gz|tar|tgz)$/iu;

function inFolder(path: string, reader: ManifestReader): string {
  const names = reader.markdownIn(path);
  const [first] = names;
  if (first === undefined) {
    return "there is no Markdown file in it; a manifest to start from: stint init";
  }
  const shown = names.includes("prompt.md") ? "prompt.md" : first;
  return `name ${names.length === 1 ? "the Markdown file" : "a Markdown file"} in it: ${posix.join(path, shown)}`;
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
  if (isUtf16(bytes)) {
    throw badInput(`${path} is UTF-16, and a manifest is UTF-8`, converted(path, "UTF-16"));
  }
  const nul = bytes.indexOf(0);
  if (nul >= 0) {
    throw badInput(
      `${path} is not text: byte ${nul} is NUL`,
      "save it as UTF-8 text; binaries are not read",
    );
  }
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw new StintError(
      "bad-input",
      `${path} is not valid UTF-8`,
      converted(path, "WINDOWS-1252"),
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

/** By its byte order mark. */
function isUtf16([first, second]: Uint8Array): boolean {
  return (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
}

/** Into a file of its own: the shell would empty one that is read and written at once. */
function converted(path: string, from: string): string {
  const { dir, name, ext } = posix.parse(path);
  const target = posix.join(dir, `${name}.utf8${ext}`);
  return `convert it: iconv -f ${from} -t UTF-8 ${shellWord(path)} > ${shellWord(target)}`;
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
