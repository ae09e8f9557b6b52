// kill -9 before and after every git command of each act, then the act again: the end is the same
// as without the crash, and nothing was made twice.
import { execFileSync, spawnSync } from "node:child_process";
import { copyFileSync, cpSync, existsSync, readFileSync, rmSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";
import { afterAll, beforeAll, expect, it } from "vitest";
import { ACTS } from "../../test/support/git-act.ts";
import {
  type TestRepositories,
  TestRepository,
  testRepositories,
} from "../../test/support/git-repository.ts";
import { parkRef, startRef } from "./stint-refs.ts";

let repositories: TestRepositories;
let program: string;
let shim: string;
const realGit = execFileSync("sh", ["-c", "command -v git"], { encoding: "utf8" }).trim();
const support = (name: string) =>
  fileURLToPath(new URL(`../../test/support/${name}`, import.meta.url));

beforeAll(async () => {
  repositories = testRepositories();
  program = join(repositories.folder("program"), "act.mjs");
  shim = repositories.folder("shim");
  copyFileSync(support("killing-git.sh"), join(shim, "git"));
  const bundle = await rolldown({ input: support("git-act.ts"), platform: "node" });
  await bundle.write({ file: program, format: "esm" });
});
afterAll(() => repositories.remove());

interface Story<Argument> {
  readonly act: keyof typeof ACTS;
  readonly template: TestRepository;
  readonly argument: Argument;
  /** Everything that must be the same after a crash and a second try. */
  readonly outcome: (repository: TestRepository) => unknown;
}

async function tellWithEveryCrash<Argument>(story: Story<Argument>): Promise<void> {
  const perform = ACTS[story.act] as (root: string, argument: Argument) => Promise<unknown>;
  const expected = copyOf(story.template);
  await perform(expected.root, story.argument);
  const outcome = story.outcome(expected);
  let kills = 0;
  for (const when of ["KILL_BEFORE", "KILL_AFTER"]) {
    for (let at = 1; ; at++) {
      const repository = copyOf(story.template);
      const isKilled = killed(story.act, repository.root, story.argument, { [when]: `${at}` });
      await perform(repository.root, story.argument);
      expect({ when, at, outcome: story.outcome(repository) }).toEqual({ when, at, outcome });
      if (!isKilled) break;
      kills++;
    }
  }
  expect(kills).toBeGreaterThan(6);
}

function copyOf(template: TestRepository): TestRepository {
  const root = repositories.folder("copy");
  rmSync(root, { recursive: true });
  cpSync(template.root, root, { recursive: true, verbatimSymlinks: true });
  return new TestRepository(root);
}

function killed(act: string, root: string, argument: unknown, kill: NodeJS.ProcessEnv): boolean {
  const count = join(shim, "count");
  if (existsSync(count)) rmSync(count);
  const { signal, status, stderr } = spawnSync(
    process.execPath,
    [program, act, root, JSON.stringify(argument)],
    {
      env: {
        ...process.env,
        ...kill,
        PATH: `${shim}${delimiter}${process.env["PATH"]}`,
        REAL_GIT: realGit,
        KILL_COUNT: count,
      },
      encoding: "utf8",
    },
  );
  if (signal === "SIGKILL") return true;
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  expect(readFileSync(count, "utf8")).not.toBe("");
  return false;
}

function person(): TestRepository {
  const repository = repositories.make();
  repository.write("a.txt", "a1\n");
  repository.write("dir/b.txt", "b1\n");
  repository.write("prompt.md", "- [ ] task\n");
  repository.commitAll();
  repository.write("staged.txt", "staged by the person\n");
  repository.git("add", "staged.txt");
  repository.write("mine.txt", "untracked\n");
  return repository;
}

function edit(repository: TestRepository): void {
  repository.write("a.txt", "a2\n");
  repository.remove("dir");
  repository.write("new/file.txt", "new\n");
  repository.write("mine.txt", "changed\n");
}

it("S0 a commit is made exactly once", async () => {
  const template = person();
  const { work } = await template.session(() => edit(template));
  await tellWithEveryCrash({
    act: "commit",
    template,
    argument: work,
    outcome: (repository) => ({
      commits: repository.git("log", "--format=%T %s").split("\n"),
      status: repository.status(),
      files: repository.files(),
      staged: repository.staged(),
    }),
  });
});

it("parked work is never replaced by a half-restored tree", async () => {
  const template = person();
  const ref = parkRef("p-1", "t1", 1);
  const { start } = await template.session(() => {
    edit(template);
    template.git("add", "a.txt", "new/file.txt");
  });
  await tellWithEveryCrash({
    act: "park",
    template,
    argument: { ref, from: start, exclude: ["prompt.md"] },
    outcome: (repository) => ({
      parked: repository.git("rev-parse", `${ref}^{tree}`),
      status: repository.status(),
      files: repository.files(),
      staged: repository.staged(),
    }),
  });
});

it("a branch is recovered whole", async () => {
  const template = person();
  const ref = parkRef("p-1", "t1", 1);
  const { start } = await template.session(() => {
    template.git("checkout", "-q", "-b", "other");
    template.write("a.txt", "committed there\n");
    template.git("commit", "-q", "-am", "there");
    edit(template);
  });
  await tellWithEveryCrash({
    act: "recover",
    template,
    argument: { ref, from: start, exclude: ["prompt.md"] },
    outcome: (repository) => ({
      branch: repository.git("symbolic-ref", "HEAD"),
      branches: repository.git("for-each-ref", "refs/heads"),
      parked: repository.git("rev-parse", `${ref}^{tree}`),
      status: repository.status(),
      files: repository.files(),
      staged: repository.staged(),
    }),
  });
});

it("a snapshot is kept whole", async () => {
  const template = person();
  const ref = startRef("p-1", 1);
  await tellWithEveryCrash({
    act: "keep",
    template,
    argument: { ref, from: await template.snapshot(), exclude: [] },
    outcome: (repository) => repository.git("rev-parse", `${ref}^{tree}`),
  });
});
