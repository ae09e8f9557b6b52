// What a copy of its own promises beyond the suite: everything that sessions were seen to bend, every kind
// of repository a person may have, and a person who works on meanwhile.
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  Files,
  ordinary,
  PROJECT,
  request,
  type Scene,
  treeOf,
  scenesOfFile,
} from "../../test/support/workspace-scene.ts";
import type { WorkspaceOptions } from "./open-workspace.ts";

const scenes = scenesOfFile();

const SESSION = { branch: "stint/work", canPush: false };

type Started = Scene & { readonly base: string };

async function started(
  prepare: (person: Files) => void = ordinary,
  more: Partial<WorkspaceOptions> = {},
): Promise<Started> {
  const scene = scenes.make(prepare, more);
  await scene.workspace.open();
  const { tree } = await scene.workspace.tip();
  await scene.workspace.lay(tree);
  await scene.workspace.freshGit(SESSION);
  return { ...scene, base: tree };
}

async function changesOf({ workspace, base }: Started): Promise<string[]> {
  const changes = await workspace.changes(base, treeOf(await workspace.capture()));
  return changes.map(({ change, path }) => `${change} ${path}`).toSorted();
}

/** What a fresh clone of the captured tree would hold. */
function checkoutOf(scene: Scene, tree: string): Record<string, string> {
  const folder = new Files(join(scene.home, "clone"));
  folder.remove("");
  mkdirSync(folder.root);
  const args = [`--git-dir=${join(scene.home, "git")}`, `--work-tree=${folder.root}`];
  const env = { ...process.env, GIT_INDEX_FILE: join(scene.home, "clone-index") };
  const before = process.env["GIT_INDEX_FILE"];
  process.env["GIT_INDEX_FILE"] = env.GIT_INDEX_FILE;
  try {
    folder.git(...args, "read-tree", "--reset", "-u", tree);
  } finally {
    if (before === undefined) delete process.env["GIT_INDEX_FILE"];
    else process.env["GIT_INDEX_FILE"] = before;
  }
  return folder.all();
}

/** Everything of the person's repository that a session could have touched. */
function personState({ person }: Scene): unknown {
  return {
    files: person.all(),
    refs: person.git("for-each-ref"),
    config: person.read(".git/config"),
    index: readFileSync(person.path(".git/index"), "base64"),
    head: person.read(".git/HEAD"),
  };
}

