import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type TemporaryFolder, temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { type Own, placesNow, type WallsInput } from "./walls.ts";

let folder: TemporaryFolder;
beforeEach(() => {
  folder = temporaryFolder();
  mkdirSync(at("home"));
});
afterEach(() => folder.remove());

function at(path: string): string {
  return join(folder.path, path);
}

function write(path: string, text = "x\n"): void {
  mkdirSync(dirname(at(path)), { recursive: true });
  writeFileSync(at(path), text);
}

/** Without programs on the path, so that no folder is made for one. */
function places(more: Partial<WallsInput> = {}, own: Own = {}) {
  const found = placesNow(
    {
      protect: "home",
      writable: [],
      show: [],
      env: { HOME: at("home"), PATH: at("none") },
      temporary: [],
      never: [at("home/state")],
      copies: at("copies"),
      ...more,
    },
    own,
  );
  const mine = (paths: readonly string[]): string[] =>
    paths
      .filter((path) => path.startsWith(folder.path))
      .map((path) => path.slice(folder.path.length + 1));
  return {
    writable: mine(found.writable),
    hide: mine(found.hide),
    cover: mine(found.cover),
    mounts: found.mounts.filter((mount) => mount.at.startsWith(folder.path)),
  };
}

it("leaves caches that are there writable, where a link leads too, and makes none", () => {
  write("home/.npm/x");
  mkdirSync(at("disk/cache"), { recursive: true });
  symlinkSync(at("disk/cache"), at("home/.cache"));
  expect(places().writable).toEqual(["disk/cache", "home/.npm"]);
  expect(existsSync(at("home/.cargo"))).toBe(false);
});

it("does not look up what lies below a writable place: a session could have put a link there", () => {
  write("home/.cache/x");
  mkdirSync(at("home/Documents"));
  symlinkSync(at("home/Documents"), at("home/.cache/pip"));
  expect(places().writable).toEqual(["home/.cache"]);
  expect(places({ writable: ["~/.cache/pip"] }).writable).not.toContain("home/Documents");
});

it("makes the agent's own state and what a person wants writable, but nothing optional", () => {
  const state = [
    { path: "~/.agent" },
    { path: "~/.agent.json", text: "{}\n" },
    { path: "~/.other", isOptional: true as const },
  ];
  const { writable } = places({ writable: ["~/wanted"] }, { state });
  expect(writable).toEqual(["home/wanted", "home/.agent", "home/.agent.json"]);
  expect(readFileSync(at("home/.agent.json"), "utf8")).toBe("{}\n");
  expect(existsSync(at("home/.other"))).toBe(false);
});

it("hides folders and covers files, unless they are shown", () => {
  write("home/.ssh/id");
  write("home/.ssh/known_hosts");
  write("home/.netrc");
  expect(places()).toMatchObject({ hide: ["home/.ssh"], cover: ["home/.netrc"], mounts: [] });
  const shown = places({ show: ["~/.ssh/known_hosts", "~/.netrc"] });
  expect(shown).toMatchObject({ hide: ["home/.ssh"], cover: [] });
  expect(shown.mounts.map(({ at: place, mode }) => [place, mode])).toEqual([
    [at("home/.ssh/known_hosts"), "read-only"],
  ]);
  expect(places({ show: ["~/.ssh"] }).hide).toEqual([]);
});

it("shows nothing of Stint's own state, whatever is wanted", () => {
  write("home/state/approver.key");
  expect(places({ show: ["~/state/approver.key", "~/state"] }).mounts).toEqual([]);
});

it("does not hide a folder that everything is in, although a variable names it", () => {
  const env = { HOME: at("home"), PATH: at("none"), XDG_RUNTIME_DIR: folder.path };
  expect(places({ env }).hide).toEqual([]);
});

it("shows npm's settings without their tokens, and as they are where they are shown", () => {
  write("home/.npmrc", "registry=https://r/\n//r/:_authToken=abc\n");
  const [mount] = places().mounts;
  expect(mount).toMatchObject({ at: at("home/.npmrc"), mode: "read-only" });
  expect(readFileSync(mount?.from ?? "", "utf8")).toBe("registry=https://r/\n");
  expect(places({ show: ["~/.npmrc"] }).mounts).toEqual([]);
});

it("strict: caches are empty, and what is installed in one is seen, not written", () => {
  write("home/.npm/x");
  write("home/.cache/ms-playwright/chrome");
  write("home/.rustup/toolchains/x");
  const strict = places({ protect: "strict" });
  expect(strict.writable).toEqual([]);
  expect(strict.hide.toSorted()).toEqual(["home/.cache", "home/.npm"]);
  expect(strict.mounts.map(({ at: place, mode }) => [place, mode])).toEqual([
    [at("home/.cache/ms-playwright"), "read-only"],
  ]);
});
