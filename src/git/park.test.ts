import { chmodSync, symlinkSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  type TestRepositories,
  type TestRepository,
  testRepositories,
} from "../../test/support/git-repository.ts";
import { compareWithStart } from "./compare-with-start.ts";
import { keepSnapshot } from "./keep-snapshot.ts";
import { parkLeftovers } from "./park.ts";
import { recoverBranch, restoreMissing } from "./recover.ts";
import { parkRef, startRef } from "./stint-refs.ts";

let repositories: TestRepositories;
let repository: TestRepository;
const ref = parkRef("p-1", "t1", 2);
const exclude = ["prompt.md"];

beforeEach(() => {
  repositories = testRepositories();
  repository = repositories.make();
  repository.write(".gitignore", "*.log\n/build\n");
  repository.write("a.txt", "a1\n");
  repository.write("dir/b.txt", "b1\n");
  repository.write("prompt.md", "- [ ] task\n");
  repository.commitAll();
  repository.write("mine.txt", "untracked work of the person\n");
  repository.write("secret.log", "ignored\n");
});
afterEach(() => repositories.remove());

describe("parkLeftovers", () => {
  it("keeps everything under the ref and restores only what the session changed", async () => {
    chmodSync(repository.path("dir/b.txt"), 0o755);
    symlinkSync("a.txt", repository.path("link"));
    repository.commitAll("with a link");
    repository.write("untouched.txt", "unstaged work of the person\n");
    const before = repository.files();
    const from = await repository.snapshot(exclude);
    repository.write("a.txt", "a2\n");
    repository.remove("dir");
    repository.write("dir", "a file now\n");
    repository.remove("link");
    repository.write("mine.txt", "overwritten by the session\n");
    repository.write("new/deep/file.txt", "new\n");
    repository.write("-odd\nname *", "odd\n");
    const result = await parkLeftovers(repository.root, { ref, from, exclude });
    expect(result).toMatchObject({ kind: "parked", ref, left: [] });
    expect(repository.files()).toEqual(before);
    expect(repository.exists("new")).toBe(false);
    expect(repository.git("show", `${ref}:mine.txt`)).toBe("overwritten by the session\n");
    expect(repository.git("show", `${ref}:new/deep/file.txt`)).toBe("new\n");
  });

  it("does nothing when nothing is left, and the same when repeated", async () => {
    const from = await repository.snapshot(exclude);
    expect(await parkLeftovers(repository.root, { ref, from, exclude })).toEqual({
      kind: "nothing-left",
    });
    repository.write("a.txt", "a2\n");
    await parkLeftovers(repository.root, { ref, from, exclude });
    const kept = repository.git("rev-parse", ref);
    expect(await parkLeftovers(repository.root, { ref, from, exclude })).toEqual({
      kind: "parked",
      ref,
      paths: [],
      left: [],
    });
    expect(repository.git("rev-parse", ref)).toBe(kept);
  });

  it("keeps what came after an interrupted parking as well", async () => {
    const from = await repository.snapshot(exclude);
    repository.write("a.txt", "a2\n");
    await parkLeftovers(repository.root, { ref, from, exclude });
    repository.write("a.txt", "a3\n");
    await parkLeftovers(repository.root, { ref, from, exclude });
    expect(repository.read("a.txt")).toBe("a1\n");
    expect(repository.git("show", `${ref}:a.txt`)).toBe("a3\n");
    expect(repository.git("show", `${ref}^:a.txt`)).toBe("a2\n");
  });

  it("takes back what the session staged and leaves what the person staged", async () => {
    repository.write("a.txt", "staged by the person\n");
    repository.git("add", "a.txt");
    repository.write("a.txt", "and edited\n");
    repository.write("dir/b.txt", "staged too\n");
    repository.git("add", "dir/b.txt");
    const from = await repository.snapshot(exclude);
    const staged = repository.staged();
    const status = repository.status();
    repository.write("a.txt", "by the session\n");
    repository.write("new.txt", "by the session\n");
    repository.git("add", "-A", ".");
    await parkLeftovers(repository.root, { ref, from, exclude });
    expect(repository.staged()).toEqual(staged);
    expect(repository.status()).toEqual(status);
    expect(repository.read("a.txt")).toBe("and edited\n");
  });

  it("takes back what was only staged", async () => {
    const from = await repository.snapshot(exclude);
    repository.git("add", "-A");
    const options = { ref, from, exclude };
    expect(await parkLeftovers(repository.root, options)).toMatchObject({
      kind: "parked",
      paths: [],
    });
    expect(repository.status()).toEqual(["?? mine.txt"]);
  });

  it("leaves staged what it is not about", async () => {
    const from = await repository.snapshot(exclude);
    repository.write("a.txt", "by the session\n");
    repository.git("add", "-A");
    await parkLeftovers(repository.root, { ref, from, exclude, only: ["a.txt"] });
    expect(repository.status()).toEqual(["A  mine.txt"]);
  });

  it("leaves the commits of the session and a clean tree on top of them", async () => {
    const from = await repository.snapshot(exclude);
    repository.write("a.txt", "committed\n");
    repository.git("commit", "-q", "-am", "by the agent");
    repository.write("a.txt", "and more\n");
    repository.write("dir/b.txt", "b2\n");
    await parkLeftovers(repository.root, { ref, from, exclude });
    expect(repository.read("a.txt")).toBe("committed\n");
    expect(repository.read("dir/b.txt")).toBe("b1\n");
    expect(repository.status()).toEqual(["?? mine.txt"]);
    expect(repository.git("show", `${ref}:a.txt`)).toBe("and more\n");
  });

  it("never touches ignored files, even where they stand in the way", async () => {
    repository.write("tool", "a file\n");
    repository.git("add", "tool");
    repository.git("commit", "-q", "-m", "a tool");
    const from = await repository.snapshot(exclude);
    repository.remove("tool");
    repository.write("tool/cache.log", "ignored, in the place of a file\n");
    repository.write("mine.txt", "changed and then ignored\n");
    repository.write(".gitignore", "*.log\nmine.txt\n");
    const result = await parkLeftovers(repository.root, { ref, from, exclude });
    expect(result).toMatchObject({
      left: [
        { path: "mine.txt", why: "an ignored file is in its place" },
        { path: "tool", why: "a folder with other files is in its place" },
      ],
    });
    expect(repository.read("tool/cache.log")).toBe("ignored, in the place of a file\n");
    expect(repository.read("mine.txt")).toBe("changed and then ignored\n");
    expect(repository.read("secret.log")).toBe("ignored\n");
    expect(repository.read(".gitignore")).toBe("*.log\n/build\n");
  });

  it("does not delete through a symlink that took a folder's place", async () => {
    const outside = repositories.make();
    outside.write("b.txt", "somebody else's\n");
    const from = await repository.snapshot(exclude);
    repository.remove("dir");
    symlinkSync(outside.root, repository.path("dir"));
    await parkLeftovers(repository.root, { ref, from, exclude });
    expect(outside.read("b.txt")).toBe("somebody else's\n");
    expect(repository.read("dir/b.txt")).toBe("b1\n");
  });

  it("restores line endings as a checkout writes them", async () => {
    repository.git("config", "core.autocrlf", "true");
    repository.write("crlf.txt", "one\r\ntwo\r\n");
    const from = await repository.snapshot(exclude);
    repository.remove("crlf.txt");
    await parkLeftovers(repository.root, { ref, from, exclude });
    expect(repository.read("crlf.txt")).toBe("one\r\ntwo\r\n");
  });

  it("works before the first commit and without a repository", async () => {
    repository = repositories.make();
    repository.write("mine.txt", "1");
    const from = await repository.snapshot(exclude);
    repository.write("mine.txt", "2");
    repository.write("new.txt", "2");
    await parkLeftovers(repository.root, { ref, from, exclude });
    expect(Object.keys(repository.files())).toEqual(["mine.txt"]);
    expect(repository.read("mine.txt")).toBe("1");
    const plain = repositories.folder("plain");
    expect(await parkLeftovers(plain, { ref, from, exclude })).toEqual({ kind: "none" });
  });
});

