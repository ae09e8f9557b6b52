import { existsSync, mkdirSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { gitInit } from "../../test/support/git.ts";
import { type TemporaryFolder, temporaryFolder } from "../../test/support/temporary-folder.ts";
import { removeOldIndexes } from "./private-index.ts";

let folder: TemporaryFolder;
beforeEach(() => (folder = temporaryFolder()));
afterEach(() => folder.remove());

it("what a killed process left is removed, what may still be used is not", () => {
  gitInit(folder.path);
  const now = 1_700_000_000;
  const made = [
    ["stint-index-old", now - 3600],
    ["stint-index-young", now - 60],
    ["somebody-elses", now - 3600],
  ] as const;
  for (const [name, at] of made) {
    const path = join(folder.path, ".git", name);
    mkdirSync(path);
    utimesSync(path, at, at);
  }
  removeOldIndexes(folder.path, now * 1000);
  expect(made.map(([name]) => existsSync(join(folder.path, ".git", name)))).toEqual([
    false,
    true,
    true,
  ]);
});