describe("a session", () => {
  it.each([
    [
      "update-index --skip-worktree",
      (git: Files) => git.git("update-index", "--skip-worktree", "a.txt"),
    ],
    [
      "update-index --assume-unchanged",
      (git: Files) => git.git("update-index", "--assume-unchanged", "a.txt"),
    ],
    ["core.worktree", (git: Files) => git.git("config", "core.worktree", "/tmp")],
    ["core.fileMode=false", (git: Files) => git.git("config", "core.fileMode", "false")],
    ["an ignore rule of its own repository", (git: Files) => git.write(".git/info/exclude", "*\n")],
    [
      "an attribute of its own repository",
      (git: Files) => git.write(".git/info/attributes", "* filter=x\n"),
    ],
    ["intent-to-add", (git: Files) => git.git("rm", "-q", "--cached", "a.txt")],
    ["a sparse checkout", (git: Files) => git.git("sparse-checkout", "set", "dir")],
    ["rm -rf .git", (git: Files) => git.remove(".git")],
    [
      "git init",
      (git: Files) => {
        git.remove(".git");
        git.git("init", "-q");
      },
    ],
    ["a commit", (git: Files) => git.git("commit", "-q", "--allow-empty", "-am", "mine")],
    [
      "reset, stash, gc",
      (git: Files) => {
        git.git("checkout", "-q", "--orphan", "x");
        git.git("gc", "-q", "--prune=now");
      },
    ],
  ])("hides nothing by %s", async (_, act) => {
    const scene = await started();
    const before = personState(scene);
    act(scene.files);
    scene.files.write("a.txt", "a1\n");
    scene.files.write("added.txt", "added\n");
    scene.files.program("dir/x.txt", "now a program");
    const changes = (await changesOf(scene)).filter((each) => !/run\.sh|PROMPT/.test(each));
    expect(changes).toEqual(["added added.txt", "modified a.txt", "modified dir/x.txt"]);
    expect(personState(scene)).toEqual(before);
  });

  it("cannot make git run a program of its own", async () => {
    const scene = await started();
    const { files, workspace, base } = scene;
    const touched = join(scene.home, "..", "..", "ran");
    files.program("evil.sh", `touch '${touched}'; cat`);
    const config = [
      "core.fsmonitor",
      "filter.x.clean",
      "filter.x.smudge",
      "diff.x.command",
      "diff.x.textconv",
      "core.sshCommand",
      "core.pager",
    ];
    for (const key of config) files.git("config", key, files.path("evil.sh"));
    files.program(".git/hooks/pre-commit", `touch '${touched}'`);
    files.program(".git/hooks/post-checkout", `touch '${touched}'`);
    files.write(".gitattributes", "* filter=x diff=x\n");
    files.write("a.txt", "a1\n");
    const tree = treeOf(await workspace.capture());
    await workspace.diff(base, tree, []);
    await workspace.sessionMessages();
    await workspace.lay(base);
    await workspace.lay(tree);
    await workspace.commit(request(tree));
    expect(existsSync(touched)).toBe(false);
  });

  it("cannot make git run a program in a submodule of it", async () => {
    let gitlink = "";
    const scene = await started(
      (person) => {
        ordinary(person);
        const sub = new Files(`${person.root}-sub`);
        mkdirSync(sub.root);
        sub.git("init", "-q");
        sub.write("s.txt", "s\n");
        gitlink = sub.commitAll();
        person.git("submodule", "--quiet", "add", sub.root, "sub");
        person.commitAll("submodule");
        person.git("submodule", "--quiet", "deinit", "-f", "sub");
      },
      // What is asked where sessions run says that nothing changed.
      {
        runInside: ({ args }) =>
          Promise.resolve({ exitCode: 0, output: args[0] === "rev-parse" ? gitlink : "" }),
      },
    );
    const { files, workspace, base } = scene;
    const touched = join(scene.home, "..", "..", "ran");
    files.git("submodule", "--quiet", "update", "--init");
    const inner = new Files(files.path("sub"));
    files.program("evil.sh", `touch '${touched}'; cat`);
    inner.git("config", "core.fsmonitor", files.path("evil.sh"));
    inner.git("config", "filter.evil.clean", `'${files.path("evil.sh")}'`);
    files.write(".git/modules/sub/info/attributes", "* filter=evil\n");
    inner.write("s.txt", "s\n");
    expect(await changesOf(scene)).toEqual(["added evil.sh"]);
    await workspace.lay(base);
    expect(existsSync(touched)).toBe(false);
  });

  it("has the history, branches, tags and remotes of the person, and no way to push", async () => {
    const scene = await started((person) => {
      ordinary(person);
      person.git("tag", "-a", "v1", "-m", "v1");
      person.git("branch", "feature");
      person.git("remote", "add", "origin", "https://name:token@example.invalid/x.git");
      person.git("update-ref", "refs/remotes/origin/main", "HEAD");
      person.git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/main");
      person.git("config", "user.name", "Local Name");
      person.git("update-ref", "refs/stint/other/base", "HEAD");
    });
    const { files } = scene;
    expect(files.git("describe")).toBe("v1\n");
    expect(files.git("branch", "--show-current")).toBe("stint/work\n");
    expect(files.git("rev-parse", "--abbrev-ref", "origin/HEAD")).toBe("origin/main\n");
    expect(files.git("config", "user.name")).toBe("Local Name\n");
    expect(files.git("remote", "-v")).toBe(
      "origin\thttps://example.invalid/x.git (fetch)\norigin\tstint://sessions-do-not-push (push)\n",
    );
    expect(files.git("for-each-ref", "refs/stint")).toBe("");
    expect(files.git("blame", "a.txt")).toContain("Person");
    expect(files.status()).toEqual([]);
    files.write("a.txt", "a1\n");
    files.git("stash");
    files.git("stash", "pop");
    files.git("commit", "-qam", "one");
    files.git("commit", "-q", "--allow-empty", "-m", "two\n\nbody");
    expect(files.git("fsck", "--no-dangling")).toBe("");
    expect(await scene.workspace.sessionMessages()).toEqual(["one", "two\n\nbody"]);
  });

  it("pushes where an act may", async () => {
    const { workspace, files, person } = await started((repository) => {
      ordinary(repository);
      const origin = new Files(`${repository.root}-origin`);
      mkdirSync(origin.root);
      origin.git("init", "-q", "--bare");
      repository.git("remote", "add", "origin", "../checkout-origin");
    });
    await workspace.freshGit({ branch: "stint/work", canPush: true });
    files.git("push", "-q", "origin", "HEAD:refs/heads/pushed");
    expect(person.git("ls-remote", "origin")).toContain("refs/heads/pushed");
  });

  it("finds a fresh repository, whatever the one before it left", async () => {
    const { workspace, files } = await started();
    const outside = new Files(`${files.root}-outside`);
    outside.write("kept.txt", "kept\n");
    files.remove(".git");
    symlinkSync(outside.root, files.path(".git"));
    await workspace.freshGit(SESSION);
    expect(outside.all()).toEqual({ "kept.txt": "file kept\n" });
    expect(files.status()).toEqual([]);
    mkdirSync(files.path(".git/closed/inner"), { recursive: true });
    chmodSync(files.path(".git/closed"), 0o000);
    await workspace.freshGit(SESSION);
    expect(files.git("log", "--format=%s")).toBe("first\n");
  });

  it("sees unfinished work of an earlier attempt with its objects", async () => {
    const { workspace, files, base } = await started();
    files.write("half.txt", "half\n");
    const tree = treeOf(await workspace.capture());
    await workspace.lay(base);
    await workspace.lay(tree);
    await workspace.freshGit(SESSION);
    expect(files.git("diff", "--cached", "--stat")).toContain("half.txt");
    files.git("commit", "-qm", "all of it");
    expect(files.git("fsck")).toBe("");
  });
});

