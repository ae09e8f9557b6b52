import { describe, expect, it } from "vitest";
import { StintError } from "../stint-error.ts";
import { meaningOf, NO_INODES, noTemporaryFolder, systemFault } from "./system-error.ts";

function systemError(code: string, facts: object): Error {
  return Object.assign(new Error(code), { code, ...facts });
}

describe("an error of the system", () => {
  it.each([
    [
      systemError("EIO", { syscall: "read", path: "/r/.agent_iteration_done" }),
      "could not read /r/.agent_iteration_done: the device failed to read or write (EIO)",
      "Check the disk (dmesg | tail).",
    ],
    [
      systemError("EROFS", { syscall: "open", path: "/r/prompt.md" }),
      "could not open /r/prompt.md: the file system is read-only (EROFS)",
      "Make the file system of /r/prompt.md writable (mount -o remount,rw).",
    ],
    [
      systemError("EACCES", { syscall: "rename", path: "/r/a", dest: "/r/.git/index" }),
      "could not rename /r/.git/index: permission denied (EACCES)",
      "Give yourself access to /r/a (ls -ld).",
    ],
    [
      systemError("ENOSPC", { syscall: "copyfile", path: "/r/a", dest: "/tmp/a" }),
      "could not copy /tmp/a: the disk is full (ENOSPC)",
      "Free space on the disk of /tmp/a (df -h).",
    ],
    [
      systemError("EIO", { syscall: "write" }),
      "could not write an open file or pipe: the device failed to read or write (EIO)",
      "Look at the disk (df -h; dmesg | tail).",
    ],
    [
      systemError("EBUSY", { syscall: "rename", path: "/r/a" }),
      "could not rename /r/a: something else uses it (EBUSY)",
      "End what uses /r/a (fuser -v, findmnt -T).",
    ],
    [
      systemError("Unknown system error -122", { syscall: "open", path: "/r/a" }),
      "could not open /r/a: the disk quota is used up (EDQUOT)",
      "Free space or raise the quota.",
    ],
    [
      systemError("Unknown system error -116", { syscall: "stat", path: "/r/a" }),
      "could not look at /r/a: the network file system lost it (ESTALE)",
      "Mount the file system of /r/a again.",
    ],
    [
      systemError("Unknown system error -133", { syscall: "stat", path: "/r/a" }),
      "could not look at /r/a: the system refused (E133)",
      "Look up what the code means (man errno).",
    ],
    [
      systemError("ENOTSUP", { syscall: "copyfile", path: "/r/a" }),
      "could not copy /r/a: the file system cannot do this (ENOTSUP)",
      "Use another file system for /r/a, such as that of a local disk (df -T).",
    ],
    [
      systemError("EFBIG", { syscall: "write", path: "/r/a" }),
      "could not write /r/a: the file is larger than is allowed here (EFBIG)",
      "Raise the limit on the size of files (ulimit -f unlimited), or use a file system for /r/a that takes larger files.",
    ],
    [
      systemError("Unknown system error -37", { syscall: "open", path: "/r/a" }),
      "could not open /r/a: the file system has no locks left (ENOLCK)",
      "Put /r/a on a local disk, or repair the locks of its network file system.",
    ],
  ])("becomes the hard stop of %s", (error, message, repair) => {
    expect(systemFault(error, meaningOf)).toMatchObject({
      code: "state-unwritable",
      message: `${message}. Nothing more was started.`,
      hint: `${repair} Then run: stint doctor`,
      cause: error,
    });
  });

  it("means what whoever knows the file system says", () => {
    const error = systemError("ENOSPC", { syscall: "mkdir", path: "/s" });
    expect(systemFault(error, () => NO_INODES)?.message).toContain("has no inodes left");
  });

  it.each([
    new TypeError("x is not a function"),
    new StintError("refused", "no", "ask"),
    systemError("ERR_INVALID_ARG_TYPE", { syscall: "open" }),
    systemError("MODULE_NOT_FOUND", {}),
    undefined,
    "text",
  ])("is not made of %s", (error) => {
    expect(systemFault(error, meaningOf)).toBeNull();
  });

  it("that keeps from making a temporary file names the folder, and the way out", () => {
    expect(noTemporaryFolder("/nowhere", systemError("ENOENT", {}), meaningOf)).toMatchObject({
      code: "state-unwritable",
      message:
        "could not make a temporary file in /nowhere: the file or its folder is gone (ENOENT). Nothing was started.",
      hint: "Create it: mkdir -p /nowhere; or name a folder that can be written: export TMPDIR=/var/tmp",
    });
    expect(noTemporaryFolder("/full", systemError("ENOSPC", {}), meaningOf).hint).toBe(
      "Make room for it, or name a folder that can be written: export TMPDIR=/var/tmp",
    );
    expect(noTemporaryFolder("/fixed", systemError("EROFS", {}), meaningOf).hint).toBe(
      "Make the file system of /fixed writable (mount -o remount,rw). Or name a folder that can be written: export TMPDIR=/var/tmp",
    );
    expect(() => noTemporaryFolder("/tmp", new TypeError("bug"), meaningOf)).toThrow("bug");
  });
});
