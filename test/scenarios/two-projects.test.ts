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

it("S3-5 both are done, and neither finds anything of the other's before it is delivered", async () => {
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
  // Whichever came second is on main too, or waits on its own branch, and says so.
  expect(s.git("show", "stint/prompt:hallo.txt")).toBe("Hallo\n");
  expect(s.git("show", "stint/other:salut.txt")).toBe("Salut\n");
  const waiting = s.git("for-each-ref", "--format=%(refname:short)", "--no-merged=main", "refs/heads");
  expect(ended.filter(({ out }) => out.includes("the work waits on ")).length).toBe(
    waiting === "" ? 0 : 1,
  );
  expect(s.git("status", "--porcelain")).toBe("?? drafts/\n?? mine.txt\n");
});
