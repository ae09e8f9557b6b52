import { rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { git, gitInit } from "../../../test/support/git.ts";
import { type TemporaryFolder, temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { keptTasksOf, ownRefsOnDisk } from "./refs.ts";

let folder: TemporaryFolder;
let gitFolder: string;

beforeEach(() => {
  folder = temporaryFolder();
  gitInit(folder.path);
  gitFolder = join(folder.path, ".git");
});
afterEach(() => folder.remove());

it("refs are read as git wrote them, packed and loose", () => {
  git(folder.path, "commit", "-q", "--allow-empty", "-m", "one");
  git(folder.path, "update-ref", "refs/stint/p/t1/1", "HEAD");
  git(folder.path, "pack-refs", "--all");
  git(folder.path, "commit", "-q", "--allow-empty", "-m", "two");
  for (const name of ["t1/1", "t2/3", "base", "_start/4"]) {
    git(folder.path, "update-ref", `refs/stint/p/${name}`, "HEAD");
  }
  const refs = ownRefsOnDisk(gitFolder) ?? [];
  const shown = refs.map(({ name, commit }) => `${commit} ${name}`).toSorted();
  expect(shown).toEqual(git(folder.path, "show-ref").trim().split("\n").toSorted());
  expect(keptTasksOf(refs)).toEqual(["t1", "t2"]);
});

it("there are none without a repository, and they are unknown where they cannot be read", () => {
  expect(ownRefsOnDisk(join(folder.path, "none"))).toEqual([]);
  expect(ownRefsOnDisk(gitFolder)).toEqual([]);
  rmSync(join(gitFolder, "refs"), { recursive: true });
  expect(ownRefsOnDisk(gitFolder)).toBeNull();
});