describe("what tells git about files", () => {
  it.each([".gitignore", ".gitattributes", "dir/.gitignore", "dir/.gitattributes"])(
    "may be a link at %s, of the person or of a session: no git follows it",
    async (path) => {
      const link = (files: Files): void => {
        files.remove(path);
        symlinkSync("a.txt", files.path(path));
      };
      const tracked = await started((person) => {
        ordinary(person);
        link(person);
        person.commitAll("a link");
      });
      tracked.files.write("new.txt", "new\n");
      expect(await changesOf(tracked)).toEqual(["added new.txt"]);

      const scene = await started();
      link(scene.files);
      expect(await changesOf(scene)).toEqual([expect.stringContaining(path)]);
      const tree = treeOf(await scene.workspace.capture());
      expect(checkoutOf(scene, tree)).toEqual(scene.files.all());
      expect(await scene.workspace.lay(scene.base)).toEqual([path]);
    },
  );

  it.skipIf(process.getuid?.() === 0).each([".gitignore", "dir/.gitignore"])(
    "may be closed at %s: named, and opened when files are laid",
    async (path) => {
      const { files, workspace, base } = await started();
      files.write(path, "x\n");
      chmodSync(files.path(path), 0o000);
      expect(await workspace.capture()).toMatchObject({
        kind: "uncommittable",
        problems: expect.arrayContaining([expect.objectContaining({ path })]) as unknown,
      });
      expect(await workspace.lay(base)).toEqual([path]);
    },
  );
});

it("tells which files became a program, or are none any longer", async () => {
  const { files, workspace, base } = await started((person) => {
    ordinary(person);
    person.program("was.sh", "true");
    person.commitAll("a program");
  });
  chmodSync(files.path("was.sh"), 0o644);
  chmodSync(files.path("a.txt"), 0o755);
  files.program("new.sh", "true");
  files.write("dir/b.txt", "changed\n");
  const changes = await workspace.changes(base, treeOf(await workspace.capture()));
  const switched = changes.filter((each) => each.switched === true).map(({ path }) => path);
  expect(switched).toEqual(["a.txt", "was.sh"]);
});

it.each([".GIT/hooks/post-checkout", "lib/git~1"])(
  "names %s once, whose name git never stores, and asks for another name",
  async (path) => {
    const { files, workspace } = await started();
    files.write(path, "x\n");
    const why = "has a name that git never stores";
    expect(await workspace.capture()).toEqual({
      kind: "uncommittable",
      problems: [{ path, why, hint: "remove it, or give it another name" }],
    });
  },
);

it("names a folder whose paths are longer than the system takes, and removes it with the next files", async () => {
  const { files, workspace, base } = await started();
  const cwd = process.cwd();
  try {
    process.chdir(files.path("dir"));
    for (let depth = 0; depth < 900; depth += 1) {
      mkdirSync("ddddd");
      process.chdir("ddddd");
    }
    writeFileSync("deep.txt", "deep\n");
  } finally {
    process.chdir(cwd);
  }
  expect(await workspace.capture()).toEqual({
    kind: "uncommittable",
    problems: [
      {
        path: "dir/ddddd",
        why: "has paths that are longer than the system takes",
        hint: "remove it: rm -r dir/ddddd",
      },
    ],
  });
  await workspace.lay(base);
  expect(existsSync(files.path("dir/ddddd"))).toBe(false);
  expect(treeOf(await workspace.capture())).toBe(base);
});

/** The same bytes at another time: git looks at them again. */
function touchAgain(files: Files, path: string): void {
  utimesSync(files.path(path), new Date(), new Date(Date.now() - 5000));
}

