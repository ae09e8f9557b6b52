// What git tells of the branch that work belongs to.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { testRepositories } from "../../test/support/git-repository.ts";
import { git, gitInit } from "../../test/support/git.ts";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { checkedOutUpstream, targetFacts } from "./refs.ts";

const folder = temporaryFolder();
const root = join(folder.path, "repo");

beforeAll(() => {
  mkdirSync(root);
  gitInit(root);
  git(root, "commit", "-q", "--allow-empty", "-m", "first");
  for (const [name, head] of [
    ["origin", "main"],
    ["team/hub", "release/next"],
  ] as const) {
    const remote = join(folder.path, name.replace("/", "-"));
    git(root, "init", "-q", "--bare", remote);
    git(root, "remote", "add", name, remote);
    git(root, "push", "-q", name, `HEAD:refs/heads/${head}`);
    git(root, "fetch", "-q", name);
    git(root, "remote", "set-head", name, head);
  }
  git(root, "branch", "-q", "--track", "work", "team/hub/release/next");
  git(root, "branch", "-q", "--track", "inside", "main");
  git(root, "branch", "-q", "--no-track", "alone");
});
afterAll(() => folder.remove());

const REMOTE_DEFAULTS = new Map([
  ["origin", "main"],
  ["team/hub", "release/next"],
]);

it.each([
  ["work", "team/hub"],
  ["main", null],
  ["alone", null],
  // A branch of this very repository is nobody else's.
  ["inside", null],
  ["unborn", null],
])(
  "of %s: its upstream is at %s, and every remote names its default branch",
  async (branch, remote) => {
    expect(await targetFacts(root, branch)).toEqual({
      branch,
      upstreamRemote: remote,
      remoteDefaults: REMOTE_DEFAULTS,
    });
  },
);

it("takes a default branch that is gone for none", async () => {
  git(root, "update-ref", "-d", "refs/remotes/origin/main");
  const { remoteDefaults } = await targetFacts(root, "main");
  expect([...remoteDefaults.keys()]).toEqual(["team/hub"]);
});

it("knows the upstream of what is checked out, and none without a commit, a branch or a repository", async () => {
  const repositories = testRepositories();
  try {
    expect(await checkedOutUpstream(repositories.folder("plain"))).toBeNull();
    const origin = repositories.make();
    expect(await checkedOutUpstream(origin.root)).toBeNull();
    for (const n of [1, 2]) {
      origin.write("a", `${n}`);
      origin.commitAll();
    }
    expect(await checkedOutUpstream(origin.root)).toBeNull();
    origin.git("clone", "-q", `file://${origin.root}`, "../clone");
    const clone = repositories.at(repositories.folder("clone"));
    clone.git("reset", "-q", "--hard", "HEAD~");
    const upstream = { remote: "origin", branch: "main", ref: "refs/remotes/origin/main" };
    expect(await checkedOutUpstream(clone.root)).toEqual(upstream);
    clone.git("checkout", "-q", "--detach");
    expect(await checkedOutUpstream(clone.root)).toBeNull();
    clone.git("checkout", "-q", "main");
    clone.git("update-ref", "-d", "refs/remotes/origin/main");
    expect(await checkedOutUpstream(clone.root)).toBeNull();
  } finally {
    repositories.remove();
  }
});
