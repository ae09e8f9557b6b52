import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { entriesIn, withChangeTimes, withContent } from "./index-file.ts";

let folder: ReturnType<typeof temporaryFolder>;
let root: string;

beforeEach(() => {
  folder = temporaryFolder();
  root = join(folder.path, "repository");
  mkdirSync(join(root, "dir"), { recursive: true });
  git("init", "-q");
  for (const name of ["a.txt", "dir/b.txt", "c.txt"]) writeFileSync(join(root, name), `${name}\n`);
  git("add", "-A");
});
afterEach(() => folder.remove());

function git(...args: string[]): string {
  const env = { ...process.env, GIT_CONFIG_GLOBAL: "/dev/null", GIT_OPTIONAL_LOCKS: "0" };
  return execFileSync("git", args, { cwd: root, encoding: "utf8", env });
}

function index(): Buffer {
  return readFileSync(join(root, ".git", "index"));
}

function listed(): string[] {
  const entries = entriesIn(index(), 40) ?? new Map();
  return [...entries].map(([path, { mode, oid, stage }]) => `${mode} ${oid} ${stage}\t${path}`);
}

describe("entries in the file of an index", () => {
  it("are those that git lists, in its versions 2 and 3", () => {
    writeFileSync(join(root, "a name of twenty-eight bytes"), "");
    git("add", "-A");
    expect(listed()).toEqual(git("ls-files", "-s").trimEnd().split("\n"));
    git("update-index", "--skip-worktree", "c.txt");
    git("update-index", "--assume-unchanged", "a.txt");
    expect(listed()).toEqual(git("ls-files", "-s").trimEnd().split("\n"));
    const entries = entriesIn(index(), 40, new Set(["a.txt", "c.txt"]));
    expect(entries?.get("c.txt")).toMatchObject({ isSkipped: true, isAssumedUnchanged: false });
    expect(entries?.get("a.txt")).toMatchObject({ isSkipped: false, isAssumedUnchanged: true });
    expect(entries?.has("dir/b.txt")).toBe(false);
  });

  it("are git's to tell where it is of version 4, or split, or cut", () => {
    expect(entriesIn(index().subarray(0, 100), 40)).toBeNull();
    git("update-index", "--index-version", "4");
    expect(entriesIn(index(), 40)).toBeNull();
    git("update-index", "--index-version", "2");
    git("update-index", "--split-index");
    expect(entriesIn(index(), 40)).toBeNull();
  });
});

describe("an index with another content at a path", () => {
  it("is one that git reads, with the same trees below", () => {
    git("write-tree");
    const oid = git("hash-object", "-w", "dir/b.txt").trim();
    const changed = withContent(index(), "a.txt", { mode: "100755", oid });
    writeFileSync(join(root, ".git", "index"), changed ?? "");
    expect(git("ls-files", "-s", "a.txt")).toBe(`100755 ${oid} 0\ta.txt\n`);
    expect(git("ls-files", "-s", "c.txt")).toContain("c.txt");
    const tree = git("write-tree").trim();
    expect(git("ls-tree", tree, "a.txt")).toBe(`100755 blob ${oid}\ta.txt\n`);
    expect(() => git("fsck", "--strict")).not.toThrow();
  });

  it("is none where the path is not there, or in a folder", () => {
    const entry = { mode: "100644", oid: "1".repeat(40) };
    expect(withContent(index(), "none", entry)).toBeNull();
    expect(withContent(index(), "dir/b.txt", entry)).toBeNull();
  });
});

describe("an index after its files changed hands", () => {
  it("is clean for git, which need not read them, and only if they are the same", () => {
    const { ctimeNs, mtimeNs, ino, size } = statSync(join(root, "a.txt"), { bigint: true });
    const facts = { ctimeNs, mtimeNs, ino, size };
    const other = { ...facts, ctimeNs: ctimeNs - 10_000_000_000n };
    const behind = withChangeTimes(index(), 40, new Map([["a.txt", other]]));
    writeFileSync(join(root, ".git", "index"), behind ?? "");
    expect(git("diff-files", "--name-only")).toBe("a.txt\n");
    const known = withChangeTimes(index(), 40, new Map([["a.txt", facts]]));
    expect(withChangeTimes(index(), 40, new Map([["none", facts]]))).toBeNull();
    const later = { ...facts, mtimeNs: mtimeNs + 1n };
    expect(withChangeTimes(index(), 40, new Map([["a.txt", later]]))).toBeNull();
    writeFileSync(join(root, ".git", "index"), known ?? "");
    expect(git("diff-files", "--name-only")).toBe("");
  });
});
