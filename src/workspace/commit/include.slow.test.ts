// Starting from a person's uncommitted changes: what becomes the first commit, what of theirs stays as it
// is meanwhile, and that the delivery finds their files to be what it brings.
import { chmodSync, rmSync, symlinkSync } from "node:fs";
import { expect, it } from "vitest";
import {
  type Files,
  ordinary,
  request,
  type Scene,
  treeOf,
  scenesOfFile,
} from "../../../test/support/workspace-scene.ts";

const scenes = scenesOfFile();

const DELIVERED = { kind: "delivered", branch: "main" };

/** Opened over a person's changes. */
async function opened(change: (person: Files) => void, prepare = ordinary): Promise<Scene> {
  const scene = scenes.make((person) => {
    prepare(person);
    change(person);
  });
  await scene.workspace.open();
  return scene;
}

/** Everything of the person's that including must leave as it is. */
function ofPerson(person: Files) {
  const { all, index, head } = {
    all: person.all(),
    index: person.git("ls-files", "-s", "-v"),
    head: person.git("rev-parse", "--abbrev-ref", "HEAD").trim(),
  };
  return { all, index, head, status: person.status() };
}

/** A verified commit on top of what was included, and its delivery. */
async function workOnIt({ workspace, files }: Scene) {
  const { tree } = await workspace.tip();
  await workspace.lay(tree);
  files.write("made.txt", "made\n");
  await workspace.commit(request(treeOf(await workspace.capture()), "t1"));
  return await workspace.deliver();
}

function mixed(person: Files): void {
  person.write("a.txt", "staged\n");
  person.git("add", "a.txt");
  person.write("a.txt", "staged, and changed again\n");
  person.write("dir/x.txt", "only changed\n");
  person.write("staged.txt", "new and staged\n");
  person.git("add", "staged.txt");
  person.write("both.txt", "first\n");
  person.git("add", "both.txt");
  person.write("both.txt", "second\n");
  person.remove("dir/y.txt");
  chmodSync(person.path("run.sh"), 0o644);
  person.write("deep/er/new.txt", "untracked\n");
  person.program("deep/tool.sh", "true");
  symlinkSync("a.txt", person.path("link"));
  person.write("PROMPT.md", "- [ ] one\n- [ ] two\n");
  person.write("debug.log", "ignored\n");
}

it("makes one commit of what lies on disk, in the person's name, and leaves theirs as it is", async () => {
  const scene = await opened(mixed);
  const { workspace, person } = scene;
  const before = ofPerson(person);
  const included = await workspace.include();
  expect(included).toMatchObject({ kind: "included", left: [] });
  expect(ofPerson(person)).toEqual(before);
  expect(person.git("log", "-1", "--format=%an <%ae>%n%s", "stint/work")).toBe(
    "Person <person@example.com>\nStart from uncommitted changes\n",
  );
  expect(person.git("diff", "--name-status", "main", "stint/work").trim().split("\n")).toEqual([
    "M\tPROMPT.md",
    "M\ta.txt",
    "A\tboth.txt",
    "A\tdeep/er/new.txt",
    "A\tdeep/tool.sh",
    "M\tdir/x.txt",
    "D\tdir/y.txt",
    "A\tlink",
    "M\trun.sh",
    "A\tstaged.txt",
  ]);
  expect(person.git("show", "stint/work:a.txt")).toBe("staged, and changed again\n");
  const modes = person.git("ls-tree", "-r", "stint/work", "run.sh", "deep/tool.sh", "link");
  expect(modes.split("\n").map((line) => line.slice(0, 6))).toEqual([
    "100755",
    "120000",
    "100644",
    "",
  ]);
  expect((await workspace.tip()).commit).toBe(person.id("stint/work"));
});

it("delivers it into the checkout where the same changes lie, with the work on top", async () => {
  const scene = await opened(mixed);
  const { person } = scene;
  await scene.workspace.include();
  const before = person.all();
  expect(await workOnIt(scene)).toMatchObject(DELIVERED);
  expect(person.status()).toEqual([]);
  expect(person.all()).toEqual({ ...before, "made.txt": "file made\n" });
});

it("waits where the person has edited further, and keeps what they have staged", async () => {
  const scene = await opened(mixed);
  const { person } = scene;
  await scene.workspace.include();
  person.write("dir/x.txt", "edited further\n");
  const before = ofPerson(person);
  expect(await workOnIt(scene)).toMatchObject({
    kind: "waiting",
    why: "you have uncommitted changes in dir/x.txt",
  });
  expect(ofPerson(person)).toEqual(before);
});

