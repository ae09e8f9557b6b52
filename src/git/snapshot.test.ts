import { chmodSync, symlinkSync, utimesSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type TestRepositories, testRepositories } from "../../test/support/git-repository.ts";
import { keepSnapshot, readKeptSnapshot } from "./keep-snapshot.ts";
import { takeSnapshot } from "./snapshot.ts";
import { startRef } from "./stint-refs.ts";

let repositories: TestRepositories;
beforeEach(() => {
  repositories = testRepositories();
});
afterEach(() => repositories.remove());

const ODD_NAMES = [
  "with space.txt",
  "new\nline.txt",
  "-dash",
  "ünïcode-日本.txt",
  "quote\"'.txt",
  "star*[x]?.txt",
  ":(top)magic",
  "back\\slash",
  "tab\there",
];

function treeOf(repository: ReturnType<TestRepositories["make"]>, tree: string): string[] {
  return repository.git("ls-tree", "-r", "-z", "--name-only", tree).split("\0").slice(0, -1);
}

describe("takeSnapshot", () => {
  it("holds tracked and untracked files as they are, not the ignored ones", async () => {
    const repository = repositories.make();
    repository.write(".gitignore", "*.log\n");
    repository.write("same.txt", "same");
    repository.write("edited.txt", "old");
    repository.write("deleted.txt", "gone");
    repository.commitAll();
    repository.write("edited.txt", "new");
    repository.remove("deleted.txt");
    repository.write("sub/untracked.txt", "untracked");
    repository.write("debug.log", "ignored");
    const { tree, head, branch } = await repository.snapshot();
    expect(treeOf(repository, tree)).toEqual([
      ".gitignore",
      "edited.txt",
      "same.txt",
      "sub/untracked.txt",
    ]);
    expect(repository.git("cat-file", "blob", `${tree}:edited.txt`)).toBe("new");
    expect({ head, branch }).toEqual({ head: repository.head(), branch: "main" });
  });

  it("leaves index, files, refs and the list of stashes byte-identical", async () => {
    const repository = repositories.make();
    repository.write("a", "1");
    repository.commitAll();
    repository.write("a", "2");
    repository.git("add", "a");
    repository.write("a", "3");
    repository.write("b", "untracked");
    const before = [repository.index(), repository.files(), repository.git("for-each-ref")];
    await repository.snapshot(["b"]);
    expect([repository.index(), repository.files(), repository.git("for-each-ref")]).toEqual(
      before,
    );
  });

  it("sees an edit of the same size in the second in which the index was written", async () => {
    const repository = repositories.make();
    const second = 1_600_000_000;
    repository.git("config", "core.trustctime", "false");
    repository.write("a", "one");
    utimesSync(repository.path("a"), second, second);
    repository.commitAll();
    utimesSync(repository.path(".git/index"), second, second);
    repository.write("a", "two");
    utimesSync(repository.path("a"), second, second);
    const { tree } = await repository.snapshot();
    expect(repository.git("cat-file", "blob", `${tree}:a`)).toBe("two");
  });

  it("takes odd names literally", async () => {
    const repository = repositories.make();
    for (const name of ODD_NAMES) repository.write(name, name);
    const { tree } = await repository.snapshot();
    expect(treeOf(repository, tree).toSorted()).toEqual(ODD_NAMES.toSorted());
  });

  it("keeps symlinks, broken ones too, and executable bits", async () => {
    const repository = repositories.make();
    repository.write("program", "#!/bin/sh\n");
    chmodSync(repository.path("program"), 0o755);
    symlinkSync("program", repository.path("link"));
    symlinkSync("/nowhere/at/all", repository.path("broken"));
    const { tree } = await repository.snapshot();
    const modes = repository.git("ls-tree", tree).split("\n").slice(0, -1);
    expect(modes.map((line) => line.replace(/ blob \w+\t/, " "))).toEqual([
      "120000 broken",
      "120000 link",
      "100755 program",
    ]);
  });

  it("does not see an executable bit where core.fileMode is off", async () => {
    const repository = repositories.make();
    repository.write("program", "x");
    repository.commitAll();
    repository.git("config", "core.fileMode", "false");
    const before = await repository.snapshot();
    chmodSync(repository.path("program"), 0o755);
    expect((await repository.snapshot()).tree).toBe(before.tree);
  });

  it("excludes files and whole folders, tracked or not", async () => {
    const repository = repositories.make();
    repository.write("prompt.md", "tracked manifest");
    repository.write("agents/stint/projects/x/state.json", "1");
    repository.write("agents/other.txt", "stays");
    repository.commitAll();
    const exclude = ["prompt.md", ".agent_iteration_done", "agents/stint/projects/x/"];
    const before = await repository.snapshot(exclude);
    repository.write("prompt.md", "flipped");
    repository.write(".agent_iteration_done", "");
    repository.write("agents/stint/projects/x/state.json", "2");
    repository.write("agents/stint/projects/x/log/new", "3");
    repository.commitAll();
    const after = await repository.snapshot(exclude);
    expect(treeOf(repository, after.tree)).toEqual(["agents/other.txt"]);
    expect(after.tree).toBe(before.tree);
  });

  it("does not drop a file that stands where an excluded folder would be", async () => {
    const repository = repositories.make();
    repository.write("agents", "a file");
    repository.commitAll();
    const { tree } = await repository.snapshot(["agents/stint/projects/x"]);
    expect(treeOf(repository, tree)).toEqual(["agents"]);
  });

  it("works before the first commit, with an empty and with a filled index", async () => {
    const repository = repositories.make();
    expect(await repository.snapshot(["prompt.md"])).toMatchObject({ head: null, branch: "main" });
    repository.write("prompt.md", "x");
    repository.write("a", "x");
    repository.git("add", "-A");
    const { tree } = await repository.snapshot(["prompt.md"]);
    expect(treeOf(repository, tree)).toEqual(["a"]);
  });

  it("skips embedded repositories, with and without a commit, and says so", async () => {
    const repository = repositories.make();
    repository.write("a", "1");
    repository.commitAll();
    const inner = repositories.at(repository.path("inner"));
    repositories.make(`${repository.root.split("/").at(-1)}/inner`).write("x", "1");
    inner.commitAll();
    repositories.make(`${repository.root.split("/").at(-1)}/deep/empty`);
    const { tree, skipped } = await repository.snapshot();
    expect(treeOf(repository, tree)).toEqual(["a"]);
    expect(skipped).toEqual([
      { path: "deep/empty/", why: "embedded repository" },
      { path: "inner/", why: "embedded repository" },
    ]);
  });

  it("holds a submodule as the commit it stands on", async () => {
    const library = repositories.make();
    library.write("x", "1");
    const first = library.commitAll();
    const repository = repositories.make();
    repository.git("submodule", "--quiet", "add", library.root, "lib");
    repository.commitAll();
    const before = await repository.snapshot();
    expect(repository.git("ls-tree", before.tree, "lib")).toContain(`160000 commit ${first}\tlib`);
    const inside = repositories.at(repository.path("lib"));
    inside.write("x", "2");
    expect((await repository.snapshot()).tree).toBe(before.tree);
    const second = inside.commitAll();
    const after = await repository.snapshot();
    expect(repository.git("ls-tree", after.tree, "lib")).toContain(`160000 commit ${second}\tlib`);
  });

  it("takes a file that became a folder and a folder that became a file", async () => {
    const repository = repositories.make();
    repository.write("file", "1");
    repository.write("folder/x", "1");
    repository.commitAll();
    repository.remove("file");
    repository.write("file/y", "2");
    repository.remove("folder");
    repository.write("folder", "2");
    const { tree } = await repository.snapshot();
    expect(treeOf(repository, tree)).toEqual(["file/y", "folder"]);
  });

  it("takes files in conflict as they lie in the work tree", async () => {
    const repository = repositories.make();
    repository.write("a", "base\n");
    repository.commitAll();
    repository.git("checkout", "-q", "-b", "other");
    repository.write("a", "theirs\n");
    repository.commitAll();
    repository.git("checkout", "-q", "main");
    repository.write("a", "ours\n");
    repository.commitAll();
    expect(() => repository.git("merge", "other")).toThrow("Command failed");
    const index = repository.index();
    const { tree } = await repository.snapshot();
    expect(repository.git("cat-file", "blob", `${tree}:a`)).toContain("<<<<<<<");
    expect(repository.index()).toBe(index);
  });

  it("takes 5,000 files and then only what changed", async () => {
    const repository = repositories.make();
    for (let n = 0; n < 5000; n++) repository.write(`d${n % 50}/f${n}`, `${n}`);
    repository.commitAll();
    const before = await repository.snapshot();
    repository.write("d7/f7", "changed");
    repository.write("d8/new", "new");
    const after = await repository.snapshot();
    const names = repository.git("diff-tree", "-r", "--name-status", before.tree, after.tree);
    expect(names).toBe("M\td7/f7\nA\td8/new\n");
  });

  it("says none without a repository", async () => {
    expect(await takeSnapshot(repositories.folder("plain"), { exclude: [] })).toEqual({
      kind: "none",
    });
  });

  it("works in a linked work tree, a shallow clone and a sha256 repository", async () => {
    const repository = repositories.make();
    repository.write("a", "1");
    repository.commitAll();
    repository.write("a", "2");
    repository.commitAll();
    repository.git("worktree", "add", "-q", "-b", "side", "../linked");
    repository.git("clone", "-q", "--depth=1", `file://${repository.root}`, "../shallow");
    repository.git("init", "-q", "--object-format=sha256", "../long");
    for (const name of ["linked", "shallow", "long"]) {
      const other = repositories.at(repositories.folder(name));
      other.write("new", name);
      const { tree } = await other.snapshot(["prompt.md"]);
      expect(treeOf(other, tree)).toContain("new");
    }
  });
});

