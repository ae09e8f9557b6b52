import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type TemporaryFolder, temporaryFolder } from "../../test/support/temporary-folder.ts";
import { treeFiles } from "./tree-files.ts";

let folder: TemporaryFolder;
let root: string;
beforeEach(() => {
  folder = temporaryFolder();
  root = join(folder.path, "repo");
  mkdirSync(join(root, "docs"), { recursive: true });
});
afterEach(() => folder.remove());

const filesFor = (manifest: string) => treeFiles({ root, manifest, projectFolder: "agents/p" });

describe("a person's manifest", () => {
  it("keeps its mode, and the bytes of every line that is not changed, in any encoding", () => {
    const path = join(root, "prompt.md");
    const bytes = (box: string) =>
      Buffer.concat([Buffer.from(`- [${box}] task\n`), Buffer.from("caf\xe9\r\n", "latin1")]);
    writeFileSync(path, bytes(" "));
    chmodSync(path, 0o666);
    const files = filesFor("prompt.md");
    const read = files.readManifest();
    expect(files.writeManifest(read, (read ?? "").replace("[ ]", "[x]"))).toBe(true);
    expect(readFileSync(path)).toEqual(bytes("x"));
    expect(statSync(path).mode & 0o777).toBe(0o666);
    expect(files.manifestBytes()).toEqual(bytes("x"));
  });

  it("is left alone when it is no longer what was read", () => {
    const files = filesFor("prompt.md");
    writeFileSync(join(root, "prompt.md"), "a person's");
    expect(files.writeManifest("what was read", "other")).toBe(false);
    expect(files.readManifest()).toBe("a person's");
  });

  it("behind a link inside the work tree stays behind it", () => {
    writeFileSync(join(root, "docs/real.md"), "one\n");
    symlinkSync("docs/real.md", join(root, "prompt.md"));
    expect(filesFor("prompt.md").writeManifest("one\n", "two\n")).toBe(true);
    expect(readlinkSync(join(root, "prompt.md"))).toBe("docs/real.md");
    expect(readFileSync(join(root, "docs/real.md"), "utf8")).toBe("two\n");
  });

  it("is never read or written through a link that leads out of the work tree", () => {
    const secret = join(folder.path, "approver.key");
    writeFileSync(secret, "secret");
    symlinkSync(secret, join(root, "prompt.md"));
    const files = filesFor("prompt.md");
    expect([files.readManifest(), files.manifestBytes()]).toEqual([undefined, undefined]);
    expect(files.writeManifest(undefined, "again\n")).toBe(true);
    expect(readFileSync(secret, "utf8")).toBe("secret");
    expect(lstatSync(join(root, "prompt.md")).isSymbolicLink()).toBe(false);
    expect(files.readManifest()).toBe("again\n");

    const elsewhere = join(folder.path, "elsewhere");
    mkdirSync(elsewhere);
    rmSync(join(root, "docs"), { recursive: true });
    symlinkSync(elsewhere, join(root, "docs"));
    expect(filesFor("docs/prompt.md").writeManifest(undefined, "again\n")).toBe(false);
    expect(readdirSync(elsewhere)).toEqual([]);
  });

  it("comes back where its folder is gone, or a folder is in its place", () => {
    rmSync(join(root, "docs"), { recursive: true });
    expect(filesFor("docs/prompt.md").writeManifest(undefined, "again\n")).toBe(true);
    expect(readFileSync(join(root, "docs/prompt.md"), "utf8")).toBe("again\n");
    mkdirSync(join(root, "prompt.md"));
    writeFileSync(join(root, "prompt.md/x"), "kept");
    expect(filesFor("prompt.md").writeManifest(undefined, "again\n")).toBe(true);
    expect(readFileSync(join(root, "prompt.md.folder/x"), "utf8")).toBe("kept");
  });
});

it("a marker that is a link says nothing of what it leads to, and goes", () => {
  const secret = join(folder.path, "approver.key");
  writeFileSync(secret, "question: secret");
  const marker = join(root, ".agent_iteration_done");
  symlinkSync(secret, marker);
  const files = filesFor("prompt.md");
  expect(files.readMarker()?.length).toBe(0);
  files.removeMarker();
  expect([existsSync(secret), existsSync(marker)]).toEqual([true, false]);
});
