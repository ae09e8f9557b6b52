import { chmodSync, existsSync, readFileSync, rmSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  type TestRepositories,
  type TestRepository,
  testRepositories,
} from "../../test/support/git-repository.ts";
import { explainPushFailure, type PushOptions, pushVerified } from "./push.ts";

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
    target: {
      remote: "origin",
      branch: "main",
      ref: "refs/remotes/origin/main",
      url: repository.git("remote", "get-url", "origin").trim(),
    },
    commit,
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
  expect(await push({ target: null })).toEqual({ kind: "not-needed" });
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
    subject: `git push origin ${commit}:refs/heads/main\nto ${options.target?.url}\n${commit.slice(0, 10)} ${subjectOf(commit)}`,
  });
  expect(await push({ commit: "--force" })).toEqual({
    kind: "refused",
    why: "--force is not the full id of a commit",
  });
});

function subjectOf(commit: string): string {
  return repository.git("log", "-1", "--format=%s", commit).trim();
}

it("pushes what a person said yes to, and nothing else", async () => {
  const asked = await push({ policy: "ask" });
  const yes = asked.kind === "ask" ? asked.subject : "";
  const isAllowed = (subject: string) => subject === yes;
  repository.write("a", "3");
  const commit = repository.commitAll("more");
  expect(await push({ policy: "ask", commit, isAllowed })).toMatchObject({ kind: "ask" });
  expect(await push({ policy: "ask", isAllowed })).toEqual({
    kind: "pushed",
    commits: [options.commit],
  });
  expect(remote.git("rev-parse", "main").trim()).toBe(options.commit);
});

it("asks where the remote's name leads elsewhere by now", async () => {
  repository.git("remote", "set-url", "origin", "https://ada:secret@example.com/x.git");
  const asked = await push();
  expect(asked).toMatchObject({
    kind: "ask",
    why: `origin pointed to ${options.target?.url} when the run began, and points to https://[redacted]@example.com/x.git now`,
  });
  expect(JSON.stringify(asked)).not.toContain("secret");
});

it("names at most fifty commits one by one", async () => {
  for (let n = 0; n < 51; n++) repository.git("commit", "-q", "--allow-empty", "-m", `number ${n}`);
  const commit = repository.git("rev-parse", "HEAD").trim();
  const asked = await push({ commit });
  const lines = asked.kind === "ask" ? asked.subject.split("\n") : [];
  expect(lines).toHaveLength(2 + 50 + 1);
  expect(lines.at(-1)).toBe("and 2 commits before them");
});

