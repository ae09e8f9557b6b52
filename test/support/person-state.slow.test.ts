import { execFileSync } from "node:child_process";
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { git, gitInit } from "./git.ts";
import { COMMITTED, liveIn, removeWhole, TAG } from "./lived-in.ts";
import { type Allowed, describeDifferences, recordPerson } from "./person-state.ts";

const base = mkdtempSync(join(realpathSync(tmpdir()), "stint-person-"));
const root = join(base, "repo");
const settings = join(base, "gitconfig");

function put(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

/** What one act makes of a copy of the repository. */
function differences(act: (root: string) => void, allowed: Allowed = {}): string[] {
  const folder = mkdtempSync(join(base, "copy-"));
  execFileSync("cp", ["-a", root, settings, folder]);
  const copy = join(folder, "repo");
  const outside = [join(folder, "gitconfig")];
  const before = recordPerson(copy, outside);
  act(copy);
  return describeDifferences(before, recordPerson(copy, outside), allowed);
}

beforeAll(() => {
  mkdirSync(root);
  gitInit(root);
  for (const [path, text] of Object.entries(COMMITTED)) put(path, text);
  git(root, "add", "-A");
  git(root, "commit", "-q", "-m", "first");
  liveIn(root, base);
  writeFileSync(settings, "[user]\n\tname = Ada\n");
});

afterAll(() => removeWhole(base));

/** Each kind of difference, planted, with the words that it is named by. */
const PLANTED: readonly (readonly [name: string, act: (root: string) => void, named: RegExp])[] = [
  [
    "a changed tracked file",
    (at) => writeFileSync(join(at, "kept.txt"), "x"),
    /^file kept.txt was/,
  ],
  [
    "a changed untracked file",
    (at) => writeFileSync(join(at, "mine.txt"), "x"),
    /^file mine.txt was/,
  ],
  [
    "an ignored file that is gone",
    (at) => rmSync(join(at, "secret.log")),
    /^file secret.log is gone/,
  ],
  [
    "a skip-worktree file that is gone",
    (at) => rmSync(join(at, "hidden.txt")),
    /^file hidden.txt is gone/,
  ],
  ["a new file", (at) => writeFileSync(join(at, "new"), "x"), /^file new is new/],
  [
    "a file whose name is no UTF-8",
    (at) => rmSync(Buffer.from(join(at, "caf\xe9.txt"), "latin1")),
    /^file caf\\xe9.txt is gone/,
  ],
  ["another mode", (at) => chmodSync(join(at, "kept.txt"), 0o755), /^file kept.txt was .* is 755/],
  ["another mode of a folder", (at) => chmodSync(join(at, "drafts"), 0o700), /^folder drafts was/],
  ["an empty folder that is gone", (at) => rmdirSync(join(at, "empty")), /^folder empty is gone/],
  [
    "a link to elsewhere",
    (at) => {
      rmSync(join(at, "pointer"));
      symlinkSync("/etc/passwd", join(at, "pointer"));
    },
    /^link pointer was kept.txt, is \/etc\/passwd/,
  ],
  ["something staged", (at) => git(at, "add", "modified.txt"), /^index modified.txt was/],
  [
    "a flag in the index that is gone",
    (at) => git(at, "update-index", "--no-skip-worktree", "hidden.txt"),
    /^index hidden.txt was S .* is H/,
  ],
  [
    "a flag in the index that is new",
    (at) => git(at, "update-index", "--assume-unchanged", "kept.txt"),
    /^index kept.txt was H .* is h/,
  ],
  [
    "a file that is no longer to be added",
    (at) => git(at, "rm", "-q", "--cached", "planned.txt"),
    /^index planned.txt is gone/,
  ],
  [
    "an added file in place of one to be added",
    (at) =>
      git(
        at,
        "update-index",
        "--cacheinfo",
        "100644,e69de29bb2d1d6434b8b29ae775ad8c2e48c5391,planned.txt",
      ),
    /^index planned.txt was .* flags 20004000, is .* flags 0/,
  ],
  [
    "a branch that is gone",
    (at) => git(at, "branch", "-q", "-D", "idea"),
    /^ref refs\/heads\/idea is gone/,
  ],
  ["a new branch", (at) => git(at, "branch", "other"), /^ref refs\/heads\/other is new/],
  [
    "a tag that is gone",
    (at) => git(at, "tag", "-d", TAG),
    /^ref refs\/tags\/held-by-a-tag is gone/,
  ],
  [
    "a new commit",
    (at) => git(at, "commit", "-q", "--allow-empty", "-m", "x"),
    /^ref refs\/heads\/main was/,
  ],
  [
    "another branch",
    (at) => git(at, "symbolic-ref", "HEAD", "refs/heads/idea"),
    /^HEAD was .*main, is .*idea/,
  ],
  ["a stash that is gone", (at) => git(at, "stash", "clear"), /^ref refs\/stash is gone/],
  ["a reflog that is gone", (at) => rmSync(join(at, ".git/logs/HEAD")), /^reflog HEAD is gone/],
  ["another setting", (at) => git(at, "config", "core.worktree", "/tmp"), /^file .git\/config was/],
  [
    "a new hook",
    (at) => writeFileSync(join(at, ".git/hooks/post-commit"), "x"),
    /^file .git\/hooks\/post-commit is new/,
  ],
  [
    "other attributes",
    (at) => rmSync(join(at, ".git/info/attributes")),
    /^file .git\/info\/attributes is gone/,
  ],
  [
    "a lock that was left",
    (at) => writeFileSync(join(at, ".git/index.lock"), ""),
    /^file .git\/index.lock is new/,
  ],
  [
    "a lock of a ref",
    (at) => writeFileSync(join(at, ".git/refs/heads/main.lock"), ""),
    /main.lock is new/,
  ],
  [
    "a commit that nothing held",
    (at) => git(at, "-c", "gc.reflogExpire=never", "prune", "--expire=now"),
    /objects? are gone: object [0-9a-f]{40}/,
  ],
  [
    "no repository any more",
    (at) => rmSync(join(at, ".git"), { recursive: true }),
    /^folder .git is gone/,
  ],
  [
    "work in a submodule",
    (at) => writeFileSync(join(at, "sub/inside.txt"), "x"),
    /^file sub\/inside.txt was/,
  ],
  [
    "a ref of a submodule",
    (at) => git(join(at, "sub"), "tag", "x"),
    /^sub: ref refs\/tags\/x is new/,
  ],
  [
    "the index of a submodule",
    (at) => git(join(at, "sub"), "add", "-A"),
    /^sub: index inside.txt was/,
  ],
  [
    "a stash of a nested repository",
    (at) => git(join(at, "nested"), "stash", "drop", "-q"),
    /^nested: ref refs\/stash is gone/,
  ],
  [
    "a nested repository that is none any more",
    (at) => rmSync(join(at, "nested/.git"), { recursive: true }),
    /^nested: ref refs\/heads\/main is gone/,
  ],
  [
    "settings of the person elsewhere",
    (at) => writeFileSync(join(at, "../gitconfig"), ""),
    /^file outside .*gitconfig was/,
  ],
  [
    "a link in place of Stint's folder",
    (at) => symlinkSync("/etc", join(at, "agents")),
    /^link agents is new/,
  ],
];

describe.concurrent("a person's state", () => {
  it("is the same where nothing was done, or was only looked at", () => {
    expect(differences(() => {})).toEqual([]);
    expect(differences((at) => git(at, "status", "--ignored"))).toEqual([]);
  });

  it.each(PLANTED)("differs by %s", (_, act, named) => {
    expect(differences(act)).toContainEqual(expect.stringMatching(named));
  });
});

/** Fast-forwards the checkout to a commit with these files. */
function deliver(at: string, files: Readonly<Record<string, string>>): string {
  const index = { ...process.env, GIT_INDEX_FILE: join(at, ".git/delivered") };
  const run = (words: readonly string[], input = ""): string =>
    execFileSync("git", words, { cwd: at, env: index, input, encoding: "utf8" }).trim();
  run(["read-tree", "HEAD"]);
  for (const [path, text] of Object.entries(files)) {
    const blob = run(["hash-object", "-w", "--stdin"], text);
    run(["update-index", "--add", "--cacheinfo", `100644,${blob},${path}`]);
  }
  const tree = run(["write-tree"]);
  rmSync(join(at, ".git/delivered"));
  const commit = git(at, "commit-tree", "-p", "HEAD", "-m", "delivered", tree).trim();
  git(at, "merge", "-q", "--ff-only", commit);
  return commit;
}

describe("what a run may change", () => {
  it("is what it keeps for itself", () => {
    const keep = (at: string): void => {
      mkdirSync(join(at, "agents/stint/projects/p"), { recursive: true });
      writeFileSync(join(at, "agents/stint/projects/p/state.json"), "{}");
      writeFileSync(join(at, ".git/info/exclude"), "/agents/stint/projects/\n");
      git(at, "update-ref", "refs/stint/p/base", "HEAD");
      git(at, "branch", "stint/p");
    };
    expect(differences(keep, { slug: "p" })).toEqual([]);
    const named = differences(keep, { slug: "other" }).join("\n");
    expect(named).toMatch(
      /^ref refs\/heads\/stint\/p is new.*\nreflog refs\/heads\/stint\/p is new/,
    );
  });

  it("is what it delivers, and nothing beside it", () => {
    const delivered: { branch?: { ref: string; commit: string } } = {};
    const files = { "new/hello.txt": "Hello\n", "kept.txt": "changed\n" };
    const act = (at: string): void => {
      delivered.branch = { ref: "refs/heads/main", commit: deliver(at, files) };
    };
    const paths = Object.keys(files);
    expect(differences(act).length).toBeGreaterThanOrEqual(8);
    // Read after the act, which says where the branch is.
    const allowed = {
      paths,
      get branch() {
        return delivered.branch as { ref: string; commit: string };
      },
    };
    expect(differences(act, allowed)).toEqual([]);
    const more = (at: string): void => {
      act(at);
      writeFileSync(join(at, "mine.txt"), "x");
    };
    expect(differences(more, allowed)).toEqual([expect.stringMatching(/^file mine.txt was/)]);
    const elsewhere = { paths, branch: { ref: "refs/heads/main", commit: "0".repeat(40) } };
    expect(differences(act, elsewhere)).toEqual([
      expect.stringMatching(/^ref refs\/heads\/main was/),
      expect.stringMatching(/^reflog HEAD was/),
      expect.stringMatching(/^reflog refs\/heads\/main was/),
    ]);
  });

  it("is no history of the person", () => {
    const rewrite = (at: string): void => {
      git(at, "commit", "-q", "--amend", "--only", "-m", "rewritten");
      writeFileSync(join(at, ".git/logs/HEAD"), "");
    };
    const head = git(root, "rev-parse", "HEAD").trim();
    const named = differences(rewrite, { branch: { ref: "refs/heads/main", commit: head } });
    expect(named.map((line) => line.split(" ")[0])).toEqual(
      expect.arrayContaining(["ref", "reflog"]),
    );
  });
});
