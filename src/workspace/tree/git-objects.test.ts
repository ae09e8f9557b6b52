import { objectId } from "../../git/object-id.ts";
import { execFileSync } from "node:child_process";
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import {
  type GitObject,
  looseSize,
  packOf,
  readLoose,
  parseTree,
  withEntry,
} from "./git-objects.ts";

let folder: ReturnType<typeof temporaryFolder>;
let objects: string;

beforeEach(() => {
  folder = temporaryFolder();
  git(["init", "-q"]);
  objects = join(folder.path, ".git", "objects");
});
afterEach(() => folder.remove());

function git(args: string[], input: string | Buffer = ""): string {
  return execFileSync("git", args, { cwd: folder.path, input }).toString("latin1").trim();
}

describe("objects without git", () => {
  it("are read as git wrote them, and not where they are damaged", () => {
    const text = "x".repeat(5000);
    const id = git(["hash-object", "-w", "--stdin"], text);
    expect(readLoose(["/nowhere", objects], id)?.content.toString()).toBe(text);
    expect(looseSize(objects, id)).toBe(5000);
    const path = join(objects, id.slice(0, 2), id.slice(2));
    chmodSync(path, 0o644);
    writeFileSync(path, readFileSync(path).subarray(0, 20));
    expect(readLoose([objects], id)).toBeNull();
    writeFileSync(path, "");
    expect([readLoose([objects], id), looseSize(objects, id)]).toEqual([null, null]);
  });

  it("in a pack are what git unpacks, of every size", () => {
    const blobs = [0, 1, 15, 16, 2047, 2048, 300_000].map((size): GitObject => ({
      kind: "blob",
      content: Buffer.alloc(size, "y"),
    }));
    git(["unpack-objects", "-q", "--strict"], packOf(blobs, 40));
    for (const blob of blobs) {
      const id = objectId(blob.kind, blob.content, 40);
      expect(git(["cat-file", "-s", id])).toBe(String(blob.content.length));
    }
  });

  it("a tree with another entry is the tree that git would write", () => {
    const [one, two] = ["1", "2"].map((text) => git(["hash-object", "-w", "--stdin"], text));
    const inner = git(["mktree"], `100644 blob ${one}\tf\n`);
    const entries = (oid: string): string =>
      `100644 blob ${oid}\ta.txt\n040000 tree ${inner}\tdir\n100755 blob ${one}\tz\n`;
    const before = readLoose([objects], git(["mktree"], entries(one ?? "")));
    if (before === null) throw new Error("it is not there");
    expect(parseTree(before.content, 40).map(({ name }) => name)).toEqual(["a.txt", "dir", "z"]);
    const entry = { mode: "100644", name: "a.txt", oid: two ?? "" };
    const content = withEntry(before.content, entry) ?? Buffer.alloc(0);
    expect(objectId("tree", content, 40)).toBe(git(["mktree"], entries(two ?? "")));
    expect(withEntry(before.content, { ...entry, name: "none" })).toBeNull();
    expect(withEntry(before.content, { ...entry, name: "dir" })).toBeNull();
  });
});
