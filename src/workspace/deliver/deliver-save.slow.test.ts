// A person saves a file while it is delivered: at every moment, in every way that editors save, what they saved
// is there afterwards, in its place or where they are told.
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from "node:fs";
import { delimiter, join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import {
  ordinary,
  request,
  type Scene,
  type Scenes,
  treeOf,
  workspaceScenes,
} from "../../../test/support/workspace-scene.ts";
import { describeDifferences, recordPerson } from "../../../test/support/person-state.ts";
import type { Brought as Delivery } from "../workspace.ts";

let scenes: Scenes;
let shim: string;
const realGit = execFileSync("sh", ["-c", "command -v git"], { encoding: "utf8" }).trim();
const PATH = process.env["PATH"];

beforeAll(() => {
  scenes = workspaceScenes();
  shim = join(scenes.path, "shim");
  mkdirSync(shim);
  // Right before the command that holds these words, somebody saves; it may fail then.
  writeFileSync(
    join(shim, "git"),
    `#!/bin/sh
case " $* " in
*" $SAVE_AT "*) if [ ! -e "$SAVE_DONE" ]; then touch "$SAVE_DONE"; eval "$SAVE"; fi ;;
esac
exec '${realGit}' "$@"
`,
  );
  chmodSync(join(shim, "git"), 0o755);
});
afterAll(() => scenes.remove());

async function verified(text = "new\n"): Promise<Scene> {
  const scene = scenes.make(ordinary);
  const { workspace, files } = scene;
  await workspace.open();
  files.write("a.txt", "a1\n");
  files.write("new.txt", text);
  files.remove("dir/y.txt");
  await workspace.commit(request(treeOf(await workspace.capture())));
  return scene;
}

/** @param save shell, in the checkout; `$FD` is a file that was opened before the delivery began */
async function savedAt(scene: Scene, at: string, path: string, save: string): Promise<Delivery> {
  const { person, workspace } = scene;
  // An index of a form that only git reads, so that git is asked to refresh it.
  if (at === LAID) person.git("update-index", "--index-version", "4");
  const fd = openSync(person.path(path), "r+");
  Object.assign(process.env, {
    PATH: `${shim}${delimiter}${PATH}`,
    SAVE_AT: at,
    SAVE: `cd '${person.root}' && ${save}`,
    SAVE_DONE: join(person.root, "..", "saved"),
    FD: `/proc/${process.pid}/fd/${fd}`,
  });
  try {
    return await workspace.deliver();
  } finally {
    closeSync(fd);
    process.env["PATH"] = PATH;
    for (const name of ["SAVE_AT", "SAVE", "SAVE_DONE", "FD"]) delete process.env[name];
    expect(person.exists("../saved")).toBe(true);
    expect(readdirSync(person.path(".git")).filter((name) => /stint|lock$/.test(name))).toEqual(
      readdirSync(person.path(".git")).filter((name) => name.endsWith("-saved")),
    );
  }
}

const IN_PLACE = (path: string): string => `printf 'mine\\n' >${path}`;
const BY_NAME = (path: string): string => `printf 'mine\\n' >.tmp && mv .tmp ${path}`;
const BY_DESCRIPTOR = `printf 'mine\\n' >"$FD"`;

const BEFORE = "read-tree -m -u";
const LAID = "update-index -q --refresh";
const MOVING = "update-ref -m";

it.each([
  ["into the file", IN_PLACE("a.txt")],
  ["over it", BY_NAME("a.txt")],
  ["by a descriptor", BY_DESCRIPTOR],
])("a file that comes, saved %s while the new ones are prepared", async (_, save) => {
  const scene = await verified();
  const { person } = scene;
  const index = person.git("ls-files", "-s");
  expect(await savedAt(scene, BEFORE, "a.txt", save)).toMatchObject({
    kind: "waiting",
    why: "you have uncommitted changes in a.txt",
  });
  expect(person.read("a.txt")).toBe("mine\n");
  expect(person.status()).toEqual([" M a.txt"]);
  expect(person.git("ls-files", "-s")).toBe(index);
  expect(person.read("dir/y.txt")).toBe("y0\n");
});

it.each([
  ["into the file", IN_PLACE("dir/y.txt")],
  ["over it", BY_NAME("dir/y.txt")],
  ["by a descriptor", BY_DESCRIPTOR],
])("a file that goes, saved %s while the new ones are prepared", async (_, save) => {
  const scene = await verified();
  expect(await savedAt(scene, BEFORE, "dir/y.txt", save)).toMatchObject({ kind: "waiting" });
  expect(scene.person.read("dir/y.txt")).toBe("mine\n");
  expect(scene.person.status()).toEqual([" M dir/y.txt"]);
});

it.each([
  ["the new files are prepared", BEFORE, "ulimit -f 1"],
  ["the new files are prepared, before the first byte", BEFORE, "ulimit -f 0"],
  ["the branch moves", MOVING, "ulimit -f 0"],
])(
  "the disk is full while %s: everything is as before, and comes once there is room",
  async (_, at, full) => {
    const scene = await verified("x".repeat(100_000));
    const { person } = scene;
    const before = recordPerson(person.root);
    expect(await savedAt(scene, at, "a.txt", full)).toMatchObject({ kind: "waiting" });
    expect(describeDifferences(before, recordPerson(person.root))).toEqual([]);
    expect(await scene.workspace.deliver()).toMatchObject({ kind: "delivered" });
    expect(person.status()).toEqual([]);
  },
);

it("the index cannot be refreshed: it is delivered, and git looks at the files itself", async () => {
  const scene = await verified();
  expect(await savedAt(scene, LAID, "a.txt", "ulimit -f 0")).toMatchObject({ kind: "delivered" });
  expect(scene.person.status()).toEqual([]);
});

it("a file that is made where one comes, while that is prepared", async () => {
  const scene = await verified();
  expect(await savedAt(scene, BEFORE, "a.txt", IN_PLACE("new.txt"))).toMatchObject({
    kind: "waiting",
  });
  expect(scene.person.read("new.txt")).toBe("mine\n");
  expect(scene.person.status()).toEqual(["?? new.txt"]);
});

for (const [when, at] of [
  ["files are in place", LAID],
  ["branch moves", MOVING],
] as const) {
  it.each([
    ["into the file", IN_PLACE("a.txt"), undefined],
    ["over it", BY_NAME("a.txt"), undefined],
    ["by a descriptor", BY_DESCRIPTOR, ["a.txt was saved during a delivery: it has your text"]],
  ])(`a file that comes, saved %s when the ${when}`, async (_, save, notes) => {
    const scene = await verified();
    const { person } = scene;
    const delivery = await savedAt(scene, at, "a.txt", save);
    expect(delivery).toEqual({
      kind: "delivered",
      branch: "main",
      commit: person.id("stint/work"),
      ...(notes === undefined ? {} : { notes }),
    });
    expect(person.read("a.txt")).toBe("mine\n");
    expect(person.status()).toEqual([" M a.txt"]);
    expect(person.git("show", "HEAD:a.txt")).toBe("a1\n");
  });

  it(`a file that goes, saved by a descriptor when the ${when}`, async () => {
    const scene = await verified();
    const { person } = scene;
    expect(await savedAt(scene, at, "dir/y.txt", BY_DESCRIPTOR)).toMatchObject({
      kind: "delivered",
      notes: ["dir/y.txt was saved during a delivery: it has your text"],
    });
    expect(person.read("dir/y.txt")).toBe("mine\n");
    expect(person.status()).toEqual(["?? dir/y.txt"]);
  });

  it(`two saves of one file when the ${when}: both are there, and it is said where`, async () => {
    const scene = await verified();
    const { person } = scene;
    const save = `${BY_NAME("a.txt")} && printf 'by the descriptor\\n' >"$FD"`;
    const { notes = [] } = await savedAt(scene, at, "a.txt", save);
    expect(person.read("a.txt")).toBe("mine\n");
    const kept = /^what was saved to a\.txt during a delivery is kept as (.+): another/.exec(
      notes[0] ?? "",
    )?.[1];
    expect(readFileSync(kept ?? "", "utf8")).toBe("by the descriptor\n");
  });
}

it.each([
  ["into the file", IN_PLACE("a.txt")],
  ["over it", BY_NAME("a.txt")],
  ["by a descriptor", BY_DESCRIPTOR],
])("a file that comes, saved %s when the branch cannot move", async (_, save) => {
  const scene = await verified();
  const { person } = scene;
  const index = person.git("ls-files", "-s");
  expect(await savedAt(scene, MOVING, "a.txt", `${save}; exit 1`)).toMatchObject({
    kind: "waiting",
  });
  expect(person.read("a.txt")).toBe("mine\n");
  expect(person.status()).toEqual([" M a.txt"]);
  expect(person.git("ls-files", "-s")).toBe(index);
  expect(person.exists("new.txt")).toBe(false);
});
