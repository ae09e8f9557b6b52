import { describe, expect, it } from "vitest";
import { refusal } from "../../test/support/refusal.ts";
import { systemError } from "../../test/support/system-error.ts";
import { StintError } from "../core/stint-error.ts";
import { errnoOf } from "../core/words/system-error.ts";
import { orHardStop } from "./files.ts";

describe("S3-24 a hard stop", () => {
  it.each([
    ["ENOSPC", "the disk is full", "Free space on the disk of /s/x (df -h)."],
    [
      "EROFS",
      "the file system is read-only",
      "Make the file system of /s/x writable (mount -o remount,rw).",
    ],
    ["EACCES", "permission denied", "Give yourself access to /s/x (ls -ld)."],
    ["EIO", "the device failed to read or write", "Check the disk (dmesg | tail)."],
    ["EISDIR", "a folder is where a file should be", "Move /s/x aside."],
    ["EEXIST", "a file is where a folder should be", "Move /s/x aside."],
    ["ENOTDIR", "a part of the path is not a folder", "Move aside what is in the way of /s/x."],
    ["EBADF", "the system refused", "Look at the error code."],
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
