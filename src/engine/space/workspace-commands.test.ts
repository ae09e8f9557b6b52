import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { folderProblem } from "./workspace-commands.ts";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "stint-start-"));
  mkdirSync(join(root, "packages/web"), { recursive: true });
});
afterEach(() => rmSync(root, { recursive: true }));

describe("the folder in which work starts", () => {
  it("is there", () => {
    expect(folderProblem(root, "packages/web")).toBeNull();
  });

  it("is missing, and it is said which part of it is", () => {
    expect(folderProblem(root, "packages/api/src")).toBe(
      "dir: packages/api/src is not in the work tree (packages/api is missing)",
    );
  });

  it("is no file", () => {
    writeFileSync(join(root, "packages/api"), "");
    expect(folderProblem(root, "packages/api")).toBe(
      "dir: packages/api is not a folder (packages/api is a file)",
    );
  });

  it("is behind no link, wherever that leads", () => {
    symlinkSync("packages", join(root, "apps"));
    expect(folderProblem(root, "apps/web")).toBe("dir: apps/web leads through a link (apps)");
  });
});
