// Delivery into the person's checkout: what it brings, and everything that it leaves alone.
import { expect, it } from "vitest";
import {
  type Files,
  ordinary,
  request,
  type Scene,
  treeOf,
  scenesOfFile,
} from "../../../test/support/workspace-scene.ts";
import type { WorkspaceOptions } from "../open-workspace.ts";

const scenes = scenesOfFile();

const BOXES = [{ path: "PROMPT.md", content: Buffer.from("- [x] one\n") }];

/** One verified commit, not delivered yet. */
async function verified(
  prepare: (person: Files) => void = ordinary,
  more: Partial<WorkspaceOptions> = {},
): Promise<Scene> {
  const scene = scenes.make(prepare, more);
  const { workspace, files } = scene;
  await workspace.open();
  files.write("a.txt", "a1\n");
  files.write("new.txt", "new\n");
  files.remove("dir/y.txt");
  files.write("late.log", "ignored\n");
  await workspace.commit(request(treeOf(await workspace.capture()), "t1", { own: BOXES }));
  return scene;
}

const DELIVERED = { kind: "delivered", branch: "main" };

it("brings verified work into the branch, the index and the files", async () => {
  const { workspace, person } = await verified();
  expect(await workspace.deliver()).toMatchObject(DELIVERED);
  expect(person.id("HEAD")).toBe(person.id("stint/work"));
  expect(person.status()).toEqual([]);
  expect(person.all()).toMatchObject({ "a.txt": "file a1\n", "new.txt": "file new\n" });
  expect(person.exists("dir/y.txt")).toBe(false);
  expect(person.read("PROMPT.md")).toBe("- [x] one\n");
  expect(await workspace.deliver()).toMatchObject(DELIVERED);
});

it("whose own files could not be removed from the repository is ended with the workspace", async () => {
  const { workspace, person } = await verified();
  expect(await workspace.deliver()).toMatchObject(DELIVERED);
  person.write(".git/stint-delivery-p-0000000001/old/0", "a0\n");
  await workspace.remove();
  expect(person.exists(".git/stint-delivery-p-0000000001")).toBe(false);
});

it.each(["a.txt", "dir/x.txt"])(
  "waits while %s is in conflict, and says that it is to be resolved first",
  async (path) => {
    const { workspace, person } = await verified();
    person.git("switch", "-q", "-c", "theirs");
    person.write(path, "theirs\n");
    person.commitAll();
    person.git("switch", "-q", "main");
    person.write(path, "mine\n");
    person.git("stash", "-q");
    // A stash that is put on other text leaves a conflict, and no merge in progress.
    person.git("read-tree", "-u", "--reset", "theirs");
    expect(() => person.git("stash", "pop")).toThrow(/Command failed/);
    const before = person.all();
    const delivery = await workspace.deliver();
    expect(delivery).toMatchObject({
      kind: "waiting",
      why: expect.stringMatching(/^the checkout has conflicts that are not resolved yet/),
      hint: expect.stringMatching(/^Resolve them .*, then: stint deliver p-/),
    });
    expect(person.all()).toEqual(before);
  },
);

it("leaves unrelated work of the person as it is, staged and unstaged", async () => {
  const { workspace, person } = await verified();
  person.write("dir/x.txt", "mine\n");
  person.write("staged.txt", "staged\n");
  person.git("add", "staged.txt");
  person.write("untracked.txt", "untracked\n");
  expect(await workspace.deliver()).toMatchObject(DELIVERED);
  expect(person.status()).toEqual([" M dir/x.txt", "A  staged.txt", "?? untracked.txt"]);
  expect(person.read("dir/x.txt")).toBe("mine\n");
});

it.each<[string, (person: Files) => void, string, string]>([
  [
    "a changed file",
    (person) => person.write("a.txt", "mine\n"),
    "you have uncommitted changes in a.txt",
    "Commit or stash them, then: stint deliver p-0000000001",
  ],
  [
    "an untracked file",
    (person) => person.write("new.txt", "mine\n"),
    "files of yours that are in no commit are in the way: new.txt",
    "Move them away or commit them, then: stint deliver p-0000000001",
  ],
  [
    "an ignored file",
    (person) => {
      person.write("new.txt", "mine\n");
      person.write(".git/info/exclude", "new.txt\n");
    },
    "files of yours that are in no commit are in the way: new.txt",
    "Move them away or commit them, then: stint deliver p-0000000001",
  ],
  [
    "a branch that moved on",
    (person) => {
      person.write("theirs.txt", "theirs\n");
      person.commitAll("theirs");
    },
    "your branch has commits that the work does not contain",
    "Combine both: git merge stint/work",
  ],
  [
    "a merge in progress",
    (person) => person.write(".git/MERGE_HEAD", `${person.id("HEAD")}\n`),
    "a merge is in progress in the checkout",
    "Finish or abort the merge, then: stint deliver p-0000000001",
  ],
  [
    "a manifest that they staged differently",
    (person) => {
      person.write("PROMPT.md", "- [ ] one\n- [ ] staged\n");
      person.git("add", "PROMPT.md");
    },
    "you have uncommitted changes in PROMPT.md",
    "Commit or stash them, then: stint deliver p-0000000001",
  ],
])("waits for %s, and changes nothing", async (_, meanwhile, why, hint) => {
  const { workspace, person } = await verified();
  meanwhile(person);
  const before = {
    files: person.all(),
    head: person.id("HEAD"),
    staged: person.git("ls-files", "-s"),
  };
  const waits = { kind: "waiting", branch: "stint/work", held_by: "obstacle", why, hint };
  expect(await workspace.deliver()).toEqual(waits);
  expect(person.all()).toEqual(before.files);
  expect(person.id("HEAD")).toBe(before.head);
  expect(person.git("ls-files", "-s")).toBe(before.staged);
});

