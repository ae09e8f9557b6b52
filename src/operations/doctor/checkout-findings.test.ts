import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type TestRepositories, testRepositories } from "../../../test/support/git-repository.ts";
import { checkoutFindings } from "./checkout-findings.ts";

let repositories: TestRepositories;
const path = process.env["PATH"];
beforeEach(() => {
  repositories = testRepositories();
});
afterEach(() => {
  process.env["PATH"] = path;
  repositories.remove();
});

it("says that git answers and that the repository can be written", async () => {
  const { root } = repositories.make();
  const found = await checkoutFindings(root, []);
  expect(found.map(({ severity }) => severity)).toEqual(["fine", "fine"]);
});

it("says that git does not know in whose name to commit", async () => {
  const repository = repositories.make();
  repository.git("config", "user.useConfigOnly", "true");
  repository.git("config", "user.name", "");
  const found = await checkoutFindings(repository.root, []);
  expect(found.map(({ severity, what }) => `${severity}: ${what}`)).toEqual([
    expect.stringMatching(/^fine: git .* answers$/),
    "fine: the repository can be read and written",
    "problem: Git does not know who you are, so nothing can be committed",
  ]);
  expect(found[2]?.fix).toContain("git config user.name");
});

it.each([
  ["exit 0", "git answered nothing"],
  ["echo git version 1.7.1", "git 1.7.1 is too old; 2.31 or newer is needed"],
  ["exit 1", "exit code 1"],
  ["kill -9 $$", "it was killed by SIGKILL"],
])("names a git that does %s", async (script, what) => {
  const { root } = repositories.make();
  const bin = join(root, "bin");
  mkdirSync(bin);
  writeFileSync(join(bin, "git"), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  process.env["PATH"] = `${bin}:${path}`;
  const [found, ...others] = await checkoutFindings(root, []);
  expect(found).toMatchObject({ severity: "problem" });
  expect(found?.what).toContain(what);
  expect(others).toEqual([]);
});

it("names it gently where nothing is committed", async () => {
  const { root } = repositories.make();
  rmSync(join(root, ".git"), { recursive: true });
  const bin = join(root, "bin");
  mkdirSync(bin);
  writeFileSync(join(bin, "git"), "#!/bin/sh\nexit 1\n", { mode: 0o755 });
  process.env["PATH"] = `${bin}:${path}`;
  expect(await checkoutFindings(root, [])).toMatchObject([{ severity: "notice" }]);
});
