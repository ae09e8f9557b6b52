// The walls of `protect: home` against every row of the table, by each kind of namespace, as the user who runs the tests
// and, where that is root, as an ordinary user too.
import { spawnSync } from "node:child_process";
import { chmodSync, chownSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { availableKinds } from "../support/available-kinds.ts";
import { bundleProgram } from "../support/bundle-program.ts";
import { type TemporaryFolder, temporaryFolder } from "../support/temporary-folder.ts";
import { type Came, WALL_TRIES } from "../support/wall-tries.ts";

const NOBODY = 65534;
const isRoot = process.getuid?.() === 0;
const USERS = isRoot ? (["root", "an ordinary user"] as const) : (["an ordinary user"] as const);
const KINDS = availableKinds().filter((kind) => kind !== "group");

let folder: TemporaryFolder;
let program: string;
beforeAll(async () => {
  folder = temporaryFolder();
  chmodSync(folder.path, 0o755);
  program = await bundleProgram("wall-matrix", folder.path);
});
afterAll(() => folder.remove());

interface Result {
  readonly what: string;
  readonly came: Came;
  readonly output: string;
}

describe.each(KINDS)("behind walls by %s", (kind) => {
  it.each(USERS)("%s gets what the table says", (user) => {
    const isNobody = isRoot && user !== "root";
    const base = join(folder.path, `${kind}-${user.replaceAll(" ", "-")}`);
    mkdirSync(base);
    if (isNobody) chownSync(base, NOBODY, NOBODY);
    const words = [process.execPath, program, kind, base];
    const as = ["setpriv", `--reuid=${NOBODY}`, `--regid=${NOBODY}`, "--clear-groups", ...words];
    const [file = "", ...args] = isNobody ? as : words;
    const env = { ...process.env, HOME: base, TMPDIR: base, STINT_PASSWORD: "SECRET" };
    const { stdout, stderr } = spawnSync(file, args, { encoding: "utf8", env });
    expect(stderr).toBe("");
    const results = JSON.parse(stdout) as Result[];
    const expected = WALL_TRIES.map(({ about, what, came, asRoot }) => [
      `${about}: ${what}`,
      user === "root" ? (asRoot ?? came) : came,
    ]);
    const wanted = new Map(expected as [string, Came][]);
    const wrong = results.filter(({ what, came }) => wanted.get(what) !== came);
    expect(wrong).toEqual([]);
    expect(results.length).toBeGreaterThanOrEqual(WALL_TRIES.length - 1);
  });
});

it("has more than forty rows", () => {
  expect(WALL_TRIES.length).toBeGreaterThan(40);
});
