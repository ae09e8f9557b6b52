import { chmodSync, existsSync, symlinkSync, utimesSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  type TestRepositories,
  type TestRepository,
  testRepositories,
} from "../../test/support/git-repository.ts";
import { commitsBetween, findCommit } from "./commit-trailers.ts";
import { commitWork } from "./commit-work.ts";

let repositories: TestRepositories;
let repository: TestRepository;
beforeEach(() => {
  repositories = testRepositories();
  repository = repositories.make();
  repository.write("a.txt", "a1\n");
  repository.write("b.txt", "b1\n");
  repository.write("prompt.md", "- [ ] task\n");
  repository.commitAll();
});
afterEach(() => repositories.remove());

function committedFiles(revision = "HEAD"): string {
  return repository.git("show", "--format=", "--name-status", "--no-renames", revision);
}

describe("commitWork", () => {
  it("S0-21 commits exactly what the session changed, with the manifest and the trailers", async () => {
    repository.write("mine.txt", "untracked before the session");
    const session = await repository.session(() => {
      repository.write("a.txt", "a2\n");
      repository.write("new.txt", "new\n");
      repository.remove("b.txt");
    });
    repository.write("prompt.md", "- [x] task\n");
    expect(await session.commit()).toEqual({
      kind: "committed",
      commit: repository.head(),
      branch: "main",
      hooksChangedTree: false,
      foundAgain: false,
    });
    expect(committedFiles()).toBe("M\ta.txt\nD\tb.txt\nA\tnew.txt\nM\tprompt.md\n");
    expect(repository.status()).toEqual(["?? mine.txt"]);
    expect(repository.git("log", "-1", "--format=%an|%B")).toBe(
      "Person|Do the task\n\nStint-Project: p-0000000001\nStint-Task: t1\nStint-Attempt: 1\n\n",
    );
  });

  it("leaves an untracked manifest untracked", async () => {
    repository.write("other.md", "- [ ] task");
    const session = await repository.session(() => repository.write("a.txt", "a2"), {
      manifest: "other.md",
      exclude: ["other.md"],
    });
    await session.commit();
    expect(committedFiles()).toBe("M\ta.txt\n");
  });

  it("keeps what the person staged staged and what is unstaged unstaged", async () => {
    repository.write("b.txt", "staged\n");
    repository.git("add", "b.txt");
    repository.write("b.txt", "unstaged\n");
    repository.write("c.txt", "added by the person");
    repository.git("add", "c.txt");
    const session = await repository.session(() => repository.write("a.txt", "a2\n"));
    await session.commit();
    expect(committedFiles()).toBe("M\ta.txt\n");
    expect(repository.status()).toEqual(["MM b.txt", "A  c.txt"]);
    expect(repository.git("show", ":b.txt")).toBe("staged\n");
  });

  it("leaves the staged version of a file that the session changed too", async () => {
    repository.write("a.txt", "staged by the person\n");
    repository.git("add", "a.txt");
    const session = await repository.session(() => repository.write("a.txt", "a2\n"));
    await session.commit();
    expect(repository.git("show", "HEAD:a.txt")).toBe("a2\n");
    expect(repository.git("show", ":a.txt")).toBe("staged by the person\n");
  });

  it("commits the snapshot, not what was written after it", async () => {
    const session = await repository.session(() => repository.write("a.txt", "a2\n"));
    repository.write("a.txt", "the person goes on\n");
    await session.commit();
    expect(repository.git("show", "HEAD:a.txt")).toBe("a2\n");
    expect(repository.status()).toEqual([" M a.txt"]);
  });

  it("has nothing to commit when nothing changed or the agent committed it all", async () => {
    const index = repository.index();
    const idle = await repository.session(() => {});
    expect(await idle.commit()).toEqual({ kind: "nothing-to-commit" });
    expect(repository.index()).toBe(index);
    const session = await repository.session(() => {
      repository.write("a.txt", "a2\n");
      repository.commitAll("by the agent");
    });
    expect(await session.commit()).toEqual({ kind: "nothing-to-commit" });
    const { head } = session.start;
    expect(await commitsBetween(repository.root, head, repository.head())).toEqual([
      repository.head(),
    ]);
  });

  it("completes what the agent committed in part", async () => {
    const session = await repository.session(() => {
      repository.write("a.txt", "a2\n");
      repository.commitAll("by the agent");
      repository.write("b.txt", "b2\n");
    });
    expect(await session.commit()).toMatchObject({ kind: "committed" });
    expect(committedFiles()).toBe("M\tb.txt\n");
    expect(repository.status()).toEqual([]);
  });

  it("finds its commit again instead of making a second one", async () => {
    const session = await repository.session(() => repository.write("a.txt", "a2\n"));
    const first = await session.commit();
    const commit = repository.head();
    // A crash right after the commit: the index still shows the old entry.
    repository.git("update-index", "--cacheinfo", `100644,${blob("HEAD~:a.txt")},a.txt`);
    expect(repository.status()).toEqual(["MM a.txt"]);
    expect(await session.commit()).toEqual({ ...first, foundAgain: true });
    expect(repository.head()).toBe(commit);
    expect(repository.status()).toEqual([]);
    expect(await findCommit(repository.root, session.work.trailers, session.start.head)).toBe(
      commit,
    );
    expect(await findCommit(repository.root, [["Stint-Task", "t9"]], null)).toBe(null);
  });

  it("S3-8 is found again, and nothing else claimed, in a repository that was made anew since", async () => {
    const session = await repository.session(() => repository.write("a.txt", "a2\n"));
    await session.commit();
    const gone = "0123456789".repeat(4);
    const { trailers } = session.work;
    expect(await findCommit(repository.root, trailers, gone)).toBe(repository.head());
    expect(await commitsBetween(repository.root, gone, repository.head())).toEqual([]);
  });

  it("accepts the commit of a git that outlived a killed run", async () => {
    const session = await repository.session(() => repository.write("a.txt", "a2\n"));
    const message = "Do the task\n\nStint-Project: p-0000000001\nStint-Task: t1\nStint-Attempt: 1";
    repository.write(".git/message", message);
    // The other commit lands while our hook runs, so ours finds another HEAD than it started from.
    repository.hook(
      "pre-commit",
      'c=$(git commit-tree "$(git write-tree)" -p HEAD -F .git/message) && git update-ref HEAD "$c"',
    );
    expect(await session.commit()).toMatchObject({ kind: "committed", foundAgain: true });
    expect(repository.git("log", "--format=%s")).toBe("Do the task\nwork of the person\n");
    expect(repository.status()).toEqual([]);
  });

  it("does not bring a commit back into the index after the person reverted it", async () => {
    const session = await repository.session(() => repository.write("a.txt", "a2\n"));
    await session.commit();
    repository.git("revert", "--no-edit", "HEAD");
    expect(await session.commit()).toMatchObject({ kind: "committed", foundAgain: true });
    expect(repository.status()).toEqual([]);
  });

  it("runs hooks on exactly this commit and reports a failing one", async () => {
    repository.hook("pre-commit", "git diff --cached --name-only > .git/seen; echo no >&2; exit 1");
    repository.write("b.txt", "staged\n");
    repository.git("add", "b.txt");
    const session = await repository.session(() => repository.write("a.txt", "a2\n"));
    const before = [repository.head(), repository.index()];
    expect(await session.commit()).toMatchObject({ kind: "hook-failed", output: "no" });
    expect([repository.head(), repository.index()]).toEqual(before);
    expect(repository.read(".git/seen")).toBe("a.txt\n");
  });

  it("says when a hook rewrote the commit", async () => {
    repository.hook("pre-commit", "echo formatted > a.txt; git add a.txt");
    const session = await repository.session(() => repository.write("a.txt", "a2\n"));
    expect(await session.commit()).toMatchObject({ kind: "committed", hooksChangedTree: true });
    expect(repository.git("show", "HEAD:a.txt")).toBe("formatted\n");
    expect(repository.status()).toEqual([]);
  });

  it("says when a hook rewrote files beside the commit", async () => {
    repository.hook("post-commit", "echo touched > b.txt");
    const session = await repository.session(() => repository.write("a.txt", "a2\n"));
    expect(await session.commit()).toMatchObject({ kind: "committed", hooksChangedTree: true });
  });

  it("is at ease with hooks that change nothing, and lets commit-msg edit the message", async () => {
    repository.hook("pre-commit", "exit 0");
    repository.hook("commit-msg", 'sed -i "1s/^/ABC-1 /" "$1"');
    const session = await repository.session(() => repository.write("a.txt", "a2\n"));
    expect(await session.commit()).toMatchObject({ kind: "committed", hooksChangedTree: false });
    expect(repository.git("log", "-1", "--format=%s")).toBe("ABC-1 Do the task\n");
  });

  it("asks before it commits new files that look secret or are large", async () => {
    const session = await repository.session(() => {
      repository.write("config/.env", "TOKEN=1");
      repository.write("server.pem", "x");
      repository.write("big.bin", Buffer.alloc(5 * 1024 * 1024 + 1));
      repository.write(".env.example", "TOKEN=");
      repository.write("a.txt", "a2\n");
    });
    const head = repository.head();
    const result = await session.commit();
    expect(result).toEqual({
      kind: "needs-approval",
      paths: [
        { path: "big.bin", why: "it is new and 5.0 MB large" },
        { path: "config/.env", why: "its name is one that secrets have" },
        { path: "server.pem", why: "its name is one that secrets have" },
      ],
    });
    expect(repository.head()).toBe(head);
    const approved = ["big.bin", "config/.env", "server.pem"];
    expect(await commitWork(repository.root, { ...session.work, approved })).toMatchObject({
      kind: "committed",
    });
  });

  it("needs an identity", async () => {
    const session = await repository.session(() => repository.write("a.txt", "a2\n"));
    repository.git("config", "user.useConfigOnly", "true");
    repository.git("config", "user.name", "");
    repository.git("config", "user.email", "");
    expect(await session.commit()).toEqual({
      kind: "no-identity",
      hint: 'Tell git who you are: git config user.name "Your Name" && git config user.email you@example.com',
    });
  });

  it("stays out of a merge and out of conflicts", async () => {
    repository.git("checkout", "-q", "-b", "other");
    repository.write("b.txt", "theirs\n");
    repository.commitAll();
    repository.git("checkout", "-q", "main");
    repository.write("b.txt", "ours\n");
    repository.commitAll();
    const session = await repository.session(() => repository.write("a.txt", "a2\n"));
    expect(() => repository.git("merge", "other")).toThrow("Command failed");
    expect(await session.commit()).toMatchObject({
      kind: "operation-in-progress",
      operation: "merge",
    });
    repository.remove(".git/MERGE_HEAD");
    expect(await session.commit()).toMatchObject({ kind: "conflict", paths: ["b.txt"] });
  });

  it("says so without a repository", async () => {
    const session = await repository.session(() => repository.write("a.txt", "a2\n"));
    expect(await commitWork(repositories.folder("plain"), session.work)).toEqual({
      kind: "not-a-repository",
    });
  });

  it("removes a lock from before its start and leaves a younger one alone", async () => {
    const session = await repository.session(() => repository.write("a.txt", "a2\n"));
    for (const name of ["index.lock", "HEAD.lock", "refs/heads/main.lock"]) {
      repository.write(`.git/${name}`, "");
      const path = repository.path(`.git/${name}`);
      const { startedAtMs } = session.work;
      utimesSync(path, startedAtMs / 1000 + 60, startedAtMs / 1000 + 60);
      expect(await session.commit()).toEqual({
        kind: "locked",
        path,
        hint: `Another git process works in this repository, or one was killed. If none runs: rm '${path}'`,
      });
      expect(existsSync(path)).toBe(true);
      utimesSync(path, startedAtMs / 1000 - 60, startedAtMs / 1000 - 60);
    }
    expect(await session.commit()).toMatchObject({ kind: "committed" });
    expect(existsSync(repository.path(".git/index.lock"))).toBe(false);
  });
});

