import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  type TestRepositories,
  type TestRepository,
  testRepositories,
} from "../../test/support/git-repository.ts";
import { keepSnapshot } from "./keep-snapshot.ts";
import type { Snapshot } from "./snapshot.ts";
import { startRef } from "./stint-refs.ts";
import { undoRewind } from "./undo-rewind.ts";

let repositories: TestRepositories;
let repository: TestRepository;
let from: Snapshot;
const exclude = ["prompt.md"];
const ref = `${startRef("p-1", 1)}-left`;

/** A person with two commits, a staged change, an unstaged one and an untracked file. */
beforeEach(async () => {
  repositories = testRepositories();
  repository = repositories.make();
  repository.write("a.txt", "a1\n");
  repository.write("b.txt", "b1\n");
  repository.commitAll("first");
  repository.write("c.txt", "c1\n");
  repository.commitAll("second");
  repository.write("a.txt", "a, staged\n");
  repository.git("add", "a.txt");
  repository.write("b.txt", "b, not staged\n");
  repository.write("mine.txt", "untracked\n");
  from = await repository.snapshot(exclude);
  await keepSnapshot(repository.root, startRef("p-1", 1), from, "start");
});
afterEach(() => repositories.remove());

async function undo() {
  return await undoRewind(repository.root, { ref, from, exclude });
}

describe("undoing what a session took away on its branch", () => {
  it("brings back a commit, its files and uncommitted changes after a hard reset; new work stays", async () => {
    const before = { files: repository.files(), staged: repository.staged() };
    repository.git("reset", "-q", "--hard", "HEAD~1");
    repository.write("work.txt", "work\n");
    const { "work.txt": work, ...rest } = await undo().then(() => repository.files());
    expect(repository.head()).toBe(from.head);
    expect(rest).toEqual(before.files);
    expect(work).toBeDefined();
    expect(repository.staged()).toEqual(before.staged);
  });

  it("keeps the person's commit and the work after an amend, and the amended commit under the ref", async () => {
    repository.write("c.txt", "c2\n");
    repository.git("commit", "-q", "--amend", "-m", "mine now", "c.txt");
    const amended = repository.head();
    await undo();
    expect(repository.head()).toBe(from.head);
    expect(repository.read("c.txt")).toBe("c2\n");
    expect(repository.git("merge-base", "--is-ancestor", amended, ref)).toBe("");
  });

  it("brings back stashed changes, staged ones as staged, and leaves the stash", async () => {
    const before = { files: repository.files(), staged: repository.staged() };
    repository.git("stash", "push", "-q", "--include-untracked");
    await undo();
    expect(repository.files()).toEqual(before.files);
    expect(repository.staged()).toEqual(before.staged);
    expect(repository.git("stash", "list")).not.toBe("");
  });

  it("finds nothing left to do when it is repeated", async () => {
    repository.git("reset", "-q", "--hard", "HEAD~1");
    await undo();
    const once = {
      files: repository.files(),
      staged: repository.staged(),
      head: repository.head(),
    };
    expect(await undo()).toMatchObject({ kind: "undone", paths: [] });
    expect({
      files: repository.files(),
      staged: repository.staged(),
      head: repository.head(),
    }).toEqual(once);
  });
});
