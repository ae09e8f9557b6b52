import { chmodSync } from "node:fs";
import { afterEach, beforeEach, expect, it } from "vitest";
import {
  type TestRepositories,
  type TestRepository,
  testRepositories,
} from "../../test/support/git-repository.ts";
import { explainPushFailure } from "./push-failure.ts";
import { type PushOptions, pushVerified } from "./push.ts";

let repositories: TestRepositories;
let remote: TestRepository;
let repository: TestRepository;
let options: PushOptions;

beforeEach(() => {
  repositories = testRepositories();
  const first = repositories.make();
  first.write("a", "1");
  first.commitAll();
  first.git("clone", "-q", "--bare", first.root, "../remote");
  first.git("clone", "-q", "../remote", "../clone");
  remote = repositories.at(repositories.folder("remote"));
  repository = repositories.at(repositories.folder("clone"));
  repository.write("a", "2");
  const commit = repository.commitAll();
  options = {
    policy: "auto",
    upstream: { remote: "origin", branch: "main", ref: "refs/remotes/origin/main" },
    commit,
    startedAhead: 0,
    knownCommits: [commit],
  };
});
afterEach(() => repositories.remove());

const push = (more: Partial<PushOptions> = {}) =>
  pushVerified(repository.root, { ...options, ...more });

it("pushes the verified commit and no younger one, once", async () => {
  repository.write("a", "3");
  repository.commitAll("not verified");
  expect(await push()).toEqual({ kind: "pushed", commits: [options.commit] });
  expect(remote.git("rev-parse", "main").trim()).toBe(options.commit);
  expect(await push()).toEqual({ kind: "not-needed" });
});

it("S0-22 has nothing to do without an upstream or a repository", async () => {
  expect(await push({ upstream: null })).toEqual({ kind: "not-needed" });
  expect(await pushVerified(repositories.folder("plain"), options)).toEqual({ kind: "not-needed" });
});

it("asks or refuses as the policy says", async () => {
  const { commit } = options;
  expect(await push({ policy: "never" })).toEqual({
    kind: "refused",
    why: "push: never is set",
  });
  expect(await push({ policy: "ask" })).toEqual({
    kind: "ask",
    why: "push: ask is set; 1 commit for origin/main",
    commits: [commit],
  });
  expect(await push({ commit: "--force" })).toEqual({
    kind: "refused",
    why: "--force is not the full id of a commit",
  });
  expect(await push({ policy: "ask", approved: true })).toMatchObject({ kind: "pushed" });
});

it("asks when the branch was ahead at the start or holds foreign commits", async () => {
  expect(await push({ startedAhead: 2 })).toMatchObject({
    kind: "ask",
    why: "the branch was 2 commits ahead of origin/main before Stint began",
  });
  expect(await push({ knownCommits: [] })).toMatchObject({
    kind: "ask",
    why: `the branch holds 1 commit that neither Stint nor its sessions made: ${options.commit.slice(0, 10)}`,
  });
});

it("never forces a remote that diverged", async () => {
  const other = repositories.at(repositories.folder("other"));
  other.git("clone", "-q", remote.root, ".");
  other.write("a", "theirs");
  const theirs = other.commitAll();
  other.git("push", "-q");
  repository.git("config", "remote.origin.push", "+refs/heads/*:refs/heads/*");
  expect(await push()).toMatchObject({
    kind: "failed",
    why: "diverged",
    hint: "origin/main has commits that are not here. Bring them in, then push: git pull --rebase && git push",
  });
  expect(remote.git("rev-parse", "main").trim()).toBe(theirs);
});

it("tells hooks on both sides and a missing remote apart", async () => {
  repository.hook("pre-push", "echo not today >&2; exit 1");
  expect(await push()).toMatchObject({ kind: "failed", why: "hook" });
  repository.remove(".git/hooks/pre-push");
  repositories.at(remote.root).write("hooks/pre-receive", "#!/bin/sh\necho policy >&2\nexit 1\n");
  chmodSync(remote.path("hooks/pre-receive"), 0o755);
  expect(await push()).toMatchObject({ kind: "failed", why: "hook" });
  repository.git("remote", "set-url", "origin", "../gone");
  expect(await push()).toMatchObject({ kind: "failed", why: "network" });
});

function why(stderr: string): string {
  return explainPushFailure("", stderr, "origin/main").why;
}

it("knows the words of failed logins and networks", () => {
  expect(why("git@x: Permission denied (publickey).\nfatal: Could not read from remote")).toBe(
    "auth",
  );
  expect(why("fatal: could not read Username for 'https://x': terminal prompts disabled")).toBe(
    "auth",
  );
  expect(why("fatal: unable to access 'https://x/': Could not resolve host: x")).toBe("network");
  expect(why("something else")).toBe("unknown");
});
