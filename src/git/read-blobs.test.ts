import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { git, gitInit } from "../../test/support/git.ts";
import { type TemporaryFolder, temporaryFolder } from "../../test/support/temporary-folder.ts";
import { readBlobs } from "./read-blobs.ts";

let folder: TemporaryFolder;
beforeEach(() => (folder = temporaryFolder()));
afterEach(() => folder.remove());

it("reads the files that are there, whatever they hold and are called", async () => {
  const root = folder.path;
  gitInit(root);
  const texts: Record<string, string> = {
    "plain.txt": "one\ntwo\n",
    "empty.txt": "",
    "no line end": "ends here",
    "ünïcode/日本.txt": "日本語\n",
    "looks like a header": "5\nblob 3\n\n",
  };
  for (const [path, text] of Object.entries(texts)) {
    mkdirSync(join(root, path, ".."), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  writeFileSync(join(root, "large.bin"), Buffer.alloc(2 * 1024 * 1024, 65));
  git(root, "add", "-A");
  const tree = git(root, "write-tree").trim();
  const asked = ["missing.txt", ...Object.keys(texts), "large.bin", "ünïcode", "a\nb"];
  expect(await readBlobs(root, tree, asked)).toEqual(new Map(Object.entries(texts)));
  expect(await readBlobs(root, tree, [])).toEqual(new Map());
});
