// Delivery into a branch that is not checked out: it moves, and the checkout stays as it is.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  type Files,
  ordinary,
  request,
  type Scene,
  treeOf,
  scenesOfFile,
} from "../../../test/support/workspace-scene.ts";

const scenes = scenesOfFile();

/** One verified commit for main, not delivered yet. */
async function verified(): Promise<Scene> {
  const scene = scenes.make(ordinary);
  await scene.workspace.open();
  scene.files.write("a.txt", "a1\n");
  await scene.workspace.commit(request(treeOf(await scene.workspace.capture()), "t1"));
  return scene;
}

/** What a delivery of a process that is gone was about to do. */
function leaveIntent(home: string, person: Files): void {
  const move = { from: person.id("main"), to: person.id("stint/work"), branch: "refs/heads/main" };
  const gone = { pid: 1, start: "never", boot: "another", madeAtMs: Date.now() };
  const intent = { ...move, ...gone, laid: { files: [], folders: [] } };
  writeFileSync(join(home, "delivery.json"), JSON.stringify(intent));
}

function everything(person: Files): unknown {
  const refs = person.git("for-each-ref", "--format=%(refname) %(objectname)");
  return {
    files: person.all(),
    head: person.git("rev-parse", "--symbolic-full-name", "HEAD"),
    index: person.git("ls-files", "-s"),
    others: refs.split("\n").filter((line) => !line.startsWith("refs/heads/main ")),
  };
}

describe("with the person elsewhere", () => {
  it.each<[string, (person: Files) => void]>([
    ["on another branch", (person) => void person.git("switch", "-qc", "other")],
    ["on no branch", (person) => void person.git("checkout", "-q", "--detach")],
    [
      "in a merge of another branch",
      (person) => {
        person.git("switch", "-qc", "other");
        person.write(".git/MERGE_HEAD", `${person.id("HEAD")}\n`);
      },
    ],
    [
      "with changes that a delivery into the checkout would wait for",
      (person) => {
        person.git("switch", "-qc", "other");
        person.write("a.txt", "mine\n");
        person.write(".git/index.lock", "");
      },
    ],
  ])("%s: the branch moves, and nothing else", async (_, leave) => {
    const { workspace, person } = await verified();
    leave(person);
    const before = everything(person);
    const tip = person.id("stint/work");
    const delivered = { kind: "delivered", branch: "main", commit: tip };
    expect(await workspace.deliver()).toEqual(delivered);
    expect(person.id("main")).toBe(tip);
    expect(everything(person)).toEqual(before);
    expect(person.git("reflog", "-1", "--format=%gs", "main")).toContain("stint deliver");
    expect(await workspace.deliver()).toEqual(delivered);
  });

  it.each<[string, (person: Files) => void, string, string]>([
    [
      "a rebase of the branch",
      (person) => {
        person.git("checkout", "-q", "--detach");
        person.write(".git/rebase-merge/head-name", "refs/heads/main\n");
      },
      "a rebase of main is in progress",
      "Finish or abort the rebase, then: stint deliver p-0000000001",
    ],
    [
      "a bisect that began on the branch",
      (person) => {
        person.git("checkout", "-q", "--detach");
        person.write(".git/BISECT_START", "main\n");
      },
      "a bisect of main is in progress",
      "Finish or abort the bisect, then: stint deliver p-0000000001",
    ],
    [
      "another work tree that has it checked out",
      (person) => {
        person.git("switch", "-qc", "other");
        person.git("worktree", "add", "-q", "../elsewhere", "main");
      },
      "main is checked out in another work tree",
      "Bring it in there: git merge --ff-only stint/work; or leave main there, then: stint deliver p-0000000001",
    ],
    [
      "a branch that was deleted",
      (person) => {
        person.git("switch", "-qc", "other");
        person.git("branch", "-qD", "main");
      },
      "main was deleted since the work began",
      "Say where it should go instead: stint deliver p-0000000001 --into <branch>",
    ],
    [
      "a branch with commits of its own",
      (person) => {
        person.write("theirs.txt", "theirs\n");
        person.commitAll("theirs");
        person.git("switch", "-qc", "other");
      },
      "your branch has commits that the work does not contain",
      "Combine both: git merge stint/work",
    ],
  ])("waits for %s", async (_, meanwhile, why, hint) => {
    const { workspace, person } = await verified();
    meanwhile(person);
    const before = person.git("for-each-ref");
    const waits = { kind: "waiting", branch: "stint/work", held_by: "obstacle", why, hint };
    expect(await workspace.deliver()).toEqual(waits);
    expect(person.git("for-each-ref")).toBe(before);
  });

  it("takes away the lock that a killed delivery left, and no other", async () => {
    const { workspace, person, home } = await verified();
    person.git("switch", "-qc", "other");
    person.write(".git/refs/heads/main.lock", "");
    const theirs = await workspace.deliver();
    expect(theirs).toMatchObject({ kind: "waiting", held_by: "obstacle" });
    expect(person.exists(".git/refs/heads/main.lock")).toBe(true);
    leaveIntent(home, person);
    expect(await workspace.deliver()).toMatchObject({ kind: "delivered" });
    expect(person.exists(".git/refs/heads/main.lock")).toBe(false);
  });
});

describe("another branch to go to", () => {
  it("is recorded, and delivered to from then on", async () => {
    const { workspace, person } = await verified();
    person.git("branch", "release");
    await workspace.deliverInto("release");
    expect(workspace.deliversTo()).toBe("release");
    expect(await workspace.deliver()).toMatchObject({ kind: "delivered", branch: "release" });
    expect(person.id("release")).toBe(person.id("stint/work"));
    expect(person.id("main")).not.toBe(person.id("stint/work"));
    await workspace.open();
    expect(workspace.deliversTo()).toBe("release");
  });

  it.each(["nowhere", "-d", "refs/heads/main", "a..b", "*"])("is not %s", async (name) => {
    const { workspace } = await verified();
    await expect(workspace.deliverInto(name)).rejects.toThrow(`there is no branch ${name} in `);
    expect(workspace.deliversTo()).toBe("main");
  });

  it("is not where the work waits", async () => {
    const { workspace } = await verified();
    await expect(workspace.deliverInto("stint/work")).rejects.toThrow("already waits");
  });
});

it("only says where the work is while it is held", async () => {
  const { workspace, person } = await verified();
  const held = { held_by: "choice", why: "because", hint: "Bring it in: x" } as const;
  const before = person.git("for-each-ref");
  expect(await workspace.deliver(held)).toEqual({ kind: "waiting", branch: "stint/work", ...held });
  expect(person.git("for-each-ref")).toBe(before);
  person.git("merge", "-q", "--ff-only", "stint/work");
  expect(await workspace.deliver(held)).toMatchObject({ kind: "delivered", branch: "main" });
});
