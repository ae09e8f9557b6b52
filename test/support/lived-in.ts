// A repository as people really have them: work of their own in every form that git and the file system
// know, most of it in no commit. What a run must leave alone.
import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { git, gitInit } from "./git.ts";

/** Tracked before a person went on working. */
export const COMMITTED: Readonly<Record<string, string>> = {
  ".gitignore": "*.log\nnode_modules/\n",
  "kept.txt": "kept\n",
  "hidden.txt": "as committed\n",
  "assumed.txt": "as committed\n",
  "modified.txt": "as committed\n",
  "staged.txt": "as committed\n",
  "docs/page.md": "a page\n",
};

/** Paths that hold something of the person that no commit holds: never to be delivered over. */
export const OWN_PATHS: readonly string[] = [
  "hidden.txt",
  "assumed.txt",
  "modified.txt",
  "staged.txt",
  "planned.txt",
  "mine.txt",
  "drafts/idea.txt",
  "caf\xe9.txt",
  "secret.log",
  "node_modules/dep/index.js",
  "sub",
  "nested",
];

/** A commit that only a tag holds. */
export const TAG = "held-by-a-tag";

/**
 * @param root a repository whose last commit holds `COMMITTED`
 * @param outside a folder beside it, for the repository that its submodule comes from
 */
export function liveIn(root: string, outside: string): void {
  addSubmodule(root, join(outside, "library"));
  keepCommits(root);
  workOn(root);
  settle(root);
  nest(join(root, "nested"));
}

function addSubmodule(root: string, library: string): void {
  mkdirSync(library);
  gitInit(library);
  put(library, "inside.txt", "of the library\n");
  commitAll(library, "a library");
  git(root, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", library, "sub");
  git(root, "commit", "-q", "-m", "use the library");
  put(root, "sub/inside.txt", "not committed there\n");
  put(root, "sub/new.txt", "not tracked there\n");
}

/** A branch, a stash, a commit under a tag only, and one that nothing holds. */
function keepCommits(root: string): void {
  git(root, "branch", "idea");
  const tree = git(root, "rev-parse", "HEAD^{tree}").trim();
  git(root, "tag", TAG, git(root, "commit-tree", "-p", "HEAD", "-m", "tagged", tree).trim());
  git(root, "commit-tree", "-m", "held by nothing", tree);
  put(root, "kept.txt", "stashed\n");
  git(root, "stash", "push", "-q", "-m", "for later");
}

function workOn(root: string): void {
  for (const [path, flag] of [
    ["hidden.txt", "--skip-worktree"],
    ["assumed.txt", "--assume-unchanged"],
  ] as const) {
    git(root, "update-index", flag, path);
    put(root, path, "settings of this machine\n");
  }
  put(root, "staged.txt", "staged\n");
  git(root, "add", "staged.txt");
  put(root, "staged.txt", "changed after staging\n");
  put(root, "modified.txt", "modified\n");
  put(root, "planned.txt", "to be added\n");
  git(root, "add", "--intent-to-add", "planned.txt");
  put(root, "mine.txt", "not tracked, and mine\n");
  put(root, "drafts/idea.txt", "not tracked either\n");
  put(root, "secret.log", "ignored\n");
  put(root, "node_modules/dep/index.js", "module.exports = 1;\n");
  writeFileSync(Buffer.from(join(root, "caf\xe9.txt"), "latin1"), "a name that is no UTF-8\n");
  mkdirSync(join(root, "empty"));
  symlinkSync("kept.txt", join(root, "pointer"));
}

function settle(root: string): void {
  git(root, "config", "alias.mine", "status --short");
  put(root, ".git/hooks/commit-msg", "#!/bin/sh\nexit 0\n");
  execFileSync("chmod", ["755", join(root, ".git/hooks/commit-msg")]);
  put(root, ".git/info/attributes", "*.mine -text\n");
}

/** A repository inside, that the outer one knows nothing of. */
function nest(folder: string): void {
  mkdirSync(folder);
  gitInit(folder);
  put(folder, "a.txt", "a\n");
  commitAll(folder, "another project");
  put(folder, "a.txt", "a, changed\n");
  git(folder, "stash", "push", "-q");
  put(folder, "b.txt", "not tracked\n");
}

function commitAll(folder: string, message: string): void {
  git(folder, "add", "-A");
  git(folder, "commit", "-q", "-m", message);
}

function put(folder: string, path: string, text: string): void {
  const file = join(folder, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

/** Also where a session made folders that nobody may enter. */
export function removeWhole(folder: string): void {
  execFileSync("chmod", ["-R", "u+rwX", folder], { stdio: "ignore" });
  // Unlike node, it removes paths of any length.
  execFileSync("rm", ["-rf", folder], { stdio: "ignore" });
}
