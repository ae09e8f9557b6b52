import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { faultyFiles, type FileFault } from "../../test/support/faulty-files.ts";
import { refusal } from "../../test/support/refusal.ts";
import { type TemporaryFolder, temporaryFolder } from "../../test/support/temporary-folder.ts";
import {
  createDurably,
  ensureFolder,
  listIfPresent,
  readIfPresent,
  removeIfPresent,
  removeTemps,
  replaceDurably,
  replaceLightly,
  truncateDurably,
  writeAtDurably,
} from "./durable.ts";
import { type Files, realFiles } from "./files.ts";

let folder: TemporaryFolder;
let path: string;

beforeEach(() => {
  folder = temporaryFolder();
  path = join(folder.path, "file");
});
afterEach(() => folder.remove());

const text = (content: string) => Buffer.from(content);
const onDisk = () => readFileSync(path, "utf8");
const failing = (fault: FileFault) => faultyFiles(realFiles, fault);

describe("a durable replacement", () => {
  it("flushes the file before it takes its name, and the folder after", () => {
    const files = faultyFiles(realFiles);
    replaceDurably(files, path, text("new"), "t");
    expect(files.calls).toEqual(["open", "write", "fsync", "close", "rename", "syncFolder"]);
    expect(onDisk()).toBe("new");
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it("that is light does not wait for the disk", () => {
    const files = faultyFiles(realFiles);
    replaceLightly(files, path, text("new"), "t");
    expect(files.calls).toEqual(["open", "write", "close", "rename"]);
  });

  it.each(["open", "write", "fsync", "rename"] as const)(
    "S3-24 whose %s fails leaves the old content whole",
    (kind) => {
      writeFileSync(path, "old");
      const error = refusal(() =>
        replaceDurably(failing({ at: 1, kind, effect: "ENOSPC" }), path, text("new"), "t"),
      );
      expect(error.message).toBe(
        `could not write ${path}: the disk is full (ENOSPC). Nothing more was started and nothing is claimed.`,
      );
      expect(onDisk()).toBe("old");
    },
  );

  it.each(["one byte", "half"] as const)("goes on after a write that took %s", (writes) => {
    const files = failing({ at: 1, kind: "write", lasting: true, effect: { writes } });
    replaceDurably(files, path, text("content of some length"), "t");
    expect(onDisk()).toBe("content of some length");
  });

  it("does not loop on a disk that takes nothing and reports no error", () => {
    writeFileSync(path, "old");
    const files = failing({ at: 1, kind: "write", lasting: true, effect: { writes: "nothing" } });
    expect(refusal(() => replaceDurably(files, path, text("new"), "t")).message).toContain(
      "the disk is full (ENOSPC)",
    );
    expect(onDisk()).toBe("old");
  });

  it("takes away the leftover of its own earlier failure", () => {
    refusal(() =>
      replaceDurably(failing({ at: 1, kind: "rename", effect: "EIO" }), path, text("one"), "t"),
    );
    expect(readdirSync(folder.path)).toEqual([".stint-tmp-t"]);
    replaceDurably(realFiles, path, text("two"), "t");
    expect(readdirSync(folder.path)).toEqual(["file"]);
    expect(onDisk()).toBe("two");
  });
});

describe("an exclusive creation", () => {
  it("is won once and leaves the winner's content", () => {
    expect(createDurably(realFiles, path, text("first"), "a")).toBe(true);
    expect(createDurably(realFiles, path, text("second"), "b")).toBe(false);
    expect(onDisk()).toBe("first");
    expect(readdirSync(folder.path)).toEqual(["file"]);
  });

  it("makes the name durable for the loser as well", () => {
    writeFileSync(path, "first");
    const files = faultyFiles(realFiles);
    createDurably(files, path, text("second"), "b");
    expect(files.calls.at(-1)).toBe("syncFolder");
  });

  it("begins again where an owner that cleans up took its temp file away", () => {
    let isTaken = false;
    const files: Files = {
      ...realFiles,
      link(from, to) {
        if (!isTaken) removeTemps(realFiles, folder.path);
        isTaken = true;
        realFiles.link(from, to);
        removeTemps(realFiles, folder.path);
      },
    };
    expect(createDurably(files, path, text("first"), "a")).toBe(true);
    expect([onDisk(), readdirSync(folder.path)]).toEqual(["first", ["file"]]);
  });

  it("on a file system without hard links says so", () => {
    const files = failing({ at: 1, kind: "link", effect: "EPERM" });
    expect(refusal(() => createDurably(files, path, text("x"), "t")).hint).toContain(
      "a file system without hard links cannot hold the state folder",
    );
    expect(existsSync(path)).toBe(false);
  });
});

describe("a piece of a log", () => {
  it("written again at its place changes nothing", () => {
    writeAtDurably(realFiles, path, 0, text("one\n"));
    writeAtDurably(realFiles, path, 4, text("two\n"));
    writeAtDurably(realFiles, path, 4, text("two\n"));
    expect(onDisk()).toBe("one\ntwo\n");
  });

  it("makes a new file durable by its folder, an old one by itself", () => {
    const files = faultyFiles(realFiles);
    writeAtDurably(files, path, 0, text("one\n"));
    expect(files.calls).toEqual(["stat", "open", "write", "fsync", "close", "syncFolder"]);
    const later = faultyFiles(realFiles);
    writeAtDurably(later, path, 4, text("two\n"));
    expect(later.calls).toEqual(["stat", "open", "write", "fsync", "close"]);
  });

  it("is cut to a size", () => {
    writeFileSync(path, "one\ntwo\n");
    truncateDurably(realFiles, path, 4);
    expect(onDisk()).toBe("one\n");
  });

  it("closes its file when the disk refuses it", () => {
    const files = failing({ at: 1, kind: "fsync", effect: "EIO" });
    expect(refusal(() => writeAtDurably(files, path, 0, text("one\n"))).message).toBe(
      `could not append to ${path}: the device failed to read or write (EIO). Nothing more was started and nothing is claimed.`,
    );
    expect(files.calls.at(-1)).toBe("close");
  });
});

describe("a folder", () => {
  it("is made with its parents, private, each name durable before the next", () => {
    const files = faultyFiles(realFiles);
    const deep = join(folder.path, "a", "b");
    ensureFolder(files, deep);
    expect(files.calls.filter((call) => call === "mkdir" || call === "syncFolder")).toEqual([
      // The folder that is there may be a killed process's, with a name that is not durable yet.
      "syncFolder",
      "mkdir",
      "syncFolder",
      "mkdir",
      "syncFolder",
    ]);
    expect(statSync(deep).mode & 0o777).toBe(0o700);
    ensureFolder(realFiles, deep);
  });

  it("beside one that this process made costs no more than its own name", () => {
    const files = faultyFiles(realFiles);
    ensureFolder(files, join(folder.path, "a", "b"));
    const before = files.calls.length;
    ensureFolder(files, join(folder.path, "a", "c"));
    expect(files.calls.slice(before).filter((call) => call !== "stat")).toEqual([
      "mkdir",
      "syncFolder",
    ]);
  });

  it("that another process makes at the same time is as good", () => {
    const files = failing({ at: 1, kind: "mkdir", effect: { afterwards: "EEXIST" } });
    ensureFolder(files, join(folder.path, "a"));
    expect(existsSync(join(folder.path, "a"))).toBe(true);
  });

  it("is refused where a file stands", () => {
    writeFileSync(path, "");
    expect(refusal(() => ensureFolder(realFiles, path))).toMatchObject({
      message: `could not make the folder ${path}: a file stands where a folder belongs (EEXIST). Nothing more was started and nothing is claimed.`,
      hint: `Move it aside: mv ${path} ${path}.old Then run: stint doctor`,
    });
    const below = join(path, "a", "b");
    expect(refusal(() => ensureFolder(realFiles, below)).code).toBe("state-unwritable");
  });

  it("loses its temp files, and nothing else", () => {
    for (const name of [".stint-tmp-a", ".stint-tmp-b", "kept", ".stint"]) {
      writeFileSync(join(folder.path, name), "");
    }
    removeTemps(realFiles, folder.path);
    expect(readdirSync(folder.path).toSorted()).toEqual([".stint", "kept"]);
    removeTemps(realFiles, join(folder.path, "absent"));
  });
});

describe("what may be absent", () => {
  it("reads as nothing, lists as nothing and is removed without a word", () => {
    expect(readIfPresent(realFiles, path)).toBeUndefined();
    expect(readIfPresent(realFiles, join(path, "below"))).toBeUndefined();
    expect(listIfPresent(realFiles, path)).toEqual([]);
    removeIfPresent(realFiles, path);
  });

  it("but is there and cannot be read is an error", () => {
    mkdirSync(path);
    writeFileSync(join(path, "x"), "");
    expect(() => readIfPresent(realFiles, path)).toThrow("EISDIR");
  });
});
