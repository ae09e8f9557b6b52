// The model of the file system must itself be able to say "lost" and "torn".
import { describe, expect, it } from "vitest";
import { ModelFiles, SimulatedCrash } from "./model-files.ts";

const FULL = "abcdefgh";

function put(files: ModelFiles, path: string, text: string, how: { fsync: boolean }): void {
  const fd = files.open(path, "wx");
  files.write(fd, Buffer.from(text), 0, text.length, 0);
  if (how.fsync) files.fsync(fd);
  files.close(fd);
}

function get(files: ModelFiles, path: string): string | undefined {
  if (files.stat(path) === undefined) return undefined;
  const fd = files.open(path, "r");
  const text = files.read(fd).toString("latin1");
  files.close(fd);
  return text;
}

/** What a path may hold after a crash, each answer once. */
function outcomes(files: ModelFiles, path: string): Set<string | undefined> {
  return new Set(files.crashStates().map((disk) => get(ModelFiles.fromDisk(disk), path)));
}

function durable(): ModelFiles {
  const files = ModelFiles.withFolders("/d");
  put(files, "/d/old", "old", { fsync: true });
  files.syncFolder("/d");
  return files;
}

describe("what a crash leaves in the model", () => {
  it("keeps a file whose content and name were flushed", () => {
    expect(outcomes(durable(), "/d/old")).toEqual(new Set(["old"]));
    expect(durable().crashStates()).toHaveLength(1);
  });

  it("may lose the name of a flushed file while its folder was not", () => {
    const files = durable();
    put(files, "/d/new", FULL, { fsync: true });
    expect(outcomes(files, "/d/new")).toEqual(new Set([undefined, FULL]));
    files.syncFolder("/d");
    expect(outcomes(files, "/d/new")).toEqual(new Set([FULL]));
  });

  it("may tear, empty or garble a file that was renamed into place unflushed", () => {
    const files = durable();
    put(files, "/d/temp", FULL, { fsync: false });
    files.rename("/d/temp", "/d/old");
    files.syncFolder("/d");
    expect(outcomes(files, "/d/old")).toEqual(
      new Set([
        "",
        "a",
        "abcd",
        "abcdefg",
        "\0\0\0\0\0\0\0\0",
        "abcd\0\0\0\0",
        "\0\0\0\0efgh",
        "abcde{}\n",
        FULL,
      ]),
    );
  });

  it("replaces a file by rename whole or not at all", () => {
    const files = durable();
    put(files, "/d/temp", FULL, { fsync: true });
    files.rename("/d/temp", "/d/old");
    expect(outcomes(files, "/d/old")).toEqual(new Set(["old", FULL]));
  });

  it("may keep one of two names and lose the other", () => {
    const files = durable();
    put(files, "/d/temp", FULL, { fsync: true });
    files.link("/d/temp", "/d/name");
    files.unlink("/d/temp");
    const seen = new Set(
      files.crashStates().map((disk) => ModelFiles.fromDisk(disk).list("/d").join(" ")),
    );
    expect(seen).toEqual(new Set(["old", "old temp", "name old", "name old temp"]));
  });

  it("may bring back a removed name until the folder is flushed", () => {
    const files = durable();
    files.unlink("/d/old");
    expect(outcomes(files, "/d/old")).toEqual(new Set(["old", undefined]));
    files.syncFolder("/d");
    expect(outcomes(files, "/d/old")).toEqual(new Set([undefined]));
  });

  it("may lose a whole new folder with everything that was flushed inside it", () => {
    const files = durable();
    files.mkdir("/d/sub");
    put(files, "/d/sub/f", FULL, { fsync: true });
    files.syncFolder("/d/sub");
    expect(outcomes(files, "/d/sub/f")).toEqual(new Set([undefined, FULL]));
  });

  it("keeps the flushed start of a file whose appended line is torn", () => {
    const files = durable();
    const fd = files.open("/d/old", "r+");
    files.write(fd, Buffer.from("1234"), 0, 4, 3);
    expect(outcomes(files, "/d/old")).toContain("old12");
    expect(outcomes(files, "/d/old")).toContain("old\0\0\0\0");
    for (const text of outcomes(files, "/d/old")) expect(text?.startsWith("old")).toBe(true);
    files.fsync(fd);
    expect(outcomes(files, "/d/old")).toEqual(new Set(["old1234"]));
  });

  it("may keep a later append and lose an earlier one", () => {
    const files = durable();
    const fd = files.open("/d/old", "r+");
    files.write(fd, Buffer.from("12"), 0, 2, 3);
    files.write(fd, Buffer.from("34"), 0, 2, 5);
    expect(outcomes(files, "/d/old")).toContain("old\0\x0034");
  });

  it("never loses a file that moved between folders", () => {
    const files = durable();
    files.mkdir("/e");
    files.syncFolder("/");
    files.rename("/d/old", "/e/old");
    for (const disk of files.crashStates()) {
      const boot = ModelFiles.fromDisk(disk);
      expect(get(boot, "/d/old") ?? get(boot, "/e/old")).toBe("old");
    }
  });

  it("shares content between hard links, also after the crash", () => {
    const files = durable();
    files.link("/d/old", "/d/twin");
    files.syncFolder("/d");
    const boot = ModelFiles.fromDisk(files.now());
    const fd = boot.open("/d/twin", "r+");
    boot.write(fd, Buffer.from("!"), 0, 1, 3);
    expect(get(boot, "/d/old")).toBe("old!");
  });

  it("stays bounded and still visits both extremes when much is pending", () => {
    const files = durable();
    for (let i = 0; i < 8; i++) put(files, `/d/f${i}`, FULL, { fsync: false });
    const states = files.crashStates(50);
    const listings = states.map((disk) => ModelFiles.fromDisk(disk).list("/d").length);
    expect(Math.min(...listings)).toBe(1);
    expect(Math.max(...listings)).toBe(9);
    expect(states.some(({ key }) => key === files.now().key)).toBe(true);
    expect(states.length).toBeLessThan(20_000);
  });
});