describe("what is captured is what a checkout gives", () => {
  const CRLF = (person: Files): void => {
    ordinary(person);
    person.git("config", "core.autocrlf", "input");
    person.git("config", "filter.nb.clean", "grep -v OUT");
    person.git("config", "filter.nb.smudge", "cat");
    person.git("config", "filter.count.clean", "cat; echo more");
    person.git("config", "filter.count.smudge", "cat");
    person.git("config", "filter.no.clean", "false");
    person.git("config", "filter.no.required", "true");
    person.write(
      ".gitattributes",
      "*.txt text eol=lf\n*.nb filter=nb\n*.count filter=count\n*.no filter=no\n",
    );
    person.commitAll("attributes");
  };

  it("with line ends and filters", async () => {
    const scene = await started(CRLF);
    const { files, workspace } = scene;
    files.write("crlf.txt", "one\r\ntwo\r\n");
    files.write("cells.nb", "cell\nOUT 1\n");
    const time = lstatSync(files.path("dir/x.txt")).mtimeMs;
    const tree = treeOf(await workspace.capture());
    expect(files.read("crlf.txt")).toBe("one\ntwo\n");
    expect(files.read("cells.nb")).toBe("cell\n");
    expect(lstatSync(files.path("dir/x.txt")).mtimeMs).toBe(time);
    expect(checkoutOf(scene, tree)).toEqual(files.all());
    expect(await workspace.lay(tree)).toEqual([]);
  });

  it.each([
    ["line ends", "dir/x.txt", (text: string) => text.replaceAll("\n", "\r\n")],
    ["what a filter takes away", "kept.nb", (text: string) => `${text}OUT 1\n`],
  ])("also where git stores the same as before: %s", async (_, path, edit) => {
    const scene = await started((person) => {
      CRLF(person);
      person.write("kept.nb", "cell\n");
      person.commitAll("cells");
    });
    const { files, workspace, base } = scene;
    const right = files.read(path);
    const time = lstatSync(files.path("a.txt")).mtimeMs;
    const spoil = (): void => files.write(path, edit(right));
    spoil();
    expect(treeOf(await workspace.capture())).toBe(base);
    expect(files.read(path)).toBe(right);
    // Again by the next session, and together with other work.
    spoil();
    files.write("more.txt", "more\n");
    const tree = treeOf(await workspace.capture());
    expect(files.read(path)).toBe(right);
    expect(checkoutOf(scene, tree)).toEqual(files.all());
    // And where nothing was captured.
    spoil();
    expect(await workspace.lay(tree)).toEqual([path]);
    expect(files.read(path)).toBe(right);
    expect(lstatSync(files.path("a.txt")).mtimeMs).toBe(time);
    expect(await workspace.lay(tree)).toEqual([]);
  });

  it("with attributes that a session changed, also in files that it did not touch", async () => {
    const scene = await started(CRLF);
    const { files, workspace, base } = scene;
    const before = files.all();
    files.write(".gitattributes", "* text eol=crlf\n");
    const tree = treeOf(await workspace.capture());
    expect(files.read("a.txt")).toBe("a0\r\n");
    // Stint's own file is not looked at.
    const { "PROMPT.md": _, ...rest } = files.all();
    expect(checkoutOf(scene, tree)).toMatchObject(rest);
    await workspace.lay(base);
    expect(files.all()).toEqual(before);
  });

  it("and a filter that is not stable is named", async () => {
    const { files, workspace } = await started(CRLF);
    files.write("x.count", "x\n");
    expect(await workspace.capture()).toMatchObject({
      kind: "uncommittable",
      problems: [{ path: "x.count", why: expect.stringContaining("not stable") }],
    });
  });

  it("and a filter or an encoding that fails is named", async () => {
    const { files, workspace } = await started(CRLF);
    files.write("x.no", "x\n");
    expect(await workspace.capture()).toMatchObject({ problems: [{ path: "x.no" }] });
    files.remove("x.no");
    files.write(".gitattributes", "*.u working-tree-encoding=UTF-16\n");
    files.write("x.u", "no byte order mark\n");
    expect(await workspace.capture()).toMatchObject({ problems: [{ path: "x.u" }] });
  });

  it.each(["*.txt working-tree-encoding=NOSUCH\n", "*.txt filter=lost\n"])(
    "and attributes that no file can follow are named, and gone when files are laid: %s",
    async (attributes) => {
      const scene = await started((person) => {
        CRLF(person);
        person.git("config", "filter.lost.clean", "cat");
        person.git("config", "filter.lost.smudge", "false");
        person.git("config", "filter.lost.required", "true");
      });
      const { files, workspace, base } = scene;
      const before = files.all();
      files.write(".gitattributes", attributes);
      files.write("dir/x.txt", "other\n");
      expect(await workspace.capture()).toMatchObject({
        kind: "uncommittable",
        problems: [{ path: expect.stringMatching(/^(?:a|dir\/x)\.txt$/) as unknown }],
      });
      await workspace.lay(base);
      expect(files.all()).toEqual(before);
    },
  );

  it("and an encoding that a session asks for, which a file that is there has not, is named", async () => {
    const scene = await started();
    const { files, workspace, base } = scene;
    const before = files.all();
    files.write(".gitattributes", "a.txt working-tree-encoding=UTF-16\n");
    files.write("new.txt", "new\n");
    touchAgain(files, "a.txt");
    expect(await workspace.capture()).toMatchObject({
      kind: "uncommittable",
      problems: [{ path: "a.txt", hint: expect.stringContaining(".gitattributes") as unknown }],
    });
    await workspace.lay(base);
    expect(files.all()).toEqual(before);
  });

  it.each([
    ["a pattern that begins with !", "!*.md text\n*.txt text eol=crlf\n"],
    ["a line that is too long", `${"x".repeat(3000)} text\n*.txt text eol=crlf\n`],
    ["a name that is no attribute", "*.md !!\n*.txt text eol=crlf\n"],
  ])("with a line of attributes that every git passes over: %s", async (_, attributes) => {
    const tracked = await started((person) => {
      ordinary(person);
      person.write(".gitattributes", attributes);
      person.commitAll("attributes");
    });
    expect(tracked.files.read("a.txt")).toBe("a0\r\n");
    tracked.files.write("new.txt", "new\n");
    expect(await changesOf(tracked)).toEqual(["added new.txt"]);

    const scene = await started();
    scene.files.write(".gitattributes", attributes);
    expect(await changesOf(scene)).toEqual(["added .gitattributes"]);
    expect(scene.files.read("a.txt")).toBe("a0\r\n");
  });

  it("and a filter that is a program of the repository is the person's", async () => {
    const scene = await started((person) => {
      ordinary(person);
      person.program("tools/clean.sh", "tr a-z A-Z");
      person.git("config", "filter.up.clean", "./tools/clean.sh");
      person.git("config", "filter.up.smudge", "tr A-Z a-z");
      person.write(".gitattributes", "*.up filter=up\n");
      person.commitAll("filter");
    });
    const clean = scene.files.read("tools/clean.sh");
    scene.files.program("tools/clean.sh", `touch '${scene.home}/ran'; cat`);
    scene.files.write("x.up", "x\n");
    expect(await scene.workspace.capture()).toMatchObject({
      kind: "uncommittable",
      problems: [{ path: "tools/clean.sh", why: expect.stringContaining("started by git itself") }],
    });
    const { tree: before } = await scene.workspace.tip();
    await scene.workspace.lay(before);
    expect(scene.files.read("tools/clean.sh")).toBe(clean);
    scene.files.write("x.up", "x\n");
    const tree = treeOf(await scene.workspace.capture());
    expect((await scene.workspace.texts(tree, ["x.up"])).get("x.up")).toBe("X\n");
    expect(existsSync(join(scene.home, "ran"))).toBe(false);
  });

  it("without empty folders, which it names", async () => {
    const scene = await started();
    mkdirSync(scene.files.path("empty/inner"), { recursive: true });
    mkdirSync(scene.files.path("dir/empty"), { recursive: true });
    scene.files.write("logs/x.log", "ignored\n");
    expect(await scene.workspace.capture()).toMatchObject({
      kind: "captured",
      emptied: expect.arrayContaining(["dir/empty", "empty"]) as string[],
    });
    expect((await scene.workspace.capture()) as object).not.toHaveProperty("emptied");
    expect(scene.files.exists("empty")).toBe(false);
    expect(scene.files.exists("dir/empty")).toBe(false);
    expect(scene.files.exists("logs/x.log")).toBe(true);
  });
});

