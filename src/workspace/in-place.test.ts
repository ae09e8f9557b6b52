// What holds where the person's folder is the workspace, beyond the suite: whose change is whose is a
// matter of when it was made.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import {
  Files,
  ordinary,
  request,
  type Scene,
  treeOf,
  scenesOfFile,
} from "../../test/support/workspace-scene.ts";
import { openWorkspace } from "./open-workspace.ts";

const scenes = scenesOfFile();

const SESSION = { branch: "main", canPush: false };

async function opened(prepare: (person: Files) => void = ordinary): Promise<Scene> {
  const scene = scenes.make(prepare, { kind: "in-place" });
  await scene.workspace.open();
  return scene;
}

it("commits on the branch that is checked out, and the index follows", async () => {
  const { workspace, person } = await opened();
  await workspace.lay((await workspace.tip()).tree);
  await workspace.freshGit(SESSION);
  person.write("a.txt", "a1\n");
  person.write("new.txt", "new\n");
  const made = await workspace.commit(request(treeOf(await workspace.capture())));
  expect(made).toMatchObject({ kind: "committed", commit: person.id("HEAD") });
  expect(person.git("log", "--format=%s", "main")).toBe("Do t1\nfirst\n");
  expect(person.status()).toEqual([]);
  expect(await workspace.deliver()).toEqual({ kind: "in-place" });
});

it("takes for the person's what changed between two acts", async () => {
  const { workspace, person } = await opened();
  const before = await workspace.tip();
  person.write("theirs.txt", "theirs\n");
  person.write("a.txt", "theirs\n");
  const tip = await workspace.tip();
  expect((await workspace.changes(before.tree, tip.tree)).map(({ path }) => path)).toEqual([
    "a.txt",
    "theirs.txt",
  ]);
  expect(await workspace.lay(tip.tree)).toEqual([]);
  expect(person.read("a.txt")).toBe("theirs\n");
});

it("takes away no edit that the person made since the last look", async () => {
  const { workspace, person } = await opened();
  const tip = await workspace.tip();
  person.write("a.txt", "saved just now\n");
  person.write("late.txt", "saved just now\n");
  await workspace.lay(tip.tree);
  expect(person.read("a.txt")).toBe("saved just now\n");
  expect(person.read("late.txt")).toBe("saved just now\n");
});

it("takes for a session's what changed while one ran, also after a kill", async () => {
  const scene = await opened();
  const tip = await scene.workspace.tip();
  await scene.workspace.freshGit(SESSION);
  scene.person.write("a.txt", "half of the work\n");
  const again = scene.reopen();
  await again.open();
  expect(await again.tip()).toEqual(tip);
  const tree = treeOf(await again.capture());
  expect((await again.changes(tip.tree, tree)).map(({ path }) => path)).toEqual(["a.txt"]);
  await again.lay(tip.tree);
  expect(scene.person.read("a.txt")).toBe("a0\n");
});

it("leaves repositories of the person inside alone", async () => {
  const scene = scenes.make(
    (person) => {
      ordinary(person);
      mkdirSync(person.path("theirs"));
      new Files(person.path("theirs")).git("init", "-q");
      person.write("theirs/file.txt", "theirs\n");
    },
    { kind: "in-place" },
  );
  expect(await scene.workspace.open()).toEqual([
    "theirs is left out: it is a separate git repository",
  ]);
  const { tree } = await scene.workspace.tip();
  await scene.workspace.freshGit(SESSION);
  await scene.workspace.lay(tree);
  expect(scene.person.read("theirs/file.txt")).toBe("theirs\n");
  expect(scene.person.exists("theirs/.git")).toBe(true);
});

it.each(["state", "."])(
  "leaves Stint's own state alone that is inside the folder, in %s/stint",
  async (above) => {
    const scene = scenes.make(ordinary, { kind: "in-place" });
    const state = join(scene.person.root, above, "stint");
    mkdirSync(state, { recursive: true });
    const home = join(state, "workspaces/p-1/1");
    const options = { ...scene.options, home, owner: state };
    const workspace = openWorkspace(options);
    await workspace.open();
    const { tree } = await workspace.tip();
    scene.person.write(`${above}/stint/later.json`, "{}\n");
    expect(await workspace.lay(tree)).toEqual([]);
    await workspace.freshGit(SESSION);
    scene.person.write("a.txt", "a1\n");
    scene.person.write(`${above}/stint/later.json`, "{ }\n");
    const captured = treeOf(await workspace.capture());
    const changed = await workspace.changes(tree, captured);
    expect(changed.map(({ path }) => path)).toEqual(["a.txt"]);
    await workspace.lay(tree);
    expect(scene.person.read(`${above}/stint/later.json`)).toBe("{ }\n");
    // Whoever only looks knows the state folder by what is written down.
    const { owner: _, ...looking } = options;
    const again = openWorkspace(looking);
    await again.open();
    expect(treeOf(await again.capture())).toBe(tree);
  },
);

it("says no where the person switched to another branch", async () => {
  const { workspace, person } = await opened();
  await workspace.tip();
  await workspace.freshGit(SESSION);
  person.git("switch", "-qc", "other");
  person.write("a.txt", "a1\n");
  const tree = treeOf(await workspace.capture());
  expect(await workspace.commit(request(tree))).toEqual({
    kind: "failed",
    why: "the checkout is no longer on main",
    hint: "Switch back to it, then continue: git switch main",
  });
});

