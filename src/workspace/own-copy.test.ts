import { existsSync, lstatSync, mkdirSync, symlinkSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  Files,
  ordinary,
  request,
  type Scenes,
  treeOf,
  workspaceScenes,
} from "../../test/support/workspace-scene.ts";

let scenes: Scenes;
beforeAll(() => {
  scenes = workspaceScenes();
});
afterAll(() => scenes.remove());

describe("smoke", () => {
  it("goes round", async () => {
    const { person, workspace, files, home } = scenes.make(ordinary);
    expect(await workspace.open()).toEqual([]);
    const tip = await workspace.tip();
    expect(tip.commit).toBe(person.id("HEAD"));
    expect(files.all()).toEqual(person.all());
    expect(await workspace.lay(tip.tree)).toEqual([]);
    await workspace.freshGit({ branch: "stint/work", canPush: false });
    expect(files.git("status", "--porcelain")).toBe("");
    expect(files.git("log", "--format=%s")).toBe("first\n");
    files.write("a.txt", "a1\n");
    files.write("new/deep/f.txt", "new\n");
    mkdirSync(files.path("empty/er"), { recursive: true });
    files.remove("dir/y.txt");
    files.git("add", "-A");
    files.git("commit", "-qm", "mine");
    expect(await workspace.sessionMessages()).toEqual(["mine"]);
    const tree = treeOf(await workspace.capture());
    expect(
      (await workspace.changes(tip.tree, tree)).map(({ change, path }) => `${change} ${path}`),
    ).toEqual(["modified a.txt", "deleted dir/y.txt", "added new/deep/f.txt"]);
    expect(files.exists("empty")).toBe(false);
    expect(await workspace.diff(tip.tree, tree, ["a.txt"])).toContain("+a1");
    const made = await workspace.commit(
      request(tree, "t1", { own: [{ path: "PROMPT.md", content: Buffer.from("- [x] one\n") }] }),
    );
    expect(made).toMatchObject({ kind: "committed", isAltered: false });
    expect(person.git("log", "--format=%s", "stint/work")).toBe("Do t1\nfirst\n");
    expect(person.git("show", "stint/work:PROMPT.md")).toBe("- [x] one\n");
    expect(person.status()).toEqual([]);
    expect(person.git("fsck", "--full")).toBe("");
    expect(existsSync(home)).toBe(true);
    void lstatSync;
    void symlinkSync;
    void Files;
  });
});