describe("every kind of repository", () => {
  it("one without a commit", async () => {
    const scene = await started((person) => {
      person.git("init", "-q");
      person.write("untracked.txt", "x\n");
    });
    expect(await scene.workspace.tip()).toMatchObject({ commit: null });
    scene.files.write("a.txt", "a\n");
    const made = await scene.workspace.commit(request(treeOf(await scene.workspace.capture())));
    expect(made).toMatchObject({ kind: "committed" });
    expect(scene.person.git("log", "--format=%s", "stint/work")).toBe("Do t1\n");
    expect(scene.person.status()).toEqual(["?? untracked.txt"]);
    expect(await scene.workspace.tip()).toMatchObject({ commit: scene.person.id("stint/work") });
  });

  it("one whose person makes the first commit meanwhile", async () => {
    const { workspace, person } = await started((files) => void files.git("init", "-q"));
    person.write("first.txt", "first\n");
    const first = person.commitAll();
    expect(await workspace.tip()).toMatchObject({ commit: first });
  });

  it("one with sha256", async () => {
    const scene = await started((person) => {
      person.git("init", "-q", "--object-format=sha256");
      person.write("a.txt", "a0\n");
      person.write("PROMPT.md", "x\n");
      person.commitAll();
    });
    scene.files.write("a.txt", "a1\n");
    expect(scene.files.git("diff", "--stat")).toContain("a.txt");
    const own = [{ path: "PROMPT.md", content: Buffer.from("y\n") }];
    await scene.workspace.commit(request(treeOf(await scene.workspace.capture()), "t1", { own }));
    expect(await scene.workspace.deliver()).toMatchObject({ kind: "delivered" });
    expect(scene.person.read("PROMPT.md")).toBe("y\n");
    expect(scene.person.status()).toEqual([]);
  });

  it("a shallow one", async () => {
    const scene = await started((person) => {
      const origin = new Files(`${person.root}-origin`);
      mkdirSync(origin.root);
      ordinary(origin);
      origin.write("b.txt", "b\n");
      origin.commitAll("second");
      person.git("clone", "-q", "--depth", "1", `file://${origin.root}`, ".");
    });
    expect(scene.files.git("log", "--format=%s")).toBe("second\n");
    scene.files.write("a.txt", "a1\n");
    await scene.workspace.commit(request(treeOf(await scene.workspace.capture())));
    expect(await scene.workspace.deliver()).toMatchObject({ kind: "delivered" });
    expect(scene.person.git("log", "--format=%s")).toBe("Do t1\nsecond\n");
    expect(scene.person.git("fsck")).toBe("");
  });

  it("a sparse one", async () => {
    const scene = await started((person) => {
      ordinary(person);
      person.git("sparse-checkout", "set", "dir");
    });
    expect(scene.files.exists("run.sh")).toBe(true);
    scene.files.write("elsewhere/new.txt", "new\n");
    scene.files.write("dir/x.txt", "x1\n");
    expect(await changesOf(scene)).toEqual(["added elsewhere/new.txt", "modified dir/x.txt"]);
    await scene.workspace.commit(request(treeOf(await scene.workspace.capture())));
    expect(await scene.workspace.deliver()).toMatchObject({ kind: "delivered" });
    expect(scene.person.read("dir/x.txt")).toBe("x1\n");
  });

  it("a linked work tree", async () => {
    const scene = await started((person) => {
      const main = new Files(`${person.root}-main`);
      mkdirSync(main.root);
      ordinary(main);
      main.git("worktree", "add", "-q", "-b", "side", person.root);
    });
    scene.files.write("a.txt", "a1\n");
    await scene.workspace.commit(request(treeOf(await scene.workspace.capture())));
    expect(await scene.workspace.deliver()).toMatchObject({ kind: "delivered", branch: "side" });
    expect(scene.person.read("a.txt")).toBe("a1\n");
    expect(scene.person.status()).toEqual([]);
  });

  it("one that borrows objects from another", async () => {
    const scene = await started((person) => {
      const origin = new Files(`${person.root}-origin`);
      mkdirSync(origin.root);
      ordinary(origin);
      person.git("clone", "-q", "--shared", origin.root, ".");
    });
    expect(scene.files.git("log", "--format=%s")).toBe("first\n");
    scene.files.write("a.txt", "a1\n");
    expect(await changesOf(scene)).toEqual(["modified a.txt"]);
  });

  it("one with a submodule", async () => {
    const scene = scenes.make((person) => {
      ordinary(person);
      const sub = new Files(`${person.root}-sub`);
      mkdirSync(sub.root);
      sub.git("init", "-q");
      sub.write("s.txt", "s\n");
      sub.commitAll();
      person.git("submodule", "--quiet", "add", sub.root, "sub");
      person.commitAll("submodule");
      person.git("submodule", "--quiet", "deinit", "-f", "sub");
    });
    const { workspace, files } = scene;
    expect(await workspace.open()).toEqual([
      "sub is a submodule: its folder is empty in the workspace, because your checkout has none of its files (git submodule update --init)",
    ]);
    const base = (await workspace.tip()).tree;
    await workspace.lay(base);
    await workspace.freshGit(SESSION);
    expect(await changesOf({ ...scene, base })).toEqual([]);
    files.git("submodule", "--quiet", "update", "--init");
    expect(await changesOf({ ...scene, base })).toEqual([]);
    files.write("sub/s.txt", "changed\n");
    expect(await workspace.capture()).toMatchObject({ problems: [{ path: "sub" }] });
    await workspace.lay(base);
    expect(await changesOf({ ...scene, base })).toEqual([]);
    files.write("sub/loose.txt", "loose\n");
    expect(await workspace.capture()).toMatchObject({ problems: [{ path: "sub" }] });
    files.remove("sub");
    files.remove(".gitmodules");
    expect(await changesOf({ ...scene, base })).toEqual(["deleted .gitmodules", "deleted sub"]);
  });

  it("one with names that are not UTF-8", async () => {
    const scene = await started((person) => {
      ordinary(person);
      writeFileSync(
        Buffer.concat([Buffer.from(`${person.root}/`), Buffer.from([0x62, 0xff])]),
        "x\n",
      );
      person.commitAll("latin");
    });
    expect(await changesOf(scene)).toEqual([]);
    const name = Buffer.concat([Buffer.from(`${scene.files.root}/`), Buffer.from([0x62, 0xff])]);
    writeFileSync(name, "changed\n");
    await scene.workspace.lay(scene.base);
    expect(readFileSync(name, "utf8")).toBe("x\n");
  });
});

