// Where the work of a run is: said at its start and at its end, in status and in --json; what a person has
// not committed; and that a workspace goes once nothing needs it.
import { existsSync, readdirSync, renameSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { StatusView } from "../../src/core/schema/views.ts";
import { english, german, Scenario, TWO_TASKS } from "../support/scenario.ts";

let scene: Scenario;
beforeEach(() => {
  scene = new Scenario();
});
afterEach(() => scene.close());

const BOTH = { english: [english], german: [german] };

async function status(): Promise<StatusView> {
  return JSON.parse((await scene.say("status", "--json")).out) as StatusView;
}

function workspaces(): string[] {
  const folder = join(scene.path, "state/stint/workspaces");
  return existsSync(folder) ? readdirSync(folder) : [];
}

it("says first where the work will be and what stays the person's, and last where it is", async () => {
  scene.write("one.txt", "changed\n");
  const { out, code } = await scene.play(BOTH);
  expect(code).toBe(0);
  expect(out).toMatch(/works in a copy, at \S+; verified work goes to \S+/);
  expect(out).toContain("1 modified file and 2 untracked files stay yours; --include-changes");
  expect(out).toMatch(/ {2}Work: on \S+ \(delivered\)/);
  expect((await status()).delivery).toMatchObject({ kind: "delivered" });
  expect(scene.read("one.txt")).toBe("changed\n");
});

it("says nothing of uncommitted files where there are none but Stint's own and the manifest", async () => {
  scene.commit("everything");
  scene.write("prompt.md", `${TWO_TASKS}\n## Notes\n\nMine.\n`);
  const { out } = await scene.play(BOTH);
  expect(out).not.toContain("yours");
});

it("says which kind of workspace it is while there is one, and removes it after Done and delivery", async () => {
  await scene.play(BOTH, "--sessions", "1");
  const { workspace } = await status();
  expect(workspace).toMatchObject({ kind: "own-copy" });
  expect(workspace?.name).toMatch(/^own copy at (?:the repository's|its own) path$/);
  expect((await scene.say("status", "--verbose")).out).toContain(workspace?.name);
  expect(workspaces()).toHaveLength(1);
  const { state } = await scene.play(BOTH);
  expect(state.status).toBe("Done");
  expect(workspaces()).toEqual([]);
  expect((await status()).workspace).toBeNull();
  expect(scene.git("for-each-ref", "refs/stint")).toBe("");
});

it("opens a new workspace for a task that is reopened", async () => {
  await scene.play(BOTH);
  expect(workspaces()).toEqual([]);
  await scene.say("reopen", "german", "--reason", "again");
  const again = { act: "write", path: "hallo.txt", text: "Hallo Welt\n" };
  const { state } = await scene.play({ german: [[german], [again]] });
  expect(state.status).toBe("Done");
  expect(scene.read("hallo.txt")).toBe("Hallo Welt\n");
  expect(workspaces()).toEqual([]);
});

it("says why work waits and what brings it in, and keeps the workspace until it is in", async () => {
  scene.write("hello.txt", "mine, and in the way\n");
  const { out, code } = await scene.play(BOTH);
  expect(code).toBe(0);
  const waits = /Work: waits on stint\/prompt: files of yours .* hello\.txt; bring it in: /;
  expect(out).toMatch(waits);
  expect((await status()).delivery).toMatchObject({ kind: "waiting", branch: "stint/prompt" });
  expect((await scene.say("status")).out).toContain("waits on stint/prompt");
  expect(workspaces()).toHaveLength(1);
  renameSync(join(scene.root, "hello.txt"), join(scene.root, "mine-too.txt"));
  scene.git("merge", "-q", "stint/prompt");
  expect((await status()).delivery).toMatchObject({ kind: "delivered" });
  await scene.play(BOTH);
  expect(workspaces()).toEqual([]);
});

it("says that a manifest on another branch does not count", async () => {
  await scene.play(BOTH, "--sessions", "1");
  scene.git("switch", "-qc", "other");
  scene.write("prompt.md", TWO_TASKS.replace("two languages", "three"));
  const { manifest_not_adopted } = await status();
  expect(manifest_not_adopted).toContain("the checkout is on other");
  expect((await scene.say("status")).out).toContain("prompt.md on disk does not count as your edit");
  scene.git("checkout", "-q", "prompt.md");
  scene.git("switch", "-q", "-");
  expect((await status()).manifest_not_adopted).toBeNull();
});

it("starts from uncommitted changes where that is asked for, and delivers them with the rest", async () => {
  scene.write("one.txt", "staged\n");
  scene.git("add", "one.txt");
  scene.write("one.txt", "changed again\n");
  const sees = { act: "run", command: "grep -q again one.txt && cp mine.txt hello.txt && echo Hello >> hello.txt" };
  const { out, state } = await scene.play({ ...BOTH, english: [sees] }, "--include-changes");
  expect(out).toContain("starts from your uncommitted changes (drafts/idea.txt, mine.txt, one.txt)");
  expect(state.status).toBe("Done");
  expect(scene.git("status", "--porcelain")).toBe("");
  expect(scene.git("log", "--reverse", "--format=%an: %s").split("\n")[2]).toBe(
    "Ada: Start from uncommitted changes",
  );
  expect(scene.read("hello.txt")).toBe("not tracked, and mine\nHello\n");
});

it("includes changes only for new work, and says so", async () => {
  await scene.play({ english: [] }, "--sessions", "1", "--include-changes");
  scene.write("mine.txt", "changed since\n");
  const { out } = await scene.play(BOTH, "--sessions", "1", "--include-changes");
  expect(out).toContain("continues from the existing work; your changes since then");
  expect(scene.read("mine.txt")).toBe("changed since\n");
  expect(scene.git("show", "stint/prompt:mine.txt")).toBe("not tracked, and mine\n");
  expect((await status()).delivery).toMatchObject({ kind: "waiting" });
});

it("shows of an answered item what can still be seen when its workspace is gone", async () => {
  scene.write("prompt.md", TWO_TASKS.replace("- check: `grep -q Hello", "- approve: after\n  - check: `grep -q Hello"));
  scene.commit("with a question");
  await scene.play(BOTH);
  expect((await scene.say("approve", "a1")).code).toBe(0);
  const { state } = await scene.play(BOTH);
  expect(state.status).toBe("Done");
  const { out } = await scene.say("diff", "a1");
  expect(out).toContain("Its workspace is gone");
  expect(out).toContain("hello.txt");
  expect(out).toMatch(/git -C \S+ show [0-9a-f]{40}/);
});
