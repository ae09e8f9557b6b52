import { mkdirSync, realpathSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { chooseWorkspace } from "./choose-workspace.ts";
import { chooseSettings } from "./run-settings.ts";

const folder = temporaryFolder();
afterAll(() => folder.remove());

const home = join(realpathSync(folder.path), "home");
const root = join(home, "repo");
mkdirSync(join(root, "inside"), { recursive: true });
symlinkSync(root, join(home, "link"));
const PLACE = { root, home, hasGit: true };

describe("the workspace of a run", () => {
  it.each([
    ["a copy by default", {}, {}, {}, { kind: "own-copy" }],
    ["in place without git", {}, {}, { hasGit: false }, { kind: "in-place" }],
    ["as the files say", {}, { kind: "in-place" }, {}, { kind: "in-place" }],
    ["as is typed", { inPlace: true }, { kind: "copy" }, {}, { kind: "in-place" }],
    [
      "as is typed the other way",
      { workspace: "own-path" },
      { kind: "in-place" },
      {},
      { kind: "own-copy", shownAt: "own-path" },
    ],
    ["typed twice", { inPlace: true, workspace: "in-place" }, {}, {}, { kind: "in-place" }],
    ["elsewhere", {}, { dir: "/big/disk" }, {}, { kind: "own-copy", dir: "/big/disk" }],
    ["below home", {}, { dir: "~/spaces" }, {}, { kind: "own-copy", dir: join(home, "spaces") }],
    ["around the checkout", {}, { dir: "~" }, {}, { kind: "own-copy", dir: home }],
    [
      "at its own path where the checkout is the home folder",
      {},
      {},
      { root: home },
      { kind: "own-copy", shownAt: "own-path" },
    ],
  ] as const)("is %s", (_, typed, wish, place, chosen) => {
    expect(chooseWorkspace(typed, wish, { ...PLACE, ...place })).toEqual(chosen);
  });

  const IN_PLACE =
    "--include-changes starts a copy from your uncommitted changes, and this run works in place, among them";
  it.each([
    [
      { inPlace: true, workspace: "copy" },
      {},
      {},
      "--in-place and --workspace copy contradict each other",
      "Use one of them: stint run --help",
    ],
    [
      { inPlace: true, includeChanges: true },
      {},
      {},
      IN_PLACE,
      "Leave out --include-changes, or work in a copy: --workspace copy",
    ],
    [{ includeChanges: true }, {}, { hasGit: false }, IN_PLACE, "Leave out --include-changes"],
    [
      {},
      { kind: "copy" },
      { hasGit: false },
      `workspace: copy needs a git repository, and ${root} is not in one`,
      `Create one: git init ${root}; or write workspace: in-place`,
    ],
    [
      {},
      { kind: "copy" },
      { root: home },
      `${home} is your home folder, and a copy cannot be shown at its path`,
      "Write workspace: own-path, or workspace: in-place",
    ],
    ...[root, join(root, "inside"), join(root, "not-there-yet"), join(home, "link", "x")].map(
      (dir) =>
        [
          {},
          { dir },
          {},
          `workspace.dir is ${dir}, which is inside the checkout ${root}`,
          "Name a folder outside every repository, for example workspace: { dir: ~/stint-workspaces }",
        ] as const,
    ),
    [
      {},
      { dir: "~/x" },
      { home: undefined },
      "workspace.dir is ~/x, and HOME is not set",
      "Write the whole path: workspace: { dir: /big/disk/stint }",
    ],
  ] as const)("is refused: %j %j %j", (typed, wish, place, message, hint) => {
    expect(() => chooseWorkspace(typed, wish, { ...PLACE, ...place })).toThrow(
      expect.objectContaining({ message, hint }) as Error,
    );
  });
});

describe("what the files say of the workspace", () => {
  it("is what is usual where they say nothing", () => {
    expect(chooseSettings({}, {}, {}, PLACE)).toMatchObject({
      workspace: { kind: "own-copy" },
      bring: "default",
      setup: [],
      serve: undefined,
      dir: "",
    });
  });

  it("is taken key by key: the manifest's before the settings'", () => {
    const config = {
      workspace: { kind: "in-place", dir: "/big/disk" } as const,
      bring: "all",
      setup: ["npm ci", "make"],
      serve: { run: "npm start", ready: "http://localhost:$STINT_PORT/" },
      dir: "web",
    };
    const front = { workspace: "own-path", bring: "data/", setup: "npm install" };
    expect(chooseSettings({}, front, config, PLACE)).toMatchObject({
      workspace: { kind: "own-copy", shownAt: "own-path", dir: "/big/disk" },
      bring: ["data/"],
      setup: ["npm install"],
      serve: { command: "npm start", ready: "http://localhost:$STINT_PORT/" },
      dir: "web",
    });
    expect(chooseSettings({ workspace: "copy" }, front, config, PLACE).workspace).toEqual({
      kind: "own-copy",
      dir: "/big/disk",
    });
  });
});