describe("a person who works on meanwhile", () => {
  it("moves the tip forward by committing on the branch", async () => {
    const { workspace, person } = await started();
    person.write("theirs.txt", "theirs\n");
    const commit = person.commitAll();
    expect(await workspace.tip()).toMatchObject({ commit });
  });

  it("does not move it by amending, by another branch, or in the middle of a rebase", async () => {
    const { workspace, person } = await started();
    const before = await workspace.tip();
    person.git("commit", "-q", "--amend", "-m", "amended");
    expect(await workspace.tip()).toEqual(before);
    person.git("switch", "-qc", "other", before.commit ?? "");
    person.write("theirs.txt", "theirs\n");
    person.commitAll();
    expect(await workspace.tip()).toEqual(before);
    person.git("reflog", "expire", "--expire=now", "--all");
    person.git("gc", "-q", "--prune=now");
    expect(await workspace.lay(before.tree)).toEqual([]);
    mkdirSync(person.path(".git/rebase-merge"));
    expect(await workspace.tip()).toEqual(before);
  });

  it("keeps a branch of ours that was theirs before", async () => {
    const { workspace, person, files } = await started((repository) => {
      ordinary(repository);
      repository.git("switch", "-qc", "stint/work");
      repository.write("old.txt", "old\n");
      repository.commitAll("old work");
      repository.git("switch", "-q", "main");
    });
    const old = person.id("stint/work");
    files.write("a.txt", "a1\n");
    await workspace.commit(request(treeOf(await workspace.capture())));
    expect(person.id(`refs/stint/${PROJECT}/old-branch/1`)).toBe(old);
    expect(person.git("log", "--format=%s", "stint/work")).toBe("Do t1\nfirst\n");
  });

  it("has no branch moved that is checked out", async () => {
    const { workspace, person, files } = await started();
    files.write("a.txt", "a1\n");
    await workspace.commit(request(treeOf(await workspace.capture())));
    const first = person.id("stint/work");
    person.git("worktree", "add", "-q", `${person.root}-other`, "stint/work");
    files.write("a.txt", "a2\n");
    const made = await workspace.commit(request(treeOf(await workspace.capture()), "t2"));
    expect(made).toMatchObject({ kind: "committed" });
    expect(person.id("stint/work")).toBe(first);
    expect(await workspace.deliver()).toMatchObject({ kind: "delivered" });
    expect(person.read("a.txt")).toBe("a2\n");
  });

  it("has its branch left alone while a person rebases it, and its work held all the same", async () => {
    const { workspace, files, person } = await started();
    files.write("a.txt", "one\n");
    await workspace.commit(request(treeOf(await workspace.capture())));
    const other = `${person.root}-rebased`;
    person.git("worktree", "add", "-q", other, "stint/work");
    const rebase = ["-C", other, "rebase", "-q", "--force-rebase", "--exec", "false", "HEAD~1"];
    expect(() => person.git(...rebase)).toThrow("rebase");
    const before = person.id("stint/work");
    files.write("a.txt", "two\n");
    await workspace.commit(request(treeOf(await workspace.capture()), "t2"));
    expect(person.id("stint/work")).toBe(before);
    expect(person.git("show", `refs/stint/${PROJECT}/tip:a.txt`)).toBe("two\n");
  });

  it.each([99, 500])("has %i new files brought, and leaves a whole repository", async (count) => {
    const { workspace, files, person } = await started();
    for (let n = 0; n < count; n += 1) files.write(`many/${n}.txt`, `number ${n}\n`);
    await workspace.commit(request(treeOf(await workspace.capture())));
    expect(
      person.git("ls-tree", "-r", "--name-only", "stint/work", "many/").split("\n").length,
    ).toBe(count + 1);
    expect(person.git("fsck", "--strict", "--no-dangling")).toBe("");
  });

  it("has no object of unfinished work in the repository", async () => {
    const { workspace, person, files, base } = await started();
    files.write("secret.txt", "a secret\n");
    const tree = treeOf(await workspace.capture());
    await workspace.keep({ task: "t1", attempt: 1 }, tree, base);
    const blob = (await workspace.entries(tree, ["secret.txt"])).get("secret.txt")?.oid ?? "";
    expect(() => person.git("cat-file", "-e", blob)).toThrow("cat-file");
  });
});

