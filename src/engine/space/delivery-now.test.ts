import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type TestRepositories, testRepositories } from "../../../test/support/git-repository.ts";
import { missingCommits } from "./delivery-now.ts";

let repositories: TestRepositories;
const path = process.env["PATH"];
beforeEach(() => {
  repositories = testRepositories();
});
afterEach(() => {
  process.env["PATH"] = path;
  repositories.remove();
});

it("names the commits that git does not have", async () => {
  const repository = repositories.make();
  repository.write("a", "a");
  const commit = repository.commitAll();
  const other = "0123456789012345678901234567890123456789";
  expect(await missingCommits(repository.root, [commit, other])).toEqual([other]);
});

it("does not take the silence of git for a commit that is lost", async () => {
  const repository = repositories.make();
  repository.write("a", "a");
  const commit = repository.commitAll();
  const bin = join(repository.root, "bin");
  mkdirSync(bin);
  writeFileSync(join(bin, "git"), "#!/bin/sh\nexit 0\n", { mode: 0o755 });
  process.env["PATH"] = `${bin}:${path}`;
  await expect(missingCommits(repository.root, [commit])).rejects.toThrow("it answered nothing");
});
