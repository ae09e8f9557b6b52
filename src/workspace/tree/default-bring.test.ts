import { describe, expect, it } from "vitest";
import { broughtByDefault, dependencyFolder, mayHoldBrought } from "./default-bring.ts";

const NOTHING = () => false;

function verdict(path: string, isThere: (path: string) => boolean = NOTHING) {
  const isFolder = path.endsWith("/");
  return broughtByDefault({ path: path.replace(/\/$/, ""), isFolder }, isThere);
}

describe("what is brought by default", () => {
  it.each([
    "node_modules/",
    "packages/web/node_modules/",
    // A link that is named like the folder it leads to.
    "node_modules",
    "vendor/",
    "vendor/bundle/",
    ".venv/",
    ".yarn/cache/",
    "app/.yarn/unplugged/",
    ".yarn/install-state.gz",
    ".pnp.cjs",
    "ios/Pods/",
    ".bundle/",
    "renv/library/",
  ])("%s is a dependency", (path) => expect(verdict(path)).toBe("dependencies"));

  it.each([
    ".env",
    ".env.local",
    "api/.envrc",
    ".claude/settings.local.json",
    ".claude/commands/",
    ".claude/skills/own/SKILL.md",
    ".codex/config.toml",
    "sub/.gemini/settings.json",
    "CLAUDE.local.md",
    ".husky/_/",
  ])("%s is a setting", (path) => expect(verdict(path)).toBe("settings"));

  it.each([
    "dist/",
    "build/",
    "target/",
    ".next/",
    "coverage/",
    ".cache/",
    ".turbo/",
    "__pycache__/",
    ".pytest_cache/",
    "deps/",
    "env/",
    ".env/",
    ".claude/worktrees/",
    ".claude/worktrees/one/file",
    ".claude/",
    ".yarn/",
    ".husky/",
    "debug.log",
    "environment",
  ])("%s is left", (path) => expect(verdict(path)).toBeNull());

  it("an environment of Python is told by its pyvenv.cfg, whatever its name", () => {
    expect(verdict("env/", (path) => path === "env/pyvenv.cfg")).toBe("dependencies");
  });

  it("deps/ is a dependency beside a mix.exs alone", () => {
    expect(verdict("deps/", (path) => path === "mix.exs")).toBe("dependencies");
    expect(verdict("apps/a/deps/", (path) => path === "apps/a/mix.exs")).toBe("dependencies");
    expect(verdict("mydeps/", (path) => path === "mix.exs")).toBeNull();
  });

  it("names the outermost dependency folder", () => {
    expect(dependencyFolder("a/node_modules/b/node_modules/c.js")).toBe("a/node_modules");
    expect(dependencyFolder("a/b")).toBeNull();
  });

  it("looks into folders that hold more than what is brought", () => {
    expect([".yarn", "a/.husky", ".claude", "renv"].map(mayHoldBrought)).toEqual(
      Array.from({ length: 4 }, () => true),
    );
    expect(["dist", "data", ".cache"].some(mayHoldBrought)).toBe(false);
  });
});
