// Every small JSON file of a workspace is judged before anybody relies on it: damage is told with its place and
// with what to do, never taken for something else.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { readMeasuredUse } from "./base/disk-use.ts";
import { readRecord } from "./base/record.ts";
import { assertInShape, damagedRecords, setAsideDamagedRecords } from "./damaged-records.ts";
import { isCutShort } from "./deliver/end-delivery.ts";
import { readInputs } from "./tree/brought.ts";
import { changedBrought, noteBrought } from "./tree/watch-brought.ts";

const temporary = temporaryFolder();
afterAll(() => temporary.remove());
let home = "";
let made = 0;
beforeEach(() => {
  home = join(temporary.path, String(++made), "p-1", "1");
  mkdirSync(home, { recursive: true });
});

const AGAIN = "Stop the run, then set it aside: stint doctor --repair";
const INTENT = { from: null, to: "1", branch: "refs/heads/main", pid: 1, start: "", boot: "" };
const LAID = { files: [{ path: "a", before: "1 2 3 4", after: null }], folders: [] };

function put(name: string, content: unknown): string {
  const path = join(home, name);
  writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
  return path;
}

describe("a damaged file of a workspace is told with its place and what to do", () => {
  const rows: readonly (readonly [string, unknown, string, () => unknown])[] = [
    ["record.json", "{", "it is not JSON", () => readRecord(home)],
    ["record.json", {}, 'its field "branch" does not fit', () => readRecord(home)],
    [
      "record.json",
      { branch: 1, tip: null },
      'its field "branch" does not fit',
      () => readRecord(home),
    ],
    [
      "record.json",
      { branch: null, tip: null, staged: [["a", { mode: "100644" }]] },
      'its field "staged.0.1.oid" does not fit',
      () => readRecord(home),
    ],
    [
      "record.json",
      { ...INTENT, record: { branch: null } },
      'its field "tip" does not fit',
      () => readRecord(home),
    ],
    ["inputs.json", [["a", 1]], 'its field "0.1" does not fit', () => readInputs(home)],
    ["brought.json", [1], 'its field "0" does not fit', () => noteBrought(home, home, 1)],
    [
      "brought-before.json",
      { session: 1, files: {} },
      'its field "dependencies" does not fit',
      () => changedBrought(home, home, 1),
    ],
  ];
  for (const [name, content, why, read] of rows) {
    it(`${name}: ${why}`, async () => {
      const path = put(name, content);
      await expect((async () => await read())()).rejects.toMatchObject({
        code: "state-corrupt",
        message: `${path} is damaged: ${why}`,
        hint: AGAIN,
      });
    });
  }

  it("delivery.json, with a look at the checkout first", () => {
    const path = put("delivery.json", {
      ...INTENT,
      madeAtMs: 1,
      laid: { files: [{}], folders: [] },
    });
    expect(() => isCutShort(home)).toThrow(
      expect.objectContaining({
        code: "state-corrupt",
        message: `${path} is damaged: its field "laid.files.0.path" does not fit`,
        hint: `A delivery was interrupted, and what it did is not known: look at your checkout (git status), then: rm '${path}'`,
      }),
    );
  });

  it("use.json alone may be lost", () => {
    put("use.json", {
      bytes: -1,
      files: 1,
      is_whole: true,
      measured_at: "2026-01-01T00:00:00.000Z",
    });
    expect(readMeasuredUse(home)).toBeNull();
  });
});

it("a record of an earlier Stint gets the fields that it lacks", () => {
  put("record.json", { branch: "refs/heads/main", tip: "1" });
  expect(readRecord(home)).toEqual({
    branch: "refs/heads/main",
    tip: "1",
    ours: null,
    held: null,
    moving: null,
    staged: [],
    included: [],
    aside: [],
    tipTree: null,
    laid: null,
    isActing: false,
    nested: [],
  });
});

it("the intent of a delivery that was carried out is the record", () => {
  put("record.json", { ...INTENT, madeAtMs: 1, laid: LAID, record: { branch: null, tip: "2" } });
  expect(readRecord(home)).toMatchObject({ branch: null, tip: "2", held: null });
});

it("no file is no record", () => {
  expect([readRecord(home), isCutShort(home), readMeasuredUse(home)]).toEqual([null, false, null]);
});

