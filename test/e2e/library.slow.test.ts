// The library as somebody gets it who installs the package: its types compile, and the examples run exactly as shipped.
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { BuiltStint, type Ended } from "../support/built-stint.ts";
import { REPOSITORY } from "../support/generated-files.ts";
import { git } from "../support/git.ts";
import { installPacked } from "../support/packed-package.ts";

const MANIFEST = `## Goal
A diary.

## Steps
- [ ] first - Write the first line
  - check: \`grep -q first done.txt\`
- [ ] second - Write the second line
  - check: \`grep -q second done.txt\`
`;

let stint: BuiltStint;
let examples: string;

beforeAll(() => {
  stint = new BuiltStint();
  git(stint.root, "config", "user.name", "Ada");
  git(stint.root, "config", "user.email", "ada@example.com");
  examples = join(installPacked(stint.root, ["@types/node", "undici-types"]), "examples/library");
  stint.write(".gitignore", "node_modules\n");
  stint.write("prompt.md", MANIFEST);
  stint.write("other.md", MANIFEST.replaceAll("done.txt", "other.txt"));
  git(stint.root, "add", ".");
  git(stint.root, "commit", "-q", "-m", "Start");
});
afterAll(() => stint.close());

function example(name: string, ...words: string[]): Ended {
  return node(join(examples, name), ...words);
}

function node(...words: string[]): Ended {
  const { status, stdout, stderr } = spawnSync(process.execPath, words, {
    cwd: stint.root,
    env: stint.env(),
    encoding: "utf8",
  });
  return { code: status, out: stdout, err: stderr };
}

it("write-an-adapter.mjs takes a manifest to Done with an agent of its own", () => {
  const { code, out, err } = example("write-an-adapter.mjs", "prompt.md");
  expect([err, code]).toEqual(["", 0]);
  expect(out).toMatch(/^Done: /);
  expect(git(stint.root, "show", "HEAD:done.txt")).toBe("first\nsecond\n");
});