/** The ways in which a person had changed a file that a session then edits. */
const CHANGES: readonly [how: string, path: string, change: (person: Files) => void][] = [
  ["unstaged", "a.txt", (person) => person.write("a.txt", "mine\n")],
  [
    "staged",
    "a.txt",
    (person) => {
      person.write("a.txt", "mine\n");
      person.git("add", "a.txt");
    },
  ],
  [
    "staged, and changed again",
    "a.txt",
    (person) => {
      person.write("a.txt", "staged\n");
      person.git("add", "a.txt");
      person.write("a.txt", "mine\n");
    },
  ],
  ["untracked", "new.txt", (person) => person.write("new.txt", "mine\n")],
  [
    "added",
    "new.txt",
    (person) => {
      person.write("new.txt", "mine\n");
      person.git("add", "new.txt");
    },
  ],
  ["deleted", "a.txt", (person) => person.remove("a.txt")],
  ["deleted and staged", "a.txt", (person) => void person.git("rm", "-q", "a.txt")],
  ["given another mode", "run.sh", (person) => chmodSync(person.path("run.sh"), 0o644)],
  [
    "a link",
    "a.txt",
    (person) => {
      person.remove("a.txt");
      symlinkSync("run.sh", person.path("a.txt"));
    },
  ],
];

/** A session edits the very file that the person had changed. */
async function editIt({ workspace, files }: Scene, path: string, task = "t1") {
  const { tree } = await workspace.tip();
  await workspace.lay(tree);
  files.remove(path);
  files.write(path, `of the session for ${task}\n`);
  await workspace.commit(request(treeOf(await workspace.capture()), task));
}

it.each(CHANGES)("delivers an edit of a file that was %s", async (_, path, change) => {
  const scene = await opened(change);
  const { person, workspace } = scene;
  await workspace.include();
  await editIt(scene, path);
  expect(await workspace.deliver()).toMatchObject(DELIVERED);
  expect(person.read(path)).toBe("of the session for t1\n");
  expect(person.status()).toEqual([]);
});

it.each(CHANGES)(
  "waits with an edit of a file that was %s, and that the person edited further",
  async (_, path, change) => {
    const scene = await opened(change);
    const { person, workspace } = scene;
    await workspace.include();
    await editIt(scene, path);
    person.remove(path);
    person.write(path, "mine, and more\n");
    const before = ofPerson(person);
    expect(await workspace.deliver()).toMatchObject({ kind: "waiting" });
    expect(ofPerson(person)).toEqual(before);
  },
);

it.each(CHANGES)(
  "waits with an edit of a file that was %s, and staged with other text since",
  async (_, path, change) => {
    const scene = await opened(change);
    const { person, workspace } = scene;
    await workspace.include();
    await editIt(scene, path);
    const oid = person.git("hash-object", "-w", "dir/x.txt").trim();
    person.git("update-index", "--add", "--cacheinfo", `100644,${oid},${path}`);
    const before = ofPerson(person);
    expect(await workspace.deliver()).toMatchObject({ kind: "waiting" });
    expect(ofPerson(person)).toEqual(before);
  },
);

it("waits where only the mode of an included file was changed further", async () => {
  const scene = await opened((person) => person.write("a.txt", "mine\n"));
  const { person, workspace } = scene;
  await workspace.include();
  await editIt(scene, "a.txt");
  chmodSync(person.path("a.txt"), 0o755);
  const before = ofPerson(person);
  expect(await workspace.deliver()).toMatchObject({ kind: "waiting" });
  expect(ofPerson(person)).toEqual(before);
});

it("takes a file away that a person had changed and the session deleted", async () => {
  const scene = await opened((person) => person.write("a.txt", "mine\n"));
  const { person, workspace, files } = scene;
  await workspace.include();
  await workspace.lay((await workspace.tip()).tree);
  files.remove("a.txt");
  await workspace.commit(request(treeOf(await workspace.capture()), "t1"));
  expect(await workspace.deliver()).toMatchObject(DELIVERED);
  expect(person.exists("a.txt")).toBe(false);
  expect(person.status()).toEqual([]);
});

it("takes the included text for an edit like any other once it is delivered", async () => {
  const scene = await opened((person) => person.write("a.txt", "mine\n"));
  const { person, workspace } = scene;
  await workspace.include();
  expect(await workOnIt(scene)).toMatchObject(DELIVERED);
  await editIt(scene, "a.txt", "t2");
  expect(await workspace.deliver()).toMatchObject(DELIVERED);
  expect(person.read("a.txt")).toBe("of the session for t2\n");
  await editIt(scene, "a.txt", "t3");
  person.write("a.txt", "mine\n");
  expect(await workspace.deliver()).toMatchObject({ kind: "waiting" });
  expect(person.read("a.txt")).toBe("mine\n");
});

