// A fresh clone beside a workspace: what a commit holds and nothing else, made anew each time and gone afterwards.
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  Files,
  ordinary,
  request,
  type Scene,
  scenesOfFile,
  treeOf,
} from "../../test/support/workspace-scene.ts";
import { isLocalVariables } from "./tree/default-bring.ts";
import type { WorkspaceOptions } from "./open-workspace.ts";
import type { Workspace } from "./workspace.ts";

const scenes = scenesOfFile();
const SESSION = { branch: "stint/work", canPush: false };

async function opened(more: Partial<WorkspaceOptions> = {}): Promise<Scene> {
  const scene = scenes.make(ordinary, more);
  await scene.workspace.open();
  return scene;
}

async function committed({ workspace }: Scene, path: string, text: string): Promise<string> {
  const { tree } = await workspace.tip();
  await workspace.lay(tree);
  new Files(workspace.folder).write(path, text);
  const trailers = [["Stint-Task", text.trim()]] as const;
  const wanted = request(treeOf(await workspace.capture()));
  const made = await workspace.commit({ ...wanted, trailers });
  if (made.kind !== "committed") throw new Error(`it was ${made.kind}`);
  return made.commit;
}

async function cloned({ workspace }: Scene, commit: string): Promise<[Workspace, Files]> {
  const clone = workspace.clone(commit);
  await clone.open();
  return [clone, new Files(clone.folder)];
}

describe.each(["own-copy", "in-place"] as const)("a fresh clone beside a workspace %s", (kind) => {
  it("has the files of its commit, and nothing else that lies in the workspace", async () => {
    const scene = await opened({ kind });
    const first = await committed(scene, "made.txt", "first\n");
    const second = await committed(scene, "made.txt", "second\n");
    const here = new Files(scene.workspace.folder);
    here.write("not-committed.txt", "x\n");
    const [, files] = await cloned(scene, second);
    expect(files.read("made.txt")).toBe("second\n");
    expect(files.exists("not-committed.txt")).toBe(false);
    const [, earlier] = await cloned(scene, first);
    expect(earlier.read("made.txt")).toBe("first\n");
    expect(here.read("not-committed.txt")).toBe("x\n");
  });

  it("converts files by what is committed, and not by what only the person's repository says", async () => {
    const scene = scenes.make(
      (person) => {
        ordinary(person);
        person.git("config", "filter.up.clean", "tr a-z A-Z");
        person.git("config", "filter.up.smudge", "tr A-Z a-z");
        person.write(".git/info/attributes", "*.txt filter=up\n");
        person.write(".gitattributes", "*.key filter=up\n");
        person.write("a.key", "key\n");
        person.commitAll("with a filter");
      },
      { kind },
    );
    await scene.workspace.open();
    const [, files] = await cloned(scene, await committed(scene, "made.txt", "made\n"));
    expect(files.read("made.txt")).toBe("MADE\n");
    expect(files.read("a.key")).toBe("key\n");
  });

  it("has a repository whose branch is at the commit, also where that is not the last one", async () => {
    const scene = await opened({ kind });
    const first = await committed(scene, "made.txt", "first\n");
    await committed(scene, "made.txt", "second\n");
    const [clone, files] = await cloned(scene, first);
    await clone.freshGit(SESSION);
    expect(files.git("rev-parse", "HEAD").trim()).toBe(first);
    expect(files.git("status", "--porcelain").trim()).toBe("");
  });

  it("is made anew each time, and nothing of it is left", async () => {
    const scene = await opened({ kind });
    const commit = await committed(scene, "made.txt", "made\n");
    const [, files] = await cloned(scene, commit);
    files.write("made.txt", "spoiled\n");
    files.write("cache.log", "left by a check\n");
    const [again, fresh] = await cloned(scene, commit);
    expect([fresh.read("made.txt"), fresh.exists("cache.log")]).toEqual(["made\n", false]);
    await again.remove();
    expect(readdirSync(scene.home).filter((name) => name.startsWith("clone"))).toEqual([]);
  });

  it("that a kill left is removed as the workspace is opened", async () => {
    const scene = await opened({ kind });
    const commit = await committed(scene, "made.txt", "made\n");
    await cloned(scene, commit);
    mkdirSync(join(scene.home, "clone.gone"));
    writeFileSync(join(scene.home, "clone.gone/half"), "");
    await scene.workspace.open();
    expect(readdirSync(scene.home).filter((name) => name.startsWith("clone"))).toEqual([]);
  });
});

describe("a fresh clone", () => {
  it("is given what is brought for it, and is asked for by that name", async () => {
    const brought: unknown[] = [];
    const scene = await opened({
      bring: async (tree, lane) => {
        brought.push(lane);
        if (lane !== "clone") return [];
        writeFileSync(join(tree, ".env"), "KEY=1\n");
        return [".env"];
      },
    });
    const { commit } = await scene.workspace.tip();
    const [, files] = await cloned(scene, commit ?? "");
    expect([files.read(".env"), brought]).toEqual(["KEY=1\n", [null, "clone"]]);
  });

  it("has no commit that is not there", async () => {
    const scene = await opened();
    await expect(scene.workspace.clone("0".repeat(40)).open()).rejects.toMatchObject({
      code: "git-failed",
    });
    expect(existsSync(join(scene.home, "clone"))).toBe(false);
  });

  it("local variables are told by their name", () => {
    expect([".env", "web/.env.local", ".envrc", "env", "a/.env/x"].map(isLocalVariables)).toEqual([
      true,
      true,
      true,
      false,
      false,
    ]);
  });
});
