// A lane beside a workspace: its own files and its own index, the same objects and the same tip.
import { existsSync, readdirSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  Files,
  ordinary,
  request,
  type Scene,
  scenesOfFile,
  treeOf,
} from "../../test/support/workspace-scene.ts";
import { viewSteps } from "../process/namespace/view.ts";
import type { WorkspaceOptions } from "./open-workspace.ts";
import type { Workspace } from "./workspace.ts";

const scenes = scenesOfFile();
const SESSION = { branch: "stint/work", canPush: false };

async function opened(more: Partial<WorkspaceOptions> = {}): Promise<Scene> {
  const scene = scenes.make(ordinary, more);
  await scene.workspace.open();
  return scene;
}

async function laneOf({ workspace }: Scene, number: number): Promise<[Workspace, Files, string]> {
  const lane = workspace.lane(number);
  await lane.open();
  const { tree } = await lane.tip();
  await lane.lay(tree);
  await lane.freshGit(SESSION);
  return [lane, new Files(lane.folder), tree];
}

/** Folders of workspaces that a person moved: nothing hides the link that is their folder of objects. */
it.each(["lane", "clone"] as const)(
  "a %s at its own path borrows objects where they really are, so that they can be mounted",
  async (kind) => {
    const scene = await opened({ shownAt: "own-path", hide: [] });
    const { workspace, home } = scene;
    const { commit } = await workspace.tip();
    const other = kind === "lane" ? workspace.lane(1) : workspace.clone(commit ?? "");
    await other.open();
    await other.freshGit(SESSION);
    expect(() => viewSteps(other.view)).not.toThrow();
    const objects = join(realpathSync(home), "git/objects");
    expect(other.view.mounts).toContainEqual({ from: objects, at: objects, mode: "read-only" });
    expect(new Files(other.folder).read(".git/objects/info/alternates")).toContain(`${objects}\n`);
  },
);

describe("a lane", () => {
  it("has files of its own: what is done in one is seen in no other", async () => {
    const scene = await opened();
    const [, one] = await laneOf(scene, 1);
    const [, two] = await laneOf(scene, 2);
    one.write("a.txt", "by one\n");
    expect(two.read("a.txt")).not.toBe("by one\n");
    expect(new Files(scene.workspace.folder).read("a.txt")).not.toBe("by one\n");
  });

  it("captures a tree that the workspace itself knows, combines with others and commits", async () => {
    const scene = await opened();
    const { workspace } = scene;
    const [first, one, base] = await laneOf(scene, 1);
    const [second, two] = await laneOf(scene, 2);
    one.write("one.txt", "one\n");
    two.write("two.txt", "two\n");
    const [mine, theirs] = [treeOf(await first.capture()), treeOf(await second.capture())];
    const combined = await workspace.combine(base, mine, theirs);
    expect(combined.conflicts).toEqual([]);
    await workspace.lay(combined.tree);
    expect(await workspace.commit(request(combined.tree))).toMatchObject({ kind: "committed" });
    const { tree } = await first.tip();
    expect(tree).toBe((await workspace.tip()).tree);
    await first.lay(tree);
    expect([one.read("one.txt"), one.read("two.txt")]).toEqual(["one\n", "two\n"]);
  });

  it("says where two changed the same lines", async () => {
    const scene = await opened();
    const [first, one, base] = await laneOf(scene, 1);
    const [second, two] = await laneOf(scene, 2);
    one.write("a.txt", "by one\n");
    two.write("a.txt", "by two\n");
    const [mine, theirs] = [treeOf(await first.capture()), treeOf(await second.capture())];
    expect(await scene.workspace.combine(base, mine, theirs)).toMatchObject({
      conflicts: ["a.txt"],
    });
  });

  it("keeps unfinished work where the workspace finds it", async () => {
    const scene = await opened();
    const [lane, files, base] = await laneOf(scene, 1);
    files.write("new.txt", "new\n");
    const tree = treeOf(await lane.capture());
    await lane.keep({ task: "t1", attempt: 1 }, tree, base);
    expect(await scene.workspace.kept({ task: "t1", attempt: 1 })).toMatchObject({ tree, base });
  });

  it("gives its session a repository with the person's history, and nothing of the others", async () => {
    const scene = await opened();
    const [, one] = await laneOf(scene, 1);
    const [, two] = await laneOf(scene, 2);
    one.write("own.txt", "own\n");
    one.commitAll("own");
    expect(one.git("log", "--format=%s").split("\n")[0]).toBe("own");
    expect(two.git("log", "--format=%s").split("\n")[0]).not.toBe("own");
    expect(scene.person.git("log", "--all", "--format=%s")).not.toContain("own");
  });

  it("is filled again with what is brought along, and opened again as it was", async () => {
    const brought: unknown[] = [];
    const scene = await opened({
      bring: async (_, lane) => {
        brought.push(lane);
        return [];
      },
    });
    const [, files] = await laneOf(scene, 1);
    files.write("left.txt", "left by a session that was cut short\n");
    await scene.workspace.lane(1).open();
    expect(files.exists("left.txt")).toBe(true);
    await laneOf(scene, 2);
    expect(brought).toEqual([null, 1, 2]);
  });

  it("that a kill left half made is made again", async () => {
    const scene = await opened();
    new Files(join(scene.home, "lanes/1/tree.tmp")).write("half.txt", "half\n");
    new Files(join(scene.home, "lanes/1/git")).write("index.lock", "");
    const [, files] = await laneOf(scene, 1);
    expect([files.exists("half.txt"), files.exists("a.txt")]).toEqual([false, true]);
    expect(readdirSync(join(scene.home, "lanes/1"))).not.toContain("tree.tmp");
  });

  it("commits and delivers nothing, and goes with its workspace", async () => {
    const scene = await opened();
    const [lane, , tree] = await laneOf(scene, 1);
    await expect(lane.commit(request(tree))).rejects.toThrow("nothing leaves it but as a tree");
    await scene.workspace.remove();
    expect(existsSync(scene.home)).toBe(false);
  });
});
