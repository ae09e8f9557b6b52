import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { instantFromMs } from "../../core/instant.ts";
import { outsideFiles } from "./outside-files.ts";

let folder: ReturnType<typeof temporaryFolder>;
let path: string;
beforeEach(() => {
  folder = temporaryFolder();
  path = realpathSync(folder.path);
  for (const name of ["repo", "state/workspaces/p/1/tree", "home"]) {
    mkdirSync(join(path, name), { recursive: true });
  }
});
afterEach(() => folder.remove());

/** Those that lie in the folder of the test: others are at work in the folder for temporary files. */
function found(sinceMs: number, env: Record<string, string> = {}): string[] {
  return named(outside(sinceMs, env).hidden);
}

function named(all: readonly string[]): string[] {
  return all
    .filter((each) => each.startsWith(`${path}/`))
    .map((each) => each.slice(path.length + 1))
    .toSorted();
}

function outside(sinceMs: number, env: Record<string, string> = {}) {
  const context = {
    holder: { entry: { root: join(path, "repo") }, state: { created_at: instantFromMs(sinceMs) } },
    space: {
      folder: join(path, "state/workspaces/p/1/tree"),
      view: { hide: [join(path, "state")], mounts: [] },
    },
  } as unknown as Parameters<typeof outsideFiles>[0];
  return outsideFiles(context, { HOME: join(path, "home"), ...env });
}

describe("what was made outside since a project began", () => {
  const BEFORE = 0;

  it("lies beside the repository or in the home; the repository and Stint's own are not among it", () => {
    writeFileSync(join(path, "beside.txt"), "");
    mkdirSync(join(path, "folder"));
    writeFileSync(join(path, "home/left.txt"), "");
    expect(found(BEFORE)).toEqual(["beside.txt", "folder", "home/left.txt"]);
  });

  it("is nothing that was there before, no link, and no folder of settings in the home", () => {
    writeFileSync(join(path, "beside.txt"), "");
    expect(found(Date.now() + 60_000)).toEqual([]);
    symlinkSync("beside.txt", join(path, "link"));
    mkdirSync(join(path, "home/.cache"));
    expect(found(BEFORE)).toEqual(["beside.txt"]);
  });

  it("is nothing that the environment names", () => {
    mkdirSync(join(path, "ssh-agent"));
    mkdirSync(join(path, "tools/bin"), { recursive: true });
    const env = {
      SSH_AUTH_SOCK: join(path, "ssh-agent/socket"),
      PATH: `/usr/bin:${join(path, "tools/bin")}`,
      PWD: dirname(path),
    };
    expect(found(BEFORE, env)).toEqual([]);
    expect(found(BEFORE)).toEqual(["ssh-agent", "tools"]);
  });

  it("is told of where it is more than can be hidden", () => {
    for (let n = 0; n < 1000; n++) writeFileSync(join(path, `home/${n}`), "");
    expect(outside(BEFORE).tooMany).not.toContain(join(path, "home"));
    writeFileSync(join(path, "home/one-more"), "");
    const { hidden, tooMany } = outside(BEFORE);
    expect(tooMany).toContain(join(path, "home"));
    expect(named(hidden).filter((name) => name.startsWith("home/"))).toHaveLength(1000);
  });

  it.each(["/tmp", "/var/tmp", "/dev/shm"])("is found in %s", (shared) => {
    const made = mkdtempSync(join(shared, "stint-test-"));
    try {
      expect(outside(BEFORE).hidden).toContain(made);
    } finally {
      rmSync(made, { recursive: true });
    }
  });
});
