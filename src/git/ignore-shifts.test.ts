import { lstatSync, mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  type TestRepositories,
  type TestRepository,
  testRepositories,
} from "../../test/support/git-repository.ts";
import { changedPaths } from "./changed-paths.ts";
import { ignoreShifts, type IgnoreShifts } from "./ignore-shifts.ts";

let repositories: TestRepositories;
let repository: TestRepository;
let since: string;

beforeEach(() => {
  repositories = testRepositories();
  repository = repositories.make();
  repository.write(".gitignore", "*.log\n/build/\n");
  repository.write("dir/.gitignore", "private*\n");
  repository.write("a.txt", "a1\n");
  repository.commitAll();
  repository.write("mine.txt", "untracked\n");
  repository.write("app.log", "ignored\n");
  repository.write("build/deep/out.js", "ignored\n");
  repository.write("dir/private.txt", "ignored\n");
  since = join(repositories.folder("since"), "brief.md");
  const before = lstatSync(repository.path("dir/private.txt")).ctimeMs;
  // Times of files move on in steps.
  do writeFileSync(since, "");
  while (lstatSync(since).ctimeMs <= before);
});
afterEach(() => repositories.remove());

async function shiftsOf(session: () => void): Promise<IgnoreShifts> {
  const from = await repository.snapshot([]);
  session();
  const now = await repository.snapshot([]);
  const changes = await changedPaths(repository.root, from.tree, now.tree);
  return await ignoreShifts(repository.root, changes, { tree: from.tree, since });
}

describe("ignoreShifts", () => {
  it("tells files that rules brought into sight from files that the session made", async () => {
    const { appeared, vanished } = await shiftsOf(() => {
      repository.write(".gitignore", "");
      repository.remove("dir/.gitignore");
      repository.write("new.log", "by the session\n");
      repository.write("build/deep/new.js", "by the session\n");
    });
    expect(appeared.toSorted()).toEqual(["app.log", "build/deep/out.js", "dir/private.txt"]);
    expect(vanished).toEqual([]);
  });

  it("counts what the session changed as its own, although it was there and ignored", async () => {
    const { appeared } = await shiftsOf(() => {
      repository.write(".gitignore", "/build/\n");
      repository.write("app.log", "changed by the session\n");
    });
    expect(appeared).toEqual([]);
  });

  it("counts moved files as the session's, also where their folder was moved", async () => {
    repository.write("src/one.js", "one\n");
    repository.commitAll();
    const { appeared } = await shiftsOf(() => {
      mkdirSync(repository.path("lib"));
      renameSync(repository.path("src"), repository.path("lib/src"));
      repository.write(".gitignore", "*.log\n");
    });
    expect(appeared).toEqual(["build/deep/out.js"]);
  });

  it("names files that went out of sight and are still there, and no others", async () => {
    const shifts = await shiftsOf(() => {
      repository.write(".gitignore", "*.log\n/build/\nmine.txt\n");
      repository.remove("a.txt");
    });
    expect(shifts).toEqual({ appeared: [], vanished: ["mine.txt"] });
  });

  it("finds nothing where no rule changed", async () => {
    expect(await shiftsOf(() => repository.write("a.txt", "a2\n"))).toEqual({
      appeared: [],
      vanished: [],
    });
  });
});
