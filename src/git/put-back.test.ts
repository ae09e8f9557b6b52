import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  type TestRepositories,
  type TestRepository,
  testRepositories,
} from "../../test/support/git-repository.ts";
import { parkLeftovers, type ParkOptions } from "./park.ts";
import { putBack } from "./put-back.ts";
import { parkRef } from "./stint-refs.ts";

let repositories: TestRepositories;
let repository: TestRepository;
const ref = parkRef("p-1", "t1", 2);
const exclude = ["prompt.md"];

beforeEach(() => {
  repositories = testRepositories();
  repository = repositories.make();
  repository.write(".gitignore", "*.log\n");
  repository.write("a.txt", "a1\n");
  repository.write("dir/b.txt", "b1\n");
  repository.commitAll();
  repository.write("mine.txt", "untracked work of the person\n");
});
afterEach(() => repositories.remove());

/** What an attempt left, put aside. */
async function parked(leave: () => void, only?: readonly string[]): Promise<ParkOptions> {
  const from = await repository.snapshot(exclude);
  leave();
  const options = { ref, from, exclude, ...(only === undefined ? {} : { only }) };
  await parkLeftovers(repository.root, options);
  return options;
}

const SOME = ["a.txt", "dir/b.txt", "new/deep.txt"];

function leaveSome(): void {
  repository.write("a.txt", "a2\n");
  repository.remove("dir");
  repository.write("new/deep.txt", "new\n");
}

describe("putBack", () => {
  it("brings back what was changed, made and deleted, and the same when repeated", async () => {
    const options = await parked(leaveSome, SOME);
    expect(repository.read("dir/b.txt")).toBe("b1\n");
    const all = { paths: ["a.txt", "dir/b.txt", "new/deep.txt"], left: [] };
    expect(await putBack(repository.root, options)).toEqual(all);
    const files = repository.files();
    expect(repository.read("a.txt")).toBe("a2\n");
    expect(repository.read("new/deep.txt")).toBe("new\n");
    expect(repository.exists("dir")).toBe(false);
    expect(await putBack(repository.root, options)).toEqual(all);
    expect(repository.files()).toEqual(files);
  });

  it("leaves what others changed since, committed or not, and names it", async () => {
    const options = await parked(leaveSome, SOME);
    repository.write("a.txt", "by another task\n");
    repository.git("commit", "-q", "-am", "another task");
    repository.write("new/deep.txt", "by a person\n");
    expect(await putBack(repository.root, options)).toEqual({
      paths: ["dir/b.txt"],
      left: ["a.txt", "new/deep.txt"],
    });
    expect(repository.read("a.txt")).toBe("by another task\n");
    expect(repository.read("new/deep.txt")).toBe("by a person\n");
    expect(repository.git("show", `${ref}:a.txt`)).toBe("a2\n");
  });

  it("knows what the attempt itself had committed before", async () => {
    const options = await parked(() => {
      repository.write("a.txt", "committed\n");
      repository.git("commit", "-q", "-am", "by the agent");
      repository.write("a.txt", "and more\n");
    });
    expect(repository.read("a.txt")).toBe("committed\n");
    expect(await putBack(repository.root, options)).toEqual({ paths: ["a.txt"], left: [] });
    expect(repository.read("a.txt")).toBe("and more\n");
  });

  it("is about the paths that were asked for, as parking is", async () => {
    const options = await parked(() => {
      leaveSome();
      repository.write("mine.txt", "changed by the person meanwhile\n");
      repository.write("theirs.txt", "made by the person meanwhile\n");
    }, ["a.txt", "new/deep.txt"]);
    expect(repository.read("mine.txt")).toBe("changed by the person meanwhile\n");
    expect(repository.read("theirs.txt")).toBe("made by the person meanwhile\n");
    expect(repository.exists("dir")).toBe(false);
    repository.remove("theirs.txt");
    await putBack(repository.root, options);
    expect(repository.read("a.txt")).toBe("a2\n");
    expect(repository.exists("theirs.txt")).toBe(false);
  });

  it("deletes nothing where nobody said what it is about: it may only have been out of sight", async () => {
    const options = await parked(() => {
      leaveSome();
      repository.write(".gitignore", "*.log\nmine.txt\n");
    });
    expect(await putBack(repository.root, options)).toEqual({
      paths: [".gitignore", "a.txt", "new/deep.txt"],
      left: ["dir/b.txt", "mine.txt"],
    });
    expect(repository.read("mine.txt")).toBe("untracked work of the person\n");
    expect(repository.read("dir/b.txt")).toBe("b1\n");
  });

  it("writes over no ignored file and no folder", async () => {
    const options = await parked(() => {
      repository.write("out", "a file\n");
      repository.write("kept.txt", "new\n");
    });
    repository.write("out/cache.log", "ignored\n");
    repository.write(".gitignore", "*.log\nkept.txt\n");
    repository.write("kept.txt", "ignored by now\n");
    expect(await putBack(repository.root, options)).toEqual({
      paths: [],
      left: ["kept.txt", "out"],
    });
    expect(repository.read("out/cache.log")).toBe("ignored\n");
    expect(repository.read("kept.txt")).toBe("ignored by now\n");
  });

  it("does nothing where nothing was kept", async () => {
    const from = await repository.snapshot(exclude);
    expect(await putBack(repository.root, { ref, from, exclude })).toBeNull();
    const plain = repositories.folder("plain");
    expect(await putBack(plain, { ref, from, exclude })).toBeNull();
  });
});