it("asks when the branch holds commits of others", async () => {
  expect(await push({ knownCommits: [] })).toMatchObject({
    kind: "ask",
    why: `the branch has 1 commit that neither Stint nor its sessions made: ${options.commit.slice(0, 10)}`,
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
  const refuses = { kind: "refused", said: "not today" } as const;
  expect(await push({ hook: async () => refuses })).toMatchObject({
    kind: "failed",
    why: "hook",
    to: "origin/main",
    said: "not today",
    commits: [`${options.commit.slice(0, 10)} ${subjectOf(options.commit)}`],
  });
  repositories.at(remote.root).write("hooks/pre-receive", "#!/bin/sh\necho policy >&2\nexit 1\n");
  chmodSync(remote.path("hooks/pre-receive"), 0o755);
  expect(await push()).toMatchObject({
    kind: "failed",
    why: "hook",
    said: "pre-receive hook declined; policy",
    hint: "Do what the remote's hook asks for, then: stint resume",
  });
  rmSync(remote.root, { recursive: true });
  expect(await push()).toMatchObject({ kind: "failed", why: "network" });
});

it("sends large files by the person's own program, with what the hook would have been told, and no hook is started", async () => {
  repository.hook("pre-push", `touch "${repository.path("started")}"; exit 1`);
  const told = repository.path("told");
  const bin = repository.path("bin");
  repository.write("bin/git-lfs", `#!/bin/sh\necho "$@" >"${told}"\ncat >>"${told}"\n`);
  chmodSync(repository.path("bin/git-lfs"), 0o755);
  const before = repository.git("rev-parse", "origin/main").trim();
  const { PATH } = process.env;
  process.env["PATH"] = `${bin}:${PATH}`;
  try {
    const hook = async () => ({ kind: "passed", sendsLargeFiles: true }) as const;
    expect(await push({ hook })).toEqual({ kind: "pushed", commits: [options.commit] });
  } finally {
    process.env["PATH"] = PATH;
  }
  const { commit } = options;
  expect(readFileSync(told, "utf8")).toBe(
    `pre-push origin ${options.target?.url}\n${commit} ${commit} refs/heads/main ${before}\n`,
  );
  expect(existsSync(repository.path("started"))).toBe(false);
});

it("says the reason of the remote, and nothing of what git says around it", () => {
  const stdout =
    "To github.com:ada/shop.git\n!\trefs/heads/main:refs/heads/main\t[remote rejected] (protected branch hook declined)\nDone\n";
  const stderr =
    "remote: error: GH006: Protected branch update failed for refs/heads/main.\nremote: \nremote: - Changes must be made through a pull request.\nerror: failed to push some refs to 'github.com:ada/shop.git'\n";
  expect(explainPushFailure(stdout, stderr, "origin/main")).toEqual({
    why: "protected",
    to: "origin/main",
    said: "protected branch hook declined; GH006: Protected branch update failed for refs/heads/main.; - Changes must be made through a pull request.",
    hint: "origin/main accepts no direct push. Allow the push there, then: stint resume; or leave pushing to a pull request of yours: stint resume --retry --no-push",
  });
  const full = "!\ta:b\t[remote rejected] (unpacker error)\n";
  const words = "error: remote unpack failed: unable to create temporary object directory\n";
  expect(explainPushFailure(full, words, "origin/main")).toMatchObject({
    why: "refused",
    said: "unpacker error; remote unpack failed: unable to create temporary object directory",
    hint: "Fix that at the remote, then: stint resume",
  });
});

function why(stderr: string): string {
  return explainPushFailure("", stderr, "origin/main").why;
}

it("knows the words of failed logins and networks", () => {
  expect(why("git@x: Permission denied (publickey).\nfatal: Could not read from remote")).toBe(
    "auth",
  );
  expect(why("remote: Permission to ada/shop.git denied to bob.\nfatal: unable to access")).toBe(
    "auth",
  );
  expect(why("fatal: could not read Username for 'https://x': terminal prompts disabled")).toBe(
    "auth",
  );
  expect(why("fatal: unable to access 'https://x/': Could not resolve host: x")).toBe("network");
  expect(why("something else")).toBe("unknown");
});

describe("the evidence", () => {
  const note = (where: TestRepository, text: string, on: string): void => {
    where.git("notes", "--ref=stint", "append", "-m", text, on);
  };

  it("goes along, and what is asked says so", async () => {
    note(repository, "ours", options.commit);
    const asked = await push({ policy: "ask" });
    const act = `git push origin ${options.commit}:refs/heads/main refs/notes/stint\n`;
    expect(asked).toMatchObject({ kind: "ask", subject: expect.stringContaining(act) });
    expect(await push()).toEqual({ kind: "pushed", commits: [options.commit] });
    expect(remote.git("notes", "--ref=stint", "show", options.commit)).toBe("ours\n");
  });

  it("is brought together with what others pushed meanwhile, line by line", async () => {
    const others = repositories.at(repositories.folder("others"));
    repository.git("clone", "-q", remote.root, others.root);
    const first = repository.git("rev-parse", "HEAD~1").trim();
    note(others, "theirs", first);
    others.git("push", "-q", "origin", "refs/notes/stint");
    note(repository, "ours", first);
    note(repository, "new", options.commit);
    expect(await push()).toEqual({ kind: "pushed", commits: [options.commit] });
    expect(remote.git("notes", "--ref=stint", "show", first)).toBe("ours\ntheirs\n");
    expect(remote.git("notes", "--ref=stint", "show", options.commit)).toBe("new\n");
    expect(repository.git("for-each-ref", "refs/stint")).toBe("");
  });

  it("that the remote refuses keeps no branch waiting, nor does a hook that refuses all of it", async () => {
    note(repository, "ours", options.commit);
    const refuse = (name: string, script: string): void => {
      remote.write(`hooks/${name}`, `#!/bin/sh\n${script}\n`);
      chmodSync(`${remote.root}/hooks/${name}`, 0o755);
    };
    refuse("update", 'case "$1" in refs/notes/*) exit 1 ;; esac');
    expect(await push()).toEqual({
      kind: "pushed",
      commits: [options.commit],
      unsent: "hook declined",
    });
    rmSync(`${remote.root}/hooks/update`);
    refuse("pre-receive", "grep -q refs/notes/ && exit 1; exit 0");
    repository.write("a", "3");
    const commit = repository.commitAll();
    expect(await push({ commit, knownCommits: [commit] })).toEqual({
      kind: "pushed",
      commits: [commit],
      unsent: "pre-receive hook declined",
    });
    expect(remote.git("rev-parse", "main").trim()).toBe(commit);
    repository.write("a", "4");
    const next = repository.commitAll();
    const quiet = await push({ commit: next, knownCommits: [next], withNotes: false });
    expect(quiet).toEqual({ kind: "pushed", commits: [next] });
  });

  it("makes no failure of the branch look like a success", async () => {
    note(repository, "ours", options.commit);
    remote.write("hooks/update", '#!/bin/sh\ncase "$1" in refs/heads/*) exit 1 ;; esac\n');
    chmodSync(`${remote.root}/hooks/update`, 0o755);
    expect(await push()).toMatchObject({ kind: "failed", why: "hook" });
  });

  it("counts a branch as pushed only where every address of the remote has it", async () => {
    note(repository, "ours", options.commit);
    const second = repositories.folder("second");
    repository.git("clone", "-q", "--bare", remote.root, second);
    for (const url of [remote.root, second]) {
      repository.git("remote", "set-url", "--add", "--push", "origin", url);
    }
    const other = repositories.at(second);
    other.write("hooks/update", '#!/bin/sh\ncase "$1" in refs/heads/*) exit 1 ;; esac\n');
    chmodSync(`${second}/hooks/update`, 0o755);
    const url = `${remote.root} and ${second}`;
    const target = options.target === null ? null : { ...options.target, url };
    expect(await push({ target })).toMatchObject({ kind: "failed" });
  });
});