describe("commitWork in unusual repositories", () => {
  it("makes the first commit", async () => {
    repository = repositories.make();
    repository.write("mine.txt", "staged by the person");
    repository.git("add", "mine.txt");
    const session = await repository.session(() => repository.write("a.txt", "a1\n"));
    expect(await session.commit()).toMatchObject({ kind: "committed", branch: "main" });
    expect(committedFiles()).toBe("A\ta.txt\n");
    expect(repository.status()).toEqual(["A  mine.txt"]);
    expect(await session.commit()).toMatchObject({ kind: "committed", foundAgain: true });
  });

  it("commits on a detached HEAD and says so", async () => {
    repository.git("checkout", "-q", "--detach");
    const session = await repository.session(() => repository.write("a.txt", "a2\n"));
    expect(await session.commit()).toMatchObject({ kind: "committed", branch: null });
    expect(repository.status()).toEqual([]);
  });

  it("commits in a shallow clone and in a linked work tree", async () => {
    const origin = repository;
    origin.git("clone", "-q", "--depth=1", `file://${origin.root}`, "../shallow");
    origin.git("worktree", "add", "-q", "-b", "side", "../linked");
    for (const name of ["shallow", "linked"]) {
      repository = repositories.at(repositories.folder(name));
      const session = await repository.session(() => repository.write("a.txt", "a2\n"));
      expect(await session.commit()).toMatchObject({ kind: "committed" });
      expect(repository.status()).toEqual([]);
    }
    expect(origin.status()).toEqual([]);
  });

  it("commits odd names, symlinks, executable bits and files that became folders", async () => {
    const session = await repository.session(() => {
      for (const name of ["with space", "new\nline", "-dash", "日本.txt", ":(top)x", "star*"]) {
        repository.write(name, name);
      }
      symlinkSync("a.txt", repository.path("link"));
      chmodSync(repository.path("b.txt"), 0o755);
      repository.remove("a.txt");
      repository.write("a.txt/inside", "1");
    });
    expect(await session.commit()).toMatchObject({ kind: "committed", hooksChangedTree: false });
    expect(repository.status()).toEqual([]);
    expect(repository.git("ls-files", "-s", "link", "b.txt").replace(/ \w+ 0/g, "")).toBe(
      "100755\tb.txt\n120000\tlink\n",
    );
  });

  it("commits a move and a change of case", async () => {
    const text = "long enough to be known again\n".repeat(5);
    repository.write("Name.txt", text);
    repository.write("old/place.txt", text.toUpperCase());
    repository.commitAll();
    const session = await repository.session(() => {
      repository.git("mv", "Name.txt", "name.txt");
      repository.remove("old");
      repository.write("new/place.txt", text.toUpperCase());
    });
    expect(session.changes.map(({ change, from, path }) => [change, from, path])).toEqual([
      ["moved", "Name.txt", "name.txt"],
      ["moved", "old/place.txt", "new/place.txt"],
    ]);
    expect(await session.commit()).toMatchObject({ kind: "committed" });
    expect(repository.status()).toEqual([]);
    expect(repository.git("ls-files")).toBe("a.txt\nb.txt\nname.txt\nnew/place.txt\nprompt.md\n");
  });

  it("normalises line endings as the person's git does", async () => {
    repository.git("config", "core.autocrlf", "true");
    const session = await repository.session(() => repository.write("a.txt", "one\r\ntwo\r\n"));
    expect(await session.commit()).toMatchObject({ kind: "committed", hooksChangedTree: false });
    expect(repository.git("show", "HEAD:a.txt")).toBe("one\ntwo\n");
    expect(repository.read("a.txt")).toBe("one\r\ntwo\r\n");
    expect(repository.status()).toEqual([]);
  });

  it("commits a submodule that the session moved", async () => {
    const library = repositories.make();
    library.write("x", "1");
    library.commitAll();
    repository.git("submodule", "--quiet", "add", library.root, "lib");
    repository.commitAll();
    const session = await repository.session(() => {
      const inside = repositories.at(repository.path("lib"));
      inside.write("x", "2");
      inside.commitAll();
    });
    expect(await session.commit()).toMatchObject({ kind: "committed" });
    expect(committedFiles()).toBe("M\tlib\n");
    expect(repository.status()).toEqual([]);
  });

  it("is not led astray by the variables of a surrounding hook", async () => {
    Object.assign(process.env, { GIT_DIR: "/nowhere", GIT_INDEX_FILE: "/nowhere/index" });
    try {
      const session = await repository.session(() => repository.write("a.txt", "a2\n"));
      expect(await session.commit()).toMatchObject({ kind: "committed" });
    } finally {
      delete process.env["GIT_DIR"];
      delete process.env["GIT_INDEX_FILE"];
    }
  });

  it("leaves an index with a split base and flags as it is", async () => {
    repository.git("config", "core.splitIndex", "true");
    repository.git("update-index", "--split-index");
    repository.git("update-index", "--assume-unchanged", "b.txt");
    const session = await repository.session(() => repository.write("a.txt", "a2\n"));
    expect(await session.commit()).toMatchObject({ kind: "committed" });
    expect(repository.git("ls-files", "-v", "b.txt")).toBe("h b.txt\n");
    expect(repository.status()).toEqual([]);
  });
});

function blob(revision: string): string {
  return repository.git("rev-parse", revision).trim();
}
