import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CommandLineBench } from "../../test/support/command-line.ts";
import { lintView } from "../core/schema/views.ts";

let bench: CommandLineBench;

beforeEach(() => {
  bench = new CommandLineBench();
});
afterEach(() => bench.close());

describe("several files", () => {
  it("are all linted, also when one of them is not there", async () => {
    bench.write("good.md");
    const { code, out, err } = await bench.run("lint", "none.md", "good.md");
    expect([code, err]).toEqual([2, ""]);
    expect(out).toContain(
      `none.md:1: error: there is no file none.md (looked at ${join(bench.root, "none.md")}) [not-read]\nnone.md: 0 tasks, 1 error, 0 warnings\n`,
    );
    expect(out).toContain("good.md: 2 tasks, 0 errors, 0 warnings");
  });

  it("are linted once each, whatever leads to them", async () => {
    bench.write("good.md");
    symlinkSync("good.md", join(bench.root, "link.md"));
    const { code, out } = await bench.run("lint", "good.md", "./good.md", "link.md", "--json");
    expect(code).toBe(0);
    expect(lintView.parse(JSON.parse(out)).files.map(({ file }) => file)).toEqual(["good.md"]);
  });
});

it("without a file and with several projects says which manifests lint would take, once each", async () => {
  bench.write("a.md");
  bench.write("work/b c.md");
  await bench.create("a.md");
  await bench.create("work/b c.md");
  expect(await bench.run("lint")).toEqual({
    code: 2,
    out: "",
    err: `stint: ${bench.root} has 2 projects, and no manifest was named\n  Name one of them: stint lint a.md\n  or: stint lint 'work/b c.md'`,
  });
});

describe("what is no manifest", () => {
  const cases: readonly (readonly [what: string, named: string, told: string])[] = [
    ["stdin", "-", "stdin is not read as a manifest\n  Name a Markdown file, such as prompt.md"],
    [
      "an empty name",
      "",
      "the name of the manifest is empty\n  Name a Markdown file, such as prompt.md",
    ],
    ["a pipe", "pipe", "pipe is not a regular file\n  name a Markdown file"],
    [
      "a folder with a manifest",
      "docs",
      "docs is a directory, not a manifest\n  name the Markdown file in it: docs/move.md",
    ],
    [
      "a folder without one",
      "empty",
      "empty is a directory, not a manifest\n  there is no Markdown file in it; a manifest to start from: stint init",
    ],
    [
      "links in a circle",
      "loop",
      "loop is a link that leads in a circle, and to no file\n  See where it leads: ls -l loop",
    ],
    [
      "a link to nothing",
      "dangling.md",
      "dangling.md is a link to gone.md, and there is no such file\n  See where it leads: ls -l dangling.md",
    ],
    [
      "a file of another form",
      "package.json",
      "package.json is not Markdown: its name ends in .json\n  name a Markdown file",
    ],
  ];

  beforeEach(() => {
    execFileSync("mkfifo", [join(bench.root, "pipe")]);
    bench.write("docs/move.md");
    bench.write("docs/table.csv", "1");
    mkdirSync(join(bench.root, "empty"));
    symlinkSync("loop", join(bench.root, "loop"));
    symlinkSync("gone.md", join(bench.root, "dangling.md"));
    bench.write("package.json", "{}\n");
  });

  it.each(cases)(
    "such as %s is told in the same words by lint, plan and run",
    async (_, named, told) => {
      const before = bench.everything();
      for (const verb of ["lint", "plan", "run"]) {
        const { code, out, err } = await bench.run(verb, named);
        expect([verb, code, out, err]).toEqual([verb, 2, "", `stint: ${told}`]);
      }
      expect(bench.everything()).toEqual(before);
    },
  );

  it.each([
    ["docs/no/such/none.md", "docs"],
    ["none.md", "."],
  ])("%s is not there: %s is the folder to look into", async (named, folder) => {
    expect((await bench.run("lint", named)).err).toContain(`\n  See what is there: ls ${folder};`);
  });

  it("does not hide a project that has the name of a folder", async () => {
    bench.write("empty.md");
    const id = await bench.create("empty.md");
    const { code, out } = await bench.run("plan", "empty");
    expect([code, out]).toEqual([0, expect.stringContaining(id)]);
  });
});
