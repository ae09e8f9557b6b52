import { chmodSync, symlinkSync } from "node:fs";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type TestRepositories, testRepositories } from "../../test/support/git-repository.ts";
import { hashFiles } from "./hash-files.ts";
import { treeHash } from "./tree-hash.ts";

let repositories: TestRepositories;
beforeEach(() => {
  repositories = testRepositories();
});
afterEach(() => repositories.remove());

it("is the snapshot's tree in a repository", async () => {
  const repository = repositories.make();
  repository.write("a", "1");
  repository.write("prompt.md", "- [ ]");
  const { tree } = await repository.snapshot(["prompt.md"]);
  repository.write("prompt.md", "- [x]");
  expect(await treeHash(repository.root, { exclude: ["prompt.md"] })).toEqual({
    kind: "git",
    hash: tree,
    complete: true,
  });
});

it("changes with every content, name, kind and bit without a repository, and comes back", async () => {
  const folder = repositories.at(repositories.folder("plain"));
  const exclude = ["prompt.md"];
  const seen = new Set<string>();
  const look = async () => {
    const { kind, hash, complete } = await treeHash(folder.root, { exclude });
    expect([kind, complete]).toEqual(["files", true]);
    seen.add(hash);
    return hash;
  };
  folder.write("a", "1");
  const first = await look();
  folder.write("a", "2");
  await look();
  folder.write("sub/a", "1");
  await look();
  chmodSync(folder.path("a"), 0o755);
  await look();
  symlinkSync("a", folder.path("link"));
  await look();
  expect(seen.size).toBe(5);
  for (const name of ["sub", "link", "a"]) folder.remove(name);
  folder.write("a", "1");
  folder.write("prompt.md", "not part of it");
  folder.write("node_modules/x/index.js", "not part of it");
  expect(await look()).toBe(first);
});

it("says when the limits kept it from reading everything", async () => {
  const folder = repositories.at(repositories.folder("plain"));
  folder.write("a", "1");
  folder.write("b", "22");
  expect(await hashFiles(folder.root, [], { files: 1, bytes: 100 })).toMatchObject({
    complete: false,
  });
  expect(await hashFiles(folder.root, [], { files: 9, bytes: 2 })).toMatchObject({
    complete: false,
  });
  expect(await hashFiles(folder.root, [], { files: 9, bytes: 3 })).toMatchObject({
    complete: true,
  });
});