describe("keepSnapshot", () => {
  it("can be read back and survives garbage collection with all branches and stashes gone", async () => {
    const repository = repositories.make();
    repository.write("a", "1");
    repository.commitAll();
    repository.git("checkout", "-q", "-b", "side");
    repository.write("a", "side");
    const side = repository.commitAll();
    repository.git("checkout", "-q", "main");
    for (const text of ["stash one", "stash two"]) {
      repository.write("a", text);
      repository.git("stash", "-q");
    }
    const stashes = repository.git("log", "-g", "--format=%H", "refs/stash").trim().split("\n");
    repository.write("a", "staged");
    repository.git("add", "a");
    repository.write("a", "work");
    repository.write("untracked", "u");
    const snapshot = await repository.snapshot();
    const ref = startRef("p-1", 1);
    const kept = await keepSnapshot(repository.root, ref, snapshot, "Start of session 1");
    repository.git("branch", "-D", "side");
    repository.git("stash", "clear");
    repository.git("checkout", "-q", "-f", "HEAD");
    repository.git("reflog", "expire", "--expire=all", "--all");
    repository.git("gc", "-q", "--prune=now");
    expect(await readKeptSnapshot(repository.root, ref)).toEqual(kept);
    expect(repository.git("cat-file", "blob", `${ref}:a`)).toBe("work");
    expect(repository.git("cat-file", "blob", `${snapshot.indexTree}:a`)).toBe("staged");
    for (const commit of [side, ...stashes]) repository.git("cat-file", "-e", commit);
  });

  it("is safe to repeat and knows when there is nothing", async () => {
    const repository = repositories.make();
    repository.write("a", "1");
    const snapshot = await repository.snapshot();
    const ref = startRef("p-1", 1);
    expect(await readKeptSnapshot(repository.root, ref)).toBe(null);
    await keepSnapshot(repository.root, ref, snapshot, "Start");
    const again = await keepSnapshot(repository.root, ref, snapshot, "Start");
    expect(await readKeptSnapshot(repository.root, ref)).toEqual(again);
  });

  it("refuses a ref outside refs/stint", async () => {
    const repository = repositories.make();
    const snapshot = await repository.snapshot();
    for (const ref of ["refs/heads/main", "refs/stint/../heads/main", "refs/stint/a b"]) {
      await expect(keepSnapshot(repository.root, ref, snapshot, "x")).rejects.toThrow(
        `${ref} is not a ref that Stint may write`,
      );
    }
  });
});
