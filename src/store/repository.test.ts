import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { refusal } from "../../test/support/refusal.ts";
import { git, gitInit } from "../../test/support/git.ts";
import { type TemporaryFolder, temporaryFolder } from "../../test/support/temporary-folder.ts";
import { excludeFromCommits, findRepository } from "./repository.ts";

let folder: TemporaryFolder;
let root: string;

beforeEach(() => {
  folder = temporaryFolder();
  root = join(folder.path, "repo");
  mkdirSync(join(root, "deep", "er"), { recursive: true });
});
afterEach(() => folder.remove());

function start(at = root): void {
  gitInit(at);
  git(at, "commit", "--quiet", "--allow-empty", "-m", "start");
}

function isIgnored(at: string, path: string): boolean {
  mkdirSync(join(at, path), { recursive: true });
  writeFileSync(join(at, path, "state.json"), "{}");
  return !git(at, "status", "--porcelain", "--untracked-files=all").includes(path);
}

describe("the work tree around a folder", () => {
  it("is found from any folder below", () => {
    start();
    expect(findRepository(join(root, "deep", "er"))).toEqual({
      root,
      gitFolder: join(root, ".git"),
    });
  });

  it("is the folder itself outside any repository", () => {
    expect(findRepository(join(root, "deep"))).toEqual({
      root: join(root, "deep"),
      gitFolder: null,
    });
  });

  it("is its own for a linked work tree, with the list of the main one", () => {
    start();
    const linked = join(folder.path, "linked");
    git(root, "worktree", "add", "--quiet", linked);
    const repository = findRepository(linked);
    expect(repository).toEqual({ root: linked, gitFolder: join(root, ".git") });
    excludeFromCommits(repository, "/agents/stint/projects/");
    expect(isIgnored(linked, "agents/stint/projects")).toBe(true);
  });

  it("is its own for a submodule", () => {
    const inner = join(folder.path, "inner");
    mkdirSync(inner);
    start(inner);
    start();
    git(root, "-c", "protocol.file.allow=always", "submodule", "add", "--quiet", inner, "sub");
    const repository = findRepository(join(root, "sub"));
    expect(repository).toEqual({
      root: join(root, "sub"),
      gitFolder: join(root, ".git", "modules", "sub"),
    });
    excludeFromCommits(repository, "/agents/stint/projects/");
    expect(isIgnored(join(root, "sub"), "agents/stint/projects")).toBe(true);
  });

  it("is not where an empty .git folder stands: git passes over it", () => {
    start();
    const inner = join(root, "inner");
    mkdirSync(join(inner, ".git"), { recursive: true });
    expect(findRepository(inner)).toEqual({ root, gitFolder: join(root, ".git") });
  });

  it("with a .git file that names nothing has no list", () => {
    writeFileSync(join(root, ".git"), "nonsense");
    expect(findRepository(root)).toEqual({ root, gitFolder: null });
    excludeFromCommits(findRepository(root), "/agents/");
  });
});

function list(): string {
  return readFileSync(join(root, ".git", "info", "exclude"), "utf8");
}

describe("keeping a folder out of commits", () => {
  it("works, is repeatable, and leaves what is there", () => {
    start();
    writeFileSync(join(root, ".git", "info", "exclude"), "mine");
    for (let n = 0; n < 2; n += 1) excludeFromCommits(findRepository(root), "/agents/");
    expect(list()).toBe("mine\n/agents/\n");
    expect(isIgnored(root, "agents")).toBe(true);
  });

  it("makes the list where git made none", () => {
    start();
    rmSync(join(root, ".git", "info"), { recursive: true });
    excludeFromCommits(findRepository(root), "/agents/");
    expect(list()).toBe("/agents/\n");
  });

  it("touches nothing outside a repository", () => {
    excludeFromCommits(findRepository(root), "/agents/");
    expect(existsSync(join(root, ".git"))).toBe(false);
  });

  it("is a hard stop when the list cannot be written", () => {
    start();
    rmSync(join(root, ".git", "info"), { recursive: true });
    writeFileSync(join(root, ".git", "info"), "in the way");
    const path = join(root, ".git", "info", "exclude");
    expect(refusal(() => excludeFromCommits(findRepository(root), "/agents/"))).toMatchObject({
      code: "state-unwritable",
      message: `could not write ${path}: a part of the path is not a folder (ENOTDIR). Nothing more was started.`,
    });
  });
});
