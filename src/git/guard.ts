// Git starts programs that a repository names: hooks, filters, a file system monitor, helpers of a
// push. A session can name some of its own. So hooks, and everything once a session changed what is
// named, run behind these words, where Stint's state and the approver's key cannot be seen.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import type { GitFolder } from "./git-folder.ts";

export interface Guard {
  /** Put before `git`; empty where the system has no means. */
  readonly words: readonly string[];
  readonly everything: boolean;
}

const guards = new Map<string, Guard>();

/** For every git command in this work tree from now on. */
export function guardGit(root: string, guard: Guard): void {
  guards.set(root, guard);
}

export function guardWords(root: string, runsHooks: boolean): readonly string[] {
  const guard = guards.get(root);
  return guard !== undefined && (guard.everything || runsHooks) ? guard.words : [];
}

/** Changes whenever a program that git starts here was added, edited or named. */
export function programsDigest(
  folder: GitFolder,
  env: Readonly<Record<string, string | undefined>>,
): string {
  const config = env["XDG_CONFIG_HOME"] ?? join(env["HOME"] ?? homedir(), ".config");
  const hooks = join(folder.common, "hooks");
  const paths = [
    join(folder.common, "config"),
    join(folder.own, "config.worktree"),
    join(folder.common, "info", "attributes"),
    join(env["HOME"] ?? homedir(), ".gitconfig"),
    join(config, "git", "config"),
    ...names(hooks).map((name) => join(hooks, name)),
  ];
  const hash = createHash("sha256");
  for (const path of paths) hash.update(`${path}\0${contentOf(path)}\0`);
  return hash.digest("hex");
}

function names(folder: string): string[] {
  try {
    // The examples that git itself puts there are never run.
    return readdirSync(folder).filter((name) => !name.endsWith(".sample"));
  } catch {
    return [];
  }
}

function contentOf(path: string): string {
  try {
    return `${statSync(path).mode} ${readFileSync(path, "latin1")}`;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? "unreadable";
  }
}
