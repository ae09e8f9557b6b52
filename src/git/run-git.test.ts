import { chmodSync, rmSync } from "node:fs";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type TestRepositories, testRepositories } from "../../test/support/git-repository.ts";
import { StintError } from "../core/stint-error.ts";
import { runGit } from "./run-git.ts";

let repositories: TestRepositories;
beforeEach(() => {
  repositories = testRepositories();
});
afterEach(() => repositories.remove());

async function failure(act: Promise<unknown>): Promise<StintError> {
  const error = await act.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error instanceof StintError) return error;
  throw new Error("it did not fail as it should");
}

const GO_ON = "\nThen run the same command again; what is done stays done.";

it("says of one that was killed that it was, and never takes it for an answer", async () => {
  const { root } = repositories.make();
  const args = ["-c", "alias.die=!kill -9 $PPID", "die"];
  for (const accept of [[0], [0, 1, 128]]) {
    const error = await failure(runGit(root, args, { accept }));
    expect([error.message, error.hint]).toEqual([
      `git die failed: git die in ${root}: it was killed by SIGKILL`,
      `Somebody ended it, or the system had no memory left; look: dmesg | tail${GO_ON}`,
    ]);
  }
  // For whoever takes any end, it is one that failed.
  expect(await runGit(root, args, { accept: "any" })).toMatchObject({ code: 128 });
});

it("says which command failed where, what git said, and how to see it again", async () => {
  const { root } = repositories.make();
  const error = await failure(runGit(root, ["rev-parse", "--verify", "no such 'thing'"]));
  expect([error.code, error.message, error.hint]).toEqual([
    "git-failed",
    String.raw`looking up a commit failed: git rev-parse --verify 'no such '\''thing'\''' in ${root}: exit code 128: fatal: Needed a single revision`,
    String.raw`See it for yourself: cd ${root} && git rev-parse --verify 'no such '\''thing'\'''` +
      GO_ON,
  ]);
});

it("says in one line what is locked, and what to do about it", async () => {
  const repository = repositories.make();
  repository.write(".git/index.lock", "");
  repository.write("a", "1");
  const error = await failure(runGit(repository.root, ["add", "a"]));
  expect(error.message).toMatch(/: File exists\.$/);
  expect(error.hint).toBe(
    `Another git process works in this repository, or one was killed. If none runs: rm '${repository.path(".git/index.lock")}'${GO_ON}`,
  );
});

it.each([
  ["fatal: sha1 file 'x' write error. Out of diskspace", "Free space on the disk of ROOT (df -h)."],
  ["error: x: Disk quota exceeded", "Free space or raise the quota."],
  [
    "error: unable to create 'x': Read-only file system",
    "Make the file system of ROOT writable (mount -o remount,rw).",
  ],
  ["fatal: mmap failed: Input/output error", "Check the disk (dmesg | tail)."],
  ["fatal: cannot open 'x': Too many open files", "Raise the limit (ulimit -n 4096)."],
  ["fatal: Out of memory, malloc failed", "Close some programs (free -h)."],
])("says what the system refused, and the repair: %s", async (said, repair) => {
  const { root } = repositories.make();
  const script = `!echo "${said}" >&2; exit 128`;
  const error = await failure(runGit(root, ["-c", `alias.write-tree2=${script}`, "write-tree2"]));
  expect([error.code, error.message, error.hint]).toEqual([
    "state-unwritable",
    `git write-tree2 failed: git write-tree2 in ${root}: exit code 128: ${said}`,
    `${repair.replace("ROOT", root)}${GO_ON}`,
  ]);
});

it("takes what a remote says for the remote's", async () => {
  const { root } = repositories.make();
  const pack = "echo 'remote: No space left on device' >&2; exit 1; #";
  const error = await failure(runGit(root, ["fetch", `--upload-pack=${pack}`, root]));
  expect([error.code, error.message]).toEqual([
    "git-failed",
    expect.stringContaining("remote: No space left on device"),
  ]);
});

it("tells a missing folder from a missing git", async () => {
  const { root } = repositories.make();
  const path = process.env["PATH"];
  process.env["PATH"] = root;
  const error = await failure(runGit(root, ["status"]));
  process.env["PATH"] = path;
  expect([error.message, error.hint]).toEqual([
    `asking what is changed failed: git status in ${root}: git could not be started`,
    `Install git 2.31 or newer and put it on the PATH: git --version${GO_ON}`,
  ]);
  rmSync(root, { recursive: true });
  expect((await failure(runGit(root, ["status"]))).message).toBe(
    `asking what is changed failed: git status in ${root}: the folder does not exist`,
  );
});

it("ends a command that does not end, with its children", async () => {
  const repository = repositories.make();
  repository.write("sleep.sh", "#!/bin/sh\nexec sleep 1000\n");
  chmodSync(repository.path("sleep.sh"), 0o755);
  const args = ["-c", "alias.wait=!./sleep.sh", "wait"];
  const error = await failure(runGit(repository.root, args, { timeoutMs: 50 }));
  expect(error.message).toContain("no end after 50 ms");
});

it("does not wait for what a command left in the background", async () => {
  const repository = repositories.make();
  repository.write("leave.sh", "#!/bin/sh\nsleep 5 &\necho done\n");
  chmodSync(repository.path("leave.sh"), 0o755);
  const { stdout } = await runGit(repository.root, ["-c", "alias.leave=!./leave.sh", "leave"]);
  expect(stdout).toBe("done\n");
});
