import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type TestRepositories, testRepositories } from "../../test/support/git-repository.ts";
import { changedPaths, measureLimits, substantialPaths, touchedPaths } from "./changed-paths.ts";
import { isDocs } from "./docs-paths.ts";
import { looksSecret } from "./secret-paths.ts";

let repositories: TestRepositories;
beforeEach(() => {
  repositories = testRepositories();
});
afterEach(() => repositories.remove());

const own = { manifest: "plan/prompt.md", projectFolder: "agents/stint/projects/x" };

it("tells added, modified, deleted and moved files apart and measures the limits", async () => {
  const repository = repositories.make();
  const text = "enough text to be known again\n".repeat(10);
  repository.write("moved.ts", text);
  repository.write("modified.ts", "1");
  repository.write("deleted.ts", "1");
  const before = repository.tree();
  repository.remove("moved.ts");
  repository.write("lib/moved.ts", `${text}and a line\n`);
  repository.write("modified.ts", "12345");
  repository.remove("deleted.ts");
  repository.write("docs/added.md", "word");
  repository.write(own.manifest, "- [x]");
  repository.write(`${own.projectFolder}/notes.md`, "x");
  repository.write(".agent_iteration_done", "");
  const after = repository.tree();
  const changes = await changedPaths(repository.root, before, after);
  expect(changes.map(({ change, from, path, bytes }) => [change, from, path, bytes])).toEqual([
    ["added", undefined, ".agent_iteration_done", 0],
    ["added", undefined, "agents/stint/projects/x/notes.md", 1],
    ["deleted", undefined, "deleted.ts", 0],
    ["added", undefined, "docs/added.md", 4],
    ["moved", "moved.ts", "lib/moved.ts", 311],
    ["modified", undefined, "modified.ts", 5],
    ["added", undefined, "plan/prompt.md", 5],
  ]);
  expect(substantialPaths(changes, own)).toEqual(["deleted.ts", "lib/moved.ts", "modified.ts"]);
  expect(measureLimits(changes, own)).toEqual({ files: 4, newFiles: 1, moves: 1 });
  expect(touchedPaths(changes)).toContain("moved.ts");
  expect(await changedPaths(repository.root, after, after)).toEqual([]);
});

describe("names", () => {
  it.each(["README.md", "docs/x.png", "a/doc/b", "NOTES", "x.rst", "LICENSE", "pkg/CHANGELOG"])(
    "%s is docs",
    (path) => expect(isDocs(path)).toBe(true),
  );
  it.each(["src/a.ts", "requirements.txt", "CMakeLists.txt", "documents.ts", "src/docsify.js"])(
    "%s is not docs",
    (path) => expect(isDocs(path)).toBe(false),
  );
  it.each(
    [
      [
        ".env",
        ".ENV",
        "a/.env.local",
        "prod.env",
        "x.pem",
        "id_rsa",
        "credentials",
        "Credentials.json",
      ],
      ["secrets.yaml", "a/.ssh/config", ".npmrc", "key.p12", "service-account-1.json", "x.tfstate"],
    ].flat(),
  )("%s looks secret", (path) => expect(looksSecret(path)).toBe(true));
  it.each([".env.example", "id_rsa.pub", "src/env.ts", "keyboard.ts", "secret-paths.ts", "monkey"])(
    "%s does not look secret",
    (path) => expect(looksSecret(path)).toBe(false),
  );
});
