import { afterEach, describe, expect, it, vi } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { namespaceRefusal } from "./isolation.ts";

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
    expect(chooseIsolation("off").guarantees).toContain("may outlive them");
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

const APPARMOR = "/proc/sys/kernel/apparmor_restrict_unprivileged_userns";
const CLONE = "/proc/sys/kernel/unprivileged_userns_clone";

function reading(files: Record<string, string>): (file: string) => string | null {
  return (file) => files[file] ?? null;
}

it("explains a refusal by AppArmor, and what allows it", () => {
  const found = namespaceRefusal(reading({ [APPARMOR]: "1\n" }), false);
  expect(found?.why).toContain("kernel.apparmor_restrict_unprivileged_userns is 1");
  expect(found?.fix).toContain("sysctl -w kernel.apparmor_restrict_unprivileged_userns=0");
});

it("names the switch of the kernel that is off, and none that is on", () => {
  const files = { [APPARMOR]: "0\n", [CLONE]: "0\n" };
  expect(namespaceRefusal(reading(files), false)?.fix).toContain("unprivileged_userns_clone=1");
  expect(namespaceRefusal(reading({ [APPARMOR]: "0\n", [CLONE]: "1\n" }), false)).toBeNull();
});

it("says nothing to root, whom these do not bind", () => {
  expect(namespaceRefusal(reading({ [APPARMOR]: "1\n" }), true)).toBeNull();
});