describe("a damaged file of a workspace is set aside", () => {
  it.each(["cut", "folder", "circle of links"])("a record that is a %s", (kind) => {
    const path = join(home, "record.json");
    if (kind === "cut") put("record.json", "{");
    else if (kind === "folder") mkdirSync(join(path, "inside"), { recursive: true });
    else symlinkSync(path, path);
    const why = kind === "cut" ? "it is not JSON" : "it is not a file";
    expect(damagedRecords(home)).toEqual([{ path, why }]);
    expect(setAsideDamagedRecords(home)).toEqual([
      `${path} is damaged: ${why}; it was set aside as ${path}.damaged`,
    ]);
    expect(damagedRecords(home)).toEqual([]);
    expect(readRecord(home)).toBeNull();
  });

  const things: readonly [string, (path: string) => void][] = [
    ["a pipe", (path) => void spawnSync("mkfifo", [path])],
    ["a circle of links", (path) => symlinkSync(path, path)],
    ["a link that leads nowhere", (path) => symlinkSync("/no/where", path)],
  ];
  const file = (path: string): void => writeFileSync(path, "");
  const folder = (path: string) => void mkdirSync(join(path, "inside"), { recursive: true });
  const folders = [
    ["", "tree", "git", "git/info", "git/objects", "git/objects/info", "git/refs"],
    ["git/refs/stint", "git/refs/stint/p-1", "git/refs/stint/p-1/t1"],
  ].flat();
  const files = [
    "use.json",
    "git/HEAD",
    "git/index",
    "git/info/exclude",
    "git/refs/stint/p-1/t1/1",
  ];

  it.each([
    ...folders.flatMap((name) =>
      [...things, ["a file", file] as const].map(
        ([kind, put]) => [kind, name, "folder", put] as const,
      ),
    ),
    ...files.flatMap((name) =>
      [...things, ["a folder", folder] as const].map(
        ([kind, put]) => [kind, name, "file", put] as const,
      ),
    ),
  ])("%s at %s, which is to be a %s", (_, name, wanted, put) => {
    const path = join(home, name);
    const why = `it is not a ${wanted}`;
    mkdirSync(dirname(path), { recursive: true });
    rmSync(path, { recursive: true, force: true });
    put(path);
    expect(damagedRecords(home)).toEqual([{ path, why }]);
    if (name !== "use.json") {
      expect(() => assertInShape(home)).toThrow(
        expect.objectContaining({
          code: "state-corrupt",
          message: `${path} is damaged: ${why}`,
          hint: AGAIN,
        }),
      );
    }
    const aside = name.startsWith("git/") ? join(home, name.replaceAll("/", "-")) : path;
    expect(setAsideDamagedRecords(home)).toEqual([
      `${path} is damaged: ${why}; it was set aside as ${aside}.damaged`,
    ]);
    expect(damagedRecords(home)).toEqual([]);
    assertInShape(home);
  });

  it("not where a link above all workspaces is somebody's, which leads nowhere for now", () => {
    const all = join(home, "workspaces");
    symlinkSync("/no/where", all);
    const own = join(all, "p-1", "1");
    expect(damagedRecords(own)).toEqual([{ path: all, why: "it is not a folder" }]);
    expect(() => assertInShape(own)).toThrow(
      expect.objectContaining({ hint: `Move ${all} aside, or put back what it leads to.` }),
    );
    expect(setAsideDamagedRecords(own)).toEqual([]);
    rmSync(all);
    writeFileSync(all, "");
    expect(setAsideDamagedRecords(own)).toHaveLength(1);
    expect(existsSync(all)).toBe(false);
  });

  it("not a delivery that cannot be seen behind a circle of links", () => {
    const at = join(home, "1");
    symlinkSync(at, at);
    expect(() => isCutShort(at)).toThrow(expect.objectContaining({ code: "ELOOP" }));
  });

  it("with the files that were brought, where nobody knows which these are", () => {
    put("inputs.json", "{");
    mkdirSync(join(home, "tree"));
    put("tree/a", "a");
    expect(setAsideDamagedRecords(home)).toHaveLength(2);
    expect(readdirSync(join(home, "tree.damaged"))).toEqual(["a"]);
  });

  it("not where nothing is damaged", () => {
    put("record.json", { branch: null, tip: null });
    put("session-began", "2");
    expect(setAsideDamagedRecords(home)).toEqual([]);
  });
});
