import { symlinkSync } from "node:fs";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  type Files,
  type Scene,
  type Scenes,
  workspaceScenes,
} from "../../../test/support/workspace-scene.ts";

let scenes: Scenes;
let scene: Scene;
let files: Files;
let person: Files;

beforeAll(() => {
  scenes = workspaceScenes();
});
afterAll(() => scenes.remove());

/** An act is about to start in the workspace of a person who has three tags. */
beforeEach(async () => {
  scene = scenes.make((repository) => {
    repository.git("init", "-q");
    repository.write("a.txt", "a0\n");
    repository.commitAll("first");
    for (const tag of ["old", "moved", "deleted"]) repository.git("tag", tag);
    repository.write("a.txt", "a1\n");
    repository.commitAll("second");
  });
  ({ files, person } = scene);
  await scene.workspace.open();
  await scene.workspace.lay((await scene.workspace.tip()).tree);
  await scene.workspace.freshGit({ branch: "main", canPush: true });
});

const take = async () => await scene.workspace.takeTags();
const tags = () => person.git("tag").trim().split("\n");

describe("tags that an act made", () => {
  it("are in the person's repository, an annotated one with its very object", async () => {
    files.git("tag", "v1");
    files.git("tag", "-a", "-m", "the second\n\nwith a body", "release/v2", "HEAD~1");
    files.git("tag", "-a", "-m", "a tag of a tag", "nested", "release/v2");
    const object = files.id("release/v2");
    const result = await take();
    expect(result.left).toEqual([]);
    expect(result.taken.toSorted()).toEqual(["nested", "release/v2", "v1"]);
    expect(tags()).toEqual(["deleted", "moved", "nested", "old", "release/v2", "v1"]);
    expect(person.id("v1")).toBe(person.id("HEAD"));
    expect(person.id("release/v2")).toBe(object);
    expect(person.git("cat-file", "-p", "release/v2")).toContain("the second\n\nwith a body");
    expect(person.git("fsck")).toBe("");
  });

  it("are found also where it packed its refs, and by another process after a kill", async () => {
    files.git("tag", "v1");
    files.git("pack-refs", "--all", "--prune");
    await scene.reopen().open();
    expect(await take()).toEqual({ taken: ["v1"], left: [] });
    // Whoever comes again finds nothing to do.
    expect(await take()).toEqual({ taken: [], left: [] });
  });

  it("move and delete nothing of the person's", async () => {
    const before = person.git("show-ref", "--tags");
    files.git("tag", "-f", "moved", "HEAD");
    files.git("tag", "-d", "deleted");
    expect(await take()).toEqual({
      taken: [],
      left: [
        { tag: "deleted", why: "it was deleted there; yours stays" },
        {
          tag: "moved",
          why: "your repository has another tag of that name, and it is never moved",
        },
      ],
    });
    expect(person.git("show-ref", "--tags")).toBe(before);
  });

  it("give way to one that the person made meanwhile, and bring none back that they deleted", async () => {
    files.git("tag", "v1", "HEAD");
    person.git("tag", "v1", "HEAD~1");
    person.git("tag", "-d", "old");
    expect(await take()).toMatchObject({ taken: [], left: [{ tag: "v1" }] });
    expect(person.id("v1")).toBe(person.id("HEAD~1"));
    expect(tags()).not.toContain("old");
  });

  it("stay out where they hold what is not verified, or no commit", async () => {
    files.write("a.txt", "unverified\n");
    files.git("commit", "-qam", "of the act itself");
    files.git("tag", "-a", "-m", "x", "own");
    files.git("tag", "tree", "HEAD^{tree}");
    const object = files.id("own");
    const { taken, left } = await take();
    expect(taken).toEqual([]);
    expect(left).toEqual([
      {
        tag: "own",
        why: "it is on a commit that no branch or tag of yours contains; tag the commit of the work instead",
      },
      { tag: "tree", why: "it does not name a commit (tree)" },
    ]);
    expect(() => person.git("cat-file", "-e", object)).toThrow("failed");
  });

  it("with names that no tag may have, or behind links, do no harm", async () => {
    files.write(".git/packed-refs", `${files.id("HEAD")} refs/tags/x refs/heads/planted\n`);
    files.write("elsewhere/v9", `${files.id("HEAD")}\n`);
    symlinkSync(files.path("elsewhere"), files.path(".git/refs/tags/linked"));
    const { taken, left } = await take();
    expect(taken).toEqual([]);
    expect(left).toContainEqual({
      tag: "x refs/heads/planted",
      why: "its name is not one that a tag may have",
    });
    expect(person.git("for-each-ref", "--format=%(refname)", "refs/heads")).toBe(
      "refs/heads/main\n",
    );
    expect(tags()).toEqual(["deleted", "moved", "old"]);
  });

  it("are the next act's to see", async () => {
    files.git("tag", "v1");
    await take();
    await scene.workspace.freshGit({ branch: "main", canPush: true });
    expect(files.git("tag", "--points-at", "HEAD")).toBe("v1\n");
    expect(await take()).toEqual({ taken: [], left: [] });
  });
});

describe("tags that a session made", () => {
  it("are thrown away with its repository", async () => {
    await scene.workspace.freshGit({ branch: "stint/work", canPush: false });
    files.git("tag", "v1");
    expect(await take()).toEqual({ taken: [], left: [] });
    expect(tags()).toEqual(["deleted", "moved", "old"]);
  });
});
