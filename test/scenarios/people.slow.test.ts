// People in the loop, as they would see it: the built executable, a repository, the scripted agent.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { english, german, Scenario, type Script, type Setup } from "../support/scenario.ts";
import { Transcript } from "../support/transcript.ts";

const scenes: Scenario[] = [];

function scene(setup: Setup, script: Script = { english: [english], german: [german] }): Scenario {
  const made = new Scenario(setup);
  scenes.push(made);
  const file = join(made.path, "script.json");
  writeFileSync(file, JSON.stringify({ manifest: "prompt.md", tasks: script }));
  return made;
}

afterAll(() => {
  for (const made of scenes) made.close();
});

const AGENT = ["--agent", "scripted:../script.json"];

/** The two tasks, with more keys under each. */
function manifest(
  keys: { english?: readonly string[]; german?: readonly string[] },
  front = "",
): string {
  const under = (lines: readonly string[] = []) => lines.map((line) => `  - ${line}\n`).join("");
  return `${front}## Goal

Say hello in two languages.

## Steps

- [ ] english - Write hello.txt
  - check: \`grep -q Hello hello.txt\`
${under(keys.english)}- [ ] german - Write hallo.txt
  - check: \`grep -q Hallo hallo.txt\`
${under(keys.german)}`;
}

describe.concurrent("a plan that is to be reviewed", () => {
  it("S2-23 starts nothing before somebody says yes to it, and yes to another text is refused", async () => {
    const s = scene({ manifest: manifest({}, "---\nplan: review\n---\n") });
    const t = new Transcript(s);
    await t.run("run", "prompt.md", ...AGENT);
    t.note("a person adds a task with a command of its own");
    s.write("prompt.md", `${s.read("prompt.md")}- [ ] french - Write salut.txt\n  - check: \`grep -q Salut salut.txt\`\n`);
    await t.type("approve", "plan");
    await t.type("plan");
    await t.type("approve", "plan");
    await t.type("approve", "plan");
    expect(s.state().counters.sessions).toBe(0);
    expect(t.text).toBe(`
$ stint run prompt.md --agent scripted:../script.json
prompt  ID  Draft: the plan waits for approval
  Next: stint plan ID  then  stint approve plan ID  or  stint deny a1 ID --reason "why not"
  Then: when it is answered: stint resume ID
→ 3
# a person adds a task with a command of its own
$ stint approve plan
stint: ID: the plan you approved is not the plan that is there: prompt.md was changed since it was read
  Here is the new one: stint plan ID; then: stint approve plan ID
→ 2
$ stint plan
prompt  ID  Draft: the plan waits for your yes
  Goal: Say hello in two languages.
  Manifest: prompt.md sha256 ${s.state().manifest.digest.slice(0, 12)}
  Workspace: a copy of the last commit in PLACE/state/stint/workspaces/ID; sessions see it at PLACE/repo
  Brings: dependency folders, .env files and the agents' local settings
  Not in it: 2 untracked files stay yours; --include-changes starts from them
  Commits (deliver: auto): verified work goes to main
  Push: nothing is pushed: the repository has no remote
  t1 pending  english - Write hello.txt
      check: \`grep -q Hello hello.txt\`
  t2 pending  german - Write hallo.txt
      check: \`grep -q Hallo hallo.txt\`
  t3 pending  french - Write salut.txt
      check: \`grep -q Salut salut.txt\`
  Agent: claude
  Sessions: 3 sessions if every task works at once, at most 9; the budget has 16 left
  Limits: 6 tasks a session, 8 files a task, 3 new files a session, 0 moves a task
  May run: 3 commands above (not allowed yet)
  Next: stint approve plan ID
  Then: stint run ID
→ 0
$ stint approve plan
✓ ID: ada approved the plan; it is Ready now
  Next: stint resume ID
→ 0
$ stint approve plan
= ID: the plan was approved by ada at TIME; nothing changed
  Next: stint resume ID
→ 0
`);
  });

  it("runs at once with --approve-plan", async () => {
    const s = scene({ manifest: manifest({}, "---\nplan: review\n---\n") });
    const { code } = await s.say("run", "prompt.md", "--approve-plan", ...AGENT);
    expect([code, s.state().status]).toEqual([0, "Done"]);
    expect(s.journal()).toContain("stint run --approve-plan");
  });
});

