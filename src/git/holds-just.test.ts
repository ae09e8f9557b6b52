import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  type TestRepositories,
  type TestRepository,
  testRepositories,
} from "../../test/support/git-repository.ts";
import { holdsJust } from "./holds-just.ts";

let repositories: TestRepositories;
let repository: TestRepository;
beforeEach(() => {
  repositories = testRepositories();
  repository = repositories.make();
  repository.write("a.js", "1\n");
  repository.write("gone.js", "1\n");
  repository.write("prompt.md", "- [ ] task\n");
  repository.commitAll();
  repository.write("a.js", "2\n");
  repository.write("new file.js", "1\n");
  repository.remove("gone.js");
  repository.write("prompt.md", "- [x] task\n");
  repository.commitAll();
});
afterEach(() => repositories.remove());

const PATHS = ["a.js", "gone.js", "new file.js"];
const holds = async (paths: readonly string[]): Promise<boolean> =>
  await holdsJust(repository.root, "HEAD", paths, (path) => path === "prompt.md");

describe("a commit", () => {
  it("S3-1 is what was meant while it changes those paths alone, and as they are", async () => {
    expect(await holds(PATHS)).toBe(true);
    expect(await holds([...PATHS, "ignored.js"])).toBe(true);
  });

  it("S3-1 is another where it changes more, or has something else in them", async () => {
    expect(await holds(["a.js", "gone.js"])).toBe(false);
    repository.write("a.js", "3\n");
    expect(await holds(PATHS)).toBe(false);
  });
});
