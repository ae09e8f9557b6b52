import { afterEach, beforeEach, expect, it } from "vitest";
import {
  type TestRepositories,
  type TestRepository,
  testRepositories,
} from "../../test/support/git-repository.ts";
import { findGitFolder } from "./git-folder.ts";
import { operationInProgress, readStatus } from "./work-tree.ts";

let repositories: TestRepositories;
beforeEach(() => {
  repositories = testRepositories();
});
afterEach(() => repositories.remove());

function operationIn(repository: TestRepository): string | null {
  const folder = findGitFolder(repository.root);
  return folder === null ? "no repository" : operationInProgress(folder);
}

it("knows a folder without a repository and a branch without a commit", async () => {
  expect(findGitFolder(repositories.folder("plain"))).toBeNull();
  const repository = repositories.make();
  repository.write("untracked", "x");
  expect(await readStatus(repository.root)).toEqual({ tracked: [], untracked: ["untracked"] });
  expect(operationIn(repository)).toBeNull();
});

it("counts modified, staged, deleted and added files as tracked, and takes no lock", async () => {
  const repository = repositories.make();
  for (const name of ["modified", "staged", "deleted"]) repository.write(name, "1");
  repository.commitAll();
  for (const name of ["modified", "staged"]) repository.write(name, "2");
  repository.write("added with space", "2");
  repository.write("untracked", "2");
  repository.git("add", "staged", "added with space");
  repository.remove("deleted");
  const index = repository.index();
  expect(await readStatus(repository.root)).toEqual({
    tracked: ["added with space", "deleted", "modified", "staged"],
    untracked: ["untracked"],
  });
  expect(repository.index()).toBe(index);
});

it("knows each operation in progress and the files in conflict", async () => {
  const repository = repositories.make();
  repository.write("a", "base\n");
  repository.commitAll();
  repository.git("checkout", "-q", "-b", "other");
  repository.write("a", "theirs\n");
  repository.commitAll();
  repository.git("checkout", "-q", "main");
  repository.write("a", "ours\n");
  repository.commitAll();
  for (const [operation, ...begin] of [
    ["merge", "merge", "other"],
    ["rebase", "rebase", "other"],
    ["cherry-pick", "cherry-pick", "other"],
    ["revert", "revert", "--no-edit", "main~"],
  ] as const) {
    expect(() => repository.git(...begin)).toThrow("Command failed");
    expect(operationIn(repository)).toBe(operation);
    expect(await readStatus(repository.root)).toMatchObject({ tracked: ["a"] });
    repository.git(operation, "--abort");
  }
  repository.git("bisect", "start");
  expect(operationIn(repository)).toBe("bisect");
});
