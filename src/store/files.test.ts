import { symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { refusal } from "../../test/support/refusal.ts";
import { systemError } from "../../test/support/system-error.ts";
import { type TemporaryFolder, temporaryFolder } from "../../test/support/temporary-folder.ts";
import { StintError } from "../core/stint-error.ts";
import { errnoOf } from "../core/words/system-error.ts";
import { orHardStop, unwritable } from "./files.ts";

describe("S3-24 a hard stop", () => {
  it.each([
    ["ENOSPC", "the disk is full", "Free space on the disk of /s/x (df -h)."],
    [
      "EROFS",
      "the file system is read-only",
      "Make the file system of /s/x writable (mount -o remount,rw).",
    ],
    ["EIO", "the device failed to read or write", "Check the disk (dmesg | tail)."],
    ["EISDIR", "a folder is where a file should be", "Move /s/x aside."],
    ["EEXIST", "a file is where a folder should be", "Move /s/x aside."],
    ["ENOTDIR", "a part of the path is not a folder", "Move aside what is in the way of /s/x."],
    ["EBADF", "the system refused", "Look up what the code means (man errno)."],
  ] as const)("for %s says what failed, where, why and what to do", (errno, reason, repair) => {
    const cause = systemError(errno, "write", "/s/x");
    const error = refusal(() =>
      orHardStop("write", "/s/x", () => {
        throw cause;
      }),
    );
    expect(error).toMatchObject({
      code: "state-unwritable",
      message: `could not write /s/x: ${reason} (${errno}). Nothing more was started.`,
      hint: `${repair} Then run: stint doctor`,
      cause,
    });
  });

  describe("names what is there, not what would be", () => {
    let folder: TemporaryFolder;
    beforeEach(() => {
      folder = temporaryFolder();
    });
    afterEach(() => folder.remove());

    it.each(["EEXIST", "ENOTDIR"])("in the way of a folder: %s", (errno) => {
      const file = join(folder.path, "file");
      writeFileSync(file, "");
      const error = unwritable("make the folder", join(file, "a", "b"), errno);
      expect(error.hint).toBe(`Move ${file} aside. Then run: stint doctor`);
    });

    it("as a link that leads nowhere", () => {
      const link = join(folder.path, "link");
      symlinkSync("/nowhere/at/all", link);
      const error = unwritable("make the folder", join(link, "a"), "EEXIST");
      expect(error.message).toContain("a link that leads to no folder is where a folder should be");
      expect(error.hint).toBe(`Move ${link} aside. Then run: stint doctor`);
    });

    it("where access is needed", () => {
      const error = unwritable("make the folder", join(folder.path, "a", "b"), "EACCES");
      expect(error.hint).toContain(`Give yourself access to ${folder.path} (`);
    });
  });

  it("is not made of a bug: what is no system error passes through unchanged", () => {
    const bug = new TypeError("x is not a function");
    expect(() =>
      orHardStop("write", "/s/x", () => {
        throw bug;
      }),
    ).toThrow(bug);
  });

  it("is not wrapped a second time", () => {
    const first = new StintError("state-changed", "changed", "look");
    expect(
      refusal(() =>
        orHardStop("write", "/s/x", () => {
          throw first;
        }),
      ),
    ).toBe(first);
    expect(errnoOf(first)).toBeUndefined();
  });

  it("gives back what the act gives", () => {
    expect(orHardStop("read", "/s/x", () => 7)).toBe(7);
  });
});
