import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { faultyFiles, type FileFault } from "../../test/support/faulty-files.ts";
import { refusal } from "../../test/support/refusal.ts";
import { type TemporaryFolder, temporaryFolder } from "../../test/support/temporary-folder.ts";
import { Disk } from "./disk.ts";
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
    new Disk(files, "t").replace(path, text("new"));
    expect(files.calls).toEqual(["open", "write", "fsync", "close", "rename", "syncFolder"]);
    expect(onDisk()).toBe("new");
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it("that is light does not wait for the disk", () => {
    const files = faultyFiles(realFiles);
    new Disk(files, "t").replaceLightly(path, text("new"));
    expect(files.calls).toEqual(["open", "write", "close", "rename"]);
  });

  it.each(["open", "write", "fsync", "rename"] as const)(
    "S3-24 whose %s fails leaves the old content whole",
    (kind) => {
      writeFileSync(path, "old");
      const error = refusal(() =>
        new Disk(failing({ at: 1, kind, effect: "ENOSPC" }), "t").replace(path, text("new")),
      );
      expect(error.message).toBe(
        `could not write ${path}: the disk is full (ENOSPC). Nothing more was started.`,
      );
      expect(onDisk()).toBe("old");
    },
  );

  it.each(["one byte", "half"] as const)("goes on after a write that took %s", (writes) => {
    const files = failing({ at: 1, kind: "write", lasting: true, effect: { writes } });
    new Disk(files, "t").replace(path, text("content of some length"));
    expect(onDisk()).toBe("content of some length");
  });

  it("does not loop on a disk that takes nothing and reports no error", () => {
    writeFileSync(path, "old");
    const files = failing({ at: 1, kind: "write", lasting: true, effect: { writes: "nothing" } });
    expect(refusal(() => new Disk(files, "t").replace(path, text("new"))).message).toContain(
      "the disk is full (ENOSPC)",
    );
    expect(onDisk()).toBe("old");
  });

  it("takes away the leftover of its own earlier failure", () => {
    refusal(() =>
      new Disk(failing({ at: 1, kind: "rename", effect: "EIO" }), "t").replace(path, text("one")),
    );
    expect(readdirSync(folder.path)).toEqual([".stint-tmp-t"]);
    new Disk(realFiles, "t").replace(path, text("two"));
    expect(readdirSync(folder.path)).toEqual(["file"]);
    expect(onDisk()).toBe("two");
  });
});

describe("an exclusive creation", () => {
  it("is won once and leaves the winner's content", () => {
    expect(new Disk(realFiles, "a").create(path, text("first"))).toBe(true);
    expect(new Disk(realFiles, "b").create(path, text("second"))).toBe(false);
    expect(onDisk()).toBe("first");
    expect(readdirSync(folder.path)).toEqual(["file"]);
  });

  it("makes the name durable for the loser as well", () => {
    writeFileSync(path, "first");
    const files = faultyFiles(realFiles);
    new Disk(files, "b").create(path, text("second"));
    expect(files.calls.at(-1)).toBe("syncFolder");
  });

  it("begins again where an owner that cleans up took its temp file away", () => {
    let isTaken = false;
    const files: Files = {
      ...realFiles,
      link(from, to) {
        if (!isTaken) new Disk(realFiles, "t").removeTemps(folder.path);
        isTaken = true;
        realFiles.link(from, to);
        new Disk(realFiles, "t").removeTemps(folder.path);
      },
    };
    expect(new Disk(files, "a").create(path, text("first"))).toBe(true);
    expect([onDisk(), readdirSync(folder.path)]).toEqual(["first", ["file"]]);
  });

  it("on a file system without hard links says so", () => {
    const files = failing({ at: 1, kind: "link", effect: "EPERM" });
    expect(refusal(() => new Disk(files, "t").create(path, text("x"))).hint).toContain(
      "the state folder needs a file system with hard links",
    );
    expect(existsSync(path)).toBe(false);
  });
});

