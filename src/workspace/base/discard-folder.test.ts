import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type TemporaryFolder, temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { diskUse } from "./disk-use.ts";
import { mountsBelow, discardFolder } from "./remove-tree.ts";

let temporary: TemporaryFolder;
let top: string;

beforeEach(() => {
  temporary = temporaryFolder();
  top = join(temporary.path, "1");
  mkdirSync(join(top, "tree/sub"), { recursive: true });
  writeFileSync(join(top, "tree/sub/file"), "x");
});
afterEach(() => temporary.remove());

const left = () => readdirSync(temporary.path);

describe("removing a workspace", () => {
  it("leaves nothing of it, and is repeatable", async () => {
    await discardFolder(top);
    expect(left()).toEqual([]);
    await discardFolder(top);
    expect(left()).toEqual([]);
  });

  it("takes folders without permissions, and read-only files", async () => {
    chmodSync(join(top, "tree/sub/file"), 0);
    chmodSync(join(top, "tree/sub"), 0o444);
    chmodSync(join(top, "tree"), 0);
    await discardFolder(top);
    expect(left()).toEqual([]);
  });

  it("takes any depth", async () => {
    const name = "d".repeat(200);
    // Each step from inside: the whole path is longer than the system takes.
    const script = `for i in $(seq 40); do mkdir ${name} && cd ${name} || exit 1; done; echo x > file`;
    execFileSync("bash", ["-c", script], { cwd: join(top, "tree") });
    await discardFolder(top);
    expect(left()).toEqual([]);
  });

  it("takes names that are not UTF-8", async () => {
    const name = Buffer.concat([Buffer.from(`${top}/tree/`), Buffer.from([0xff, 0xfe, 0x41])]);
    mkdirSync(name);
    writeFileSync(Buffer.concat([name, Buffer.from([0x2f, 0xff])]), "x");
    await discardFolder(top);
    expect(left()).toEqual([]);
  });

  it("follows no link and changes no file that has another name elsewhere", async () => {
    const outside = temporaryFolder();
    try {
      mkdirSync(join(outside.path, "kept"));
      chmodSync(join(outside.path, "kept"), 0o500);
      writeFileSync(join(outside.path, "file"), "x");
      linkSync(join(outside.path, "file"), join(top, "tree/named"));
      chmodSync(join(outside.path, "file"), 0o400);
      symlinkSync(join(outside.path, "kept"), join(top, "tree/link"));
      symlinkSync(outside.path, join(top, "tree/top"));
      await discardFolder(top);
      expect(left()).toEqual([]);
      expect(readdirSync(outside.path).toSorted()).toEqual(["file", "kept"]);
      expect(statSync(join(outside.path, "file")).mode).toBe(0o100400);
      expect(statSync(join(outside.path, "kept")).mode).toBe(0o40500);
    } finally {
      outside.remove();
    }
  });

  it("that is a link itself takes the link", async () => {
    const link = join(temporary.path, "2");
    symlinkSync(top, link);
    await discardFolder(link);
    expect(existsSync(join(top, "tree/sub/file"))).toBe(true);
    expect(left()).toEqual(["1"]);
  });

  it("goes on with what a kill left, beside a new one of the same number", async () => {
    mkdirSync(join(`${top}.gone`, "tree"), { recursive: true });
    await discardFolder(`${top}.gone`);
    expect(left()).toEqual(["1"]);
    mkdirSync(join(`${top}.gone`, "tree"), { recursive: true });
    await discardFolder(top);
    expect(left()).toEqual([]);
  });

  it("knows what is mounted below a folder", () => {
    expect(mountsBelow("/nowhere")).toEqual([]);
    expect(mountsBelow("/pro")).toEqual([]);
    if (existsSync("/proc/self/mountinfo")) expect(mountsBelow("/proc")).toContain("/proc");
  });
});

describe("the use of the disk", () => {
  it("counts files, links and folders, and a file of two names once", async () => {
    const before = await diskUse(top);
    expect(before).toMatchObject({ files: 1, isWhole: true });
    writeFileSync(join(top, "tree/large"), Buffer.alloc(1_000_000, 1), { flush: true });
    linkSync(join(top, "tree/large"), join(top, "tree/again"));
    symlinkSync("/usr", join(top, "tree/link"));
    const after = await diskUse(top);
    expect(after).toMatchObject({ files: 3, isWhole: true });
    expect(after.bytes - before.bytes).toBeGreaterThanOrEqual(1_000_000);
    expect(after.bytes - before.bytes).toBeLessThan(1_900_000);
  });

  it("is nothing for what is not there, and that of a file for a file", async () => {
    expect(await diskUse(join(top, "none"))).toEqual({ bytes: 0, files: 0, isWhole: true });
    expect(await diskUse(join(top, "tree/sub/file"))).toMatchObject({ files: 1, isWhole: true });
  });

  it("says that it saw only a part when its time is over", async () => {
    expect(await diskUse(top, 0)).toEqual({ bytes: 0, files: 0, isWhole: false });
  });
});
