import { execFileSync } from "node:child_process";
import { expect, it } from "vitest";
import { treeOf, scenesOfFile } from "../../../test/support/workspace-scene.ts";
import { measureLimits, substantialPaths, touchedPaths } from "../../git/changed-paths.ts";

const scenes = scenesOfFile();

/** A workspace leaves them out of every tree; what is measured must not depend on that. */
const NOTHING_OWN = { ownPaths: [] };
const own = { manifest: "plan/prompt.md", projectFolder: "agents/stint/projects/x" };

it("tells added, modified, deleted and moved files apart and measures the limits", async () => {
  const text = "enough text to be known again\n".repeat(10);
  const { workspace, files } = scenes.make((person) => {
    person.git("init", "-q");
    person.write("moved.ts", text);
    person.write("modified.ts", "1");
    person.write("deleted.ts", "1");
    person.commitAll();
  }, NOTHING_OWN);
  await workspace.open();
  const { tree: before } = await workspace.tip();
  files.remove("moved.ts");
  files.write("lib/moved.ts", `${text}and a line\n`);
  files.write("modified.ts", "12345");
  files.remove("deleted.ts");
  files.write("docs/added.md", "word");
  files.write(own.manifest, "- [x]");
  files.write(`${own.projectFolder}/notes.md`, "x");
  files.write(".agent_iteration_done", "");
  const after = treeOf(await workspace.capture());
  const changes = await workspace.changes(before, after);
  expect(changes.map(({ change, from, path, bytes }) => [change, from, path, bytes])).toEqual([
    ["added", undefined, ".agent_iteration_done", 0],
    ["added", undefined, "agents/stint/projects/x/notes.md", 1],
    ["deleted", undefined, "deleted.ts", 0],
    ["added", undefined, "docs/added.md", 4],
    ["moved", "moved.ts", "lib/moved.ts", 311],
    ["modified", undefined, "modified.ts", 5],
    ["added", undefined, "plan/prompt.md", 5],
  ]);
  expect(substantialPaths(changes, own)).toEqual(["deleted.ts", "lib/moved.ts", "modified.ts"]);
  expect(measureLimits(changes, own)).toEqual({ files: 4, newFiles: 1, moves: 1 });
  expect(touchedPaths(changes)).toContain("moved.ts");
  expect(await workspace.changes(after, after)).toEqual([]);
});

it("finds no difference between two trees that hold the same, though another program wrote one of them", async () => {
  const { workspace, files } = scenes.make((person) => {
    person.git("init", "-q");
    person.write("dir/x.txt", "x\n");
    person.commitAll();
    const inner = person.id("HEAD:dir");
    const entry = [Buffer.from("040000 dir\0"), Buffer.from(inner, "hex")];
    const input = Buffer.concat(entry);
    const words = ["hash-object", "-t", "tree", "-w", "--literally", "--stdin"];
    const options = { cwd: person.root, input, encoding: "utf8" } as const;
    const padded = execFileSync("git", words, options).trim();
    const commit = person.git("commit-tree", "-m", "padded", padded).trim();
    person.git("reset", "-q", "--hard", commit);
  }, NOTHING_OWN);
  await workspace.open();
  const { tree } = await workspace.tip();
  await workspace.lay(tree);
  const same = treeOf(await workspace.capture());
  expect(same).not.toBe(tree);
  expect(await workspace.changes(tree, same)).toEqual([]);
  files.write("dir/x.txt", "other\n");
  const other = treeOf(await workspace.capture());
  expect(await workspace.changes(tree, other)).toMatchObject([{ path: "dir/x.txt" }]);
});