it("waits for a locked index", async () => {
  const { workspace, person } = await verified();
  person.write(".git/index.lock", "");
  expect(await workspace.deliver()).toMatchObject({ kind: "waiting" });
  expect(person.exists(".git/index.lock")).toBe(true);
  person.remove(".git/index.lock");
  expect(await workspace.deliver()).toMatchObject(DELIVERED);
});

it("keeps what the person wrote into the manifest meanwhile, unstaged", async () => {
  const { workspace, person } = await verified();
  person.write("PROMPT.md", "- [x] one\n- [ ] two, by the person\n");
  expect(await workspace.deliver()).toMatchObject(DELIVERED);
  expect(person.status()).toEqual([" M PROMPT.md"]);
  expect(person.read("PROMPT.md")).toBe("- [x] one\n- [ ] two, by the person\n");
  expect(person.git("show", "HEAD:PROMPT.md")).toBe("- [x] one\n");
});

it("takes a file that is there already with the same content", async () => {
  const { workspace, person } = await verified();
  person.write("new.txt", "new\n");
  person.write("a.txt", "a1\n");
  expect(await workspace.deliver()).toMatchObject(DELIVERED);
  expect(person.status()).toEqual([]);
});

it("follows no wish of the person's merge settings", async () => {
  const { workspace, person } = await verified((files) => {
    ordinary(files);
    files.git("config", "merge.ff", "false");
    files.git("config", "merge.autoStash", "true");
    files.git("config", "branch.main.mergeOptions", "--no-commit --squash --no-ff");
    files.program(".git/hooks/post-merge", "touch hooked");
    files.program(".git/hooks/reference-transaction", "exit 1");
    files.git("config", "core.hooksPath", ".git/hooks");
  });
  expect(await workspace.deliver()).toMatchObject(DELIVERED);
  expect(person.status()).toEqual([]);
  expect(person.id("HEAD")).toBe(person.id("stint/work"));
});

it("delivers the first commit of a repository", async () => {
  const { workspace, person } = await verified((files) => {
    files.git("init", "-q");
    files.write("untracked.txt", "mine\n");
  });
  expect(await workspace.deliver()).toMatchObject(DELIVERED);
  expect(person.status()).toEqual(["?? untracked.txt"]);
  expect(person.read("a.txt")).toBe("a1\n");
});

it("waits where the person has a file in the way of a first commit", async () => {
  const { workspace, person } = await verified((files) => void files.git("init", "-q"));
  person.write("a.txt", "mine\n");
  expect(await workspace.deliver()).toMatchObject({ kind: "waiting" });
  expect(person.read("a.txt")).toBe("mine\n");
});

it("waits where the work began on no branch", async () => {
  const { workspace, person } = await verified((files) => {
    ordinary(files);
    files.git("checkout", "-q", "--detach");
  });
  expect(await workspace.deliver()).toEqual({
    kind: "waiting",
    branch: "stint/work",
    held_by: "choice",
    why: "the checkout was on no branch when the work began",
    hint: "Say where it should go: stint deliver p-0000000001 --into <branch>",
  });
  expect(person.status()).toEqual([]);
});

it("delivers with line ends and filters as the person has them", async () => {
  const { workspace, person } = await verified((files) => {
    ordinary(files);
    files.git("config", "core.autocrlf", "true");
    files.git("config", "filter.up.clean", "tr a-z A-Z");
    files.git("config", "filter.up.smudge", "tr A-Z a-z");
    files.write(".gitattributes", "a.txt filter=up\n");
    files.commitAll("filtered");
  });
  person.write("PROMPT.md", "- [x] one\r\n");
  expect(await workspace.deliver()).toMatchObject(DELIVERED);
  expect(person.status()).toEqual([]);
  expect(person.read("new.txt")).toBe("new\r\n");
  expect(person.git("show", "HEAD:a.txt")).toBe("A1\n");
});
