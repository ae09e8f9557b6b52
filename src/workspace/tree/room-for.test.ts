import { expect, it } from "vitest";
import { refusal } from "../../../test/support/refusal.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { assertRoomFor, freeBytes } from "./bring-files.ts";

it("a disk with too little room is refused, with how much is needed and there", () => {
  const folder = temporaryFolder();
  const { path } = folder;
  try {
    expect(freeBytes(path)).toBeGreaterThan(0);
    assertRoomFor(path, 0);
    const error = refusal(() => assertRoomFor(path, 8e18));
    expect(error.code).toBe("state-unwritable");
    expect(error.message).toMatch(/^a workspace in .+ needs 8000 PB, and .+ are free there$/);
    expect(error.hint).toContain("workspace.dir");
  } finally {
    folder.remove();
  }
});
