// A workspace shown at the checkout's own path in a real namespace: what runs there finds a whole
// repository with its history, and the person's files and repository stay as they are.
import { spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import {
  Files,
  optionsFor,
  ordinary,
  request,
  treeOf,
  scenesOfFile,
} from "../../test/support/workspace-scene.ts";
import { availableKinds } from "../../test/support/available-kinds.ts";
import type { View } from "../process/namespace/view.ts";
import { openWorkspace } from "./open-workspace.ts";

const scenes = scenesOfFile();

const PROGRAM = "bwrap";
const PLAIN = "--dev-bind / / --unshare-pid --proc /proc --die-with-parent".split(" ");

function words({ hide, mounts }: View, cwd: string): string[] {
  const shown = mounts.flatMap(({ from, at, mode }) => [
    mode === "read-only" ? "--ro-bind" : "--bind",
    from,
    at,
  ]);
  return [...PLAIN, ...hide.flatMap((path) => ["--tmpfs", path]), ...shown, "--chdir", cwd];
}

it.skipIf(!availableKinds().includes("bwrap"))("works with git there as at home", async () => {
  const folder = join(scenes.path, "namespace");
  const person = new Files(join(folder, "checkout"));
  mkdirSync(person.root, { recursive: true });
  ordinary(person);
  person.program(".git/hooks/pre-commit", "echo checked > checked.txt; git add checked.txt");
  const state = join(folder, "state");
  const inside = (view: View, script: string) =>
    spawnSync(PROGRAM, [...words(view, person.root), "sh", "-c", script], { encoding: "utf8" });
  const workspace = openWorkspace(
    optionsFor(person.root, join(state, "1"), {
      shownAt: "checkout",
      hide: [state],
      runInside({ program, args, cwd }) {
        const all = [...words(workspace.view, cwd), program, ...args];
        const { status, stdout, stderr } = spawnSync(PROGRAM, all, { encoding: "utf8" });
        return Promise.resolve({ exitCode: status, output: `${stdout}${stderr}` });
      },
    }),
  );
  await workspace.open();
  await workspace.lay((await workspace.tip()).tree);
  await workspace.freshGit({ branch: "stint/work", canPush: false });
  const before = { files: person.all(), refs: person.git("for-each-ref") };
  const script = `
    git status --porcelain; git log --format=%s; pwd
    echo a1 > a.txt; git stash -q; git stash pop -q; git commit -qam mine
    git gc -q --prune=now; git log --format=%s; git fsck --no-dangling
    ls ${state}`;
  expect(inside(workspace.view, script)).toMatchObject({
    stdout: `first\n${person.root}\nmine\nfirst\nobjects\nown-objects\n`,
    stderr: "",
  });
  expect({ files: person.all(), refs: person.git("for-each-ref") }).toEqual(before);
  expect(await workspace.sessionMessages()).toEqual(["mine"]);
  const wanted = request(treeOf(await workspace.capture()));
  const found = await workspace.commit(wanted);
  if (found.kind !== "altered") throw new Error(`the hook altered nothing: ${found.kind}`);
  const verified = { ...wanted, tree: found.tree, message: found.message, hooksRan: true };
  expect(await workspace.commit(verified)).toMatchObject({ kind: "committed" });
  expect(await workspace.deliver()).toMatchObject({ kind: "delivered", branch: "main" });
  expect(person.read("checked.txt")).toBe("checked\n");
  expect(person.read("a.txt")).toBe("a1\n");
  expect(person.status()).toEqual([]);
});
