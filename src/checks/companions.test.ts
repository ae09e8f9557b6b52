import { expect, it } from "vitest";
import { type Asked, companionsOf, mayBeCompanions } from "./companions.ts";
import type { ChangedFile } from "./judges.ts";

const TEST = "test/sum.test.js";
const OLD: Readonly<Record<string, string>> = {
  [TEST]: 'import assert from "node:assert"; import { sum } from "../src/sum.js";',
};

/** The test was changed to this text, and these files are new; all that is new was read only with the new test. */
function companions(
  text: string,
  added: readonly string[],
  more: Partial<Asked> = {},
): readonly string[] {
  const changed: ChangedFile[] = [
    { path: TEST, change: "modified" },
    ...added.map((path) => ({ path, change: "added" as const })),
  ];
  const texts: Readonly<Record<string, string>> = { [TEST]: text };
  return companionsOf({
    command: "npm test",
    dir: "",
    judges: [{ path: TEST, change: "modified", role: "test" }],
    changed,
    read: new Set([TEST, ...added]),
    readWithOld: new Set(),
    before: (path) => OLD[path],
    after: (path) => texts[path],
    ...more,
  });
}

const FAKED = OLD[TEST]?.replace("node:assert", "../util/assert.js") ?? "";

it("a new file that only the changed judge reads goes with it, however it is written there", () => {
  expect(companions(FAKED, ["util/assert.js"])).toEqual(["util/assert.js"]);
  expect(companions('await import("../ut" + "il/x.js")', ["util/x.js"])).toEqual(["util/x.js"]);
});

it("one that the old judge reads as well is the work, and so is one that nothing reads", () => {
  const added = ["util/assert.js"];
  expect(companions(FAKED, added, { readWithOld: new Set(added) })).toEqual([]);
  expect(companions(FAKED, added, { read: new Set([TEST]) })).toEqual([]);
});

it("one that the check itself names is the work", () => {
  const command = "npm test && test -f src/new.js && node src/new.js";
  expect(companions('import "../src/new.js"', ["src/new.js"], { command })).toEqual([]);
});

it("one in place of a file that the old judge names is the work", () => {
  const renamed = OLD[TEST]?.replace("sum.js", "add.js") ?? "";
  const changed: ChangedFile[] = [
    { path: TEST, change: "modified" },
    { path: "src/sum.js", change: "deleted" },
    { path: "src/add.js", change: "added" },
  ];
  expect(companions(renamed, ["src/add.js"], { changed })).toEqual([]);
  const other = changed.with(1, { path: "src/other.js", change: "deleted" });
  expect(companions(renamed, ["src/add.js"], { changed: other })).toEqual(["src/add.js"]);
});

it("one that only a new test names is the work, and a new test alone has no companions", () => {
  const added: ChangedFile = { path: "test/new.test.js", change: "added" };
  const changed: ChangedFile[] = [
    { path: TEST, change: "modified" },
    added,
    { path: "src/new.js", change: "added" },
  ];
  const judges = [
    { path: TEST, change: "modified", role: "test" },
    { ...added, role: "test" },
  ] as const;
  const after = (path: string): string => (path === TEST ? "" : 'import "../src/new.js"');
  expect(companions("", ["src/new.js"], { changed, judges, after })).toEqual([]);
  expect(mayBeCompanions({ judges: [{ ...added, role: "test" }], changed })).toEqual([]);
});