describe.concurrent("an output that needs a person's yes", () => {
  it("S3-1 denied, reworked, checked again, asked again; an answer counts for what was shown and for nothing else", async () => {
    const advert = { act: "write", path: "hello.txt", text: "Hello, and buy more\n" };
    const polite = { act: "write", path: "hello.txt", text: "Hello, dear world\n" };
    const s = scene(
      { manifest: manifest({ english: ["approve: after"] }) },
      { english: [[english], [advert], [polite]], german: [german] },
    );
    const t = new Transcript(s);
    await t.run("run", "prompt.md", ...AGENT);
    t.note("somebody commits another one before the answer");
    s.write("hello.txt", "Hello, everybody\n");
    s.git("add", "hello.txt");
    s.git("commit", "-q", "-m", "mine");
    await t.type("approve", "a1");
    await t.run("resume");
    await t.type("approve", "a1");
    await t.type("deny", "a2", "--reason", "no advertising");
    await t.type("deny", "a2", "--reason", "no advertising");
    await t.type("approve", "a2");
    await t.type("retry", "t1");
    await t.run("resume");
    await t.type("approve", "a3");
    await t.run("resume");
    expect(t.text).toBe(`
$ stint run prompt.md --agent scripted:../script.json
attempt 1 of task t1 "Write hello.txt" started in session 1
check passed: \`grep -q Hello hello.txt\`
asked for approval a1: the output of t1 "Write hello.txt" needs your yes; its other checks pass
  Next: stint diff a1 ID  then  stint approve a1 ID  or  stint deny a1 ID --reason "why not"
  Then: when it is answered: stint resume ID
→ 3
# somebody commits another one before the answer
$ stint approve a1
✓ ID: ada granted approval a1; it is Ready to continue
  Next: stint resume ID
→ 0
$ stint resume
attempt 1 of task t1 "Write hello.txt" failed: the branch changed meanwhile
attempt 2 of task t1 "Write hello.txt" started in session 2
check passed: \`grep -q Hello hello.txt\`
asked for approval a2: the output of t1 "Write hello.txt" needs your yes; its other checks pass
  Next: stint diff a2 ID  then  stint approve a2 ID  or  stint deny a2 ID --reason "why not"
  Then: when it is answered: stint resume ID
→ 3
$ stint approve a1
= ID: a1 was granted by ada at TIME; nothing changed
  Next: stint diff a2 ID  then  stint approve a2 ID  or  stint deny a2 ID --reason "why not"
  Then: when it is answered: stint resume ID
→ 0
$ stint deny a2 --reason "no advertising"
✓ ID: ada denied approval a2: no advertising; it is Blocked now
  Next: stint resume ID --retry
→ 0
$ stint deny a2 --reason "no advertising"
= ID: a2 was denied by ada at TIME; nothing changed
  Next: stint resume ID --retry
→ 0
$ stint approve a2
stint: ID: a2 was denied by ada at TIME: no advertising
  To let a session work on it again and be asked again: stint retry t1 ID
→ 2
$ stint retry t1
✓ ID: ada wants task t1 "Write hello.txt" tried again; it is Ready to continue
  Next: stint resume ID
→ 0
$ stint resume
attempt 3 of task t1 "Write hello.txt" started in session 3
check passed: \`grep -q Hello hello.txt\`
asked for approval a3: the output of t1 "Write hello.txt" needs your yes; its other checks pass
  Next: stint diff a3 ID  then  stint approve a3 ID  or  stint deny a3 ID --reason "why not"
  Then: when it is answered: stint resume ID
→ 3
$ stint approve a3
✓ ID: ada granted approval a3; it is Ready to continue
  Next: stint resume ID
→ 0
$ stint resume
check passed: \`grep -q Hello hello.txt\`
done task t1 "Write hello.txt"
attempt 1 of task t2 "Write hallo.txt" started in session 4
check passed: \`grep -q Hallo hallo.txt\`
done task t2 "Write hallo.txt"
  Next: stint verify ID
→ 0
`);
    const brief = s.read(`agents/stint/projects/prompt/logs/sessions/3/brief.md`);
    expect(brief).toContain("no advertising");
    const overtaken = s.read(`agents/stint/projects/prompt/logs/sessions/2/brief.md`);
    expect(overtaken).toContain("the branch changed meanwhile");
    expect(overtaken).toMatch(/Your task's version of them is kept; see: git show [0-9a-f]{40}:<path>/);
    expect(s.git("log", "--format=%s", "-3")).toBe("german: Write hallo.txt\nenglish: Write hello.txt\nmine\n");
    expect(s.task("english")).toMatchObject({ evidence: expect.arrayContaining([{ kind: "person", who: s.person }]) });
    const { approval_items } = s.state();
    expect(approval_items.map(({ id, status }) => [id, status])).toEqual([
      ["a1", "granted"],
      ["a2", "denied"],
      ["a3", "granted"],
    ]);
    expect(approval_items[2]).toMatchObject({ by: s.person, channel: "command line" });
  });

  it("is what was shown, whatever the person has under that name: it is committed, and waits", async () => {
    const s = scene({ manifest: manifest({ english: ["approve: after"] }) });
    await s.say("run", "prompt.md", ...AGENT);
    s.write("hello.txt", "Hello from me\n");
    expect((await s.say("approve", "a1")).code).toBe(0);
    const { code, out } = await s.say("resume");
    expect([code, s.state().status]).toEqual([0, "Done"]);
    expect(out).toContain("the work waits on stint/prompt: ");
    expect(s.git("show", "stint/prompt:hello.txt")).toBe("Hello\n");
    expect(s.read("hello.txt")).toBe("Hello from me\n");
    expect(s.task("english").attempts).toBe(1);
  });

  it("an approved output that fails its checks by then is not done, and its yes is void", async () => {
    const s = scene(
      { manifest: manifest({ english: ["approve: after", "check: `test ! -e flag`"] }) },
      { english: [english], german: [german] },
    );
    await s.say("run", "prompt.md", ...AGENT);
    await s.say("approve", "a1");
    s.write("flag", "");
    s.git("add", "flag");
    s.git("commit", "-q", "-m", "a flag");
    const { code, out } = await s.say("resume");
    expect(out).toContain("check failed: `test ! -e flag`");
    expect(s.task("english").status).not.toBe("done");
    expect(code).toBe(4);
    expect(s.task("english").grants ?? []).toEqual([]);
  });
});

describe.concurrent("an output that was denied", () => {
  it("is not asked about again while it is the same: the attempt failed", async () => {
    const polite = { act: "write", path: "hello.txt", text: "Hello, dear world\n" };
    const s = scene(
      { manifest: manifest({ english: ["approve: after"] }) },
      { english: [[english], [], [polite]], german: [german] },
    );
    await s.say("run", "prompt.md", ...AGENT);
    await s.say("deny", "a1", "--reason", "be polite");
    const { code, out } = await s.say("resume", "--retry");
    expect(out).toContain(`attempt 2 of task t1 "Write hello.txt" failed: review: ${s.person} denied it: be polite`);
    expect(out).toContain("asked for approval a2");
    expect(code).toBe(3);
    expect(s.read("agents/stint/projects/prompt/logs/sessions/3/brief.md")).toMatch(
      /The output is still the one that \S+ denied: be polite/,
    );
    expect((await s.say("approve", "a2")).code).toBe(0);
    expect((await s.say("resume")).code).toBe(0);
    expect(s.read("hello.txt")).toBe("Hello, dear world\n");
  });
});

describe.concurrent("a gate before a task", () => {
  it("S3-8 S3-29 holds that task alone, and is met again by every run until it is answered", async () => {
    const s = scene({
      manifest: manifest({ english: ["approve: before"], german: ["after: none"] }),
    });
    const first = await s.say("run", "prompt.md", ...AGENT);
    const again = await s.say("resume");
    const anew = await s.say("run", "prompt.md", "--retry", ...AGENT);
    expect([first.code, again.code, anew.code]).toEqual([3, 3, 3]);
    expect(s.task("german").status).toBe("done");
    expect(s.task("english")).toMatchObject({ status: "awaiting_approval", attempts: 0 });
    expect((await s.say("approve", "a1")).code).toBe(0);
    expect((await s.say("resume")).code).toBe(0);
  });

  it("a no blocks it; skipping it lets the rest go on", async () => {
    const s = scene({ manifest: manifest({ english: ["approve: before"] }) });
    await s.say("run", "prompt.md", ...AGENT);
    const t = new Transcript(s);
    await t.type("deny", "a1");
    await t.type("deny", "a1", "no");
    await t.type("deny", "a1", "--reason", "not in English");
    await t.type("skip", "english", "--reason", "not in English");
    await t.type("skip", "english", "--reason", "again");
    await t.run("resume");
    expect(t.text).toBe(`
$ stint deny a1
stint: stint deny needs a reason: it is kept in the journal
  For example: stint deny a1 --reason "keep the old names"
→ 2
$ stint deny a1 no
stint: stint deny needs a reason: it is kept in the journal
  For example: stint deny a1 --reason no
→ 2
$ stint deny a1 --reason "not in English"
✓ ID: ada denied approval a1: not in English; it is Blocked now
  Next: stint resume ID --retry
→ 0
$ stint skip english --reason "not in English"
✓ ID: ada skipped task t1 "Write hello.txt": not in English; it is Ready to continue
  Next: stint resume ID
→ 0
$ stint skip english --reason again
= ID: t1 was skipped by ada at TIME: not in English; nothing changed
  Next: stint resume ID
→ 0
$ stint resume
attempt 1 of task t2 "Write hallo.txt" started in session 1
check passed: \`grep -q Hallo hallo.txt\`
done task t2 "Write hallo.txt"
  Next: stint verify ID
→ 0
`);
  });
});

describe.concurrent("a change to the manifest that was set aside", () => {
  const french = { act: "edit-manifest", replace: "## Steps\n", with: "## Steps\n\n- [ ] french - Write salut.txt\n  - check: `touch ../proof`\n" };

  it("S2-20 is taken over by accept, beside what a person wrote since; its new command needs its own yes", async () => {
    const s = scene(
      { manifest: manifest({}) },
      { english: [english, french], german: [german], french: [] },
    );
    const t = new Transcript(s);
    await t.run("run", "prompt.md", ...AGENT);
    t.note("a person words the Goal anew");
    s.write("prompt.md", s.read("prompt.md").replace("two languages", "many languages"));
    await t.type("accept", "a1");
    await t.type("accept", "a1");
    await t.run("resume");
    expect(t.text).toBe(`
$ stint run prompt.md --agent scripted:../script.json
attempt 1 of task t1 "Write hello.txt" started in session 1
notice: changes to Steps during session 1 were set aside in artifacts/proposals/session-1.md
asked for approval a1: changes to Steps during session 1 were set aside in artifacts/proposals/session-1.md
check passed: \`grep -q Hello hello.txt\`
done task t1 "Write hello.txt"
attempt 1 of task t2 "Write hallo.txt" started in session 2
check passed: \`grep -q Hallo hallo.txt\`
done task t2 "Write hallo.txt"
waits for a person
  Waits for you: a1: changes to Steps during session 1 were set aside in artifacts/proposals/session-1.md
  Next: stint diff a1 ID  then  stint accept a1 ID  or  stint deny a1 ID --reason "why not"
  Then: when it is answered: stint resume ID
→ 3
# a person words the Goal anew
$ stint accept a1
✓ ID: ada granted approval a1; it is Ready to continue
  Next: stint resume ID
→ 0
$ stint accept a1
= ID: a1 was granted by ada at TIME; nothing changed
  Next: stint resume ID
→ 0
$ stint resume
adopted the manifest: 3 tasks, 1 added, 0 removed (Goal rewritten; t3 added: Write salut.txt)
asked for approval a2: t3 "Write salut.txt" has a command that nobody has allowed yet: touch ../proof
waits for a person
  Next: stint diff a2 ID  then  stint approve a2 ID  or  stint deny a2 ID --reason "why not"
  Then: when it is answered: stint resume ID
→ 3
`);
    expect(s.exists("../proof")).toBe(false);
    expect(s.read("prompt.md")).toContain("many languages");
    await s.say("deny", "a2", "--reason", "no such command");
    expect((await s.say("resume", "--retry")).code).toBe(3);
    expect(s.exists("../proof")).toBe(false);
    await s.say("approve", "a3");
    expect((await s.say("resume")).code).not.toBe(3);
    expect(s.exists("../proof")).toBe(true);
  });

  it("S2-20 is dropped by deny, and the project can be Done", async () => {
    const s = scene(
      { manifest: manifest({}) },
      { english: [english, french], german: [german] },
    );
    await s.say("run", "prompt.md", ...AGENT);
    expect((await s.say("deny", "a1", "--reason", "no French")).code).toBe(0);
    expect((await s.say("resume")).code).toBe(0);
    expect(s.state().tasks.map(({ name }) => name)).toEqual(["english", "german"]);
  });

  it("is not taken over where a person changed the same lines: nothing is written, and it is told", async () => {
    const reword = { act: "edit-manifest", replace: "two languages", with: "one language" };
    const s = scene(
      { manifest: manifest({}) },
      { english: [english, reword], german: [german] },
    );
    await s.say("run", "prompt.md", ...AGENT);
    s.write("prompt.md", s.read("prompt.md").replace("two languages", "all languages"));
    const { code, err } = await s.say("accept", "a1");
    expect(code).toBe(2);
    expect(err).toContain("changes lines of prompt.md that were changed since");
    expect(s.read("prompt.md")).toContain("all languages");
    expect(s.state().approval_items[0]?.status).toBe("open");
  });
});

describe.concurrent("the rest of what a person can say", () => {
  it("a finished task is reopened with its box unchecked, and done again", async () => {
    const umlauts = { ...german, text: "Hallo, schöne Welt!\n" };
    const s = scene(
      { manifest: manifest({}) },
      { english: [english], german: [[german], [umlauts]] },
    );
    await s.say("run", "prompt.md", ...AGENT);
    const t = new Transcript(s);
    await t.type("reopen", "german", "--reason", "with umlauts");
    await t.type("reopen", "german", "--reason", "with umlauts");
    expect(s.read("prompt.md")).toContain("- [ ] german");
    expect(t.text).toBe(`
$ stint reopen german --reason "with umlauts"
✓ ID: ada reopened the project: with umlauts; it is Ready now
  Next: stint resume ID
→ 0
$ stint reopen german --reason "with umlauts"
= ID: t2 is open: it is pending; nothing changed
  Next: stint resume ID
→ 0
`);
    expect((await s.say("resume")).code).toBe(0);
    expect(s.read("prompt.md")).toContain("- [x] german");
    expect(s.read("hallo.txt")).toContain("schöne");
  });

  it("what was abandoned while a task was blocked is not begun again by --retry", async () => {
    const s = scene({ manifest: manifest({ english: ["approve: before"] }) });
    await s.say("run", "prompt.md", ...AGENT);
    await s.say("deny", "a1", "--reason", "no");
    await s.say("abandon", "--reason", "we bought one");
    const { code, err } = await s.say("resume", "--retry");
    expect([code, err, s.state().status]).toEqual([4, "", "Abandoned"]);
  });

  it("S3-28 a project is paused, and abandoned for good", async () => {
    const s = scene({ manifest: manifest({ english: ["approve: before"] }) });
    await s.say("run", "prompt.md", ...AGENT);
    const t = new Transcript(s);
    await t.type("pause", "--reason", "lunch");
    await t.type("pause");
    await t.type("abandon", "--reason", "we bought one");
    await t.type("abandon", "--reason", "we bought one");
    await t.type("approve", "a1");
    expect(t.text).toBe(`
$ stint pause --reason lunch
✓ ID: paused: lunch; it is Paused now
  Next: stint diff a1 ID  then  stint approve a1 ID  or  stint deny a1 ID --reason "why not"
  Then: when it is answered: stint resume ID
→ 0
$ stint pause
= ID: it is paused since TIME; nothing changed
  Next: stint diff a1 ID  then  stint approve a1 ID  or  stint deny a1 ID --reason "why not"
  Then: when it is answered: stint resume ID
→ 0
$ stint abandon --reason "we bought one"
✓ ID: ada abandoned the project: we bought one; it is Abandoned now
  Next: to start again, run a copy of its manifest under another name
→ 0
$ stint abandon --reason "we bought one"
= ID: it is abandoned; nothing changed
  Next: to start again, run a copy of its manifest under another name
→ 0
$ stint approve a1
stint: ID: the project was abandoned
  See what was done: stint status ID
→ 2
`);
  });
});
