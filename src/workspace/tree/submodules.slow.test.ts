import { execFileSync } from "node:child_process";
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
} from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  Files,
  type Scene,
  type Scenes,
  treeOf,
  workspaceScenes,
} from "../../../test/support/workspace-scene.ts";

const SESSION = { branch: "stint/work", canPush: false };
const UNCOMMITTABLE = { kind: "uncommittable", problems: [{ path: "lib/sub" }] };

let scenes: Scenes;
let scene: Scene;
let library: Files;
let files: Files;
let first: string;
let second: string;

beforeAll(() => {
  scenes = workspaceScenes();
});
afterAll(() => scenes.remove());

/** A person with a submodule of two commits, who has the second one checked out and named the first. */
beforeEach(() => {
  scene = scenes.make((person) => {
    person.git("init", "-q");
    person.write("a.txt", "a\n");
    person.commitAll("first");
    library = new Files(`${person.root}-library`);
    mkdirSync(library.root);
    library.git("init", "-q");
    library.write("s.txt", "s1\n");
    library.write("deep/t.txt", "t1\n");
    library.write(".gitignore", "*.o\n");
    first = library.commitAll("one");
    person.git("submodule", "--quiet", "add", library.root, "lib/sub");
    person.commitAll("a submodule");
    library.write("s.txt", "s2\n");
    second = library.commitAll("two");
    new Files(person.path("lib/sub")).git("pull", "-q");
  });
  ({ files } = scene);
});

/** Opened, laid, with a session about to start. @returns what a person is told, and the tree */
async function start(): Promise<{ notes: readonly string[]; base: string }> {
  const notes = await scene.workspace.open();
  const { tree: base } = await scene.workspace.tip();
  await scene.workspace.lay(base);
  await scene.workspace.freshGit(SESSION);
  return { notes, base };
}

const capture = async () => await scene.workspace.capture();
const inner = () => new Files(files.path("lib/sub"));