it("read-state.mjs says where that project stands, and the command line says the same", () => {
  const { code, out, err } = example("read-state.mjs", "prompt.md");
  expect([err, code]).toEqual(["", 0]);
  const lines = out.trimEnd().split("\n");
  expect(lines[0]).toBe("Done: 2 of 2 tasks");
  expect(lines[1]).toMatch(/^t1 done: Write the first line \(/);
  expect(lines.at(-1)).toBe("all of it is intact");
  expect(stint.run("status", "prompt.md").code).toBe(0);
});

it("run-a-project.mjs tells a run as it goes, and says what to do where it cannot", () => {
  const act = (name: string) => [{ act: "append", path: "other.txt", text: `${name}\n` }];
  const script = join(stint.path, "script.json");
  writeFileSync(script, JSON.stringify({ tasks: { first: act("first"), second: act("second") } }));
  const { code, out, err } = example("run-a-project.mjs", "other.md", `scripted:${script}`);
  expect([err, code]).toEqual(["", 0]);
  expect(out).toMatch(/^3 {2}work started$/m);
  expect(out).toMatch(/^Done: /m);
  const commit = git(stint.root, "log", "--format=%H", "--grep=Stint-Task: t2", "-1").trim();
  expect(out).toContain(`t2 is ${commit}\n`);

  const refused = example("run-a-project.mjs", "nowhere.md");
  expect(refused.code).toBe(2);
  expect(refused.err).toContain("not-found: there is no file nowhere.md here");
});

it.each(readdirSync(join(REPOSITORY, "examples/library")))("%s is short", (name) => {
  const lines = readFileSync(join(REPOSITORY, "examples/library", name), "utf8").split("\n");
  expect(lines.length).toBeLessThanOrEqual(40);
});

const TYPED = `
import { openStint, lintManifest, StintError, type Agent, type News, type RunView } from "stint";

const stint = openStint({ cwd: "/" });
const told: News[] = [];
const ended: RunView = await stint.run("prompt.md", { agent: "claude", tell: (news) => told.push(news) });
const name: string = ended.status.tasks[0]?.name ?? "";
const goal: string = lintManifest("## Goal").plan.goal;
// What is not so is told: no type of the surface is lost on the way.
// @ts-expect-error
const wrong: number = ended.status.status;
// @ts-expect-error
const more: number = lintManifest("").plan.tasks[0]?.title ?? "";
// @ts-expect-error
await stint.run("prompt.md", { agnet: "claude" });
// @ts-expect-error
const code: "nothing" = new StintError("bad-input", "", "").code;
// @ts-expect-error
const agent: Agent = { name: "x" };
export { name, goal, wrong, more, code, agent };
`;

it("compiles strictly against the declarations of the package, the examples and a program in TypeScript", () => {
  stint.write("program.mts", TYPED);
  const options =
    "--noEmit --allowJs --checkJs --skipLibCheck false --strict --exactOptionalPropertyTypes " +
    "--noUncheckedIndexedAccess --module nodenext --target es2023 --types node";
  const { code, out } = node(
    join(REPOSITORY, "node_modules/typescript/bin/tsc"),
    ...options.split(" "),
    "program.mts",
    ...readdirSync(examples).map((name) => join(examples, name)),
  );
  expect([out, code]).toEqual(["", 0]);
});

it("an agent of one's own needs a name that is free and can be one; then manifests may name it", () => {
  const program = `
    import { openStint } from "stint";
    for (const name of ["claude", "Mine!"]) {
      try { openStint({ agents: [{ name }] }); } catch (error) { console.log(error.code, error.message); }
    }
    const mine = openStint({ agents: [{ name: "mine" }] });
    for (const stint of [mine, openStint()]) {
      const { files: [file] } = await stint.lint("reviewed.md");
      console.log(file.problems.filter(({ severity }) => severity === "error").map(({ rule }) => rule));
    }`;
  stint.write(
    "reviewed.md",
    MANIFEST.replace(
      "- check: `grep -q first",
      '- check: agent mine "Fine?"\n  - check: `grep -q first',
    ),
  );
  const { code, out } = node("--input-type=module", "--eval", program);
  expect(out.split("\n")).toEqual([
    'bad-input The agent "claude" cannot be added: an agent with that name exists already',
    'bad-input The agent "Mine!" cannot be added: a name is made of lower-case letters, digits and hyphens',
    "[]",
    "[ 'unknown-reviewer' ]",
    "",
  ]);
  expect(code).toBe(0);
});

it("exports exactly the functions and classes that docs/library.md lists", () => {
  const document = readFileSync(join(REPOSITORY, "docs/library.md"), "utf8");
  const listed = [...document.matchAll(/^\| `(\w+)` \| (?:function|class) \|/gm)];
  const program = 'console.log(JSON.stringify(Object.keys(await import("stint"))))';
  const { out } = node("--input-type=module", "--eval", program);
  expect((JSON.parse(out) as string[]).toSorted()).toEqual(
    listed.map(([, name = ""]) => name).toSorted(),
  );
});

it("a run that is stopped by its program pauses and goes on later", () => {
  stint.write("later.md", MANIFEST.replaceAll("done.txt", "later.txt"));
  const act = (name: string) => [{ act: "append", path: "later.txt", text: `${name}\n` }];
  const script = join(stint.path, "later.json");
  writeFileSync(script, JSON.stringify({ tasks: { first: act("first"), second: act("second") } }));
  const program = `
    import { openStint } from "stint";
    const stint = openStint();
    const stopping = new AbortController();
    const tell = (news) => { if (news.kind === "persisted" && news.place.done === 1) stopping.abort(); };
    const agent = "scripted:${script}";
    const first = await stint.run("later.md", { agent, signal: stopping.signal, tell });
    const second = await stint.resume("later.md");
    console.log(first.status.status, first.status.progress.done, second.status.status);`;
  const { code, out, err } = node("--input-type=module", "--eval", program);
  expect([err, out, code]).toEqual(["", "Paused 1 Done\n", 0]);
});
