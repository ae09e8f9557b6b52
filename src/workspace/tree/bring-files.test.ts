import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  type TestRepositories,
  testRepositories,
  type TestRepository,
} from "../../../test/support/git-repository.ts";
import { type BringOptions, type Brought, bringFiles, broughtAmong } from "./bring-files.ts";

const IGNORED = ["node_modules", ".env*", "dist/", "*.log", ".yarn/", ".claude/", "env/", "ign/"];
const isRoot = process.getuid?.() === 0;

let repositories: TestRepositories;
let checkout: TestRepository;
let tree: string;

beforeEach(() => {
  repositories = testRepositories();
  checkout = repositories.make("checkout");
  checkout.write(".gitignore", IGNORED.join("\n"));
  checkout.write("src/a.ts", "tracked");
  checkout.commitAll();
  tree = join(repositories.folder("workspace"), "tree");
  mkdirSync(tree);
});
afterEach(() => repositories.remove());

async function bring(options: Partial<BringOptions> = {}): Promise<Brought> {
  return await bringFiles({
    checkout: checkout.root,
    tree,
    bring: "default",
    ownPaths: [],
    tell: () => {},
    ...options,
  });
}

/** Every file and link of the workspace. */
function there(folder = tree): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => !lstatSync(join(folder, name)).isDirectory())
    .toSorted();
}

function write(folder: string, name: string, content: string): void {
  mkdirSync(dirname(join(folder, name)), { recursive: true });
  writeFileSync(join(folder, name), content);
}

describe("what is brought", () => {
  beforeEach(() => {
    for (const path of [
      "node_modules/p/index.js",
      "node_modules/.cache/babel/1",
      "web/node_modules/q/index.js",
      ".env",
      ".env.local",
      ".claude/settings.local.json",
      ".claude/commands/own.md",
      ".claude/worktrees/x/file",
      ".yarn/cache/p.zip",
      ".yarn/releases/yarn.cjs",
      "env/pyvenv.cfg",
      "env/bin/activate",
      "dist/node_modules/r.js",
      "dist/app.js",
      "ign/secret.json",
      "ign/other.json",
      "run.log",
      "data/big.csv",
      "data/run.log",
    ]) {
      checkout.write(path, path);
    }
  });

  it("by default is dependencies and local settings, of what git ignores", async () => {
    const brought = await bring();
    expect(there()).toEqual([
      ".claude/commands/own.md",
      ".claude/settings.local.json",
      ".env",
      ".env.local",
      ".yarn/cache/p.zip",
      "env/bin/activate",
      "env/pyvenv.cfg",
      "node_modules/p/index.js",
      "web/node_modules/q/index.js",
    ]);
    expect(brought).toMatchObject({
      paths: [
        ".claude/commands",
        ".claude/settings.local.json",
        ".env",
        ".env.local",
        ".yarn/cache",
        "env",
        "node_modules",
        "web/node_modules",
      ],
      files: 9,
      bytes: there().join("").length,
      skipped: [],
    });
  });

  it("with all is everything that git does not hold", async () => {
    await bring({ bring: "all" });
    expect(there()).toEqual(
      Object.keys(checkout.files())
        .filter((path) => ![".gitignore", "src/a.ts"].includes(path))
        .filter((path) => !path.startsWith("node_modules/.cache"))
        .toSorted(),
    );
  });

  it("with none is nothing", async () => {
    expect(await bring({ bring: "none" })).toMatchObject({ paths: [], files: 0, bytes: 0 });
    expect(there()).toEqual([]);
  });

  it("with patterns is what they match, and never a tracked file", async () => {
    await bring({ bring: ["data/", "*.ts", "/ign/s*.json"] });
    expect(there()).toEqual(["data/big.csv", "data/run.log", "ign/secret.json"]);
  });

  it("with default among the patterns is both, without what is taken away", async () => {
    await bring({ bring: ["default", "data/", "!*.log", "!web/node_modules/", "!.env*"] });
    expect(there()).toEqual([
      ".claude/commands/own.md",
      ".claude/settings.local.json",
      ".yarn/cache/p.zip",
      "data/big.csv",
      "env/bin/activate",
      "env/pyvenv.cfg",
      "node_modules/p/index.js",
    ]);
  });

  it("a .worktreeinclude adds what is ignored, and nothing else", async () => {
    checkout.write(".worktreeinclude", "# ours\n/ign/secret.json\ndata/\nsrc/\n");
    await bring();
    expect(there().filter((path) => /^(ign|data|src|\.work)/.test(path))).toEqual([
      "data/run.log",
      "ign/secret.json",
    ]);
  });

  it("Stint's own paths stay where they are, also inside of what is brought", async () => {
    await bring({ bring: "all", ownPaths: ["data", "node_modules/p", ".env"] });
    expect(there().filter((path) => /^(data|node_modules|\.env$)/.test(path))).toEqual([]);
  });

  it("a default that git does not ignore is left and named", async () => {
    checkout.write(".gitignore", "dist/\n");
    const { skipped } = await bring();
    expect(there()).toEqual([]);
    expect(skipped.map(({ path }) => path)).toEqual(
      expect.arrayContaining([".env", ".env.local", "node_modules"]),
    );
    expect((await bring({ bring: ["default", ".env"] })).skipped).not.toContainEqual(
      expect.objectContaining({ path: ".env" }),
    );
    expect(there()).toEqual([".env"]);
  });

  it("a workspace inside of the checkout is not copied into itself", async () => {
    tree = checkout.path("ign/workspaces/1/tree");
    mkdirSync(tree, { recursive: true });
    await bring({ bring: ["ign/"] });
    expect(there()).toEqual(["ign/other.json", "ign/secret.json"]);
  });

  it("a repository that is not ignored is left, an ignored one comes whole", async () => {
    for (const path of ["nested", "ign/nested"]) {
      checkout.write(`${path}/file`, "x");
      execFileSync("git", ["init", "-q", checkout.path(path)]);
    }
    checkout.write("ign/linked/.git", "gitdir: /elsewhere\n");
    const { skipped } = await bring({ bring: "all" });
    expect(skipped).toEqual([
      { path: "ign/linked", why: "it is a work tree of a repository elsewhere" },
      {
        path: "nested",
        why: "it is a nested repository that git does not ignore; it cannot be committed",
      },
    ]);
    expect(existsSync(join(tree, "ign/nested/.git/HEAD"))).toBe(true);
    expect(existsSync(join(tree, "nested"))).toBe(false);
  });

  it("more than may be is refused, with what is large", async () => {
    checkout.write("node_modules/p/large", "x".repeat(5000));
    await expect(bring({ maxBytes: 5000 })).rejects.toMatchObject({
      code: "bad-input",
      message: expect.stringMatching(
        /^a workspace would get 5\.2 kB of files that are not in git, more than 5\.0 kB: node_modules 5\.0 kB, /,
      ) as string,
      hint: 'Leave something out in stint.config.yaml, for example bring: [default, "!node_modules"], or bring: none and setup: commands that install.',
    });
    expect(there()).toEqual([]);
  });
});

