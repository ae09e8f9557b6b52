import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CommandLineBench } from "../../test/support/command-line.ts";
import { columnsOf } from "../report/visible.ts";

let bench: CommandLineBench;

const LONG = "so that whoever reads it at eighty columns has a sentence that does not fit in them";
const CHECK = `grep -q Hello hello.txt # ${LONG}`;

beforeEach(async () => {
  bench = new CommandLineBench();
  bench.write(
    "prompt.md",
    `## Goal\nSay hello, ${LONG}.\n\n## Steps\n- [ ] english - Write hello.txt, ${LONG}\n  - check: \`${CHECK}\`\n- [ ] german - Write hallo.txt\n`,
  );
  await bench.create();
});
afterEach(() => bench.close());

/** Paths of this machine, and the commands of the manifest, are never broken. */
function wide(text: string): string[] {
  return text.split("\n").filter((line) => {
    return columnsOf(line) > 80 && !line.includes(bench.path) && !line.includes(CHECK);
  });
}

describe("at 80 columns", () => {
  it.each([
    ["plan", "prompt.md"],
    ["lint", "prompt.md"],
    ["status"],
    ["log"],
    ["list"],
    ["diff"],
    ["verify"],
    ["doctor"],
    ["agents"],
    ["clean"],
    ["skip", "t1", "--reason", LONG],
    ["pause"],
    ["shell", "nope"],
    ["run", "prompt.md", "--workspace", LONG],
  ])("no line of stint %s is wider", async (...words) => {
    const said = await bench.runWith({ width: 80 }, ...words);
    expect(wide(`${said.out}\n${said.err}`)).toEqual([]);
    expect(said.out + said.err).not.toBe("");
  });

  it("commands and JSON stay whole, and a pipe is not wrapped", async () => {
    const { out } = await bench.runWith({ width: 80 }, "plan");
    expect(out).toContain(`      check: \`${CHECK}\``);
    expect(out).toContain("  May run: 1 command above");
    expect(out).toContain("  Goal: Say hello, so that whoever reads it at eighty columns");
    expect(out).not.toContain(`Say hello, ${LONG}`);
    expect((await bench.run("plan")).out).toContain(`  Goal: Say hello, ${LONG}.\n`);
    const json = await bench.runWith({ width: 80 }, "plan", "--json");
    expect(json.out).toBe((await bench.run("plan", "--json")).out);
  });
});
