// The usual commit is made without git: it is what git would have made, and nothing of it is missing.
import { rmSync } from "node:fs";
import { describe, expect, it } from "vitest";
import {
  ordinary,
  request,
  type Scene,
  treeOf,
  scenesOfFile,
} from "../../../test/support/workspace-scene.ts";

const scenes = scenesOfFile();

async function worked(): Promise<Scene & { readonly tree: string }> {
  const scene = scenes.make(ordinary);
  const { workspace, files } = scene;
  await workspace.open();
  const tip = await workspace.tip();
  files.write("dir/deep/new.txt", "new\n");
  files.write("a.txt", "a1\n");
  const tree = treeOf(await workspace.capture());
  await workspace.changes(tip.tree, tree);
  return { ...scene, tree };
}

describe("a commit in the person's repository", () => {
  it("is whole without Stint's own, in their name, on what was there", async () => {
    const { workspace, person, tree, home } = await worked();
    const before = person.id("HEAD");
    const made = await workspace.commit(request(tree));
    if (made.kind !== "committed") throw new Error(made.kind);
    expect(made.laid).toBe(person.id(`${made.commit}^{tree}`));
    rmSync(home, { recursive: true });
    expect(() => person.git("fsck", "--strict", "--full")).not.toThrow();
    expect(person.git("show", `${made.commit}:dir/deep/new.txt`)).toBe("new\n");
    expect(person.id(`${made.commit}^`)).toBe(before);
    const name = person.git("config", "user.name").trim();
    expect(person.git("log", "-1", "--format=%an %cn", made.commit).trim()).toBe(`${name} ${name}`);
  });

  it("is git's to make where author or committer are named otherwise", async () => {
    const { workspace, person, tree } = await worked();
    process.env["GIT_AUTHOR_NAME"] = "Somebody Else";
    try {
      const made = await workspace.commit(request(tree));
      if (made.kind !== "committed") throw new Error(made.kind);
      expect(made.laid).toBeUndefined();
      expect(person.git("log", "-1", "--format=%an", made.commit).trim()).toBe("Somebody Else");
    } finally {
      delete process.env["GIT_AUTHOR_NAME"];
    }
  });

  it("is not made of a file whose object is gone", async () => {
    const { workspace, person, tree, home } = await worked();
    rmSync(`${home}/git/objects`, { recursive: true });
    await expect(workspace.commit(request(tree))).rejects.toThrow(/git|object/);
    expect(person.git("for-each-ref", "refs/heads/stint").trim()).toBe("");
  });
});
