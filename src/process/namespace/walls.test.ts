import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type TemporaryFolder, temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { PLAIN_VIEW, type View } from "./view.ts";
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
function places(more: Partial<WallsInput> = {}, own: Own = {}, view: View = PLAIN_VIEW) {
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
    view,
  );
  const mine = (paths: readonly string[]): string[] =>
    paths
      .filter((path) => path.startsWith(folder.path))
      .map((path) => path.slice(folder.path.length + 1));
  return {
    writable: mine(found.writable),
    pinned: mine(found.pinned),
    locked: mine(found.locked),
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
  expect(shown).toMatchObject({
    hide: ["home/.ssh"],
    cover: [],
    locked: ["home/.ssh/known_hosts"],
  });
  expect(places({ show: ["~/.ssh"] }).hide).toEqual([]);
});

it("shows nothing of Stint's own state, whatever is wanted", () => {
  write("home/state/approver.key");
  const wanted = ["~/state/approver.key", "~/state"];
  expect(places({ show: wanted, writable: wanted })).toMatchObject({ locked: [], writable: [] });
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
  expect(strict.locked).toEqual(["home/.cache/ms-playwright"]);
});

/** In a home that has a document, a key and a link to itself. */
function withVariable(variable: string, value: string, protect: "home" | "strict" = "home") {
  write("home/Documents/letter.txt");
  write("home/.ssh/id");
  symlinkSync(at("home"), at("link"));
  const env = { HOME: at("home"), PATH: at("none"), [variable]: value };
  const found = places({ env, protect });
  rmSync(at("link"));
  return found;
}

describe("a variable of a tool", () => {
  const VARIABLES = ["XDG_CACHE_HOME", "npm_config_cache", "PIP_CACHE_DIR", "GOMODCACHE"];

  it.each(VARIABLES.flatMap((variable) => [variable, variable.toUpperCase()]))(
    "%s makes no home writable or empty that it names or leads to",
    (variable) => {
      for (const value of [at("home"), at("link"), folder.path, "/"]) {
        expect(withVariable(variable, value)).toMatchObject({ writable: [], hide: ["home/.ssh"] });
        expect(withVariable(variable, value, "strict")).toMatchObject({ hide: ["home/.ssh"] });
      }
    },
  );

  it("shows nothing of a hidden folder but what it names in it", () => {
    expect(withVariable("PIP_CACHE_DIR", at("home/.ssh"))).toMatchObject({
      writable: [],
      hide: ["home/.ssh"],
    });
    mkdirSync(at("home/.ssh/cache"));
    expect(withVariable("PIP_CACHE_DIR", at("home/.ssh/cache"))).toMatchObject({
      writable: ["home/.ssh/cache"],
      hide: ["home/.ssh"],
    });
  });

  it("is a list of which the first counts", () => {
    mkdirSync(at("go/pkg"), { recursive: true });
    expect(withVariable("GOPATH", `${at("go")}:${at("home")}`).writable).toEqual(["go/pkg"]);
  });

  it("moves what is hidden", () => {
    write("config/gcloud/token");
    write("cargo/credentials.toml");
    const env = {
      HOME: at("home"),
      PATH: at("none"),
      XDG_CONFIG_HOME: at("config"),
      CARGO_HOME: at("cargo"),
    };
    expect(places({ env })).toMatchObject({
      hide: ["config/gcloud"],
      cover: ["cargo/credentials.toml"],
    });
  });
});

it("hides a folder although a person wants a part of it writable, and shows it where they want all of it", () => {
  write("home/.aws/credentials");
  write("home/.aws/cli/cache/x");
  expect(places({ writable: ["~/.aws/cli/cache"] })).toMatchObject({
    writable: ["home/.aws/cli/cache"],
    hide: ["home/.aws"],
  });
  expect(places({ writable: ["~/.aws"] })).toMatchObject({ writable: ["home/.aws"], hide: [] });
});

it("follows no link in a writable place, also where the home goes by two names", () => {
  write("home/.cache/x");
  mkdirSync(at("home/Documents"));
  symlinkSync(at("home/Documents"), at("home/.cache/yarn"));
  symlinkSync(at("home"), at("link"));
  const env = { HOME: at("link"), PATH: at("none"), XDG_CACHE_HOME: at("home/.cache") };
  expect(places({ env }).writable).toEqual(["home/.cache"]);
  const strict = places({ env, protect: "strict", writable: ["~/.cache/yarn"] });
  expect(strict.writable).toEqual([]);
});

it("follows the links of a person: a home, and the state of an agent in another folder", () => {
  mkdirSync(at("dotfiles/agent"), { recursive: true });
  symlinkSync(at("dotfiles/agent"), at("home/.agent"));
  symlinkSync(at("home"), at("link"));
  const env = { HOME: at("link"), PATH: at("none") };
  expect(places({ env }, { state: [{ path: "~/.agent" }] }).writable).toEqual(["dotfiles/agent"]);
});

it("keeps a home in a temporary folder as it is, but for what may be written in it", () => {
  write("home/.cache/x");
  write("home/Documents/letter.txt");
  const temporary = [folder.path];
  expect(places({ temporary })).toMatchObject({
    writable: ["", "home/.cache"],
    locked: ["home"],
  });
  expect(places({ temporary, writable: ["~"] })).toMatchObject({
    writable: ["", "home"],
    locked: [],
  });
  symlinkSync(at("home"), at("link"));
  const env = { HOME: at("home"), PATH: at("none"), TMPDIR: at("link") };
  expect(places({ env }).writable).not.toContain("home");
});

it("lets nobody move a folder away in which something is hidden, covered or mounted", () => {
  write("home/.config/gcloud/token");
  write("home/state/key");
  expect(places({ writable: ["~"] })).toMatchObject({
    writable: ["home"],
    pinned: ["home/.config"],
    hide: ["home/.config/gcloud"],
  });
  rmSync(at("home/.config"), { recursive: true });
  const view = {
    hide: [],
    mounts: [{ from: at("x"), at: at("home/a/b/work"), mode: "read-write" as const }],
  };
  expect(places({ temporary: [at("home")] }, {}, view).pinned).toEqual(["home/a", "home/a/b"]);
});

it("covers sockets of other programs in temporary folders and in the home, unless they are shown", async () => {
  mkdirSync(at("tmp/tmux-1000"), { recursive: true });
  const paths = ["home/editor.sock", "tmp/tmux-1000/default"];
  const servers = paths.map((path) => createServer().listen(at(path)));
  await Promise.all(servers.map((each) => once(each, "listening")));
  try {
    const temporary = [at("tmp")];
    expect(places({ temporary })).toMatchObject({
      writable: ["tmp"],
      pinned: ["tmp/tmux-1000"],
    });
    expect(places({ temporary }).cover.toSorted()).toEqual(paths);
    expect(places({ temporary, show: [at("tmp/tmux-1000")] }).cover).toEqual(["home/editor.sock"]);
  } finally {
    for (const server of servers) server.close();
  }
});

it("shows settings without their tokens also where the way to their copy goes through a link", () => {
  write("home/.npmrc", "//r/:_authToken=abc\n");
  write("home/.config/pip/pip.conf", "[global]\nindex-url = https://ada:secret@r/\nretries = 2\n");
  mkdirSync(at("copies"));
  symlinkSync(at("copies"), at("also"));
  const { mounts } = places({ copies: at("also") });
  expect(mounts.map(({ from }) => readFileSync(from, "utf8"))).toEqual([
    "",
    "[global]\nretries = 2\n",
  ]);
  expect(mounts.every(({ from }) => from.startsWith(at("copies/")))).toBe(true);
});