describe("a piece of a log", () => {
  it("written again at its place changes nothing", () => {
    new Disk(realFiles, "t").writeAt(path, 0, text("one\n"));
    new Disk(realFiles, "t").writeAt(path, 4, text("two\n"));
    new Disk(realFiles, "t").writeAt(path, 4, text("two\n"));
    expect(onDisk()).toBe("one\ntwo\n");
  });

  it("makes a new file durable by its folder, an old one by itself", () => {
    const files = faultyFiles(realFiles);
    new Disk(files, "t").writeAt(path, 0, text("one\n"));
    expect(files.calls).toEqual(["stat", "open", "write", "fsync", "close", "syncFolder"]);
    const later = faultyFiles(realFiles);
    new Disk(later, "t").writeAt(path, 4, text("two\n"));
    expect(later.calls).toEqual(["stat", "open", "write", "fsync", "close"]);
  });

  it("is cut to a size", () => {
    writeFileSync(path, "one\ntwo\n");
    new Disk(realFiles, "t").truncate(path, 4);
    expect(onDisk()).toBe("one\n");
  });

  it("closes its file when the disk refuses it", () => {
    const files = failing({ at: 1, kind: "fsync", effect: "EIO" });
    expect(refusal(() => new Disk(files, "t").writeAt(path, 0, text("one\n"))).message).toBe(
      `could not append to ${path}: the device failed to read or write (EIO). Nothing more was started.`,
    );
    expect(files.calls.at(-1)).toBe("close");
  });
});

describe("a folder", () => {
  it("is made with its parents, private, each name durable before the next", () => {
    const files = faultyFiles(realFiles);
    const deep = join(folder.path, "a", "b");
    new Disk(files, "t").ensureFolder(deep);
    expect(files.calls.filter((call) => call === "mkdir" || call === "syncFolder")).toEqual([
      // The folder that is there may be a killed process's, with a name that is not durable yet.
      "syncFolder",
      "mkdir",
      "syncFolder",
      "mkdir",
      "syncFolder",
    ]);
    expect(statSync(deep).mode & 0o777).toBe(0o700);
    new Disk(realFiles, "t").ensureFolder(deep);
  });

  it("beside one that this process made costs no more than its own name", () => {
    const files = faultyFiles(realFiles);
    new Disk(files, "t").ensureFolder(join(folder.path, "a", "b"));
    const before = files.calls.length;
    new Disk(files, "t").ensureFolder(join(folder.path, "a", "c"));
    expect(files.calls.slice(before).filter((call) => call !== "stat")).toEqual([
      "mkdir",
      "syncFolder",
    ]);
  });

  it("that another process makes at the same time is as good", () => {
    const files = failing({ at: 1, kind: "mkdir", effect: { afterwards: "EEXIST" } });
    new Disk(files, "t").ensureFolder(join(folder.path, "a"));
    expect(existsSync(join(folder.path, "a"))).toBe(true);
  });

  it("is refused where a file stands", () => {
    writeFileSync(path, "");
    expect(refusal(() => new Disk(realFiles, "t").ensureFolder(path))).toMatchObject({
      message: `could not make the folder ${path}: a file is where a folder should be (EEXIST). Nothing more was started.`,
      hint: `Move ${path} aside. Then run: stint doctor`,
    });
    const below = join(path, "a", "b");
    expect(refusal(() => new Disk(realFiles, "t").ensureFolder(below)).code).toBe(
      "state-unwritable",
    );
  });

  it("loses its temp files, and nothing else", () => {
    for (const name of [".stint-tmp-a", ".stint-tmp-b", "kept", ".stint"]) {
      writeFileSync(join(folder.path, name), "");
    }
    new Disk(realFiles, "t").removeTemps(folder.path);
    expect(readdirSync(folder.path).toSorted()).toEqual([".stint", "kept"]);
    new Disk(realFiles, "t").removeTemps(join(folder.path, "absent"));
  });
});

describe("what may be absent", () => {
  const disk = new Disk(realFiles, "t");

  it("reads as nothing, lists as nothing and is removed without a word", () => {
    expect(disk.read(path)).toBeUndefined();
    expect(disk.read(join(path, "below"))).toBeUndefined();
    expect(disk.list(path)).toEqual([]);
    disk.remove(path);
  });

  it("but is there and cannot be read is an error", () => {
    mkdirSync(path);
    writeFileSync(join(path, "x"), "");
    expect(() => disk.read(path)).toThrow("EISDIR");
  });
});
