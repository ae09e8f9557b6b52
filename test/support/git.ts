// The real git, for tests: its own identity, no configuration of the person or the machine.
import { execFileSync } from "node:child_process";

export function git(folder: string, ...words: string[]): string {
  return execFileSync("git", words, {
    cwd: folder,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      ...process.env,
      GIT_CONFIG_GLOBAL: "/dev/null",
      GIT_CONFIG_SYSTEM: "/dev/null",
      GIT_AUTHOR_NAME: "test",
      GIT_AUTHOR_EMAIL: "test@example.com",
      GIT_COMMITTER_NAME: "test",
      GIT_COMMITTER_EMAIL: "test@example.com",
    },
  });
}

export function gitInit(folder: string): void {
  git(folder, "init", "--quiet", "--initial-branch=main");
}