it.each([
  ["renamed", [["branch", "-m", "main", "trunk"]]],
  [
    "left and deleted",
    [
      ["checkout", "-q", "--detach"],
      ["branch", "-q", "-D", "main"],
    ],
  ],
])("says how to continue where the branch was %s", async (_, commands) => {
  const { workspace, person } = await opened();
  await workspace.tip();
  await workspace.freshGit(SESSION);
  for (const words of commands) person.git(...words);
  person.write("a.txt", "a1\n");
  const wanted = request(treeOf(await workspace.capture()));
  expect(await workspace.commit(wanted)).toEqual({
    kind: "failed",
    why: "the checkout is no longer on main",
    hint: "It was renamed or deleted. Make it again here, then continue: git switch -c main",
  });
  person.git("switch", "-qc", "main");
  expect(await workspace.commit(wanted)).toMatchObject({ kind: "committed" });
});

it("has the files of a commit there that a switch of branches had taken away", async () => {
  const { workspace, person } = await opened();
  const { tree: base } = await workspace.tip();
  await workspace.freshGit(SESSION);
  person.git("checkout", "-q", "--detach");
  person.write("new.txt", "new\n");
  person.write("a.txt", "a1\n");
  const wanted = request(treeOf(await workspace.capture()));
  person.git("add", "a.txt");
  person.git("commit", "-qm", "by the session");
  person.git("clean", "-qfd");
  expect(await workspace.commit(wanted)).toMatchObject({ kind: "failed" });
  person.git("switch", "-q", "main");
  person.write("dir/x.txt", "of the person\n");
  const tip = await workspace.tip();
  const { tree } = await workspace.combine(base, tip.tree, wanted.tree);
  person.write("dir/y.txt", "saved just now\n");
  expect(await workspace.commit({ ...wanted, tree })).toMatchObject({ kind: "committed" });
  expect(person.all()).toMatchObject({
    "new.txt": "file new\n",
    "a.txt": "file a1\n",
    "dir/x.txt": "file of the person\n",
    "dir/y.txt": "file saved just now\n",
  });
});

it.each([
  ["detached", ["checkout", "-q", "--detach"]],
  ["on a branch of its own", ["checkout", "-qb", "other"]],
])("is not done with a commit that a session made %s", async (_, words) => {
  const { workspace, person } = await opened();
  await workspace.tip();
  await workspace.freshGit(SESSION);
  person.git(...words);
  const elsewhere = treeOf(await workspace.capture());
  expect(await workspace.commit(request(elsewhere))).toMatchObject({ kind: "nothing" });
  person.write("a.txt", "a1\n");
  person.commitAll("by the session");
  const wanted = request(treeOf(await workspace.capture()));
  const refused = { kind: "failed", why: "the checkout is no longer on main" };
  expect(await workspace.commit(wanted)).toMatchObject(refused);
  person.git("switch", "-q", "main");
  await workspace.tip();
  expect(await workspace.commit(wanted)).toMatchObject({ kind: "committed" });
  expect(person.git("show", "main:a.txt")).toBe("a1\n");
  expect(person.status()).toEqual([]);
});

it("says how to continue where there was no branch", async () => {
  const { workspace, person } = await opened((files) => {
    ordinary(files);
    files.git("checkout", "-q", "--detach");
  });
  await workspace.tip();
  await workspace.freshGit(SESSION);
  person.git("switch", "-q", "main");
  person.write("a.txt", "a1\n");
  const wanted = request(treeOf(await workspace.capture()));
  expect(await workspace.commit(wanted)).toMatchObject({
    kind: "failed",
    hint: "Leave the branch, then continue: git switch --detach",
  });
  person.git("switch", "-q", "--detach");
  expect(await workspace.commit(wanted)).toMatchObject({ kind: "committed" });
});

it("runs the hooks of the person's repository", async () => {
  const { workspace, person } = await opened((files) => {
    ordinary(files);
    files.program(
      ".git/hooks/pre-commit",
      "test -f ok || { echo no ok; exit 1; }; echo formatted > a.txt; git add a.txt",
    );
  });
  await workspace.tip();
  await workspace.freshGit(SESSION);
  person.write("b.txt", "b1\n");
  const refused = await workspace.commit(request(treeOf(await workspace.capture())));
  expect(refused).toMatchObject({ kind: "failed", why: "A commit hook refused: no ok" });
  expect(person.status()).toEqual(["?? b.txt"]);
  person.write("ok", "");
  const wanted = request(treeOf(await workspace.capture()));
  // In place the hooks of the folder commit at once; what they made of it is still to be verified.
  const found = await workspace.commit(wanted);
  if (found.kind !== "altered") throw new Error(`the hook altered nothing: ${found.kind}`);
  const verified = { ...wanted, tree: found.tree, hooksRan: true };
  expect(await workspace.commit(verified)).toMatchObject({ kind: "committed" });
  expect(person.git("show", "HEAD:a.txt")).toBe("formatted\n");
  expect(person.status()).toEqual([]);
});
