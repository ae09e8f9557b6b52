import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
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
  const context = {
    holder: { entry: { root: join(path, "repo") }, state: { created_at: instantFromMs(sinceMs) } },
    space: {
      folder: join(path, "state/workspaces/p/1/tree"),
      view: { hide: [join(path, "state")], mounts: [] },
    },
  } as unknown as Parameters<typeof outsideFiles>[0];
  const all = outsideFiles(context, { HOME: join(path, "home"), ...env });
  return all
    .filter((each) => each.startsWith(`${path}/`))
    .map((each) => each.slice(path.length + 1))
    .toSorted();
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
});
