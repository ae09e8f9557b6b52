// What every kind of workspace promises, whatever runs in it and whenever it is killed.
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  existsSync,
  renameSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  Files,
  request,
  type Scene,
  type Scenes,
  treeOf,
  workspaceScenes,
  writeUsualFiles,
} from "../support/workspace-scene.ts";
import type { WorkspaceOptions } from "../../src/workspace/open-workspace.ts";

export interface WorkspaceVariant {
  readonly options: Partial<WorkspaceOptions>;
  readonly hasGit: boolean;
}

/** Files of the same moment cannot be told apart: comes back in the next one of the file system. */
function clockGoesOn(folder: string): void {
  const file = `${folder}.tick`;
  const now = (): bigint => {
    writeFileSync(file, "");
    return lstatSync(file, { bigint: true }).ctimeNs;
  };
  for (const first = now(); now() === first;);
}

const SESSION = { branch: "stint/work", canPush: false };

export function workspaceSuite(name: string, variant: WorkspaceVariant): void {
  // oxlint-disable-next-line vitest/valid-title
  describe(name, () => {
    let scenes: Scenes;
    beforeAll(() => {
      scenes = workspaceScenes();
    });
    afterAll(() => scenes.remove());

    /** Opened, laid, with a session about to start. */
    async function started(more?: (person: Files) => void): Promise<Scene & { base: string }> {
      const scene = scenes.make((person) => {
        if (variant.hasGit) person.git("init", "-q");
        writeUsualFiles(person);
        more?.(person);
        if (variant.hasGit) person.commitAll("first");
      }, variant.options);
      await scene.workspace.open();
      const { tree } = await scene.workspace.tip();
      await scene.workspace.lay(tree);
      await scene.workspace.freshGit(SESSION);
      return { ...scene, base: tree };
    }

    /** The changes of a session, as a reader of the tree sees them. */
    async function changesOf({ workspace, base }: Scene & { base: string }): Promise<string[]> {
      const tree = treeOf(await workspace.capture());
      const changes = await workspace.changes(base, tree);
      return changes.map(({ change, path }) => `${change} ${path}`).toSorted();
    }

    it("starts with the person's files and with nothing changed", async () => {
      const scene = await started();
      expect(await changesOf(scene)).toEqual([]);
      expect(scene.files.read("a.txt")).toBe("a0\n");
      expect((await scene.workspace.tip()).tree).toBe(scene.base);
    });

    it("captures files, folders, links, modes, removals and moves, and nothing that is ignored", async () => {
      const scene = await started();
      const { files } = scene;
      files.write("a.txt", "a1\n");
      files.write("new/deep/file.txt", "new\n");
      files.write("build.log", "ignored\n");
      files.write("node_modules/p/index.js", "ignored\n");
      files.remove("dir/y.txt");
      symlinkSync("/etc/passwd", files.path("absolute"));
      symlinkSync("nowhere", files.path("broken"));
      chmodSync(files.path("run.sh"), 0o644);
      files.program("tool.sh", "echo tool");
      expect(await changesOf(scene)).toEqual([
        "added absolute",
        "added broken",
        "added new/deep/file.txt",
        "added tool.sh",
        "deleted dir/y.txt",
        "modified a.txt",
        "modified run.sh",
      ]);
    });

    it("captures a file that became a folder, a folder that became a file or a link, and a new case", async () => {
      const scene = await started();
      const { files } = scene;
      files.remove("a.txt");
      files.write("a.txt/inner", "inner\n");
      files.remove("dir");
      symlinkSync("a.txt", files.path("dir"));
      renameSync(files.path("run.sh"), files.path("RUN.sh"));
      expect(await changesOf(scene)).toEqual([
        "added a.txt/inner",
        "added dir",
        "deleted a.txt",
        "deleted dir/x.txt",
        "deleted dir/y.txt",
        "moved RUN.sh",
      ]);
    });

    it("sees an edit of the same size in the same moment, and one whose time was set back", async () => {
      const scene = await started();
      const { files, workspace } = scene;
      for (const text of ["a1\n", "a2\n", "a3\n"]) {
        const { atime, mtime } = lstatSync(files.path("a.txt"));
        files.write("a.txt", text);
        utimesSync(files.path("a.txt"), atime, mtime);
        const tree = treeOf(await workspace.capture());
        expect((await workspace.texts(tree, ["a.txt"])).get("a.txt")).toBe(text);
      }
    });

    it("puts everything back that differs, and touches nothing else", async () => {
      const scene = await started();
      const { files, workspace, base } = scene;
      files.write("keep.log", "ignored\n");
      const before = files.all();
      const time = lstatSync(files.path("dir/x.txt")).mtimeMs;
      files.write("a.txt", "a1\n");
      files.write("new/deep/file.txt", "new\n");
      files.write(".gitignore", "*\n");
      files.write("hidden by the new ignore file", "x\n");
      files.remove("dir/y.txt");
      chmodSync(files.path("run.sh"), 0o644);
      const touched = await workspace.lay(base);
      expect(files.all()).toEqual(before);
      expect(lstatSync(files.path("dir/x.txt")).mtimeMs).toBe(time);
      expect(touched).toEqual([
        ".gitignore",
        "a.txt",
        "dir/y.txt",
        "hidden by the new ignore file",
        "new/deep/file.txt",
        "run.sh",
      ]);
      expect(await workspace.lay(base)).toEqual([]);
    });

    it("puts back what became a link, a file or a folder, and follows no link out of the folder", async () => {
      const scene = await started();
      const { files, workspace, base } = scene;
      const before = files.all();
      const outside = new Files(
        join(scenes.path, `outside ${Math.trunc(lstatSync(files.root).ino)}`),
      );
      outside.write("x.txt", "outside\n");
      outside.write("y.txt", "outside\n");
      files.remove("dir");
      symlinkSync(outside.root, files.path("dir"));
      files.remove("a.txt");
      files.write("a.txt/inner", "x\n");
      symlinkSync(outside.root, files.path("another"));
      await workspace.lay(base);
      expect(files.all()).toEqual(before);
      expect(outside.all()).toEqual({ "x.txt": "file outside\n", "y.txt": "file outside\n" });
    });

    it("puts back folders that a session closed to itself", async () => {
      const scene = await started();
      const { files, workspace, base } = scene;
      const before = files.all();
      files.write("closed/file", "x\n");
      files.write("dir/x.txt", "x1\n");
      chmodSync(files.path("closed"), 0o000);
      chmodSync(files.path("dir"), 0o500);
      await workspace.lay(base);
      chmodSync(files.path("dir"), 0o755);
      expect(files.all()).toEqual(before);
    });

    it("names a repository inside with what to do about it", async () => {
      const scene = await started();
      const { files, workspace } = scene;
      mkdirSync(files.path("made/inner"), { recursive: true });
      new Files(files.path("made/inner")).git("init", "-q");
      files.write("made/inner/work.txt", "work\n");
      const problem = {
        path: "made/inner",
        why: "is a nested git repository, so its files are in no commit",
        hint: "remove its .git folder (rm -rf made/inner/.git), or add it as a submodule yourself",
      };
      expect(await workspace.capture()).toEqual({ kind: "uncommittable", problems: [problem] });
      const inner = new Files(files.path("made/inner"));
      inner.commitAll("inner");
      expect(await workspace.capture()).toEqual({ kind: "uncommittable", problems: [problem] });
      files.remove("made/inner/.git");
      expect(await changesOf(scene)).toEqual(["added made/inner/work.txt"]);
    });

    it("names a repository in a folder that has files of ours", async () => {
      const scene = await started();
      new Files(scene.files.path("dir")).git("init", "-q");
      scene.files.write("dir/x.txt", "x1\n");
      expect(await scene.workspace.capture()).toMatchObject({ problems: [{ path: "dir" }] });
    });

    it("names a file whose name is not valid UTF-8", async () => {
      const scene = await started();
      const name = Buffer.concat([Buffer.from(`${scene.files.root}/`), Buffer.from([0x62, 0xff])]);
      writeFileSync(name, "x\n");
      expect(await scene.workspace.capture()).toMatchObject({
        kind: "uncommittable",
        problems: [{ why: "has a name that is not valid UTF-8" }],
      });
    });

    it.skipIf(process.getuid?.() === 0)("names what cannot be read", async () => {
      const scene = await started();
      const { files, workspace } = scene;
      files.write("secret", "x\n");
      chmodSync(files.path("secret"), 0o000);
      expect(await workspace.capture()).toMatchObject({ problems: [{ path: "secret" }] });
      files.remove("secret");
      files.write("closed/file", "x\n");
      chmodSync(files.path("closed"), 0o000);
      expect(await workspace.capture()).toMatchObject({ problems: [{ path: "closed" }] });
      chmodSync(files.path("closed"), 0o755);
      chmodSync(files.path("dir"), 0o000);
      expect(await workspace.capture()).toMatchObject({ problems: [{ path: "dir" }] });
      chmodSync(files.path("dir"), 0o755);
    });

    it("holds Stint's own paths as the tip has them, whatever lies there", async () => {
      const scene = await started();
      scene.files.write("PROMPT.md", "a session wrote this\n");
      scene.files.write(".stint/record.json", "{}\n");
      scene.files.write(".agent_iteration_done", "done\n");
      scene.files.write("a.txt", "a1\n");
      expect(await changesOf(scene)).toEqual(["modified a.txt"]);
    });

    it("keeps unfinished work under its name", async () => {
      const scene = await started();
      const { files, workspace, base } = scene;
      files.write("a.txt", "half\n");
      const tree = treeOf(await workspace.capture());
      const name = { task: "t1", attempt: 2 };
      expect(await workspace.kept(name)).toBe(null);
      const kept = await workspace.keep(name, tree, base);
      expect(kept).toMatchObject({ tree, base });
      await workspace.lay(base);
      expect(files.read("a.txt")).toBe("a0\n");
      const again = scene.reopen();
      await again.open();
      expect(await again.kept(name)).toEqual(kept);
      expect(await again.kept({ task: "t1", attempt: 1 })).toBe(null);
      await again.lay(tree);
      expect(files.read("a.txt")).toBe("half\n");
    });

    it("combines two sides path by path and names what both changed", async () => {
      const scene = await started();
      const { files, workspace, base } = scene;
      const make = async (change: () => void): Promise<string> => {
        await workspace.lay(base);
        await workspace.freshGit(SESSION);
        change();
        return treeOf(await workspace.capture());
      };
      const ours = await make(() => {
        files.write("a.txt", "ours\n");
        files.write("dir/x.txt", "same\n");
        files.write("where", "ours has a file\n");
        files.write("ours.txt", "ours\n");
      });
      const theirs = await make(() => {
        files.write("a.txt", "theirs\n");
        files.write("dir/x.txt", "same\n");
        files.remove("dir/y.txt");
        files.write("where/folder.txt", "theirs has a folder\n");
        files.write("theirs.txt", "theirs\n");
      });
      const combined = await workspace.combine(base, ours, theirs);
      expect(combined.conflicts).toEqual(["a.txt", "where/folder.txt"]);
      await workspace.lay(combined.tree);
      expect(files.read("a.txt")).toBe("ours\n");
      expect(files.read("where")).toBe("ours has a file\n");
      expect(files.read("theirs.txt")).toBe("theirs\n");
      expect(files.exists("dir/y.txt")).toBe(false);
      expect(await workspace.combine(base, base, theirs)).toEqual({ tree: theirs, conflicts: [] });
      expect(await workspace.combine(base, ours, base)).toEqual({ tree: ours, conflicts: [] });
    });

    it("mixes two trees: some paths as the other has them, or with a text of nobody's", async () => {
      const { workspace, files, base } = await started();
      files.write("a.txt", "a1\n");
      files.write("new/file.txt", "new\n");
      files.remove("dir/y.txt");
      files.write("b.txt", "b1\n");
      const tree = treeOf(await workspace.capture());
      const paths = ["a.txt", "new/file.txt", "dir/y.txt", "nowhere.txt"];
      const old = await workspace.mix(tree, base, paths, new Map());
      await workspace.lay(old);
      expect(files.read("a.txt")).toBe("a0\n");
      expect(existsSync(files.path("new/file.txt"))).toBe(false);
      expect(existsSync(files.path("dir/y.txt"))).toBe(true);
      expect(files.read("b.txt")).toBe("b1\n");
      expect(await workspace.mix(base, tree, [...paths, "b.txt"])).toBe(tree);
      const texts = new Map([["a.txt", "a2\n"]]);
      await workspace.lay(await workspace.mix(tree, base, ["a.txt"], texts));
      expect(files.read("a.txt")).toBe("a2\n");
    });

    it("sees which files a process opens or executes, and takes nothing away from capture", async () => {
      const { workspace, files } = await started();
      files.write("read.txt", "read\n");
      files.write("left.txt", "left\n");
      files.program("tool.sh", "cat read.txt >/dev/null; test -f left.txt");
      const tree = treeOf(await workspace.capture());
      const reads = workspace.watchReads(["read.txt", "left.txt", "tool.sh", "gone.txt"]);
      execFileSync(files.path("tool.sh"), { cwd: workspace.folder });
      expect([...reads()].toSorted()).toEqual(["gone.txt", "read.txt", "tool.sh"]);
      expect(treeOf(await workspace.capture())).toBe(tree);
      expect(await workspace.lay(tree)).toEqual([]);
    });

    it("tells what a session made that git ignores, and nothing that was there before", async () => {
      const { workspace, files } = await started();
      files.write("before.log", "before\n");
      files.write("changed.log", "before\n");
      await workspace.noteBrought(1);
      clockGoesOn(workspace.folder);
      files.write("a.txt", "a1\n");
      files.write("changed.log", "changed\n");
      files.write("sub/made.log", "made\n");
      files.write("node_modules/fresh/index.js", "made\n");
      const tree = treeOf(await workspace.capture());
      expect(await workspace.madeIgnored(1, ["a.txt"])).toEqual([
        "changed.log",
        "node_modules/",
        "sub/made.log",
      ]);
      expect(await workspace.madeIgnored(1, [])).not.toContain("a.txt");
      expect(await workspace.madeIgnored(2, [])).toEqual([]);
      expect(treeOf(await workspace.capture())).toBe(tree);
    });

    it("sets ignored files of a session aside and puts them back, also after a kill", async () => {
      const { workspace, files } = await started();
      files.write("before.log", "before\n");
      files.write("earlier/one.log", "earlier\n");
      await workspace.noteBrought(1);
      clockGoesOn(workspace.folder);
      files.write("made.log", "made\n");
      files.write("sub/deep/made.log", "deep\n");
      files.write("node_modules/fresh/index.js", "made\n");
      const tree = treeOf(await workspace.capture());
      const paths = ["before.log", "earlier/one.log", "made.log", "sub/deep/made.log"];
      const there = () => paths.filter((path) => existsSync(files.path(path)));
      await workspace.setIgnoredAside(1, ["earlier/one.log", "gone.log"]);
      expect(there()).toEqual(["before.log"]);
      expect(existsSync(files.path("node_modules/fresh/index.js"))).toBe(true);
      // What ran meanwhile made one of them anew.
      files.write("made.log", "another\n");
      workspace.putIgnoredBack();
      expect(there()).toEqual(paths);
      expect(files.read("made.log")).toBe("made\n");
      await workspace.setIgnoredAside(1, []);
      expect(there()).not.toContain("made.log");
      if (workspace.kind === "own-copy") {
        await workspace.open();
        expect(there()).toEqual(paths);
      } else workspace.putIgnoredBack();
      expect(await workspace.lay(tree)).toEqual([]);
      expect(there()).toEqual(paths);
    });

    it("combines two changes of one file where they do not touch, and none of another kind", async () => {
      const scene = await started();
      const { files, workspace } = scene;
      const lines = (first: string, last: string): string =>
        `${[first, "2", "3", "4", "5", last].join("\n")}\n`;
      const make = async (tree: string, change: () => void): Promise<string> => {
        await workspace.lay(tree);
        await workspace.freshGit(SESSION);
        change();
        return treeOf(await workspace.capture());
      };
      const base = await make(scene.base, () => {
        for (const name of ["text", "same", "gone"]) files.write(`${name}.txt`, lines("1", "6"));
      });
      const ours = await make(base, () => {
        files.write("text.txt", lines("ours", "6"));
        files.write("same.txt", lines("ours", "6"));
        files.remove("gone.txt");
      });
      const theirs = await make(base, () => {
        files.write("text.txt", lines("1", "theirs"));
        files.write("same.txt", lines("theirs", "6"));
        files.write("gone.txt", lines("1", "theirs"));
      });
      const combined = await workspace.combine(base, ours, theirs);
      expect(combined.conflicts).toEqual(["gone.txt", "same.txt"]);
      await workspace.lay(combined.tree);
      expect(files.read("text.txt")).toBe(lines("ours", "theirs"));
      expect(files.read("same.txt")).toBe(lines("ours", "6"));
      expect(files.exists("gone.txt")).toBe(false);
    });

    it("tells entries, texts, sizes and the difference of trees", async () => {
      const scene = await started();
      const { files, workspace, base } = scene;
      files.write("a.txt", "a1\n");
      renameSync(files.path("dir/x.txt"), files.path("moved.txt"));
      const tree = treeOf(await workspace.capture());
      const changes = await workspace.changes(base, tree);
      expect(changes).toMatchObject([
        { path: "a.txt", change: "modified", bytes: 3, mode: "100644" },
        { path: "moved.txt", change: "moved", from: "dir/x.txt", bytes: 3 },
      ]);
      const entries = await workspace.entries(tree, ["run.sh", "gone", "a.txt"]);
      expect([...entries.keys()].toSorted()).toEqual(["a.txt", "run.sh"]);
      expect(entries.get("run.sh")?.mode).toBe("100755");
      const found = await workspace.find(
        tree,
        (path) => path.endsWith("y.txt") || path === "run.sh",
      );
      expect([...found.keys()].toSorted()).toEqual(["dir/y.txt", "run.sh"]);
      expect(found.get("run.sh")).toEqual(entries.get("run.sh"));
      expect(Object.fromEntries(await workspace.texts(tree, ["a.txt", "gone"]))).toEqual({
        "a.txt": "a1\n",
      });
      expect(await workspace.diff(base, tree, ["a.txt"])).toContain("-a0\n+a1\n");
      expect(await workspace.diff(base, tree, ["a.txt"])).not.toContain("moved.txt");
    });

    it("commits verified work once, and starts the next from it", async () => {
      const scene = await started();
      const { files, workspace, base } = scene;
      files.write("a.txt", "a1\n");
      files.write("new.txt", "new\n");
      const tree = treeOf(await workspace.capture());
      const first = await workspace.commit(request(tree));
      expect(first.kind).toBe(variant.hasGit ? "committed" : "nothing");
      const tip = await workspace.tip();
      expect(tip.tree).toBe(tree);
      expect(tip.tree).not.toBe(base);
      expect(await workspace.commit(request(tree))).toEqual(first);
      expect(await workspace.tip()).toEqual(tip);
      const again = scene.reopen();
      await again.open();
      expect(await again.tip()).toEqual(tip);
      expect(await again.lay(tip.tree)).toEqual([]);
      if (first.kind !== "committed") return;
      const changed = await workspace.changedBy(first.commit);
      expect(changed.map(({ path, change }) => [path, change])).toEqual([
        ["a.txt", "modified"],
        ["new.txt", "added"],
      ]);
    });

    it("puts Stint's own files into a commit", async () => {
      const scene = await started();
      const { files, workspace } = scene;
      files.write("a.txt", "a1\n");
      const tree = treeOf(await workspace.capture());
      const own = [
        { path: "PROMPT.md", content: Buffer.from("- [x] one\n") },
        { path: ".stint/record.json", content: Buffer.from("{}\n") },
      ];
      await workspace.commit(request(tree, "t1", { own }));
      const tip = await workspace.tip();
      const texts = await workspace.texts(tip.tree, ["PROMPT.md", ".stint/record.json", "a.txt"]);
      expect(Object.fromEntries(texts)).toEqual({
        "PROMPT.md": "- [x] one\n",
        ".stint/record.json": "{}\n",
        "a.txt": "a1\n",
      });
      // A capture without laying again holds them too.
      files.write("a.txt", "a2\n");
      const next = treeOf(await workspace.capture());
      expect((await workspace.changes(tip.tree, next)).map(({ path }) => path)).toEqual(["a.txt"]);
    });

    it("leaves nothing behind that it made beside the files", async () => {
      const scene = await started();
      scene.files.write("a.txt", "a1\n");
      const tree = treeOf(await scene.workspace.capture());
      await scene.workspace.commit(request(tree));
      await scene.workspace.remove();
      expect(existsSync(join(scene.home, ".."))).toBe(false);
      if (variant.hasGit) expect(scene.person.git("for-each-ref", "refs/stint")).toBe("");
    });
  });
}
