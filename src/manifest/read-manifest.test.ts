import {
  closeSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { StintError } from "../core/stint-error.ts";
import {
  decodeManifest,
  MAX_MANIFEST_BYTES,
  readManifest,
  type ManifestReader,
} from "./read-manifest.ts";

const folder = mkdtempSync(join(tmpdir(), "manifest-"));
afterAll(() => rmSync(folder, { recursive: true }));

let bytesRead = 0;

const files: ManifestReader = {
  stat: (path) => {
    const facts = statSync(path);
    return { isFile: facts.isFile(), isDirectory: facts.isDirectory(), size: facts.size };
  },
  markdownIn: (path) => readdirSync(path).filter((name) => name.endsWith(".md")),
  read: (path, maxBytes) => {
    const buffer = new Uint8Array(Math.min(maxBytes, statSync(path).size));
    const fd = openSync(path, "r");
    bytesRead += readSync(fd, buffer);
    closeSync(fd);
    return buffer;
  },
};

function refusal(act: () => unknown): { code: string; message: string; hint: string } {
  try {
    act();
  } catch (error) {
    if (error instanceof StintError)
      return { code: error.code, message: error.message, hint: error.hint };
    throw error;
  }
  throw new Error("nothing was refused");
}

function bytes(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

describe("a manifest file", () => {
  test("is read whole, its byte order mark and line breaks included", () => {
    const path = join(folder, "good.md");
    writeFileSync(path, "\uFEFF# Goal\r\n");
    expect(readManifest(path, files)).toBe("\uFEFF# Goal\r\n");
  });

  test.each<[what: string, names: readonly string[], hint: string]>([
    ["one file", ["a.md"], "name the Markdown file in it: work/a.md"],
    ["several files", ["a.md", "b.md"], "name a Markdown file in it: work/a.md"],
    ["the usual name", ["a.md", "prompt.md"], "name a Markdown file in it: work/prompt.md"],
    ["none", [], "there is no Markdown file in it; a manifest to start from: stint init"],
  ])("that is a directory with %s is refused with what is there", (_what, names, hint) => {
    const reader: ManifestReader = {
      ...files,
      stat: () => ({ isFile: false, isDirectory: true, size: 0 }),
      markdownIn: () => names,
    };
    expect(refusal(() => readManifest("work/", reader))).toEqual({
      code: "bad-input",
      message: "work/ is a directory, not a manifest",
      hint,
    });
  });

  test.each([".json", ".yaml", ".ts", ".mjs", ".png", ".JSON"])(
    "whose name ends in %s is refused without being read",
    (ending) => {
      const path = join(folder, `x${ending}`);
      writeFileSync(path, "# Goal\n");
      bytesRead = 0;
      expect(refusal(() => readManifest(path, files)).message).toBe(
        `${path} is not Markdown: its name ends in ${ending}`,
      );
      expect(bytesRead).toBe(0);
    },
  );

  test.each(["x.txt", "x.markdown", "x.mdx", "TODO", "v1.2"])("may be named %s", (name) => {
    const path = join(folder, name);
    writeFileSync(path, "# Goal\n");
    expect(readManifest(path, files)).toBe("# Goal\n");
  });

  test("that is no regular file is refused", () => {
    expect(refusal(() => readManifest("/dev/null", files)).message).toBe(
      "/dev/null is not a regular file",
    );
  });

  test("of 50 MB is refused with its size and without being read", () => {
    const path = join(folder, "huge.md");
    writeFileSync(path, "# Goal\n");
    truncateSync(path, 50_000_000);
    bytesRead = 0;
    expect(refusal(() => readManifest(path, files))).toEqual({
      code: "bad-input",
      message: `${path} is too large for a manifest: 50000000 bytes, at most 8388608 are read`,
      hint: "move long material to separate files and name them under References",
    });
    expect(bytesRead).toBe(0);
  });

  test("that grew past the limit after it was measured is refused, not cut off", () => {
    const growing: ManifestReader = {
      ...files,
      stat: () => ({ isFile: true, isDirectory: false, size: 10 }),
      read: (_path, maxBytes) => new Uint8Array(maxBytes).fill(65),
    };
    expect(refusal(() => readManifest("a.md", growing)).message).toBe(
      "a.md is too large for a manifest: more than 8388608 bytes, at most 8388608 are read",
    );
  });

  test("of exactly the limit is read", () => {
    expect(decodeManifest("a.md", new Uint8Array(MAX_MANIFEST_BYTES).fill(65))).toHaveLength(
      MAX_MANIFEST_BYTES,
    );
  });

  test.each([
    [
      "empty",
      new Uint8Array(),
      "a.md is empty",
      "write a Goal and a Steps section; one to start from: stint init --print",
    ],
    [
      "only white space",
      bytes("\uFEFF \r\n"),
      "a.md contains only white space",
      "write a Goal and a Steps section; one to start from: stint init --print",
    ],
    [
      "binary",
      new Uint8Array([35, 32, 0, 1]),
      "a.md is not text: byte 2 is NUL",
      "save it as UTF-8 text; binaries are not read",
    ],
    [
      "not UTF-8",
      new Uint8Array([0x63, 0x61, 0x66, 0xe9]),
      "a.md is not valid UTF-8",
      "convert it: iconv -f WINDOWS-1252 -t UTF-8 a.md > a.utf8.md",
    ],
    [
      "UTF-16, the low byte first",
      new Uint8Array([0xff, 0xfe, 0x23, 0x00]),
      "a.md is UTF-16, and a manifest is UTF-8",
      "convert it: iconv -f UTF-16 -t UTF-8 a.md > a.utf8.md",
    ],
    [
      "UTF-16, the high byte first",
      new Uint8Array([0xfe, 0xff, 0x00, 0x23]),
      "a.md is UTF-16, and a manifest is UTF-8",
      "convert it: iconv -f UTF-16 -t UTF-8 a.md > a.utf8.md",
    ],
  ])("that is %s is refused", (_what, content, message, hint) => {
    expect(refusal(() => decodeManifest("a.md", content))).toEqual({
      code: "bad-input",
      message,
      hint,
    });
  });
});
