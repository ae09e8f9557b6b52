// kill -9 before and after every git command of each act, then the act again: the end is the same
// as without the crash, and nothing was made twice.
import { execFileSync, spawnSync } from "node:child_process";
import { copyFileSync, cpSync, mkdirSync, readdirSync, rmSync } from "node:fs";
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

type Moment = "KILL_BEFORE" | "KILL_AFTER";

interface Story<Argument> {
  readonly act: keyof typeof ACTS;
  readonly template: TestRepository;
  readonly argument: Argument;
  /** Everything that must be the same after a crash and a second try. */
  readonly outcome: (repository: TestRepository) => unknown;
}

/** Returns how many commands there are to crash at. */
async function tellWithEveryCrash<Argument>(
  story: Story<Argument>,
  moments: readonly Moment[],
): Promise<number> {
  const perform = ACTS[story.act] as (root: string, argument: Argument) => Promise<unknown>;
  const expected = copyOf(story.template);
  const commands = Number(run(story.act, expected.root, story.argument, {}));
  const outcome = story.outcome(expected);
  for (const when of moments) {
    for (let at = 1; at <= commands; at++) {
      const repository = copyOf(story.template);
      expect(run(story.act, repository.root, story.argument, { [when]: `${at}` })).toBe("killed");
      await perform(repository.root, story.argument);
      expect({ when, at, outcome: story.outcome(repository) }).toEqual({ when, at, outcome });
    }
  }
  return commands;
}

function copyOf(template: TestRepository): TestRepository {
  const root = repositories.folder("copy");
  rmSync(root, { recursive: true });
  cpSync(template.root, root, { recursive: true, verbatimSymlinks: true });
  return new TestRepository(root);
}

/** How many git commands the act took, or that it was killed at one of them. */
function run(act: string, root: string, argument: unknown, kill: NodeJS.ProcessEnv) {
  const count = join(shim, "count");
  rmSync(count, { recursive: true, force: true });
  mkdirSync(count);
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
  if (signal === "SIGKILL") return "killed";
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  return readdirSync(count).length;
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

it("a commit is made exactly once", async () => {
  const template = person();
  const { work } = await template.session(() => edit(template));
  const story = {
    act: "commit",
    template,
    argument: work,
    outcome: (repository: TestRepository) => ({
      commits: repository.git("log", "--format=%T %s").split("\n"),
      status: repository.status(),
      files: repository.files(),
      staged: repository.staged(),
    }),
  } as const;
  expect(await tellWithEveryCrash(story, ["KILL_BEFORE"])).toBeGreaterThan(8);
});

it("parked work is never replaced by a half-restored tree", async () => {
  const template = person();
  const ref = parkRef("p-1", "t1", 1);
  const { start } = await template.session(() => {
    edit(template);
    template.git("add", "a.txt", "new/file.txt");
  });
  const story = {
    act: "park",
    template,
    argument: { ref, from: start, exclude: ["prompt.md"] },
    outcome: (repository: TestRepository) => ({
      parked: repository.git("rev-parse", `${ref}^{tree}`),
      status: repository.status(),
      files: repository.files(),
      staged: repository.staged(),
    }),
  } as const;
  expect(await tellWithEveryCrash(story, ["KILL_BEFORE", "KILL_AFTER"])).toBeGreaterThan(10);
});

it("parked work is put back whole, and put aside again whole", async () => {
  const template = person();
  const ref = parkRef("p-1", "t1", 1);
  const { start } = await template.session(() => edit(template));
  const argument = { ref, from: start, exclude: ["prompt.md"] };
  await ACTS.park(template.root, argument);
  const outcome = (repository: TestRepository) => ({
    parked: repository.git("rev-parse", `${ref}^{tree}`),
    status: repository.status(),
    files: repository.files(),
    staged: repository.staged(),
  });
  const story = { act: "putBack", template, argument, outcome } as const;
  const count = await tellWithEveryCrash(story, ["KILL_BEFORE"]);
  expect(count).toBeGreaterThan(6);
  const aside = outcome(template);
  for (let at = 1; at <= count; at++) {
    const repository = copyOf(template);
    expect(run("putBack", repository.root, argument, { KILL_AFTER: `${at}` })).toBe("killed");
    await ACTS.park(repository.root, argument);
    expect({ at, outcome: outcome(repository) }).toEqual({ at, outcome: aside });
  }
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
  const story = {
    act: "recover",
    template,
    argument: { ref, from: start, exclude: ["prompt.md"] },
    outcome: (repository: TestRepository) => ({
      branch: repository.git("symbolic-ref", "HEAD"),
      branches: repository.git("for-each-ref", "refs/heads"),
      parked: repository.git("rev-parse", `${ref}^{tree}`),
      status: repository.status(),
      files: repository.files(),
      staged: repository.staged(),
    }),
  } as const;
  expect(await tellWithEveryCrash(story, ["KILL_BEFORE"])).toBeGreaterThan(12);
});

it("a snapshot is kept whole", async () => {
  const template = person();
  const ref = startRef("p-1", 1);
  const story = {
    act: "keep",
    template,
    argument: { ref, from: await template.snapshot(), exclude: [] },
    outcome: (repository: TestRepository) => repository.git("rev-parse", `${ref}^{tree}`),
  } as const;
  expect(await tellWithEveryCrash(story, ["KILL_BEFORE"])).toBeGreaterThan(2);
});