describe("a process of the model", () => {
  it("dies before or after the chosen operation and does nothing more", () => {
    for (const when of ["before", "after"] as const) {
      const files = durable();
      files.crashAt(2, when);
      expect(() => put(files, "/d/new", FULL, { fsync: true })).toThrow(SimulatedCrash);
      expect(() => files.unlink("/d/old")).toThrow(SimulatedCrash);
      expect(() => files.list("/d")).toThrow(SimulatedCrash);
      const survivor = files.sibling();
      expect(get(survivor, "/d/new")).toBe(when === "before" ? "" : FULL);
      expect(get(survivor, "/d/old")).toBe("old");
    }
  });

  it("can be stopped before an operation while another process acts", () => {
    const files = durable();
    const other = files.sibling();
    put(files, "/d/temp", FULL, { fsync: true });
    files.beforeOperation = () => put(other, "/d/name", "other", { fsync: true });
    expect(() => files.link("/d/temp", "/d/name")).toThrow(/^EEXIST/);
  });

  it("answers with the system's errors", () => {
    const files = durable();
    expect(() => files.open("/d/none", "r")).toThrow(
      "ENOENT: no such file or directory, open '/d/none'",
    );
    expect(() => files.open("/d/old", "wx")).toThrow(/^EEXIST/);
    expect(() => files.open("/d/old/x", "wx")).toThrow(/^ENOTDIR/);
    expect(() => files.open("/d", "r")).toThrow(/^EISDIR/);
    expect(() => files.mkdir("/d")).toThrow(/^EEXIST/);
    expect(() => files.unlink("/d/none")).toThrow(/^ENOENT/);
    expect(() => files.close(99)).toThrow(/^EBADF/);
    expect(files.stat("/d/none")).toBeUndefined();
  });

  it("gives a new fingerprint to a file that changed and the same to one that did not", () => {
    const files = durable();
    const before = files.stat("/d/old")?.fingerprint;
    expect(files.stat("/d/old")?.fingerprint).toBe(before);
    const fd = files.open("/d/old", "r+");
    files.write(fd, Buffer.from("O"), 0, 1, 0);
    expect(get(files, "/d/old")).toBe("Old");
    expect(files.stat("/d/old")?.fingerprint).not.toBe(before);
  });
});
