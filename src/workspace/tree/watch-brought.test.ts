import {
  chmodSync,
  mkdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { changedBrought, keepBroughtPaths, noteBrought } from "./watch-brought.ts";

const FILES = [
  ".env",
  ".env.local",
  ".env.test",
  ".claude/skills/a.md",
  "env/pyvenv.cfg",
  "node_modules/p/index.js",
];
const BROUGHT = [".env", ".env.local", ".env.test", ".env.link", ".claude/skills", "env"];
const SESSION = 3;

let folder: ReturnType<typeof temporaryFolder>;
let home: string;
let tree: string;

beforeEach(async () => {
  folder = temporaryFolder();
  home = folder.path;
  tree = join(home, "tree");
  for (const path of FILES) write(path, "before");
  // A time that can be set back exactly.
  utimesSync(join(tree, ".env"), 1_000, 1_000);
  symlinkSync(".env", join(tree, ".env.link"));
  keepBroughtPaths(home, [...BROUGHT, "node_modules"]);
  await noteBrought(home, tree, SESSION);
});
afterEach(() => folder.remove());

function write(path: string, text: string): void {
  mkdirSync(dirname(join(tree, path)), { recursive: true });
  writeFileSync(join(tree, path), text);
}

const changed = async () => await changedBrought(home, tree, SESSION);

describe("what a session changed of brought files", () => {
  it("is nothing, where nothing is other", async () => {
    expect(await changed()).toEqual([]);
  });

  it("is content, also of the same size and with its time set back", async () => {
    write(".env", "AFTER!");
    utimesSync(join(tree, ".env"), 1_000, 1_000);
    write(".claude/skills/a.md", "another skill");
    expect(await changed()).toEqual([".claude/skills/a.md", ".env"]);
  });

  it("is a mode, a kind, a link that leads elsewhere, and what is gone", async () => {
    chmodSync(join(tree, ".env"), 0o700);
    rmSync(join(tree, ".env.local"));
    rmSync(join(tree, ".env.test"));
    mkdirSync(join(tree, ".env.test"));
    rmSync(join(tree, ".env.link"));
    symlinkSync("elsewhere", join(tree, ".env.link"));
    expect(await changed()).toEqual([".env", ".env.link", ".env.local", ".env.test"]);
  });

  it("is one line for a dependency folder, by its name or by what is in it", async () => {
    write("node_modules/q/index.js", "new");
    expect(await changed()).toEqual(["node_modules/ (1 file before, 2 files now)"]);
    write("env/lib/x.py", "new");
    expect(await changed()).toContain("env/ (1 file before, 2 files now)");
  });

  it("is a dependency whose content alone is another", async () => {
    write("node_modules/p/index.js", "BEFORE");
    expect(await changed()).toEqual(["node_modules/ (1 file before, 1 file now)"]);
  });

  it("is not what merely using dependencies writes, nor what lies beside what was brought", async () => {
    write("node_modules/.cache/x", "new");
    write("env/__pycache__/x.pyc", "new");
    write(".claude/debug.log", "new");
    write("dist/out.js", "built");
    expect(await changed()).toEqual([]);
  });

  it("does not follow a folder that became a link", async () => {
    renameSync(join(tree, "node_modules"), join(tree, "moved"));
    symlinkSync("moved", join(tree, "node_modules"));
    renameSync(join(tree, ".claude"), join(tree, "agent"));
    symlinkSync("agent", join(tree, ".claude"));
    expect(await changed()).toEqual([
      ".claude/skills/a.md",
      "node_modules/ (1 file before, 0 files now)",
    ]);
  });

  it("is not what others changed before it, and nothing is told from the note of another", async () => {
    write(".env", "by a setup");
    await noteBrought(home, tree, SESSION + 1);
    write(".env.local", "by the session");
    expect(await changedBrought(home, tree, SESSION + 1)).toEqual([".env.local"]);
    expect(await changed()).toEqual([]);
  });

  it("is nothing in a workspace that was made anew since", async () => {
    keepBroughtPaths(home, BROUGHT);
    rmSync(join(tree, ".env"));
    expect(await changed()).toEqual([]);
  });

  it("names so many of a folder of data, and counts the rest", async () => {
    const paths = Array.from({ length: 120 }, (_, n) => `data/${n + 1000}.csv`);
    for (const path of paths) write(path, "before");
    keepBroughtPaths(home, ["data"]);
    await noteBrought(home, tree, SESSION);
    rmSync(join(tree, "data"), { recursive: true });
    expect(await changed()).toEqual([...paths.slice(0, 100), "and 20 more"]);
  });
});
