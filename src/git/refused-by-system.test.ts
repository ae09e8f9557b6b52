import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type TemporaryFolder, temporaryFolder } from "../../test/support/temporary-folder.ts";
import { refusalOfMachine, refusalOfSystem } from "./refused-by-system.ts";

let folder: TemporaryFolder;

beforeEach(() => {
  folder = temporaryFolder();
  mkdirSync(join(folder.path, ".git"));
});
afterEach(() => folder.remove());

const refusal = (said: string) => refusalOfSystem(folder.path, join(folder.path, ".git"), said);

describe("what git says of the system", () => {
  it.each([
    ["error: unable to write loose object file: No space left on device", "ENOSPC"],
    ["error: unable to create 'x': Read-only file system", "EROFS"],
  ])("is the machine's, whoever asks: %s", (said, errno) => {
    expect(refusalOfMachine(folder.path, null, said)).toEqual({ errno, path: folder.path });
  });

  it("names the file that may not be read", () => {
    expect(refusal("fatal: .git/index: index file open failed: Permission denied")).toEqual({
      errno: "EACCES",
      path: join(folder.path, ".git", "index"),
    });
  });

  it("is not what a hook printed", () => {
    expect(refusal("./lint.sh: Permission denied")).toBeNull();
  });

  it("is not the machine's where a file may not be read: that is left to whoever wrote it", () => {
    const said = 'error: open("secret"): Permission denied';
    expect(refusalOfMachine(folder.path, null, said)).toBeNull();
  });

  it("is no refusal where there is no repository", () => {
    rmSync(join(folder.path, ".git"), { recursive: true });
    expect(
      refusal("fatal: not a git repository (or any of the parent directories): .git"),
    ).toBeNull();
  });
});
