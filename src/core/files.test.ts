import { expect, it, describe } from "vitest";
import { isDocs, isLockFile, isWithin, pathInTree } from "./files.ts";

it.each([
  ["/a/b", "/a"],
  ["/a", "/a"],
  ["/a", "/a/"],
  ["/a", "/"],
  ["/", "/"],
  ["a/b/c", "a/b"],
])("%s is within %s", (path, folder) => {
  expect(isWithin(path, folder)).toBe(true);
});

it.each([
  ["/ab", "/a"],
  ["/", "/a"],
  ["a", "a/b"],
  ["../a", "a"],
])("%s is not within %s", (path, folder) => {
  expect(isWithin(path, folder)).toBe(false);
});

it("a manifest outside of its repository is in no tree", () => {
  expect(["../flows/a.md", "..", "a.md", "..a.md", "docs/a.md"].map(pathInTree)).toEqual([
    null,
    null,
    "a.md",
    "..a.md",
    "docs/a.md",
  ]);
});

describe("a lock file", () => {
  it.each([
    "package-lock.json",
    "packages/web/pnpm-lock.yaml",
    "yarn.lock",
    "bun.lockb",
    "uv.lock",
    "Pipfile.lock",
    "Cargo.lock",
    "go.sum",
    "Gemfile.lock",
    "composer.lock",
    "mix.lock",
    "gradle.lockfile",
    "src/App/packages.lock.json",
    "requirements.txt",
    "requirements-dev.txt",
    "dev-requirements.txt",
    "requirements/test.txt",
  ])("is known by its name at any depth: %s", (path) => {
    expect(isLockFile(path)).toBe(true);
  });

  it.each([
    "package.json",
    "yarn.lock/readme",
    "notes.txt",
    "docs/requirements.md",
    "my-package-lock.json",
    "go.summary",
    "requirements/deep/er.txt",
  ])("is no other file: %s", (path) => {
    expect(isLockFile(path)).toBe(false);
  });
});

describe("documentation", () => {
  it.each(
    [
      ["README.md", "docs/x.png", "a/doc/b", "NOTES", "x.rst", "LICENSE", "pkg/CHANGELOG"],
      [
        "README.txt",
        "pkg/CHANGELOG.txt",
        "LICENSE.txt",
        "docs/usage.txt",
        "a/docs/b/c.txt",
        "TODO.TXT",
      ],
    ].flat(),
  )("is %s", (path) => {
    expect(isDocs(path)).toBe(true);
  });

  it.each(
    [
      ["src/a.ts", "requirements.txt", "CMakeLists.txt", "documents.ts", "src/docsify.js"],
      ["hello.txt", "robots.txt", "public/robots.txt", "dev-requirements.txt", "words.txt"],
      ["docs/requirements.txt", "docs/CMakeLists.txt", "src/readme.ts", "data/notes-2.txt"],
    ].flat(),
  )("is not %s: .txt says nothing by itself", (path) => {
    expect(isDocs(path)).toBe(false);
  });
});