describe("a submodule that the person's checkout has", () => {
  it("is there at the commit that the tree names, with its history, and is no change", async () => {
    const { notes, base } = await start();
    expect(notes).toEqual([]);
    expect([files.read("lib/sub/s.txt"), files.read("lib/sub/deep/t.txt")]).toEqual([
      "s1\n",
      "t1\n",
    ]);
    expect(inner().id("HEAD")).toBe(first);
    expect(inner().git("log", "--format=%s", second)).toBe("two\none\n");
    expect([inner().status(), files.status()]).toEqual([[], []]);
    expect(files.git("submodule", "status")).toContain(first);
    files.git("submodule", "--quiet", "update", "--init");
    expect(treeOf(await capture())).toBe(base);
    // Theirs is as it was.
    expect(scene.person.read("lib/sub/s.txt")).toBe("s2\n");
    expect(new Files(scene.person.path("lib/sub")).status()).toEqual([]);
  });

  it.each([
    ["edited", () => files.write("lib/sub/s.txt", "other\n")],
    ["with a new file", () => files.write("lib/sub/new.txt", "new\n")],
    ["without one of its files", () => files.remove("lib/sub/deep/t.txt")],
    ["with a commit of its own", () => commitInside()],
    ["at another commit", () => inner().git("checkout", "-q", second)],
    ["edited behind the back of git", () => editUnseen()],
    ["with a pipe where git reads a file", () => trap()],
    ["of which a folder became a link", () => becomeLink()],
  ])("%s cannot be committed, and is put back", async (_, change) => {
    const { base } = await start();
    change();
    expect(await capture()).toMatchObject(UNCOMMITTABLE);
    expect(await scene.workspace.lay(base)).toContain("lib/sub");
    await scene.workspace.freshGit(SESSION);
    expect(inner().all()).toEqual({
      ".gitignore": "file *.o\n",
      "deep/t.txt": "file t1\n",
      "s.txt": "file s1\n",
    });
    expect(inner().id("HEAD")).toBe(first);
    expect(treeOf(await capture())).toBe(base);
  });

  it("that was closed to its owner is opened again", async () => {
    const { base } = await start();
    chmodSync(files.path("lib/sub"), 0);
    // Who may read everything finds nothing changed.
    expect(["captured", "uncommittable"]).toContain((await capture()).kind);
    await scene.workspace.lay(base);
    expect(statSync(files.path("lib/sub")).mode & 0o700).toBe(0o700);
    expect(files.read("lib/sub/deep/t.txt")).toBe("t1\n");
    expect(treeOf(await capture())).toBe(base);
  });

  it("keeps what it ignores, and the times of its files", async () => {
    const { base } = await start();
    files.write("lib/sub/built.o", "built\n");
    utimesSync(files.path("lib/sub/deep/t.txt"), 1_000, 1_000);
    files.write("lib/sub/s.txt", "s1\n");
    files.write("a.txt", "other\n");
    expect((await capture()).kind).toBe("captured");
    await scene.workspace.lay(base);
    expect(files.read("lib/sub/built.o")).toBe("built\n");
    expect(statSync(files.path("lib/sub/deep/t.txt")).mtimeMs).toBe(1_000_000);
  });

  it("follows the tree that is laid, and goes with it", async () => {
    const { base } = await start();
    scene.person.git("commit", "-qam", "the second one");
    const later = scene.person.id("HEAD^{tree}");
    await scene.workspace.lay(later);
    expect(files.read("lib/sub/s.txt")).toBe("s2\n");
    files.remove("lib");
    files.remove(".gitmodules");
    const without = treeOf(await capture());
    await scene.workspace.lay(without);
    await scene.workspace.freshGit(SESSION);
    expect(files.exists("lib")).toBe(false);
    await scene.workspace.lay(base);
    expect(files.read("lib/sub/s.txt")).toBe("s1\n");
  });

  it("is laid anew after a kill in between, and by another process", async () => {
    const { base } = await start();
    const [module = ""] = readdirSync(join(scene.home, "modules"));
    rmSync(join(scene.home, "modules", module, "commit"));
    files.remove("lib/sub/deep");
    const workspace = scene.reopen();
    await workspace.open();
    await workspace.lay(base);
    expect(files.read("lib/sub/deep/t.txt")).toBe("t1\n");
    expect(treeOf(await workspace.capture())).toBe(base);
  });
});

describe("a submodule stays empty, and that is said,", () => {
  const EMPTY = "lib/sub is a submodule: its folder is empty in the workspace, because ";

  it("where the person's checkout has none of its files", async () => {
    scene.person.git("submodule", "--quiet", "deinit", "-f", "lib/sub");
    const { notes, base } = await start();
    expect(notes).toEqual([
      `${EMPTY}your checkout has none of its files (git submodule update --init)`,
    ]);
    expect(readdirSync(files.path("lib/sub"))).toEqual([]);
    expect(treeOf(await capture())).toBe(base);
  });

  it("where the person's repository lacks its commit, which is not fetched", async () => {
    const gone = "1".repeat(first.length);
    scene.person.git("update-index", "--cacheinfo", `160000,${gone},lib/sub`);
    scene.person.git("commit", "-qm", "a commit that is nowhere");
    const { notes } = await start();
    expect(notes).toEqual([
      `${EMPTY}your repository does not have its commit 111111111111 (git submodule update)`,
    ]);
    expect(readdirSync(files.path("lib/sub"))).toEqual([]);
  });
});

function commitInside(): void {
  files.write("lib/sub/s.txt", "other\n");
  inner().git("-c", "user.name=x", "-c", "user.email=x@x", "commit", "-qam", "inside");
}

function editUnseen(): void {
  inner().git("update-index", "--assume-unchanged", "s.txt");
  files.write("lib/sub/s.txt", "unseen\n");
  expect(inner().status()).toEqual([]);
}

function trap(): void {
  execFileSync("mkfifo", [files.path("lib/sub/deep/.gitignore")]);
}

function becomeLink(): void {
  files.remove("lib/sub/deep");
  symlinkSync("..", files.path("lib/sub/deep"));
}
