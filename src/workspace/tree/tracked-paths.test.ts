import { describe, expect, it } from "vitest";
import { TrackedPaths } from "./tracked-paths.ts";

const ID = "1".repeat(40);
const OTHER_ID = "2".repeat(40);

function listed(...records: string[]): TrackedPaths {
  return new TrackedPaths(Buffer.from(records.map((record) => `${record}\0`).join(""), "latin1"));
}

describe("paths of an index", () => {
  const tracked = listed(
    "? new.txt",
    "? own/",
    `H 100644 ${ID} 0\ta.txt`,
    `H 100644 ${ID} 0\tdeep/er/b.txt`,
    `C 100644 ${ID} 0\tdeep/er/b.txt`,
    `H 100755 ${OTHER_ID} 0\tdeep/er/c\td.txt`,
    `H 160000 ${OTHER_ID} 0\tmodule`,
    `R 100644 ${ID} 0\tz/gone.txt`,
  );

  it("are told apart from what is not in it, and from what differs", () => {
    expect(tracked.others).toEqual(["new.txt", "own/"]);
    expect(tracked.changed).toEqual(["deep/er/b.txt", "z/gone.txt"]);
    expect(tracked.submodules).toEqual(["module"]);
    expect(tracked.isEmpty).toBe(false);
    expect(listed("? new.txt").isEmpty).toBe(true);
  });

  it("are found by name, with names that hold a tab", () => {
    expect(tracked.get("deep/er/c\td.txt")).toEqual({ mode: "100755", oid: OTHER_ID });
    expect(tracked.has("deep/er")).toBe(false);
    expect([...tracked.keys()]).toHaveLength(5);
  });

  it("are found below a path, which is a whole name", () => {
    expect([...tracked.below(["deep", "a.txt"]).keys()]).toEqual([
      "a.txt",
      "deep/er/b.txt",
      "deep/er/c\td.txt",
    ]);
    expect(tracked.below(["dee", "mod"]).size).toBe(0);
    expect([tracked.hasBelow("deep/er"), tracked.hasBelow("dee")]).toEqual([true, false]);
  });

  it("have the folders that hold them", () => {
    expect([...tracked.folders].toSorted()).toEqual(["deep", "deep/er", "z"]);
    expect([tracked.hasFile("b.txt"), tracked.hasFile("er")]).toEqual([true, false]);
  });
});
