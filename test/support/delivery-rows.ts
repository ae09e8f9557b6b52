// What a person's checkout may look like when verified work arrives, row by row: what the person has, what
// comes, what a plain `git merge --ff-only` does there, what Stint does, and what frees the way.
import { execFileSync, spawn } from "node:child_process";
import {
  chmodSync,
  cpSync,
  mkdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { type Files, ordinary } from "./workspace-scene.ts";

/** `half`: it fails in the middle and leaves some files new; `otherwise`: it ends well without bringing it. */
export type Plain = "brings" | "refuses" | "overwrites" | "half" | "otherwise";

export interface Row {
  readonly name: string;
  /** Before the work begins. */
  readonly start?: (person: Files) => void;
  /** What the work changes, in its own folder. */
  readonly comes?: (files: Files, person: Files) => void;
  /** Entries that no session can make in files, such as a submodule's: `mode id\tpath`. */
  readonly entries?: (person: Files) => readonly string[];
  /** What the person does before it arrives. @returns what ends what was begun */
  readonly has?: (person: Files) => void | (() => void);
  readonly plain: Plain;
  /** `delivered`, or why it waits. */
  readonly stint: "delivered" | RegExp;
  /** Paths whose bytes stay the person's, beside all that does not come. */
  readonly theirs?: readonly string[];
  /** What the hint says to do. */
  readonly freed?: (person: Files) => void;
  /** Differences that a delivery makes here beside the files that come. */
  readonly also?: RegExp;
  readonly needs?: "an ordinary user";
}

const MANIFEST = "- [ ] one\n";

/** What comes where a row says nothing else: changed, new, removed, in new folders, and the manifest's box. */
export function usualWork(files: Files): void {
  files.write("a.txt", "a1\n");
  files.write("new.txt", "new\n");
  files.write("deep/er/n.txt", "n\n");
  files.remove("dir/y.txt");
}

const setting =
  (...settings: readonly (readonly [string, string])[]) =>
  (person: Files): void => {
    ordinary(person);
    for (const [name, value] of settings) person.git("config", name, value);
  };

const stash = (person: Files): void => void person.git("stash", "push", "-q", "--all");
const remove =
  (...names: readonly string[]) =>
  (person: Files): void =>
    names.forEach((name) => person.remove(name));
const move =
  (from: string, to: string) =>
  (person: Files): void =>
    renameSync(person.path(from), person.path(to));

const CHANGED = /^you have uncommitted changes in a\.txt$/;
const HIDDEN = (mark: string): RegExp =>
  new RegExp(`^git is told not to look at a\\.txt \\(${mark}\\)$`);
const inTheWay = (name: string): RegExp =>
  new RegExp(`^files of yours that are in no commit are in the way: ${name}/?$`);
const ignoring =
  (...lines: readonly string[]) =>
  (person: Files): void =>
    person.write(".git/info/exclude", lines.map((line) => `${line}\n`).join(""));

const OWN_WORK: readonly Row[] = [
  { name: "nothing of their own", plain: "brings", stint: "delivered" },
  {
    name: "an unrelated file modified",
    has: (person) => person.write("dir/x.txt", "mine\n"),
    plain: "brings",
    stint: "delivered",
  },
  {
    name: "hunks staged in an unrelated file, and more after that",
    has: (person) => {
      person.write("dir/x.txt", "staged\n");
      person.git("add", "dir/x.txt");
      person.write("dir/x.txt", "staged, and more\n");
      person.write("staged.txt", "new\n");
      person.git("add", "staged.txt");
      person.write("staged.txt", "new, and more\n");
      person.git("rm", "-q", "run.sh");
    },
    plain: "brings",
    stint: "delivered",
  },
  {
    name: "untracked and ignored files, a stash, an empty folder",
    has: (person) => {
      person.write("a.txt", "for later\n");
      person.git("stash", "push", "-q");
      person.write("mine.txt", "mine\n");
      person.write("mine.log", "mine\n");
      mkdirSync(person.path("empty"));
    },
    plain: "brings",
    stint: "delivered",
  },
  {
    name: "a file that comes, modified",
    has: (person) => person.write("a.txt", "mine\n"),
    plain: "refuses",
    stint: CHANGED,
    freed: stash,
  },
  {
    name: "a file that comes, staged",
    has: (person) => {
      person.write("a.txt", "mine\n");
      person.git("add", "a.txt");
    },
    plain: "refuses",
    stint: CHANGED,
    freed: stash,
  },
  {
    name: "a file that comes, staged and modified again",
    has: (person) => {
      person.write("a.txt", "mine\n");
      person.git("add", "a.txt");
      person.write("a.txt", "mine, and more\n");
    },
    plain: "refuses",
    stint: CHANGED,
    freed: stash,
  },
  {
    name: "a file that comes, staged, and its old text on disk",
    has: (person) => {
      person.write("a.txt", "mine\n");
      person.git("add", "a.txt");
      person.write("a.txt", "a0\n");
    },
    plain: "refuses",
    stint: CHANGED,
    freed: stash,
  },
  {
    name: "files that come, there already",
    has: (person) => {
      person.write("a.txt", "a1\n");
      person.write("new.txt", "new\n");
      person.remove("dir/y.txt");
    },
    plain: "refuses",
    stint: "delivered",
  },
  {
    name: "files that come, staged as they come",
    has: (person) => {
      person.write("a.txt", "a1\n");
      person.write("new.txt", "new\n");
      person.git("rm", "-q", "dir/y.txt");
      person.git("add", "a.txt", "new.txt");
    },
    plain: "brings",
    stint: "delivered",
  },
  {
    name: "a file staged as it comes, and modified again",
    has: (person) => {
      person.write("a.txt", "a1\n");
      person.git("add", "a.txt");
      person.write("a.txt", "a1, and more\n");
    },
    plain: "brings",
    stint: "delivered",
    theirs: ["a.txt"],
  },
  {
    name: "a file that comes, deleted",
    has: (person) => person.remove("a.txt"),
    plain: "overwrites",
    stint: CHANGED,
    theirs: ["a.txt"],
    freed: stash,
  },
  {
    name: "a file that comes, deleted and staged",
    has: (person) => void person.git("rm", "-q", "a.txt"),
    plain: "refuses",
    stint: CHANGED,
    freed: (person) => void person.git("reset", "-q", "--hard"),
  },
  {
    name: "a file that comes, no longer tracked and kept",
    has: (person) => void person.git("rm", "-q", "--cached", "a.txt"),
    plain: "refuses",
    stint: CHANGED,
    freed: (person) => void person.git("reset", "-q"),
  },
  {
    name: "a file that goes, modified",
    has: (person) => person.write("dir/y.txt", "mine\n"),
    plain: "refuses",
    stint: /^you have uncommitted changes in dir\/y\.txt$/,
    freed: stash,
  },
  {
    name: "a file that goes, removed and untracked again",
    has: (person) => {
      person.git("rm", "-q", "dir/y.txt");
      person.write("dir/y.txt", "mine, not tracked\n");
    },
    plain: "refuses",
    stint: "delivered",
    theirs: ["dir/y.txt"],
  },
  {
    name: "another mode on a file that comes",
    has: (person) => chmodSync(person.path("a.txt"), 0o755),
    plain: "refuses",
    stint: CHANGED,
    freed: stash,
  },
];

const IN_THE_WAY: readonly Row[] = [
  {
    name: "an untracked file where a file comes",
    has: (person) => person.write("new.txt", "mine\n"),
    plain: "refuses",
    stint: inTheWay("new\\.txt"),
    freed: move("new.txt", "mine.txt"),
  },
  {
    name: "an ignored file where a file comes",
    has: (person) => {
      person.write("new.txt", "mine\n");
      ignoring("new.txt")(person);
    },
    plain: "overwrites",
    theirs: ["new.txt"],
    stint: inTheWay("new\\.txt"),
    freed: move("new.txt", "mine.txt"),
  },
  {
    name: "an untracked file where a folder comes",
    has: (person) => person.write("deep", "mine\n"),
    plain: "refuses",
    stint: inTheWay("deep.*"),
    freed: move("deep", "mine.txt"),
  },
  {
    name: "an ignored file where a folder comes",
    has: (person) => {
      person.write("deep", "mine\n");
      ignoring("deep")(person);
    },
    plain: "overwrites",
    theirs: ["deep"],
    stint: inTheWay("deep.*"),
    freed: move("deep", "mine.txt"),
  },
  {
    name: "an untracked folder where a file comes",
    has: (person) => person.write("new.txt/mine.txt", "mine\n"),
    plain: "refuses",
    stint: inTheWay("new\\.txt.*"),
    freed: move("new.txt", "mine"),
  },
  {
    name: "a folder of ignored files where a file comes",
    has: (person) => person.write("new.txt/mine.log", "mine\n"),
    plain: "overwrites",
    theirs: ["new.txt/mine.log"],
    stint: inTheWay("new\\.txt.*"),
    freed: move("new.txt", "mine"),
  },
  {
    name: "an empty folder where a file comes",
    has: (person) => mkdirSync(person.path("new.txt")),
    plain: "brings",
    stint: "delivered",
    also: /^folder new\.txt is gone$/,
  },
  {
    name: "a link where a file comes",
    has: (person) => symlinkSync("a.txt", person.path("new.txt")),
    plain: "refuses",
    stint: inTheWay("new\\.txt"),
    freed: remove("new.txt"),
  },
  {
    name: "a link that leads nowhere where a file comes",
    has: (person) => symlinkSync("nowhere", person.path("new.txt")),
    plain: "refuses",
    stint: inTheWay("new\\.txt"),
    freed: remove("new.txt"),
  },
  {
    name: "a link to a folder where a folder comes",
    has: (person) => {
      person.write("../elsewhere/er/mine.txt", "mine\n");
      symlinkSync("../elsewhere", person.path("deep"));
    },
    plain: "refuses",
    stint: inTheWay("deep.*"),
    freed: remove("deep"),
  },
  {
    name: "a link in the place of a tracked folder",
    has: (person) => {
      person.write("../elsewhere/x.txt", "mine\n");
      person.write("../elsewhere/y.txt", "mine\n");
      person.remove("dir");
      symlinkSync("../elsewhere", person.path("dir"));
    },
    plain: "refuses",
    stint: inTheWay("dir"),
    freed: (person) => {
      person.remove("dir");
      person.git("checkout", "-q", "--", "dir");
    },
  },
  {
    name: "a link in the place of a tracked folder that a file comes into",
    comes: (files) => files.write("dir/y.txt", "y1\n"),
    has: (person) => {
      person.write("../elsewhere/x.txt", "mine\n");
      person.write("../elsewhere/y.txt", "mine\n");
      person.remove("dir");
      symlinkSync("../elsewhere", person.path("dir"));
    },
    plain: "refuses",
    theirs: ["dir"],
    stint: /dir/,
    freed: (person) => {
      person.remove("dir");
      person.git("checkout", "-q", "--", "dir");
    },
  },
  {
    name: "a pipe where a file comes",
    has: (person) => void execFileSync("mkfifo", [person.path("new.txt")]),
    plain: "refuses",
    theirs: ["new.txt"],
    stint: inTheWay("new\\.txt"),
    freed: remove("new.txt"),
  },
  {
    name: "a repository of its own where a file comes",
    has: (person) => {
      person.write("new.txt/a.txt", "mine\n");
      person.git("init", "-q", "new.txt");
      person.git("-C", "new.txt", "add", "-A");
      person.git("-C", "new.txt", "commit", "-qm", "mine");
    },
    plain: "refuses",
    stint: inTheWay("new\\.txt.*"),
    freed: move("new.txt", "mine"),
  },
  {
    name: "a repository of its own where a folder comes",
    has: (person) => {
      person.write("deep/mine.txt", "mine\n");
      person.git("init", "-q", "deep");
      person.git("-C", "deep", "add", "-A");
      person.git("-C", "deep", "commit", "-qm", "mine");
    },
    plain: "brings",
    stint: "delivered",
  },
];

const staged = (text: string) => (person: Files) => {
  person.write("PROMPT.md", text);
  person.git("add", "PROMPT.md");
};
const MANIFEST_CHANGED = /^you have uncommitted changes in PROMPT\.md$/;

const OF_MANIFEST: readonly Row[] = [
  {
    name: "the manifest edited",
    has: (person) => person.write("PROMPT.md", `${MANIFEST}- [ ] two\n`),
    plain: "refuses",
    stint: "delivered",
    theirs: ["PROMPT.md"],
  },
  {
    name: "the manifest edited, its box set",
    has: (person) => person.write("PROMPT.md", "- [x] one\n- [ ] two\n"),
    plain: "refuses",
    stint: "delivered",
    theirs: ["PROMPT.md"],
  },
  {
    name: "the manifest staged",
    has: staged(`${MANIFEST}- [ ] two\n`),
    plain: "refuses",
    stint: MANIFEST_CHANGED,
    freed: stash,
  },
  {
    name: "the manifest staged, and edited differently",
    has: (person) => {
      staged(`${MANIFEST}- [ ] two\n`)(person);
      person.write("PROMPT.md", `${MANIFEST}- [ ] three\n`);
    },
    plain: "refuses",
    stint: MANIFEST_CHANGED,
    freed: stash,
  },
  {
    name: "the manifest staged as it comes, and edited again",
    has: (person) => {
      staged("- [x] one\n")(person);
      person.write("PROMPT.md", "- [x] one\n- [ ] two\n");
    },
    plain: "brings",
    stint: "delivered",
    theirs: ["PROMPT.md"],
  },
  {
    name: "the manifest there as it comes",
    has: (person) => person.write("PROMPT.md", "- [x] one\n"),
    plain: "refuses",
    stint: "delivered",
  },
  {
    name: "the manifest deleted",
    has: (person) => person.remove("PROMPT.md"),
    plain: "overwrites",
    theirs: ["PROMPT.md"],
    stint: MANIFEST_CHANGED,
    freed: stash,
  },
];

const flag =
  (word: string, path: string, text?: string) =>
  (person: Files): void => {
    person.git("update-index", word, path);
    if (text !== undefined) person.write(path, text);
  };
const unflag =
  (word: string, path: string) =>
  (person: Files): void => {
    person.git("update-index", word, path);
    person.git("checkout", "-q", "--", path);
  };

const FLAGGED: readonly Row[] = [
  {
    name: "a path that comes, to be added later",
    has: (person) => {
      person.write("new.txt", "mine\n");
      person.git("add", "-N", "new.txt");
    },
    plain: "refuses",
    stint: /new\.txt/,
    freed: (person) => {
      person.git("rm", "-q", "--cached", "new.txt");
      person.remove("new.txt");
    },
  },
  {
    name: "a path that does not come, to be added later",
    has: (person) => {
      person.write("later.txt", "mine\n");
      person.git("add", "-N", "later.txt");
    },
    plain: "brings",
    stint: "delivered",
  },
  {
    name: "skip-worktree on a path that does not come",
    has: flag("--skip-worktree", "dir/x.txt", "mine\n"),
    plain: "brings",
    stint: "delivered",
  },
  {
    name: "skip-worktree on a changed path that comes",
    has: flag("--skip-worktree", "a.txt", "mine\n"),
    plain: "refuses",
    stint: HIDDEN("skip-worktree"),
    freed: unflag("--no-skip-worktree", "a.txt"),
  },
  {
    name: "skip-worktree on a path that comes",
    has: flag("--skip-worktree", "a.txt"),
    plain: "refuses",
    stint: HIDDEN("skip-worktree"),
    freed: unflag("--no-skip-worktree", "a.txt"),
  },
  {
    name: "skip-worktree on a changed path that goes",
    has: flag("--skip-worktree", "dir/y.txt", "mine\n"),
    plain: "refuses",
    stint: /dir\/y\.txt/,
    freed: unflag("--no-skip-worktree", "dir/y.txt"),
  },
  {
    name: "assume-unchanged on a path that does not come",
    has: flag("--assume-unchanged", "dir/x.txt", "mine\n"),
    plain: "brings",
    stint: "delivered",
  },
  {
    name: "assume-unchanged on a changed path that comes",
    has: flag("--assume-unchanged", "a.txt", "mine\n"),
    plain: "refuses",
    stint: HIDDEN("assume-unchanged"),
    freed: unflag("--no-assume-unchanged", "a.txt"),
  },
  {
    name: "assume-unchanged on a path that comes",
    has: flag("--assume-unchanged", "a.txt"),
    plain: "refuses",
    stint: HIDDEN("assume-unchanged"),
    freed: unflag("--no-assume-unchanged", "a.txt"),
  },
  {
    name: "skip-worktree on a changed manifest",
    has: flag("--skip-worktree", "PROMPT.md", "- [ ] mine\n"),
    plain: "refuses",
    stint: /PROMPT\.md/,
    freed: unflag("--no-skip-worktree", "PROMPT.md"),
  },
];

const wide = (person: Files): void => {
  ordinary(person);
  person.write("out/one.txt", "one\n");
  person.write("out/two.txt", "two\n");
  person.commitAll("a folder that may be left out");
};
const sparseWork = (files: Files): void => {
  usualWork(files);
  files.write("out/one.txt", "one, changed\n");
  files.write("out/new.txt", "new\n");
  files.remove("out/two.txt");
};

const SPARSE: readonly Row[] = [
  {
    name: "a sparse checkout by folders",
    start: wide,
    comes: sparseWork,
    has: (person) => void person.git("sparse-checkout", "set", "--cone", "dir", "deep"),
    plain: "brings",
    stint: "delivered",
  },
  {
    name: "a sparse checkout by folders, with a sparse index",
    start: wide,
    comes: sparseWork,
    has: (person) =>
      void person.git("sparse-checkout", "set", "--cone", "--sparse-index", "dir", "deep"),
    plain: "brings",
    stint: "delivered",
  },
  {
    name: "a sparse checkout by patterns",
    start: wide,
    comes: sparseWork,
    has: (person) => void person.git("sparse-checkout", "set", "--no-cone", "/*", "!out/"),
    plain: "brings",
    stint: "delivered",
  },
  {
    name: "a sparse checkout, with a file of their own outside",
    start: wide,
    comes: sparseWork,
    has: (person) => {
      person.git("sparse-checkout", "set", "--cone", "dir", "deep");
      person.write("out/new.txt", "mine\n");
    },
    plain: "brings",
    stint: inTheWay("out/new\\.txt"),
    freed: remove("out"),
  },
  {
    name: "a sparse checkout, with a tracked file outside that they changed",
    start: wide,
    comes: sparseWork,
    has: (person) => {
      person.git("sparse-checkout", "set", "--cone", "dir", "deep");
      person.write("out/one.txt", "mine\n");
    },
    plain: "refuses",
    stint: /out\/one\.txt/,
    freed: (person) => {
      person.remove("out");
      person.git("sparse-checkout", "reapply");
    },
  },
];

const filtering =
  (smudge: string, ...more: readonly (readonly [string, string])[]) =>
  (person: Files): void => {
    ordinary(person);
    person.git("config", "filter.f.clean", "cat");
    person.git("config", "filter.f.smudge", smudge);
    for (const [name, value] of more) person.git("config", name, value);
    person.write(".gitattributes", "*.txt filter=f\n");
    person.commitAll("filtered");
  };

/** Speaks git's protocol for filters that stay: upper case in commits, lower case on disk. */
const PROCESS = `
import sys
def read():
    size = int(sys.stdin.buffer.read(4) or b"0000", 16)
    return None if size == 0 else sys.stdin.buffer.read(size - 4)
def write(data):
    sys.stdout.buffer.write(b"%04x" % (len(data) + 4) + data)
def flush():
    sys.stdout.buffer.write(b"0000")
    sys.stdout.buffer.flush()
def pack(lines):
    [write(each + b"\\n") for each in lines]
    flush()
def until_flush():
    found = []
    while True:
        each = read()
        if each is None: return found
        found.append(each)
until_flush(); pack([b"git-filter-server", b"version=2"])
until_flush(); pack([b"capability=clean", b"capability=smudge"])
while True:
    asked = until_flush()
    if not asked: break
    content = b"".join(until_flush())
    made = content.upper() if b"command=clean\\n" in asked else content.lower()
    pack([b"status=success"])
    if made: write(made)
    flush(); flush()
`;

const CONVERTED: readonly Row[] = [
  {
    name: "line ends by core.autocrlf",
    start: (person) => {
      person.git("init", "-q");
      person.git("config", "core.autocrlf", "true");
      person.write("a.txt", "a0\r\n");
      person.write("dir/y.txt", "y0\r\n");
      person.write("PROMPT.md", "- [ ] one\r\n");
      person.commitAll();
    },
    has: (person) => person.write("mine.txt", "mine\r\n"),
    plain: "brings",
    stint: "delivered",
  },
  {
    name: "core.autocrlf=input, and line ends of their own in a file that comes",
    start: setting(["core.autocrlf", "input"]),
    has: (person) => person.write("a.txt", "a0\r\nmine\r\n"),
    plain: "refuses",
    stint: CHANGED,
    freed: stash,
  },
  {
    name: "line ends by attributes that come with the work",
    comes: (files) => {
      usualWork(files);
      files.write(".gitattributes", "new.txt eol=crlf\n");
      files.write("new.txt", "new\r\n");
    },
    plain: "brings",
    stint: "delivered",
  },
  {
    name: "a filter that is stable",
    start: filtering("cat"),
    has: (person) => person.write("dir/x.txt", "mine\n"),
    plain: "brings",
    stint: "delivered",
  },
  {
    name: "a filter that stays, as that of large files does",
    start: (person) => {
      ordinary(person);
      person.write("../filter.py", PROCESS);
      person.git("config", "filter.f.process", `python3 '${person.path("../filter.py")}'`);
      person.git("config", "filter.f.required", "true");
      person.write(".gitattributes", "*.txt filter=f\n");
      person.commitAll("filtered");
    },
    plain: "brings",
    stint: "delivered",
  },
  {
    name: "a filter that must not fail and fails in the middle",
    start: filtering("cat", ["filter.f.required", "true"]),
    has: (person) => void person.git("config", "filter.f.smudge", "grep -v '^new$'"),
    plain: "half",
    stint: /^git says: new\.txt: smudge filter f failed$/,
    freed: (person) => void person.git("config", "filter.f.smudge", "cat"),
  },
  {
    name: "a filter that may fail and fails in the middle",
    start: filtering("cat"),
    has: (person) => void person.git("config", "filter.f.smudge", "grep -v '^new$'"),
    plain: "brings",
    stint: "delivered",
  },
  {
    name: "a filter that is slow",
    start: filtering("cat"),
    has: (person) => void person.git("config", "filter.f.smudge", "sleep 0.1; cat"),
    plain: "brings",
    stint: "delivered",
  },
];

const lock =
  (name: string) =>
  (person: Files): void =>
    person.write(`.git/${name}`, "");
const LOCKED = /^another git command works in the checkout, or one was killed and left .*\.lock$/;

/** A git of theirs that is at work: it waits for its editor with the index locked. */
const committing = (person: Files): (() => void) => {
  person.write("mine.txt", "mine\n");
  person.git("add", "mine.txt");
  const child = spawn("git", ["commit", "-a"], {
    cwd: person.root,
    env: { ...process.env, GIT_EDITOR: `touch '${person.path(".git/editing")}'; sleep 600; false` },
    stdio: "ignore",
    detached: true,
  });
  execFileSync("sh", [
    "-c",
    'until [ -e "$1" ]; do sleep 0.01; done',
    "sh",
    person.path(".git/editing"),
  ]);
  return () => {
    process.kill(-(child.pid ?? 0), "SIGTERM");
    execFileSync("sh", [
      "-c",
      'while [ -e "$1" ]; do sleep 0.01; done',
      "sh",
      person.path(".git/index.lock"),
    ]);
    person.git("rm", "-q", "--cached", "mine.txt");
  };
};

const conflicting = (person: Files): string => {
  person.git("switch", "-qc", "other");
  person.write("dir/x.txt", "other\n");
  const other = person.commitAll("other");
  person.git("switch", "-q", "main");
  return other;
};
const fails = (person: Files, ...words: string[]): void => {
  try {
    person.git(...words);
  } catch {
    return;
  }
  throw new Error(`git ${words.join(" ")} should have stopped`);
};
const OPERATED = (what: string): RegExp => new RegExp(`^a ${what} is in progress in the checkout$`);
const parted = (person: Files): void => {
  ordinary(person);
  conflicting(person);
  person.write("dir/x.txt", "main\n");
  person.commitAll("main");
};

const BUSY: readonly Row[] = [
  {
    name: "an index.lock of a git that is dead",
    has: (person) => {
      lock("index.lock")(person);
      utimesSync(person.path(".git/index.lock"), 1, 1);
    },
    plain: "refuses",
    stint: LOCKED,
    freed: remove(".git/index.lock"),
  },
  {
    name: "a git of theirs at work, with its index.lock",
    has: committing,
    plain: "refuses",
    stint: LOCKED,
    freed: () => {},
  },
  {
    name: "a lock of the branch",
    has: lock("refs/heads/main.lock"),
    plain: "half",
    stint: LOCKED,
    freed: remove(".git/refs/heads/main.lock"),
  },
  {
    name: "a lock of HEAD",
    has: lock("HEAD.lock"),
    plain: "half",
    stint: LOCKED,
    freed: remove(".git/HEAD.lock"),
  },
  {
    name: "the branch in two work trees",
    has: (person) => void person.git("worktree", "add", "-q", "-f", "../second", "main"),
    plain: "brings",
    stint: /^main is checked out in another work tree too$/,
    freed: (person) => void person.git("worktree", "remove", "../second"),
  },
  {
    name: "a merge in progress",
    start: parted,
    has: (person) => fails(person, "merge", "-q", "other"),
    plain: "refuses",
    stint: OPERATED("merge"),
    freed: (person) => void person.git("merge", "--abort"),
  },
  {
    name: "a rebase in progress",
    start: parted,
    has: (person) => fails(person, "rebase", "-q", "other"),
    plain: "refuses",
    stint: /no branch|rebase/,
    freed: (person) => void person.git("rebase", "--abort"),
  },
  {
    name: "a rebase that stopped to edit",
    has: (person) => {
      person.git("-c", "sequence.editor=sed -i s/^pick/edit/", "rebase", "-q", "-i", "--root");
    },
    plain: "brings",
    stint: /no branch|rebase/,
    freed: (person) => void person.git("rebase", "--abort"),
  },
  {
    name: "a cherry-pick in progress",
    start: parted,
    has: (person) => fails(person, "cherry-pick", "other"),
    plain: "refuses",
    stint: OPERATED("cherry-pick"),
    freed: (person) => void person.git("cherry-pick", "--abort"),
  },
  {
    name: "a cherry-pick of several commits, between two of them",
    start: parted,
    has: (person) => {
      person.write(".git/sequencer/todo", "pick 1234567 next\n");
      person.write(".git/sequencer/head", `${person.id("HEAD")}\n`);
      person.write(".git/sequencer/opts", "");
      person.write(".git/sequencer/abort-safety", `${person.id("HEAD")}\n`);
    },
    plain: "brings",
    stint: OPERATED("cherry-pick"),
    freed: (person) => void person.git("cherry-pick", "--quit"),
  },
  {
    name: "a revert in progress",
    start: (person) => {
      ordinary(person);
      person.write("dir/x.txt", "x1\n");
      person.commitAll("x1");
      person.write("dir/x.txt", "x2\n");
      person.commitAll("x2");
    },
    has: (person) => fails(person, "revert", "--no-edit", "HEAD^"),
    plain: "refuses",
    stint: OPERATED("revert"),
    freed: (person) => void person.git("revert", "--abort"),
  },
  {
    name: "a bisection in progress",
    has: (person) => void person.git("bisect", "start"),
    plain: "brings",
    stint: OPERATED("bisect"),
    freed: (person) => void person.git("bisect", "reset"),
  },
  {
    name: "patches being applied",
    start: parted,
    has: (person) => {
      person.git("format-patch", "-q", "-1", "-o", "..", "other");
      fails(person, "am", "-q", "../0001-other.patch");
    },
    plain: "brings",
    stint: OPERATED("git am"),
    freed: (person) => void person.git("am", "--abort"),
  },
];

const unborn = (person: Files): void => void person.git("init", "-q");

const UNBORN: readonly Row[] = [
  {
    name: "a branch without a commit",
    start: unborn,
    has: (person) => person.write("mine.txt", "mine\n"),
    plain: "brings",
    stint: "delivered",
  },
  {
    name: "a branch without a commit, with an untracked file in the way",
    start: unborn,
    has: (person) => person.write("a.txt", "mine\n"),
    plain: "refuses",
    stint: inTheWay("a\\.txt"),
    freed: move("a.txt", "mine.txt"),
  },
  {
    name: "a branch without a commit, with an ignored file in the way",
    start: unborn,
    has: (person) => {
      person.write("a.txt", "mine\n");
      ignoring("a.txt")(person);
    },
    plain: "overwrites",
    theirs: ["a.txt"],
    stint: inTheWay("a\\.txt"),
    freed: move("a.txt", "mine.txt"),
  },
  {
    name: "a branch without a commit, with files staged",
    start: unborn,
    has: (person) => {
      person.write("mine.txt", "mine\n");
      person.git("add", "mine.txt");
    },
    plain: "brings",
    stint: "delivered",
  },
  {
    name: "a branch without a commit, with a file staged that comes",
    start: unborn,
    has: (person) => {
      person.write("a.txt", "mine\n");
      person.git("add", "a.txt");
    },
    plain: "refuses",
    stint: CHANGED,
    freed: (person) => void person.git("rm", "-q", "-f", "a.txt"),
  },
];

const SHAPES: readonly Row[] = [
  {
    name: "a name that changes its case only",
    comes: (files) => {
      files.remove("a.txt");
      files.write("A.txt", "a0\n");
    },
    plain: "brings",
    stint: "delivered",
  },
  {
    name: "a file that becomes a folder",
    comes: (files) => {
      files.remove("a.txt");
      files.write("a.txt/inside.txt", "inside\n");
    },
    has: (person) => person.write("mine.txt", "mine\n"),
    plain: "brings",
    stint: "delivered",
  },
  {
    name: "a modified file that becomes a folder",
    comes: (files) => {
      files.remove("a.txt");
      files.write("a.txt/inside.txt", "inside\n");
    },
    has: (person) => person.write("a.txt", "mine\n"),
    plain: "refuses",
    stint: CHANGED,
    freed: stash,
  },
  {
    name: "a folder that becomes a file",
    comes: (files) => {
      files.remove("dir");
      files.write("dir", "a file\n");
    },
    plain: "brings",
    stint: "delivered",
  },
  {
    name: "a folder that becomes a file, with an untracked file in it",
    comes: (files) => {
      files.remove("dir");
      files.write("dir", "a file\n");
    },
    has: (person) => person.write("dir/mine.txt", "mine\n"),
    plain: "refuses",
    stint: inTheWay("dir.*"),
    freed: move("dir/mine.txt", "mine.txt"),
  },
  {
    name: "a folder that becomes a file, with an ignored file in it",
    comes: (files) => {
      files.remove("dir");
      files.write("dir", "a file\n");
    },
    has: (person) => person.write("dir/mine.log", "mine\n"),
    plain: "overwrites",
    theirs: ["dir/mine.log"],
    stint: inTheWay("dir.*"),
    freed: move("dir/mine.log", "mine.log"),
  },
  {
    name: "a folder that becomes a file, with an empty folder in it",
    comes: (files) => {
      files.remove("dir");
      files.write("dir", "a file\n");
    },
    has: (person) => mkdirSync(person.path("dir/empty")),
    plain: "brings",
    stint: "delivered",
    also: /^folder dir\/empty is gone$/,
  },
  {
    name: "a link that becomes a file, and a file that becomes a link",
    start: (person) => {
      ordinary(person);
      symlinkSync("a.txt", person.path("link"));
      person.commitAll("a link");
    },
    comes: (files) => {
      files.remove("link");
      files.write("link", "a file\n");
      files.remove("a.txt");
      symlinkSync("dir", files.path("a.txt"));
    },
    plain: "brings",
    stint: "delivered",
  },
  {
    name: "a link to a folder that becomes a folder",
    start: (person) => {
      ordinary(person);
      symlinkSync("dir", person.path("link"));
      person.commitAll("a link");
    },
    comes: (files) => {
      files.remove("link");
      files.write("link/x.txt", "inside\n");
    },
    plain: "brings",
    stint: "delivered",
  },
  {
    name: "a link that they lead elsewhere",
    start: (person) => {
      ordinary(person);
      symlinkSync("a.txt", person.path("link"));
      person.commitAll("a link");
    },
    comes: (files) => {
      files.remove("link");
      symlinkSync("dir/x.txt", files.path("link"));
    },
    has: (person) => {
      person.remove("link");
      symlinkSync("run.sh", person.path("link"));
    },
    plain: "refuses",
    stint: /^you have uncommitted changes in link$/,
    freed: stash,
  },
  {
    name: "another mode only",
    comes: (files) => {
      chmodSync(files.path("a.txt"), 0o755);
      chmodSync(files.path("run.sh"), 0o644);
    },
    plain: "brings",
    stint: "delivered",
  },
  {
    name: "another mode only, of a file that they modified",
    comes: (files) => chmodSync(files.path("a.txt"), 0o755),
    has: (person) => person.write("a.txt", "mine\n"),
    plain: "refuses",
    stint: CHANGED,
    freed: stash,
  },
  {
    name: "the last file of a folder goes, and an empty folder is beside it",
    comes: (files) => files.remove("dir"),
    has: (person) => mkdirSync(person.path("dir/empty")),
    plain: "brings",
    stint: "delivered",
  },
  {
    name: "names with spaces, quotes, newlines and no UTF-8",
    comes: (files) => {
      files.write("caf\u00e9 \"'\\.txt", "new\n");
      files.write("two\nlines.txt", "new\n");
      files.write("-n", "new\n");
      files.write(":(top)x", "new\n");
      files.write("*", "new\n");
    },
    has: (person) => writeFileSync(Buffer.from(person.path("\xe9.txt"), "latin1"), "mine\n"),
    plain: "brings",
    stint: "delivered",
  },
  {
    name: "a tracked file goes whose name is no UTF-8",
    start: (person) => {
      ordinary(person);
      writeFileSync(Buffer.from(person.path("caf\xe9.txt"), "latin1"), "old\n");
      person.commitAll("no UTF-8");
    },
    comes: (files) => rmSync(Buffer.from(files.path("caf\xe9.txt"), "latin1")),
    plain: "brings",
    stint: "delivered",
  },
  {
    name: "a file of theirs whose name is no UTF-8, in a folder that becomes a file",
    comes: (files) => {
      files.remove("dir");
      files.write("dir", "a file\n");
    },
    has: (person) => writeFileSync(Buffer.from(person.path("dir/caf\xe9"), "latin1"), "mine\n"),
    plain: "refuses",
    stint: inTheWay("dir/caf.*"),
    freed: (person) => rmSync(Buffer.from(person.path("dir/caf\xe9"), "latin1")),
  },
  {
    name: "a very long path",
    comes: (files) => files.write(`${`${"l".repeat(250)}/`.repeat(10)}${"n".repeat(250)}`, "new\n"),
    plain: "brings",
    stint: "delivered",
  },
  {
    name: "a folder in which they may not write",
    has: (person) => chmodSync(person.path("dir"), 0o555),
    plain: "brings",
    stint: /dir/,
    freed: (person) => chmodSync(person.path("dir"), 0o755),
    needs: "an ordinary user",
  },
  {
    name: "a file that they may not write",
    has: (person) => chmodSync(person.path("a.txt"), 0o444),
    plain: "brings",
    stint: "delivered",
  },
  {
    name: "a file of two names",
    has: (person) => cpSync(person.path("a.txt"), person.path("../kept.txt")),
    plain: "brings",
    stint: "delivered",
  },
];

const library = (person: Files): void => {
  ordinary(person);
  person.write("../library/inside.txt", "one\n");
  const inLibrary = (...words: string[]): string => person.git("-C", "../library", ...words);
  inLibrary("init", "-q");
  inLibrary("add", "-A");
  inLibrary("commit", "-qm", "one");
  person.git("submodule", "--quiet", "add", person.path("../library"), "sub");
  person.git("commit", "-qm", "a library");
  person.write("../library/inside.txt", "two\n");
  inLibrary("commit", "-qam", "two");
};
const pointer = (person: Files): string[] => [
  `160000 ${person.git("-C", "../library", "rev-parse", "HEAD").trim()}\tsub`,
];

const SUBMODULES: readonly Row[] = [
  {
    name: "a submodule's commit, populated",
    start: library,
    entries: pointer,
    plain: "brings",
    stint: "delivered",
  },
  {
    name: "a submodule's commit, populated and with work in it",
    start: library,
    entries: pointer,
    has: (person) => {
      person.write("sub/inside.txt", "mine\n");
      person.write("sub/mine.txt", "mine\n");
    },
    plain: "brings",
    stint: "delivered",
  },
  {
    name: "a submodule's commit, not populated",
    start: library,
    entries: pointer,
    has: (person) => void person.git("submodule", "--quiet", "deinit", "-f", "sub"),
    plain: "brings",
    stint: "delivered",
  },
  {
    name: "a submodule's commit, and submodule.recurse",
    start: (person) => {
      library(person);
      person.git("config", "submodule.recurse", "true");
    },
    entries: pointer,
    has: (person) => person.write("sub/mine.txt", "mine\n"),
    plain: "brings",
    stint: "delivered",
  },
];

const hook =
  (name: string, script: string) =>
  (person: Files): void => {
    ordinary(person);
    person.program(`.git/hooks/${name}`, script);
  };
const RAN = "touch ../hooked";

/** Git writes the part of the index that is shared anew, and marks the entries that lie in it. */
const SPLIT = /^file \.git\/sharedindex\.|^index \S+ was (.*) flags \w+, is \1 flags \w+$/;

const SETTINGS: readonly Row[] = [
  {
    name: "a post-merge hook",
    start: hook("post-merge", `${RAN}; exit 1`),
    plain: "brings",
    stint: "delivered",
  },
  {
    name: "a post-checkout hook",
    start: hook("post-checkout", RAN),
    plain: "brings",
    stint: "delivered",
  },
  {
    name: "a post-index-change hook",
    start: hook("post-index-change", RAN),
    plain: "brings",
    stint: "delivered",
  },
  {
    name: "a reference-transaction hook that refuses",
    start: hook("reference-transaction", "exit 1"),
    plain: "refuses",
    stint: "delivered",
  },
  {
    name: "hooks in a folder of their own",
    start: (person) => {
      ordinary(person);
      person.program(".githooks/reference-transaction", "exit 1");
      person.commitAll("hooks");
      person.git("config", "core.hooksPath", ".githooks");
    },
    plain: "refuses",
    stint: "delivered",
  },
  {
    name: "a file system monitor",
    start: (person) => {
      ordinary(person);
      person.program("../monitor.sh", "printf '/\\0'");
      person.git("config", "core.fsmonitor", person.path("../monitor.sh"));
      person.git("update-index", "--fsmonitor");
    },
    plain: "brings",
    stint: "delivered",
  },
  ...(
    [
      ["merge.ff=false", [["merge.ff", "false"]], "brings"],
      ["merge.autoStash", [["merge.autoStash", "true"]], "brings"],
      [
        "branch.main.mergeOptions",
        [["branch.main.mergeOptions", "--squash --no-commit"]],
        "otherwise",
      ],
      ["merge.verifySignatures", [["merge.verifySignatures", "true"]], "refuses"],
      [
        "pull.rebase",
        [
          ["pull.rebase", "true"],
          ["pull.ff", "only"],
        ],
        "brings",
      ],
      ["index.version=4", [["index.version", "4"]], "brings"],
      ["feature.manyFiles", [["feature.manyFiles", "true"]], "brings"],
      ["core.untrackedCache", [["core.untrackedCache", "true"]], "brings"],
      ["core.splitIndex", [["core.splitIndex", "true"]], "brings"],
      [
        "core.checkStat=minimal",
        [
          ["core.checkStat", "minimal"],
          ["core.trustctime", "false"],
        ],
        "brings",
      ],
      ["core.fileMode=false", [["core.fileMode", "false"]], "brings"],
      ["core.symlinks=false", [["core.symlinks", "false"]], "brings"],
      ["core.sharedRepository", [["core.sharedRepository", "group"]], "brings"],
      ["commit.gpgSign of a key that is not there", [["gpg.program", "false"]], "brings"],
      ["status.showUntrackedFiles=no", [["status.showUntrackedFiles", "no"]], "brings"],
      [
        "core.quotePath and i18n",
        [
          ["core.quotePath", "true"],
          ["i18n.logOutputEncoding", "latin1"],
        ],
        "brings",
      ],
    ] as const
  ).map(([name, settings, plain]): Row => ({
    name,
    start: setting(...settings),
    has: (person) => person.write("dir/x.txt", "mine\n"),
    plain,
    stint: "delivered",
    ...(name === "core.splitIndex" ? { also: SPLIT } : {}),
  })),
  {
    name: "merge.autoStash, and a file that comes is modified",
    start: setting(["merge.autoStash", "true"]),
    has: (person) => person.write("a.txt", "mine\n"),
    plain: "overwrites",
    theirs: ["a.txt"],
    stint: CHANGED,
    freed: stash,
  },
  {
    name: "a split index and an untracked cache of their own",
    start: (person) => {
      ordinary(person);
      person.git("update-index", "--split-index");
      person.git("update-index", "--untracked-cache");
    },
    has: (person) => void person.git("status"),
    plain: "brings",
    stint: "delivered",
    also: SPLIT,
  },
];

const REPOSITORIES: readonly Row[] = [
  {
    name: "a shallow repository",
    start: (person) => {
      person.git("init", "-q", "../whole");
      person.write("../whole/a.txt", "a\n");
      person.git("-C", "../whole", "add", "-A");
      person.git("-C", "../whole", "commit", "-qm", "before");
      person.write("../whole/a.txt", "a0\n");
      person.write("../whole/dir/y.txt", "y0\n");
      person.write("../whole/PROMPT.md", MANIFEST);
      person.git("-C", "../whole", "add", "-A");
      person.git("-C", "../whole", "commit", "-qm", "last");
      person.git("clone", "-q", "--depth=1", `file://${person.path("../whole")}`, ".");
    },
    plain: "brings",
    stint: "delivered",
  },
  {
    name: "a partial clone whose other side is gone",
    start: (person) => {
      person.git("init", "-q", "../whole");
      person.git("-C", "../whole", "config", "uploadpack.allowFilter", "true");
      for (const text of ["a\n", "a0\n"]) {
        person.write("../whole/a.txt", text);
        person.write("../whole/dir/y.txt", "y0\n");
        person.write("../whole/PROMPT.md", MANIFEST);
        person.git("-C", "../whole", "add", "-A");
        person.git("-C", "../whole", "commit", "-qm", text.trim());
      }
      person.git("clone", "-q", "--filter=blob:none", `file://${person.path("../whole")}`, ".");
      renameSync(person.path("../whole"), person.path("../gone"));
    },
    plain: "brings",
    stint: "delivered",
  },
  {
    name: "a linked work tree",
    start: (person) => {
      ordinary(person);
      person.git("switch", "-q", "--detach");
      renameSync(person.root, `${person.root}-main`);
      execFileSync("git", [
        "-C",
        `${person.root}-main`,
        "worktree",
        "add",
        "-q",
        person.root,
        "main",
      ]);
    },
    has: (person) => person.write("dir/x.txt", "mine\n"),
    plain: "brings",
    stint: "delivered",
  },
  {
    name: "a repository with sha256",
    start: (person) => {
      person.git("init", "-q", "--object-format=sha256");
      person.write("a.txt", "a0\n");
      person.write("dir/x.txt", "x0\n");
      person.write("dir/y.txt", "y0\n");
      person.write("PROMPT.md", MANIFEST);
      person.commitAll("first");
    },
    has: (person) => person.write("dir/x.txt", "mine\n"),
    plain: "brings",
    stint: "delivered",
  },
  {
    name: "packed refs and objects",
    has: (person) => void person.git("gc", "-q"),
    plain: "brings",
    stint: "delivered",
  },
  {
    name: "a git folder elsewhere",
    start: (person) => {
      ordinary(person);
      person.git("init", "-q", `--separate-git-dir=${join(person.root, "../git-folder")}`);
    },
    has: (person) => person.write("dir/x.txt", "mine\n"),
    plain: "brings",
    stint: "delivered",
  },
];

export const DELIVERY_ROWS: readonly Row[] = [
  ...OWN_WORK,
  ...IN_THE_WAY,
  ...OF_MANIFEST,
  ...FLAGGED,
  ...SPARSE,
  ...CONVERTED,
  ...BUSY,
  ...UNBORN,
  ...SHAPES,
  ...SUBMODULES,
  ...SETTINGS,
  ...REPOSITORIES,
];
