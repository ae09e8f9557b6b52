import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  type TestRepositories,
  type TestRepository,
  testRepositories,
} from "../../test/support/git-repository.ts";
import { setAside } from "./set-aside.ts";

let repositories: TestRepositories;
let repository: TestRepository;

beforeEach(() => {
  repositories = testRepositories();
  repository = repositories.make();
  repository.write("a*.txt", "1\n");
  repository.write("ab.txt", "1\n");
  repository.write("prompt.md", "1\n");
  repository.commitAll();
  for (const name of ["a*.txt", "ab.txt", "prompt.md", "mine.txt"]) repository.write(name, "2\n");
  repository.git("add", "ab.txt");
});
afterEach(() => repositories.remove());

describe("a person's uncommitted changes, set aside", () => {
  it("are in the stash, the named ones alone; a name is no pattern", async () => {
    const { commit } = await setAside(repository.root, "stash", ["a*.txt"]);
    expect(repository.read("a*.txt")).toBe("1\n");
    expect(repository.git("show", `${commit}:a*.txt`)).toBe("2\n");
    expect(repository.status()).toEqual(["M  ab.txt", " M prompt.md", "?? mine.txt"]);
  });

  it("are in a commit of their own", async () => {
    const { commit } = await setAside(repository.root, "commit", ["a*.txt", "ab.txt"]);
    expect(repository.head()).toBe(commit);
    expect(repository.git("show", "--name-only", "--format=", commit)).toBe("a*.txt\nab.txt\n");
    expect(repository.status()).toEqual([" M prompt.md", "?? mine.txt"]);
  });
});
