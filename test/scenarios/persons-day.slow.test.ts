// A person's day beside a run, as one story: they begin with uncommitted work, commit, amend, stage a hunk,
// switch branch and back, edit the manifest, pull, and resolve one conflict. Everything of theirs is there in
// the end, everything of Stint's has arrived, and nothing was asked but the conflict.
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { Meeting } from "../support/meeting.ts";
import { git } from "../support/git.ts";
import { Scenario } from "../support/scenario.ts";

const NAMES = ["a", "b", "c", "d", "e", "f"];

function task(name: string): string {
  return `- [ ] ${name} - Write ${name}.txt\n  - check: file ${name}.txt matches /${name}/\n`;
}

const SHARED = `- [ ] shared - Say who is here in shared.txt
  - check: file shared.txt matches /session/
`;

const MANIFEST = `## Goal

Write the alphabet, beside a person who works on.

## Steps

${NAMES.slice(0, 5).map(task).join("")}`;

const s = new Scenario({ manifest: MANIFEST, files: { "shared.txt": "who is here:\n" } });
afterAll(() => s.close());

it("a day: all of the person's is there, all of the work arrives, one conflict is asked", async ({ onTestFailed }) => {
  const meeting = new Meeting(s.path);
  // Each session does the first task that is open.
  const agent = s.program(
    "agent.sh",
    `#!/bin/sh
cat > /dev/null
for name in a b c d e shared f; do
  if grep -q "\\[ \\] $name -" prompt.md; then
    ${meeting.script}
    if test $name = shared; then echo "who is here: a session" > shared.txt
    else echo "$name" > "$name.txt"; fi
    exit
  fi
done
`,
  );
  const day: readonly (readonly [string, () => void])[] = [
    ["commits what they had changed", () => commitAll("mine: one")],
    ["signs off the last commit, which is a task's", signOff],
    ["stages a hunk, and goes on in the same file", stageAHunk],
    ["switches to another branch", () => void s.git("switch", "-q", "-c", "side")],
    ["comes back, and adds two tasks to the manifest", comeBackAndEdit],
    ["edits the file that the session edits", () => s.write("shared.txt", "who is here: me\n")],
    ["pulls what a colleague did, and commits their own", pullAndCommit],
  ];
  s.write("one.txt", "one, changed by me\n");
  const colleague = join(s.path, "colleague");
  git(s.path, "clone", "-q", s.root, colleague);

  const run = s.start("run", "prompt.md", "--agent", `command:${agent}`);
  onTestFailed(async () => {
    const { out, err } = await run.ended;
    process.stderr.write(`${out}${err}`);
  });
  for (const [what, act] of day) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other is the story
    await meeting.meet(run.ended, () => {
      try {
        act();
      } catch (error) {
        throw new Error(`the person ${what}`, { cause: error });
      }
    });
  }
  const evening = await run.ended;
  expect([evening.code, evening.err]).toEqual([3, ""]);
  // Of commits that followed the branch, only those that are there now.
  const shown = /Commits: (.*)/.exec(evening.out)?.[1]?.split(" ") ?? [];
  expect(shown).toHaveLength(7);
  for (const commit of shown) s.git("merge-base", "--is-ancestor", commit, "stint/prompt");
  const { questions } = s.state();
  expect(questions).toMatchObject([{ id: "q1", status: "open" }]);
  expect(questions[0]?.text).toContain("shared.txt");

  expect((await s.say("answer", "q1", "shell")).code).toBe(0);
  await s.say("resume", "--agent", `command:${agent}`);
  const both = "printf 'who is here: me\\nand a session\\n' > shared.txt";
  expect((await s.say("shell", s.task("shared").id, "--", "sh", "-c", both)).code).toBe(0);
  const end = await s.say("resume", "--retry", "--agent", `command:${agent}`);
  expect([end.code, end.err]).toEqual([0, ""]);

  // Everything of theirs.
  const subjects = s.git("log", "--format=%s").trim().split("\n");
  for (const mine of ["mine: one", "a colleague's work", "mine: shared.txt"]) {
    expect(subjects.filter((subject) => subject === mine)).toEqual([mine]);
  }
  expect(s.read("one.txt")).toBe("one, changed by me\n");
  expect(s.git("show", ":two.txt")).toBe("two\nstaged\n");
  expect(s.read("two.txt")).toBe("two\nstaged\nnot staged\n");
  expect(s.read("theirs.txt")).toBe("of a colleague\n");
  expect(s.read("prompt.md")).toContain("A thought of mine.");
  expect(s.git("status", "--porcelain")).toBe(
    " M prompt.md\nMM two.txt\n?? drafts/\n?? mine.txt\n",
  );
  expect(s.git("symbolic-ref", "--short", "HEAD").trim()).toBe("main");
  expect(s.git("log", "--format=%s", "--grep=Signed-off-by: test").trim()).toBe("a: Write a.txt");
  // Everything of Stint's.
  for (const name of NAMES) expect(s.git("show", `main:${name}.txt`)).toBe(`${name}\n`);
  expect(s.read("shared.txt")).toBe("who is here: me\nand a session\n");
  expect(s.read("prompt.md")).not.toContain("[ ]");
  expect(s.state()).toMatchObject({ status: "Done", approval_items: [] });
  expect(s.state().questions).toHaveLength(1);

  function signOff(): void {
    expect(s.git("log", "-1", "--format=%s").trim()).toBe("a: Write a.txt");
    s.git("commit", "-q", "--amend", "--no-edit", "--signoff");
  }

  function commitAll(message: string): void {
    s.git("commit", "-q", "-a", "-m", message);
  }

  function stageAHunk(): void {
    s.write("two.txt", "two\nstaged\n");
    s.git("add", "two.txt");
    s.write("two.txt", "two\nstaged\nnot staged\n");
  }

  function comeBackAndEdit(): void {
    s.git("switch", "-q", "main");
    const text = s.read("prompt.md").replace("beside a person who works on.", "beside a person who works on. A thought of mine.");
    s.write("prompt.md", `${text}${SHARED}${task("f")}`);
  }

  function pullAndCommit(): void {
    git(colleague, "pull", "-q", "--no-rebase", s.root, "main");
    git(colleague, "config", "user.name", "Bob");
    git(colleague, "config", "user.email", "bob@example.com");
    s.program("colleague/theirs.txt", "of a colleague\n");
    git(colleague, "add", "theirs.txt");
    git(colleague, "commit", "-q", "-m", "a colleague's work");
    s.git("pull", "-q", "--no-rebase", colleague, "main");
    s.git("commit", "-q", "-m", "mine: shared.txt", "--", "shared.txt");
  }
});