it("replaces no staged text that came after the changes were included", async () => {
  const scene = await opened((person) => person.write("a.txt", "changed\n"));
  const { person } = scene;
  await scene.workspace.include();
  person.write("a.txt", "staged later\n");
  person.git("add", "a.txt");
  person.write("a.txt", "changed\n");
  expect(await workOnIt(scene)).toMatchObject({ kind: "waiting" });
  expect(person.git("show", ":a.txt")).toBe("staged later\n");
});

it("includes a folder where a file was, and delivers it", async () => {
  const scene = await opened((person) => {
    person.remove("a.txt");
    person.write("a.txt/inside.txt", "inside\n");
  });
  expect(await scene.workspace.include()).toMatchObject({ kind: "included" });
  expect(await workOnIt(scene)).toMatchObject(DELIVERED);
  expect(scene.person.status()).toEqual([]);
});

it("includes a file where a folder was; git brings it in only once that is out of the way", async () => {
  const scene = await opened((person) => {
    person.remove("dir");
    person.write("dir", "a file now\n");
  });
  expect(await scene.workspace.include()).toMatchObject({ kind: "included" });
  const before = ofPerson(scene.person);
  expect(await workOnIt(scene)).toMatchObject({ kind: "waiting" });
  expect(ofPerson(scene.person)).toEqual(before);
});

it("has nothing to include of a clean checkout, Stint's own files and an untracked manifest", async () => {
  const scene = await opened(
    (person) => {
      person.write(".stint/state.json", "{}\n");
      person.write(".agent_iteration_done", "\n");
      person.write("PROMPT.md", "- [ ] one\n");
    },
    (person) => {
      ordinary(person);
      person.git("rm", "-q", "PROMPT.md");
      person.commitAll("without a manifest");
    },
  );
  expect(await scene.workspace.include()).toEqual({ kind: "nothing", left: [] });
  expect((await scene.workspace.tip()).commit).toBe(scene.person.id("main"));
});

it("leaves out and names what looks like a secret, and a repository of its own", async () => {
  const scene = await opened((person) => {
    person.write("id_rsa", "secret\n");
    person.write("fine.txt", "fine\n");
    person.write("nested/file.txt", "theirs\n");
    person.git("init", "-q", "nested");
  });
  const included = await scene.workspace.include();
  expect(included).toMatchObject({
    kind: "included",
    paths: ["fine.txt"],
    left: [
      { path: "nested", why: "it is a nested git repository" },
      { path: "id_rsa", why: "its name looks like that of a secret" },
    ],
  });
});

it("does it once: repeated, and after a kill, there is one commit", async () => {
  const scene = await opened((person) => person.write("a.txt", "changed\n"));
  await scene.workspace.include();
  const { commit } = await scene.workspace.tip();
  const again = scene.reopen();
  await again.open();
  expect(await again.include()).toEqual({ kind: "ahead" });
  expect((await again.tip()).commit).toBe(commit);
  expect(await workOnIt(scene)).toMatchObject(DELIVERED);
  expect(await scene.workspace.include()).toEqual({ kind: "nothing", left: [] });
});

it("starts an unborn branch, too", async () => {
  const scene = await opened(
    (person) => person.write("a.txt", "first\n"),
    (person) => void person.git("init", "-q"),
  );
  expect(await scene.workspace.include()).toMatchObject({ kind: "included", paths: ["a.txt"] });
  expect(await workOnIt(scene)).toMatchObject(DELIVERED);
  expect(scene.person.status()).toEqual([]);
});

it("holds what a person told git not to look at as it was committed", async () => {
  const scene = await opened((person) => {
    person.git("update-index", "--skip-worktree", "a.txt");
    rmSync(person.path("a.txt"));
    person.git("update-index", "--assume-unchanged", "dir/x.txt");
    person.write("dir/x.txt", "mine\n");
    person.write("new.txt", "new\n");
  });
  expect(await scene.workspace.include()).toMatchObject({ kind: "included", paths: ["new.txt"] });
});

it("refuses while a merge is in progress", async () => {
  const scene = await opened((person) => {
    person.write("a.txt", "changed\n");
    person.write(".git/MERGE_HEAD", `${person.id("HEAD")}\n`);
  });
  await expect(scene.workspace.include()).rejects.toThrow(/a merge is in progress/);
});