describe("a brought file", () => {
  it("keeps its mode and its time, a folder too", async () => {
    checkout.write("node_modules/p/bin/run", "#!/bin/sh\n");
    chmodSync(checkout.path("node_modules/p/bin/run"), 0o555);
    utimesSync(checkout.path("node_modules/p/bin/run"), 1_000_000, 1_234_567.25);
    utimesSync(checkout.path("node_modules/p/bin"), 1_000_000, 2_345_678);
    chmodSync(checkout.path("node_modules/p/bin"), 0o555);
    try {
      await bring();
      const [file, folder] = ["run", ""].map((name) =>
        statSync(join(tree, "node_modules/p/bin", name)),
      );
      expect([file?.mode, file?.mtimeMs]).toEqual([0o100555, 1_234_567_250]);
      expect([folder?.mode, folder?.mtimeMs]).toEqual([0o40555, 2_345_678_000]);
    } finally {
      for (const top of [checkout.root, tree]) chmodSync(join(top, "node_modules/p/bin"), 0o755);
    }
  });

  it("is a copy: neither changes with the other", async () => {
    checkout.write(".env", "A=1");
    await bring();
    expect(statSync(join(tree, ".env")).nlink).toBe(1);
    writeFileSync(join(tree, ".env"), "A=2");
    expect(checkout.read(".env")).toBe("A=1");
  });

  it("that is a link stays the link it is", async () => {
    checkout.write("node_modules/p/index.js", "x");
    mkdirSync(checkout.path("node_modules/.bin"));
    symlinkSync("../p/index.js", checkout.path("node_modules/.bin/p"));
    symlinkSync(checkout.path("src"), checkout.path("node_modules/own"));
    symlinkSync("/nowhere", checkout.path("node_modules/broken"));
    await bring();
    expect(
      [".bin/p", "own", "broken"].map((name) => readlinkSync(join(tree, "node_modules", name))),
    ).toEqual(["../p/index.js", checkout.path("src"), "/nowhere"]);
  });

  it("that is a pipe is left and named", async () => {
    checkout.write("node_modules/p/index.js", "x");
    execFileSync("mkfifo", [checkout.path("node_modules/pipe")]);
    expect((await bring()).skipped).toEqual([
      { path: "node_modules/pipe", why: "it is a socket, a pipe or a device" },
    ]);
    expect(there()).toEqual(["node_modules/p/index.js"]);
  });

  it.skipIf(isRoot)("that may not be read is left and named", async () => {
    checkout.write("node_modules/p/index.js", "x");
    checkout.write("node_modules/closed/x", "x");
    checkout.write(".env", "x");
    chmodSync(checkout.path("node_modules/closed"), 0);
    chmodSync(checkout.path(".env"), 0);
    try {
      expect((await bring()).skipped).toEqual([
        { path: "node_modules/closed", why: "it is not readable" },
        { path: ".env", why: "it is not readable" },
      ]);
      expect(there()).toEqual(["node_modules/p/index.js"]);
    } finally {
      chmodSync(checkout.path("node_modules/closed"), 0o755);
    }
  });

  it("does not replace what the workspace has", async () => {
    checkout.write(".env", "of the person");
    checkout.write("node_modules/p/index.js", "of the person");
    write(tree, ".env", "of the tip");
    write(tree, "node_modules/p/own.js", "of the tip");
    expect((await bring()).skipped).toEqual([
      { path: ".env", why: "the workspace has it already" },
    ]);
    expect(readFileSync(join(tree, ".env"), "utf8")).toBe("of the tip");
    expect(there()).toEqual([".env", "node_modules/p/index.js", "node_modules/p/own.js"]);
  });

  it("is not written through a link of the workspace", async () => {
    const outside = repositories.folder("outside");
    checkout.write("web/.env", "secret");
    checkout.write("web/node_modules/p/index.js", "x");
    checkout.write("node_modules/p/index.js", "x");
    symlinkSync(outside, join(tree, "web"));
    symlinkSync(outside, join(tree, "node_modules"));
    const why = "a file or a link of the workspace is in the way";
    expect((await bring()).skipped).toEqual(
      ["node_modules", "web/.env", "web/node_modules"].map((path) => ({ path, why })),
    );
    expect(readdirSync(outside)).toEqual([]);
  });
});