describe("commits", () => {
  it("are in the person's name, and signed where they sign", async () => {
    const { workspace, person, files } = await started((repository) => {
      ordinary(repository);
      const key = join(repository.root, "..", "key");
      new Files(repository.root).git("config", "user.email", "local@example.com");
      repository.program(
        "../fake-gpg",
        `printf '\\n[GNUPG:] SIG_CREATED \\n' >&2; echo signature; cat >/dev/null`,
      );
      repository.git("config", "gpg.program", join(repository.root, "../fake-gpg"));
      repository.git("config", "commit.gpgsign", "true");
      repository.git("config", "user.signingkey", key);
    });
    files.write("a.txt", "a1\n");
    await workspace.commit(request(treeOf(await workspace.capture())));
    const text = person.git("cat-file", "commit", "stint/work");
    expect(text).toContain("author Person <local@example.com>");
    expect(text).toContain("gpgsig signature");
    expect(text).toContain(`Stint-Project: ${PROJECT}\nStint-Task: t1\n`);
  });

  it("fail with what to do where git does not know who commits", async () => {
    const { workspace, files } = await started((repository) => {
      ordinary(repository);
      repository.git("config", "user.useConfigOnly", "true");
      repository.git("config", "user.email", "");
      repository.git("config", "user.name", "");
    });
    files.write("a.txt", "a1\n");
    expect(await workspace.commit(request(treeOf(await workspace.capture())))).toMatchObject({
      kind: "failed",
      why: "Git does not know who you are",
      hint: expect.stringContaining("git config user.name"),
    });
  });

  it("are nothing where the tip holds everything", async () => {
    const { workspace, base, person } = await started();
    expect(await workspace.commit(request(base))).toEqual({
      kind: "nothing",
      commit: person.id("HEAD"),
    });
  });

  const hooked =
    (script: string, where = ".git/hooks") =>
    (person: Files): void => {
      ordinary(person);
      person.program(`${where}/pre-commit`, script);
      person.program(`${where}/commit-msg`, 'printf "%s\\n" "$(sed s/Do/Did/ "$1")" > "$1"');
      if (where !== ".git/hooks") {
        person.commitAll("hooks");
        person.git("config", "core.hooksPath", where);
      }
    };

  it.each([".git/hooks", ".githooks"])(
    "run the person's hooks in %s on a repository that is thrown away",
    async (where) => {
      const scene = await started(
        hooked(
          "git config user.name Hacked; git stash -q 2>/dev/null; env | grep ^GIT_DIR && exit 1; echo formatted > a.txt; git add a.txt",
          where,
        ),
      );
      const { workspace, files, person } = scene;
      if (where === ".githooks") files.program(".githooks/pre-commit", "exit 1");
      files.write("b.txt", "b1\n");
      const own = [{ path: "PROMPT.md", content: Buffer.from("- [x] one\n") }];
      const tree = treeOf(await workspace.capture());
      const wanted = request(tree, "t1", { own });
      const found = await workspace.commit(wanted);
      if (found.kind !== "altered") throw new Error(`the hook altered nothing: ${found.kind}`);
      // Nothing is committed before somebody has verified what the hook made of it.
      expect(person.git("for-each-ref", "refs/heads/stint")).toBe("");
      const verified = { ...wanted, tree: found.tree, message: found.message, hooksRan: true };
      expect(await workspace.commit(verified)).toMatchObject({ kind: "committed" });
      expect(person.git("show", "stint/work:a.txt")).toBe("formatted\n");
      expect(person.git("show", "stint/work:PROMPT.md")).toBe("- [x] one\n");
      expect(person.git("log", "-1", "--format=%s", "stint/work")).toBe("Did t1\n");
      expect(person.git("config", "user.name")).toBe("Person\n");
      expect(person.status()).toEqual([]);
    },
  );

  it("run hooks of a tool that keeps its runner beside them, as the person has them", async () => {
    const scene = await started((person) => {
      ordinary(person);
      person.write(".gitignore", "_\n");
      person.program(".husky/pre-commit", "echo by the person > a.txt; git add a.txt");
      person.program(".husky/_/pre-commit", 'exec sh "$(dirname "$(dirname "$0")")/pre-commit"');
      person.git("config", "core.hooksPath", ".husky/_");
      person.git("-c", "core.hooksPath=/dev/null", "add", "-A");
      person.git("-c", "core.hooksPath=/dev/null", "commit", "-qm", "husky");
    });
    scene.files.program(".husky/pre-commit", "echo by the session > a.txt; git add a.txt");
    const tree = treeOf(await scene.workspace.capture());
    const found = await scene.workspace.commit(request(tree));
    if (found.kind !== "altered") throw new Error(`the hook altered nothing: ${found.kind}`);
    const texts = await scene.workspace.texts(found.tree, ["a.txt"]);
    expect(texts.get("a.txt")).toBe("by the person\n");
  });

  it("fail with the last words of a hook", async () => {
    const { workspace, files, person } = await started(hooked("echo lint: 3 problems; exit 1"));
    files.write("a.txt", "a1\n");
    expect(await workspace.commit(request(treeOf(await workspace.capture())))).toMatchObject({
      kind: "failed",
      why: "A commit hook refused: lint: 3 problems",
    });
    expect(person.git("branch", "--list", "stint/*")).toBe("");
  });
});

