import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CommandLineBench } from "../../test/support/command-line.ts";

let bench: CommandLineBench;

beforeEach(() => {
  bench = new CommandLineBench();
});
afterEach(() => bench.close());

const MANIFEST = `## Goal
Greet.

## Steps
- [ ] form - Add the form and deploy the service
  - check: file form.txt
- [ ] areas - Renew the docs and the database
  - check: file areas.txt
- [x] done - Add the page and update the docs
- [ ] one - Write hello.txt
  - check: file hello.txt
`;

describe("stint edit --split", () => {
  const manifest = (): string => readFileSync(join(bench.root, "prompt.md"), "utf8");

  it("S3-17 makes one task of each verb, shows the lines and is adopted", async () => {
    bench.write("prompt.md", MANIFEST);
    await bench.create();
    const { code, out, err } = await bench.run("edit", "--split", "form");
    expect(code).toBe(0);
    expect(`${out}${err}`).toContain("-- [ ] form - Add the form and deploy the service");
    expect(`${out}${err}`).toContain("+- [ ] Add the form");
    expect(`${out}${err}`).toContain("+- [ ] form - Deploy the service");
    expect(manifest()).toBe(
      MANIFEST.replace(
        "- [ ] form - Add the form and deploy the service",
        "- [ ] Add the form\n- [ ] form - Deploy the service",
      ),
    );
    expect((await bench.run("plan")).out).toContain("Deploy the service");
  });

  it("S3-18 splits at the areas that lint names where there is one verb", async () => {
    bench.write("prompt.md", MANIFEST);
    await bench.create();
    expect((await bench.run("edit", "--split", "t2")).code).toBe(0);
    expect(manifest()).toContain("- [ ] Renew the docs and the database (docs)\n- [ ] areas - ");
  });

  it("refuses --file beside it, and changes nothing", async () => {
    bench.write("prompt.md", MANIFEST);
    bench.write("my new.md", MANIFEST.replace("Greet.", "Greet all."));
    await bench.create();
    const words = ["edit", "--split", "form", "--file", "my new.md"];
    const { code, out, err } = await bench.run(...words);
    expect([code, out]).toEqual([2, ""]);
    expect(err).toBe(
      "stint: --split and --file cannot be given together: --split changes the manifest as it is, --file replaces it\n" +
        "  Give one of them: stint edit --split form, or stint edit --file 'my new.md'",
    );
    const json = await bench.run(...words, "--json");
    expect([json.code, JSON.parse(json.out)]).toMatchObject([2, { error: { code: "bad-input" } }]);
    expect(manifest()).toBe(MANIFEST);
  });

  it.each([
    ["one", 't4: "one - Write hello.txt" names one piece of work'],
    ["done", "only a task that has not started can be split"],
    ["nobody", "the manifest has no task nobody"],
  ])("refuses %s with why and what to do, and changes nothing", async (task, why) => {
    bench.write("prompt.md", MANIFEST);
    await bench.create();
    const { code, err } = await bench.run("edit", "--split", task);
    expect(code).not.toBe(0);
    expect(err).toContain(why);
    expect(err).toContain("stint ");
    expect(manifest()).toBe(MANIFEST);
  });
});

describe("stint edit --file", () => {
  const LONGER = `${MANIFEST}- [ ] two - Write world.txt\n  - check: file world.txt\n`;

  it("adopts a text that the file has already, and says so only once", async () => {
    bench.write("prompt.md", MANIFEST);
    await bench.create();
    bench.write("prompt.md", LONGER);
    bench.write("mine.md", LONGER);
    expect((await bench.run("edit", "--file", "mine.md")).out).toContain("1 added");
    expect((await bench.run("status")).out).toContain("Write world.txt");
    expect((await bench.run("edit", "--file", "mine.md")).out).toContain(
      "nothing was edited; nothing changed",
    );
  });
});

describe("stint edit", () => {
  it("without a change says that the file has one which the next run reads", async () => {
    bench.write("prompt.md", MANIFEST);
    await bench.create();
    bench.write("prompt.md", MANIFEST.replace("Greet.", "Greet all."));
    const { code, out } = await bench.runWith({ env: { EDITOR: "true", VISUAL: "" } }, "edit");
    expect(code).toBe(0);
    expect(out).toContain(
      "nothing was edited; prompt.md has changes from before, and the next run reads them",
    );
  });
});

describe("stint edit --file", () => {
  const edited = async (text: string, ...words: string[]) => {
    bench.write("new.md", text);
    return await bench.run("edit", "--file", "new.md", ...words);
  };
  const TASK = "- [ ] one - Write hello.txt\n  - check: file hello.txt\n";

  it("says what lint warns of since the edit, once, and nothing that it warned of before", async () => {
    bench.write("prompt.md", MANIFEST.replace("file areas.txt", "file areas.txt\n  - notes: x"));
    await bench.create();
    const before = readFileSync(join(bench.root, "prompt.md"), "utf8");
    const text = before.replace(TASK, `${TASK}  - chek: file other.txt\n- [] two - Write more\n`);
    const { code, out } = await edited(text);
    expect(code).toBe(0);
    const told = out.split("\n").filter((line) => line.startsWith("  !"));
    const at = (what: string): number =>
      text.split("\n").findIndex((each) => each.includes(what)) + 1;
    expect(told).toEqual([
      expect.stringContaining(`prompt.md:${at("chek:")}: `),
      expect.stringContaining(`prompt.md:${at("- []")}: `),
      "  ! how to write it right: stint lint prompt.md",
    ]);
    const again = await edited(text.replace("Greet.", "Greet all."), "--json");
    expect(JSON.parse(again.out)).toMatchObject({ outcome: "applied", warnings: [] });
  });
});
