import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type TestRepositories, testRepositories } from "../../test/support/git-repository.ts";
import { keepSnapshot } from "./keep-snapshot.ts";
import { takeSnapshot } from "./snapshot.ts";
import { dropStart, startNames } from "./start-refs.ts";
import { startRef } from "./stint-refs.ts";

const PROJECT = "p-0000000000";
let repositories: TestRepositories;
let repository: ReturnType<TestRepositories["make"]>;

beforeEach(() => {
  repositories = testRepositories();
  repository = repositories.make();
  repository.write("tracked.txt", "one");
  repository.commitAll();
});
afterEach(() => repositories.remove());

async function start(of: number | string): Promise<string> {
  const snapshot = await takeSnapshot(repository.root, { exclude: [] });
  if (snapshot.kind === "none") throw new Error("there is no repository");
  const ref = startRef(PROJECT, of);
  await keepSnapshot(repository.root, ref, snapshot, `before ${of}`);
  return ref;
}

/** Whether the first start is dropped once the second was made. */
async function isDropped(between: () => void): Promise<boolean> {
  const first = await start(1);
  between();
  const second = await start(2);
  const dropped = await dropStart(repository.root, first, second);
  expect(await startNames(repository.root, PROJECT)).toEqual(dropped ? ["2"] : ["1", "2"]);
  return dropped;
}

describe("a start that is no longer needed is dropped", () => {
  it("when nothing changed, or only what is committed", async () => {
    expect(await isDropped(() => {})).toBe(true);
    const commit = (): void => {
      repository.write("tracked.txt", "two");
      repository.commitAll();
    };
    expect(await isDropped(commit)).toBe(true);
  });

  it("when its untracked files are still there", async () => {
    repository.write("untracked.txt", "mine");
    expect(await isDropped(() => repository.write("other.txt", "new"))).toBe(true);
  });

  it("in a repository without any commit", async () => {
    repository = repositories.make();
    repository.write("untracked.txt", "mine");
    expect(await isDropped(() => {})).toBe(true);
  });
});

describe("a start stays while it alone holds", () => {
  it.each(["changed", undefined])("an untracked file that is now %j", async (now) => {
    repository.write("untracked.txt", "mine");
    const change = (): void =>
      now === undefined
        ? repository.remove("untracked.txt")
        : repository.write("untracked.txt", now);
    expect(await isDropped(change)).toBe(false);
  });

  it("an uncommitted change of a tracked file", async () => {
    repository.write("tracked.txt", "not committed");
    expect(await isDropped(() => repository.git("checkout", "-q", "tracked.txt"))).toBe(false);
  });

  it("what was staged", async () => {
    repository.write("tracked.txt", "staged");
    repository.git("add", "tracked.txt");
    repository.write("tracked.txt", "one");
    expect(await isDropped(() => repository.git("reset", "-q"))).toBe(false);
  });

  it("the commits of a branch that was deleted", async () => {
    repository.git("switch", "-q", "-c", "idea");
    repository.git("commit", "-q", "--allow-empty", "-m", "An idea");
    repository.git("switch", "-q", "-");
    expect(await isDropped(() => repository.git("branch", "-q", "-D", "idea"))).toBe(false);
  });

  it("a stash that was dropped", async () => {
    repository.write("tracked.txt", "stashed");
    repository.git("stash", "push", "-q");
    expect(await isDropped(() => repository.git("stash", "drop", "-q"))).toBe(false);
  });
});

it("what a session left is never among the starts", async () => {
  await start("1-left");
  expect(await startNames(repository.root, PROJECT)).toEqual([]);
});
