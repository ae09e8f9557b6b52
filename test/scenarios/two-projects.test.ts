// Two projects of one repository at work at once: each in a workspace of its own, and what both made
// reaches the branch, one after the other.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { english, german, Scenario } from "../support/scenario.ts";

const OTHER = `## Goal

Say hello in one more language.

## Steps

- [ ] french - Write salut.txt
  - check: \`grep -q Salut salut.txt\`
`;

const s = new Scenario({ files: { "other.md": OTHER } });
afterAll(() => s.close());

it("both are done, and neither finds anything of the other's before it is delivered", async () => {
  const meet = (mine: string, theirs: string) => ({
    act: "run",
    command: `touch ../${mine}; while [ ! -e ../${theirs} ]; do sleep 0.05; done; ls > ../${mine}.seen`,
  });
  const french = { act: "write", path: "salut.txt", text: "Salut\n" };
  const script = (name: string, tasks: object): string => {
    writeFileSync(join(s.path, name), JSON.stringify({ tasks }));
    return `scripted:../${name}`;
  };
  const one = script("one.json", { english: [english, meet("one", "two")], german: [german] });
  const two = script("two.json", { french: [french, meet("two", "one")] });
  const runs = [
    s.start("run", "prompt.md", "--agent", one),
    s.start("run", "other.md", "--agent", two),
  ];
  const ended = await Promise.all(runs.map((run) => run.ended));
  expect(ended.map(({ code }) => code)).toEqual([0, 0]);
  expect(s.read("../one.seen")).not.toContain("salut.txt");
  expect(s.read("../two.seen")).not.toContain("hello.txt");
  // Whichever came second was replayed on what the first one brought.
  expect(s.git("show", "main:hallo.txt")).toBe("Hallo\n");
  expect(s.git("show", "main:salut.txt")).toBe("Salut\n");
  expect(s.git("for-each-ref", "--no-merged=main", "refs/heads")).toBe("");
  expect(s.git("status", "--porcelain")).toBe("?? drafts/\n?? mine.txt\n");
});
