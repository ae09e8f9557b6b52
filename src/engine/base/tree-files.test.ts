import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type TemporaryFolder, temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { manifestSeenAt, ownPaths, treeFiles } from "./tree-files.ts";

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

  it("that lies outside of the repository is written there, and nothing of it below the root", () => {
    const path = join(folder.path, "flows/workflow.md");
    mkdirSync(join(folder.path, "flows"));
    writeFileSync(path, "- [ ] task\n");
    const files = filesFor("../flows/workflow.md");
    expect(files.writeManifest("- [ ] task\n", "- [x] task\n")).toBe(true);
    expect(readFileSync(path, "utf8")).toBe("- [x] task\n");
    expect(readdirSync(join(folder.path, "flows"))).toEqual(["workflow.md"]);
    expect(readdirSync(root)).toEqual(["docs"]);
    const place = { root, manifest: "../flows/workflow.md", projectFolder: "agents/p" };
    expect(ownPaths(place)).toEqual([".agent_iteration_done", "agents/p"]);
    expect(manifestSeenAt(place, "/elsewhere")).toBe(path);
    symlinkSync(path, join(folder.path, "flows/link.md"));
    expect(filesFor("../flows/link.md").readManifest()).toBeUndefined();
  });

  it("of which a session has no copy is not there for it, and is never written", () => {
    const files = treeFiles({ root, manifest: null, projectFolder: "agents/p" });
    expect(files.writeManifest(files.readManifest(), "text")).toBe(true);
    expect([files.readManifest(), files.manifestBytes()]).toEqual([undefined, undefined]);
    expect(readdirSync(root)).toEqual(["docs"]);
  });

  it("is left alone when it is no longer what was read", () => {
    const files = filesFor("prompt.md");
    writeFileSync(join(root, "prompt.md"), "a person's");
    expect(files.writeManifest("what was read", "other")).toBe(false);
    expect(files.readManifest()).toBe("a person's");
  });

  it("is never read or written through a link that leads to another file of the work tree", () => {
    writeFileSync(join(root, ".env"), "KEY=secret\n");
    symlinkSync(".env", join(root, "prompt.md"));
    const files = filesFor("prompt.md");
    expect([files.readManifest(), files.manifestBytes()]).toEqual([undefined, undefined]);
    expect(files.writeManifest("KEY=secret\n", "again\n")).toBe(false);
    expect(files.writeManifest(undefined, "again\n")).toBe(true);
    expect(readFileSync(join(root, ".env"), "utf8")).toBe("KEY=secret\n");
    expect(lstatSync(join(root, "prompt.md")).isSymbolicLink()).toBe(false);

    symlinkSync("docs", join(root, "linked"));
    writeFileSync(join(root, "docs/prompt.md"), "another\n");
    expect(filesFor("linked/prompt.md").readManifest()).toBe(undefined);
    expect(filesFor("linked/prompt.md").writeManifest(undefined, "again\n")).toBe(false);
    expect(readFileSync(join(root, "docs/prompt.md"), "utf8")).toBe("another\n");
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