describe("what is brought", () => {
  const bring = (tree: string): Promise<readonly string[]> => {
    const files = new Files(tree);
    files.write("node_modules/p/index.js", "module\n");
    files.write(".env", "KEY=1\n");
    files.write("data/one.csv", "1\n");
    files.write("data/two.csv", "2\n");
    return Promise.resolve(["node_modules", ".env", "data"]);
  };
  const prepare = (person: Files): void => {
    ordinary(person);
    person.write(".gitignore", "node_modules/\n.env\n");
    person.commitAll("ignore");
    person.write("data/one.csv", "1\n");
    person.write("data/two.csv", "2\n");
  };

  it("is in no commit, also where a session no longer ignores it", async () => {
    const scene = await started(prepare, { bring });
    expect(scene.files.exists("node_modules/p/index.js")).toBe(true);
    expect(await changesOf(scene)).toEqual([]);
    scene.files.write(".gitignore", "!node_modules\n");
    expect(await changesOf(scene)).toEqual(["modified .gitignore"]);
    await scene.workspace.lay(scene.base);
    expect(scene.files.read(".env")).toBe("KEY=1\n");
    expect(scene.files.read("data/one.csv")).toBe("1\n");
  });

  it("is committed where a session changed an input, and put back otherwise", async () => {
    const scene = await started(prepare, { bring });
    scene.files.write("data/one.csv", "changed\n");
    scene.files.write("data/new.csv", "new\n");
    expect(await changesOf(scene)).toEqual(["added data/new.csv", "added data/one.csv"]);
    await scene.workspace.lay(scene.base);
    expect(scene.files.read("data/one.csv")).toBe("1\n");
    expect(scene.files.exists("data/new.csv")).toBe(false);
    expect(await changesOf(scene)).toEqual([]);
  });
});

it("is shown at the checkout with the objects beside the hidden state", async () => {
  const { workspace, person, home } = await started(ordinary, {
    shownAt: "checkout",
    hide: ["/state"],
  });
  expect(workspace.at).toBe(person.root);
  expect(workspace.view).toEqual({
    hide: ["/state"],
    mounts: [
      { from: join(home, "tree"), at: person.root, mode: "read-write" },
      { from: person.path(".git/objects"), at: "/state/objects", mode: "read-only" },
      { from: join(home, "git/objects"), at: "/state/own-objects", mode: "read-only" },
    ],
  });
  expect(readFileSync(join(home, "tree/.git/objects/info/alternates"), "utf8")).toBe(
    "/state/objects\n/state/own-objects\n",
  );
});

it("never takes a ref that cannot be read for one that is not there", async () => {
  const scene = await started();
  const { person } = scene;
  const ref = person.path(`.git/refs/stint/${PROJECT}/tip`);
  const commit = readFileSync(ref, "utf8");
  person.remove(`.git/refs/stint/${PROJECT}/tip`);
  symlinkSync("tip", ref);
  await expect(scene.reopen().open()).rejects.toMatchObject({ code: "git-failed" });
  person.remove(`.git/refs/stint/${PROJECT}/tip`);
  writeFileSync(ref, "");
  await expect(scene.reopen().open()).rejects.toMatchObject({ code: "git-failed" });
  person.remove(`.git/refs/stint/${PROJECT}/tip`);
  const again = scene.reopen();
  await again.open();
  expect((await again.tip()).commit).toBe(commit.trim());
});

it("never takes an answer of git that says nothing for a repository without refs", async () => {
  const scene = await started();
  const { person } = scene;
  const shim = new Files(join(scenes.path, "silent"));
  const real = execFileSync("sh", ["-c", "command -v git"], { encoding: "utf8" }).trim();
  shim.program("git", `case " $* " in *" for-each-ref "*) exit 0 ;; esac\nexec ${real} "$@"`);
  const path = process.env["PATH"];
  process.env["PATH"] = `${shim.root}:${path}`;
  try {
    await expect(scene.reopen().open()).rejects.toMatchObject({ code: "git-failed" });
    const other = { home: `${person.root}-other-home`, project: "p-0000000002" };
    await expect(scene.reopen(other).open()).rejects.toMatchObject({ code: "git-failed" });
  } finally {
    process.env["PATH"] = path;
  }
  expect(person.git("for-each-ref", "refs/stint/p-0000000002")).toBe("");
});

it("never takes a branch that cannot be read for one without commits", async () => {
  const { workspace } = scenes.make((person) => {
    ordinary(person);
    person.write(".git/refs/heads/main", "");
  });
  await expect(workspace.open()).rejects.toMatchObject({ code: "git-failed" });
});

it("does not take for a change what git would only store differently", async () => {
  const scene = await started((person) => {
    person.git("init", "-q");
    person.write("old.txt", "stored with\r\nits line ends\r\n");
    person.write("a.txt", "a0\n");
    person.commitAll();
    person.write(".gitattributes", "*.txt text eol=lf\n");
    person.git("add", ".gitattributes");
    person.git("commit", "-q", "-m", "attributes");
  });
  scene.files.write("a.txt", "a1\n");
  writeFileSync(scene.files.path("old.txt"), readFileSync(scene.files.path("old.txt")));
  expect(await changesOf(scene)).toEqual(["modified a.txt"]);
});
