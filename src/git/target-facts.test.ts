// What git tells of the branch that work belongs to.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { git, gitInit } from "../../test/support/git.ts";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { targetFacts } from "./target-facts.ts";

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