describe("what lint says is brought", () => {
  const FILES = [
    ".env",
    ".claude/settings.local.json",
    ".claude/worktrees/x.txt",
    "data/in.csv",
    "deep/data/in.csv",
    "dist/app.js",
    "env/pyvenv.cfg",
    "env/lib/a.py",
    "ign/secret.json",
    "loose.txt",
    "node_modules/p/index.js",
    "node_modules/.cache/x.js",
    "notes/todo.log",
    "web/node_modules/q/index.js",
  ];
  const WISHES: readonly BringOptions["bring"][] = [
    "default",
    "all",
    "none",
    ["data"],
    ["data/"],
    ["data/**"],
    ["*.csv"],
    ["data/*.csv", "[a-l]oose.txt"],
    ["default", "**/in.csv", "!deep/", "!web/node_modules/"],
    ["*.json", "!.claude/"],
  ];

  it.each(WISHES.map((wish) => [wish]))("is what is copied, with %j", async (wish) => {
    for (const path of FILES) checkout.write(path, "x");
    checkout.write(".worktreeinclude", "notes/*.log\n");
    const said = await broughtAmong(checkout.root, FILES, wish);
    await bring({ bring: wish });
    const copied = new Set(there());
    expect([...said].toSorted()).toEqual(FILES.filter((path) => copied.has(path)).toSorted());
  });

  it("is a folder of which something is copied, and no folder of which nothing is", async () => {
    checkout.write("data/a/in.csv", "x");
    checkout.write("data/b/in.txt", "x");
    const said = await broughtAmong(checkout.root, ["data", "data/a", "data/b"], ["*.csv"]);
    expect([...said]).toEqual(["data", "data/a"]);
  });
});