async function start() {
  const snapshot = await repository.snapshot(exclude);
  await keepSnapshot(repository.root, startRef("p-1", 1), snapshot, "Start");
  return snapshot;
}

describe("what a session did to the repository", () => {
  it("is nothing when it only worked", async () => {
    const from = await start();
    repository.write("a.txt", "a2\n");
    repository.git("commit", "-q", "-am", "by the agent");
    expect(await compareWithStart(repository.root, from, { exclude })).toMatchObject({
      switched: null,
      lostCommits: [],
      newStashes: 0,
      goneTracked: [],
      goneUntracked: [],
    });
  });

  it("brings back untracked files after git clean -fdx", async () => {
    const from = await start();
    repository.git("clean", "-fdxq");
    const comparison = await compareWithStart(repository.root, from, { exclude });
    expect(comparison).toMatchObject({ goneTracked: [], goneUntracked: ["mine.txt"] });
    expect(await restoreMissing(repository.root, from, { exclude })).toEqual({
      paths: ["mine.txt"],
      left: [],
    });
    expect(repository.read("mine.txt")).toBe("untracked work of the person\n");
    // Ignored files are not protected.
    expect(repository.exists("secret.log")).toBe(false);
    expect(await restoreMissing(repository.root, from, { exclude })).toEqual({
      paths: [],
      left: [],
    });
  });

  it("brings back only the files asked for", async () => {
    const from = await start();
    repository.remove("a.txt");
    repository.remove("mine.txt");
    await restoreMissing(repository.root, from, { exclude, only: ["mine.txt"] });
    expect(repository.exists("a.txt")).toBe(false);
    expect(repository.exists("mine.txt")).toBe(true);
  });

  it("sees a stash and what went into it", async () => {
    const from = await start();
    repository.write("a.txt", "a2\n");
    repository.git("stash", "-q", "-u");
    const comparison = await compareWithStart(repository.root, from, { exclude });
    expect(comparison).toMatchObject({ newStashes: 1, goneUntracked: ["mine.txt"] });
    await restoreMissing(repository.root, from, { exclude });
    expect(repository.read("mine.txt")).toBe("untracked work of the person\n");
    expect(repository.git("show", "stash@{0}:a.txt")).toBe("a2\n");
  });

  it("names commits that a reset took from the branch; the ref keeps them", async () => {
    repository.write("a.txt", "a2\n");
    repository.git("commit", "-q", "-am", "to be lost");
    const lost = repository.head();
    const from = await start();
    repository.git("reset", "-q", "--hard", "HEAD~");
    const comparison = await compareWithStart(repository.root, from, { exclude });
    expect(comparison).toMatchObject({ switched: null, lostCommits: [lost] });
    repository.git("reflog", "expire", "--expire=all", "--all");
    repository.git("gc", "-q", "--prune=now");
    repository.git("merge-base", "--is-ancestor", lost, startRef("p-1", 1));
  });

  it("goes back to the branch and keeps what was made elsewhere", async () => {
    const before = repository.files();
    const from = await start();
    repository.git("checkout", "-q", "-b", "experiment");
    repository.write("a.txt", "committed there\n");
    repository.git("commit", "-q", "-am", "there");
    const there = repository.head();
    repository.write("a.txt", "uncommitted there\n");
    repository.write("new.txt", "new\n");
    repository.git("add", "new.txt");
    expect(await compareWithStart(repository.root, from, { exclude })).toMatchObject({
      switched: { from: "main", to: "experiment" },
      lostCommits: [],
    });
    expect(await recoverBranch(repository.root, { ref, from, exclude })).toMatchObject({
      kind: "recovered",
      ref,
      left: [],
    });
    expect(repository.files()).toEqual(before);
    expect(repository.status()).toEqual(["?? mine.txt"]);
    expect(repository.git("symbolic-ref", "HEAD").trim()).toBe("refs/heads/main");
    expect(repository.git("rev-parse", "experiment").trim()).toBe(there);
    expect(repository.git("show", `${ref}:a.txt`)).toBe("uncommitted there\n");
    expect(await compareWithStart(repository.root, from, { exclude })).toMatchObject({
      switched: null,
    });
  });

  it("finds staged again what was staged, also where the branch has a new commit", async () => {
    repository.write("dir/b.txt", "staged\n");
    repository.git("add", "dir/b.txt", "mine.txt");
    const from = await start();
    repository.write("a.txt", "committed\n");
    repository.git("commit", "-q", "-m", "by the agent", "--", "a.txt");
    repository.git("checkout", "-q", "-b", "experiment");
    await recoverBranch(repository.root, { ref, from, exclude });
    expect(repository.git("symbolic-ref", "HEAD").trim()).toBe("refs/heads/main");
    expect(repository.status()).toEqual(["M  dir/b.txt", "A  mine.txt"]);
  });

  it("makes a deleted branch again, and goes back to a detached HEAD", async () => {
    const from = await start();
    repository.git("checkout", "-q", "--detach");
    repository.git("branch", "-q", "-D", "main");
    expect(await compareWithStart(repository.root, from, { exclude })).toMatchObject({
      switched: { from: "main", to: null },
    });
    await recoverBranch(repository.root, { ref, from, exclude });
    expect(repository.git("rev-parse", "main").trim()).toBe(from.head);
    repository.git("checkout", "-q", "--detach");
    const detached = await start();
    repository.git("checkout", "-q", "-b", "other");
    repository.write("a.txt", "x");
    repository.git("commit", "-q", "-am", "x");
    await recoverBranch(repository.root, { ref, from: detached, exclude });
    expect(repository.head()).toBe(detached.head);
    expect(() => repository.git("symbolic-ref", "--quiet", "HEAD")).toThrow("Command failed");
    expect(repository.status()).toEqual(["?? mine.txt"]);
  });

  it("leaves a merge that the session began to a person", async () => {
    repository.git("checkout", "-q", "-b", "other");
    repository.write("a.txt", "theirs\n");
    repository.git("commit", "-q", "-am", "theirs");
    repository.git("checkout", "-q", "main");
    repository.write("a.txt", "ours\n");
    repository.git("commit", "-q", "-am", "ours");
    const from = await start();
    expect(() => repository.git("merge", "other")).toThrow("Command failed");
    expect(await recoverBranch(repository.root, { ref, from, exclude })).toEqual({
      kind: "operation-in-progress",
      operation: "merge",
    });
  });
});
