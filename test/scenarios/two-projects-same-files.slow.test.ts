// Two projects of one repository that change the same file at once, each in its own copy: both arrive, or one
// asks, and both arrive after the answer. What happens first is settled by files, never by time.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { type Act, type Said, Scenario } from "../support/scenario.ts";

const scenes: Scenario[] = [];
afterAll(() => {
  for (const made of scenes) made.close();
});

const LINES = ["one", "two", "three", "four", "five", "six", "seven"];

function text(change: Record<string, string> = {}): string {
  return LINES.map((line) => `${change[line] ?? line}\n`).join("");
}

const BOTH = text({ one: "FIRST\nSECOND" });

const manifest = (name: string, word: string): string => `## Goal

Write ${word}.

## Steps

- [ ] ${name} - Write ${word}
  - check: \`grep -q ${word} text.txt\`
`;

/** Who is at work when the first project is delivered: the second's session, or what commits its work. */
type Meeting = "in its session" | "at its commit";

interface Told {
  readonly s: Scenario;
  readonly first: Said;
  readonly second: Said;
  /** The second project's. */
  readonly id: string;
}

/** The first says FIRST in the first line of the file, the second SECOND in the given one. */
async function both(meeting: Meeting, line: string, again: readonly Act[] = []): Promise<Told> {
  const s = new Scenario({
    manifest: manifest("first", "FIRST"),
    files: { "other.md": manifest("second", "SECOND"), "text.txt": text() },
  });
  scenes.push(s);
  const meet = (mine: string, theirs: string): string =>
    `touch '${s.path}/${mine}'; while [ ! -e '${s.path}/${theirs}' ]; do sleep 0.05; done`;
  const act = (command: string): Act => ({ act: "run", command });
  const write = (change: Record<string, string>): Act => {
    return { act: "write", path: "text.txt", text: text(change) };
  };
  const isInSession = meeting === "in its session";
  const waits = meet("second-waits", "delivered");
  const hook = `git diff --cached --name-only | grep -q other.md || exit 0\n${waits}`;
  if (!isInSession) s.write(".git/hooks/pre-commit", `#!/bin/sh\n${hook}\n`, 0o755);
  const script = (name: string, tasks: object): string => {
    writeFileSync(join(s.path, `${name}.json`), JSON.stringify({ tasks }));
    return `scripted:../${name}.json`;
  };
  const one = script("first", {
    first: [write({ one: "FIRST" }), act(meet("first-at-work", "second-waits"))],
  });
  const two = script("second", {
    second: [
      [
        write({ [line]: "SECOND" }),
        act(isInSession ? waits : meet("second-at-work", "first-at-work")),
      ],
      again,
    ],
  });
  const plain = ["--isolation", "off"];
  const runs = [
    s.start("run", "prompt.md", "--agent", one, ...plain),
    s.start("run", "other.md", "--agent", two, ...plain),
  ] as const;
  const first = await runs[0].ended;
  expect({ code: first.code, err: first.err }).toEqual({ code: 0, err: "" });
  writeFileSync(join(s.path, "delivered"), "");
  const second = await runs[1].ended;
  return { s, first, second, id: /\bp-\w{10}\b/.exec(second.out)?.[0] ?? "none" };
}

async function resume({ s, id }: Told, ...words: string[]): Promise<Said> {
  return await s.say("resume", id, ...words);
}

/** How it ended, and all that is there then. */
function end({ s }: Told, { code, err }: Said) {
  return {
    code,
    err,
    branch: s.git("show", "main:text.txt"),
    checkout: s.read("text.txt"),
    made: s.git("log", "--no-merges", "--format=%s", "main").trim().split("\n").toSorted(),
    open: ["prompt.md", "other.md"].filter((file) => !s.read(file).includes("- [x]")),
    elsewhere: s.git("for-each-ref", "--no-merged=main", "refs/heads"),
    status: s.git("status", "--porcelain"),
  };
}

/** Both are done, once, in the branch and in the checkout, and nothing else is there. */
function bothIn(content: string): ReturnType<typeof end> {
  return {
    code: 0,
    err: "",
    branch: content,
    checkout: content,
    made: ["first: Write FIRST", "second: Write SECOND", "the first commit", "the second commit"],
    open: [],
    elsewhere: "",
    status: "?? drafts/\n?? mine.txt\n",
  };
}

describe.concurrent("other lines of the same file", () => {
  it.each<Meeting>(["in its session", "at its commit"])(
    "both arrive where the second is %s when the first is delivered",
    async (meeting) => {
      const told = await both(meeting, "seven");
      expect(end(told, told.second)).toEqual(bothIn(text({ one: "FIRST", seven: "SECOND" })));
    },
  );
});

describe.concurrent("the same lines", () => {
  const resolved: Act = { act: "write", path: "text.txt", text: BOTH };

  async function asked(again: readonly Act[] = []): Promise<Told> {
    const told = await both("at its commit", "one", again);
    const { s, second, id } = told;
    expect(second.code).toBe(3);
    expect(second.out).toContain("verified work and main changed the same: text.txt, changed by t1");
    expect(second.out).toContain('"first: Write FIRST"');
    expect(second.out).toContain(`Next: stint answer q1 session ${id}`);
    expect(s.read("text.txt")).toBe(text({ one: "FIRST" }));
    return told;
  }

  async function answer({ s, id }: Told, word: string): Promise<void> {
    const { code, err } = await s.say("answer", "q1", word, id);
    expect({ code, err }).toEqual({ code: 0, err: "" });
  }

  it("nobody is asked where the second's session is still at work: its next one is told", async () => {
    const told = await both("in its session", "one", [resolved]);
    expect(end(told, told.second)).toEqual(bothIn(BOTH));
    expect(told.second.out).toContain("changed by others since: text.txt. t1 continues from their version; its own is kept");
    const brief = told.s.read("agents/stint/projects/other/logs/sessions/2/brief.md");
    expect(brief).toContain("Others have changed these files since.");
    expect(brief).toContain("text.txt");
  });

  it("one asks, and a session brings both together", async () => {
    const told = await asked([resolved]);
    await answer(told, "session");
    expect(end(told, await resume(told))).toEqual(bothIn(BOTH));
  });

  it("one asks, and the person brings both together in a shell", async () => {
    const told = await asked();
    const { s, id } = told;
    await answer(told, "shell");
    const blocked = await resume(told);
    expect(blocked.code).toBe(4);
    expect(blocked.out).toContain(`stint shell t1 ${id}`);
    writeFileSync(join(s.path, "both.txt"), BOTH);
    const copy = ["cp", join(s.path, "both.txt"), "text.txt"];
    expect((await s.say("shell", "t1", id, "--", ...copy)).code).toBe(0);
    expect(end(told, await resume(told, "--retry"))).toEqual(bothIn(BOTH));
  });

  it("one asks, is left on its branch, and arrives when the person merges", async () => {
    const told = await asked();
    const { s, id } = told;
    await answer(told, "leave");
    const left = await resume(told);
    expect([left.code, s.read("text.txt")]).toEqual([0, text({ one: "FIRST" })]);
    expect(left.out).toContain("waits on stint/other");
    expect(() => s.git("merge", "-q", "stint/other")).toThrow("Command failed");
    s.write("text.txt", BOTH);
    s.git("add", "text.txt");
    s.git("commit", "-q", "--no-verify", "--no-edit");
    expect(end(told, await s.say("deliver", id))).toEqual(bothIn(BOTH));
  });
});
