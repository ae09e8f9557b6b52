import { afterEach, beforeEach, expect, it } from "vitest";
import { type TestRepositories, testRepositories } from "../../test/support/git-repository.ts";
import { describeWorkTree } from "./describe-work-tree.ts";

let repositories: TestRepositories;
beforeEach(() => {
  repositories = testRepositories();
});
afterEach(() => repositories.remove());

const exclude = ["prompt.md", ".agent_iteration_done", "agents/stint/projects/x"];

it("knows a folder without a repository and a branch without a commit", async () => {
  expect(await describeWorkTree(repositories.folder("plain"), { exclude })).toEqual({
    kind: "none",
  });
  const repository = repositories.make();
  repository.write("untracked", "x");
  expect(await describeWorkTree(repository.root, { exclude })).toEqual({
    kind: "git",
    head: null,
    branch: "main",
    upstream: null,
    ahead: 0,
    behind: 0,
    shallow: false,
    dirty: [],
    added: [],
    operation: null,
  });
});

it("counts modified, staged, deleted and added files as dirty, never untracked or own ones", async () => {
  const repository = repositories.make();
  for (const name of ["modified", "staged", "deleted", "prompt.md"]) repository.write(name, "1");
  repository.write("agents/stint/projects/x/state.json", "1");
  repository.commitAll();
  for (const name of ["modified", "staged", "prompt.md"]) repository.write(name, "2");
  repository.write("agents/stint/projects/x/state.json", "2");
  repository.write("added with space", "2");
  repository.write("untracked", "2");
  repository.git("add", "staged", "added with space");
  repository.remove("deleted");
  const index = repository.index();
  expect(await describeWorkTree(repository.root, { exclude })).toMatchObject({
    dirty: ["added with space", "deleted", "modified", "staged"],
    added: ["added with space"],
  });
  expect(repository.index()).toBe(index);
});

it("knows upstream, ahead, behind and shallow", async () => {
  const origin = repositories.make();
  for (const n of [1, 2, 3]) {
    origin.write("a", `${n}`);
    origin.commitAll();
  }
  origin.git("clone", "-q", "--depth=2", `file://${origin.root}`, "../clone");
  const clone = repositories.at(repositories.folder("clone"));
  clone.git("reset", "-q", "--hard", "HEAD~");
  clone.write("b", "1");
  clone.commitAll();
  expect(await describeWorkTree(clone.root, { exclude })).toMatchObject({
    upstream: { remote: "origin", branch: "main", ref: "refs/remotes/origin/main" },
    ahead: 1,
    behind: 1,
    shallow: true,
  });
  clone.git("update-ref", "-d", "refs/remotes/origin/main");
  expect(await describeWorkTree(clone.root, { exclude })).toMatchObject({ upstream: null });
});

it("knows a detached HEAD", async () => {
  const repository = repositories.make();
  repository.write("a", "1");
  repository.commitAll();
  repository.git("checkout", "-q", "--detach");
  expect(await describeWorkTree(repository.root, { exclude })).toMatchObject({
    branch: null,
    head: repository.head(),
  });
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
    expect(await describeWorkTree(repository.root, { exclude })).toMatchObject({
      operation,
      dirty: ["a"],
    });
    repository.git(operation, "--abort");
  }
  repository.git("bisect", "start");
  expect(await describeWorkTree(repository.root, { exclude })).toMatchObject({
    operation: "bisect",
  });
});
