import { describe, expect, it } from "vitest";
import { type CloneFailure, likelyReason } from "./likely-reason.ts";

const NOTHING: CloneFailure = {
  text: "`npm test`\nit exited with code 1",
  tree: ["package.json", "src/app.js"],
  ignored: [],
  outside: [],
  packages: null,
  isSetUp: true,
  setupLine: null,
};

const of = (more: Partial<CloneFailure>) => likelyReason({ ...NOTHING, ...more });

describe("why a check passes only here", () => {
  it("is not known where nothing tells", () => {
    expect(of({}).kind).toBe("unknown");
  });

  it("a file outside, where that was tried", () => {
    const { kind, why } = of({ outside: ["/tmp/x"], ignored: ["gen/"] });
    expect([kind, why]).toEqual(["outside", "it needs a file outside the repository: /tmp/x"]);
    const many = ["/tmp/a", "/tmp/b", "/tmp/c", "/tmp/real"];
    expect(of({ outside: many, text: "test -s /tmp/real" }).why).toBe(
      "it needs a file outside the repository: /tmp/real",
    );
  });

  it.each([
    ["cat: data.json: No such file", ["Data.json"], "data.json", "Data.json"],
    ["Cannot find module './lib/Util.js'", ["lib/util.js"], "lib/Util.js", "lib/util.js"],
  ])("other letters: %s", (text, tree, asks, has) => {
    expect(of({ text, tree })).toMatchObject({
      kind: "case",
      why: `it asks for ${asks}, and the commit has ${has}: a clone treats them as different`,
    });
  });

  it("no other letters where the commit has the very name somewhere", () => {
    expect(of({ text: "App.js", tree: ["src/app.js", "lib/App.js"] }).kind).toBe("unknown");
  });

  it.each([
    ["Cannot find module 'left-pad'", "left-pad"],
    ["Cannot find package '@a/b' imported from x", "@a/b"],
    ["Cannot find module '@a/b/sub/file'", "@a/b"],
    ["ModuleNotFoundError: No module named 'flask'", "flask"],
    ["cannot load such file -- rake", "rake"],
  ])("a package that nobody names: %s", (text, name) => {
    expect(of({ text, packages: new Set(["other"]) })).toMatchObject({
      kind: "dependency",
      why: `${name} is not among the repository's dependencies`,
    });
  });

  it("a package that is named and not installed", () => {
    const text = "Cannot find module 'x'";
    const named = of({ text, packages: new Set(["x"]), isSetUp: false, setupLine: "npm ci" });
    expect(named).toMatchObject({ kind: "setup", fix: "say how it is installed: setup: [npm ci]" });
  });

  it("an ignored file that the check or its output names, a folder or a file without its ending", () => {
    const ignored = ["dist/", "gen/data.json", "node_modules/"];
    expect(of({ text: "cat dist/app.js: No such file", ignored }).why).toContain("ignores dist/,");
    expect(of({ text: "Cannot find module './gen/data'", ignored }).why).toContain(
      "gen/data.json,",
    );
  });

  it("ignored files at all, where nothing names one; installed packages and settings are none", () => {
    expect(of({ ignored: ["dist/", "node_modules/", ".env.local"] })).toMatchObject({
      kind: "ignored",
      why: "git ignores dist/, which is here but not committed",
    });
    expect(of({ ignored: ["node_modules/", ".env.local", "web/node_modules/"] }).kind).toBe(
      "unknown",
    );
  });

  it("a setup that nobody wrote, where something is to be installed or a program is missing", () => {
    expect(of({ isSetUp: false, setupLine: "npm ci" })).toMatchObject({
      kind: "setup",
      fix: "add this line: setup: [npm ci]",
    });
    expect(of({ isSetUp: false, text: "sh: 1: vitest: not found" }).kind).toBe("setup");
    expect(of({ isSetUp: true, text: "sh: 1: vitest: not found" }).kind).toBe("unknown");
  });
});
