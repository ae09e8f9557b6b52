import { afterEach, describe, expect, it, vi } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";

/** The module anew, because what works is tried once per process. */
async function freshIsolation() {
  vi.resetModules();
  return import("./isolation.ts");
}

describe("the choice of isolation", () => {
  afterEach(() => vi.unstubAllEnvs());

  it("takes the best kind that works, and the group when told off", async () => {
    const { KINDS, chooseIsolation, isAvailable } = await freshIsolation();
    const kinds = KINDS.filter(isAvailable);
    expect(kinds.at(-1)).toBe("group");
    expect(chooseIsolation("auto").kind).toBe(kinds[0]);
    expect(chooseIsolation("off").kind).toBe("group");
    expect(chooseIsolation("off").guarantees).toContain("is not found");
  });

  it("where nothing works takes the group, and refuses to be on with what to install", async () => {
    const empty = temporaryFolder();
    vi.stubEnv("PATH", empty.path);
    const { KINDS, chooseIsolation, isAvailable } = await freshIsolation();
    empty.remove();
    expect(KINDS.filter(isAvailable)).toEqual(["group"]);
    expect(chooseIsolation("auto").kind).toBe("group");
    expect(() => chooseIsolation("on")).toThrow(
      expect.objectContaining({
        code: "bad-input",
        message: expect.stringMatching(
          /^isolation is on, but no pid namespace can be made on this machine \(bwrap: (no bwrap is installed; unshare: no setpriv is installed|only on Linux; unshare: only on Linux)\)$/,
        ),
        hint: expect.stringContaining("set isolation: auto"),
      }),
    );
  });
});
