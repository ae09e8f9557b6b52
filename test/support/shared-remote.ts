// A remote that a person and a colleague share, for scenarios in which work is pushed.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { git } from "./git.ts";
import type { Scenario } from "./scenario.ts";

/** The remote has what is there, and the person is on a branch that follows it. */
export function withRemote(made: Scenario, branch: string): void {
  const remote = join(made.path, "remote.git");
  made.git("init", "-q", "--bare", "--initial-branch=main", remote);
  made.git("remote", "add", "origin", remote);
  made.git("push", "-q", "-u", "origin", "main");
  made.git("remote", "set-head", "origin", "main");
  if (branch === "main") return;
  made.git("switch", "-qc", branch);
  made.git("push", "-q", "-u", "origin", branch);
}

/** Branch by branch, what the remote has. */
export function arrived(made: Scenario): Record<string, string> {
  const lines = made.git("ls-remote", "--heads", "origin").trim().split("\n");
  return Object.fromEntries(
    lines
      .map((line) => line.split("\trefs/heads/"))
      .map(([commit = "", name = ""]) => [name, commit]),
  );
}

/** A colleague commits a file on top of what the remote has, and pushes it. @returns the commit */
export function colleaguePushes(
  made: Scenario,
  branch: string,
  path: string,
  text = "a colleague's\n",
): string {
  const clone = join(made.path, `colleague-${path}`);
  git(made.path, "clone", "-q", "-b", branch, join(made.path, "remote.git"), clone);
  git(clone, "config", "user.name", "Grace");
  git(clone, "config", "user.email", "grace@example.com");
  writeFileSync(join(clone, path), text);
  git(clone, "add", "-A");
  git(clone, "commit", "-q", "-m", `a colleague's ${path}`);
  git(clone, "push", "-q");
  return git(clone, "rev-parse", "HEAD").trim();
}
