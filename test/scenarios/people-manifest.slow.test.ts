// A person who changes the course while sessions are at work, and questions that travel back and forth.
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { giveAnswer } from "../../src/operations/answers/send-answer.ts";
import { openSystem } from "../../src/wire.ts";
import { REPOSITORY } from "../support/generated-files.ts";
import { type Act, english, german, Scenario, type Script, TWO_TASKS } from "../support/scenario.ts";

const scenes: Scenario[] = [];

function scene(script: Script, manifest = TWO_TASKS): Scenario {
  const made = new Scenario({ manifest });
  scenes.push(made);
  writeFileSync(
    join(made.path, "script.json"),
    JSON.stringify({ manifest: "prompt.md", tasks: script }),
  );
  return made;
}

afterAll(() => {
  for (const made of scenes) made.close();
});

const AGENT = ["--agent", "scripted:../script.json"];
const FRENCH = "- [ ] french - Write salut.txt\n  - check: file salut.txt\n";
const french: Act = { act: "write", path: "salut.txt", text: "Salut\n" };

const working: readonly Act[] = [
  { act: "say", text: "at work" },
  { act: "run", command: "while [ ! -e ../go ]; do sleep 0.05; done" },
];

function letGo(s: Scenario): void {
  writeFileSync(join(s.path, "go"), "");
}

/** Edits with an editor that does this to the copy it is given. */
async function editWith(s: Scenario, sed: string) {
  const editor = s.program("editor.sh", `#!/bin/sh\n${sed}\n`);
  return await s.sayIn({ env: { VISUAL: editor } }, "edit");
}

function editsKept(s: Scenario): string[] {
  const folder = join(s.path, "state/stint/edits");
  return existsSync(folder) ? readdirSync(folder) : [];
}

describe.concurrent("a person edits while a session that edits too is at work", () => {
  it("S2-20 S3-3 the person's task is adopted at once, the session's Goal set aside, nothing is lost", async () => {
    const s = scene({
      english: [
        { act: "edit-manifest", replace: "two languages", with: "one language" },
        ...working,
        english,
        { act: "flip-box", which: "own" },
      ],
      german: [german],
      french: [french],
    });
    const run = s.start("run", "prompt.md", ...AGENT);
    await run.until("agent: at work");
    const said = await editWith(s, `printf '%s' '${FRENCH}' >> "$1"`);
    expect([said.code, said.out]).toEqual([
      0,
      expect.stringContaining("1 added, 0 removed (t3 added: Write salut.txt); the run applied it"),
    ]);
    await run.until("adopted the manifest: 3 tasks, 1 added");
    letGo(s);
    const { code, out } = await run.ended;
    expect(code).toBe(3);
    expect(out).toContain("changes to Goal during session 1 were set aside");
    expect(s.state().tasks.map(({ name, status }) => [name, status])).toEqual([
      ["english", "done"],
      ["german", "done"],
      ["french", "done"],
    ]);
    expect(s.read("prompt.md")).toContain("two languages");
    expect(s.read("prompt.md")).toContain("- [x] french");
    const subject = s.state().approval_items[0]?.subject ?? "";
    expect(subject).toContain("+Say hello in one language.");
    expect(subject).not.toContain("french");
    expect(editsKept(s)).toEqual([]);
    expect((await s.say("accept", "a1")).code).toBe(0);
    expect((await s.say("resume")).code).toBe(0);
    expect(s.read("prompt.md")).toContain("one language");
  });

  it("S3-3 a session that writes its old copy back takes nothing of the person's away", async () => {
    const s = scene({
      english: [
        { act: "run", command: "cp prompt.md ../old.md" },
        ...working,
        { act: "run", command: "cp ../old.md prompt.md" },
        english,
      ],
      german: [german],
      french: [french],
    });
    const run = s.start("run", "prompt.md", ...AGENT);
    await run.until("agent: at work");
    expect((await editWith(s, `printf '%s' '${FRENCH}' >> "$1"`)).code).toBe(0);
    letGo(s);
    const { code, out } = await run.ended;
    expect([code, out]).toEqual([0, expect.not.stringContaining("set aside")]);
    expect(s.read("prompt.md")).toBe(`${TWO_TASKS}${FRENCH}`.replaceAll("[ ]", "[x]"));
    expect(s.task("french").status).toBe("done");
  });

  it("S3-3 in any editor: what was saved during the session is adopted when it has ended, byte for byte", async () => {
    const s = scene({ english: [...working, english], german: [german], french: [french] });
    const run = s.start("run", "prompt.md", ...AGENT);
    await run.until("agent: at work");
    const mine = `${TWO_TASKS}${FRENCH}\n## Tools\n\n\tmake über alles  \r\n`;
    s.write("prompt.md", mine);
    letGo(s);
    expect((await run.ended).code).toBe(0);
    expect(s.state().approval_items).toEqual([]);
    expect(s.task("french").status).toBe("done");
    expect(s.read("prompt.md").replaceAll("[x]", "[ ]")).toBe(mine);
  });

  it("a project that was done takes up what is new", async () => {
    const s = scene({ english: [english], german: [german], french: [french] });
    expect((await s.say("run", "prompt.md", ...AGENT)).code).toBe(0);
    s.write("prompt.md", `${s.read("prompt.md")}${FRENCH}`);
    expect((await s.say("plan")).out).toContain("changes that are not part of this plan");
    expect((await s.say("run", "prompt.md", ...AGENT)).code).toBe(0);
    expect(s.task("french").status).toBe("done");
    expect(s.journal()).toContain("prompt.md was changed after the project was Done");
  });

  it("S2-20 the same line changed by both: the person's stays, the session's can only be read", async () => {
    const s = scene({
      english: [
        { act: "edit-manifest", replace: "two languages", with: "one language" },
        ...working,
        english,
      ],
      german: [german],
    });
    const run = s.start("run", "prompt.md", ...AGENT);
    await run.until("agent: at work");
    expect((await editWith(s, `sed -i 's/two languages/many languages/' "$1"`)).code).toBe(0);
    letGo(s);
    expect((await run.ended).code).toBe(3);
    expect(s.read("prompt.md")).toContain("many languages");
    expect(s.state().approval_items[0]?.subject).toContain("+Say hello in one language.");
    const { code, err } = await s.say("accept", "a1");
    expect([code, err]).toEqual([2, expect.stringContaining("that were changed since")]);
    expect(s.read("prompt.md")).toContain("many languages");
  });

  it("the same line changed in two editors: nothing is written, and the text is kept", async () => {
    const s = scene({ english: [english], german: [german] });
    await s.say("new", "prompt.md");
    const other = "sed -i 's/two languages/one language/' prompt.md";
    const { code, err } = await editWith(s, `${other}; sed -i 's/two/many/' "$1"`);
    expect([code, err]).toEqual([
      2,
      expect.stringContaining("that you changed were also changed by others since you opened it"),
    ]);
    const [, again = "", copy = ""] = /stint (edit \S+ --file (\S+))/.exec(err) ?? [];
    const mine = readFileSync(copy, "utf8");
    expect(mine).toContain("many languages");
    expect((await s.say("run", "prompt.md", ...AGENT)).code).toBe(0);
    expect(s.read("prompt.md")).toContain("one language");
    // Pasted later it brings the text back, and undoes nothing of what was done since.
    expect((await s.say(...again.split(" "))).code).toBe(0);
    expect(s.read("prompt.md")).toBe(mine.replaceAll("[ ]", "[x]"));
    expect(s.task("german").status).toBe("done");
    expect(editsKept(s)).toEqual([]);
  });

  it("an edit while the session is being prepared is adopted before it starts", async () => {
    const slow = TWO_TASKS.replace(
      "`grep -q Hello hello.txt`",
      "`touch ../checking; while [ ! -e ../go ]; do sleep 0.05; done; grep -q Hello hello.txt`",
    );
    const s = scene({ english: [english], german: [german], french: [french] }, slow);
    const run = s.start("run", "prompt.md", ...AGENT);
    while (!existsSync(join(s.path, "checking"))) {
      // oxlint-disable-next-line no-await-in-loop -- the check itself says when it has begun
      await s.say("list");
    }
    s.write("../edited.md", `${slow}${FRENCH}`);
    expect((await s.say("edit", "--file", "../edited.md")).code).toBe(0);
    letGo(s);
    expect((await run.ended).code).toBe(0);
    expect(s.state().approval_items).toEqual([]);
    expect(s.read("prompt.md")).toContain("- [x] french");
  });

  it("the task in hand is not taken out from under its session", async () => {
    const s = scene({ english: [...working, english], german: [german] });
    const run = s.start("run", "prompt.md", ...AGENT);
    await run.until("agent: at work");
    const { code, err } = await editWith(s, `sed -i '/english/,+1d' "$1"`);
    expect([code, err]).toEqual([2, expect.stringContaining("stint skip t1")]);
    letGo(s);
    expect((await run.ended).code).toBe(0);
  });
});

describe.concurrent("a person edits between two runs", () => {
  it("a text that cannot run is refused with its lines, and kept", async () => {
    const s = scene({ english: [english], german: [german] });
    await s.say("new", "prompt.md");
    const { code, err } = await editWith(s, `sed -i '/## Steps/,$d' "$1"`);
    expect([code, err]).toEqual([2, expect.stringContaining("the edited manifest has errors")]);
    expect(err).toContain("Your text is kept; after you fixed that, use it as it is: stint edit");
    expect(s.read("prompt.md")).toBe(TWO_TASKS);
  });

  it("bytes that are no text are never adopted and never rewritten, a session's as a person's", async () => {
    const noise: Act = { act: "run", command: "printf 'caf\\351\\n' >> prompt.md" };
    const s = scene({ english: [noise, english], german: [german] }, `${TWO_TASKS}\n## Notes\n\nx\n`);
    const { code, out } = await s.say("run", "prompt.md", "--sessions", "1", ...AGENT);
    expect([code, out]).toEqual([1, expect.stringContaining("is not UTF-8 text; it was set aside")]);
    const kept = "agents/stint/projects/prompt/artifacts/proposals/session-1.md";
    expect(readFileSync(join(s.root, kept)).includes(0xe9)).toBe(true);
    expect(s.read("prompt.md").endsWith("## Notes\n\nx\n")).toBe(true);

    const mine = Buffer.concat([readFileSync(join(s.root, "prompt.md")), Buffer.from([0xe9, 0x0a])]);
    writeFileSync(join(s.root, "prompt.md"), mine);
    const resumed = await s.say("resume");
    expect([resumed.code, resumed.err]).toEqual([2, expect.stringContaining("not valid UTF-8")]);
    expect(readFileSync(join(s.root, "prompt.md"))).toEqual(mine);
  });

  it("a manifest that is gone comes back by the printed command", async () => {
    const s = scene({});
    await s.say("new", "prompt.md");
    const mine = `${TWO_TASKS}\n## Notes\n\nmine\n`;
    s.write("prompt.md", mine);
    expect((await s.say("plan")).code).toBe(0);
    rmSync(join(s.root, "prompt.md"));
    const { code, err } = await s.say("plan");
    expect([code, err]).toEqual([2, expect.stringContaining("the manifest prompt.md is gone")]);
    execFileSync("sh", ["-c", /cp .*/.exec(err)?.[0] ?? "false"]);
    expect(s.read("prompt.md")).toBe(mine);
  });

  it.each([
    ["is gone: what is in its place is a link to ../mine.md, which is not followed", "ln -s ../mine.md prompt.md"],
    ["is gone: what is in its place is a link to notes.md, which is not followed", "ln -s notes.md prompt.md"],
    ["is gone: what is in its place is a folder", "mkdir prompt.md"],
    ["is gone: what is in its place is not a file", "mkfifo prompt.md"],
    ["is empty", "printf '\\n' > prompt.md"],
  ])("a manifest that %s comes back by the printed command", async (what, how) => {
    const s = scene({});
    await s.say("new", "prompt.md");
    s.write("../mine.md", "mine\n");
    s.write("notes.md", "notes\n");
    const { err: named } = await s.say("status", "prompt.md");
    execFileSync("sh", ["-c", `rm prompt.md && ${how}`], { cwd: s.root });
    const { code, err } = await s.say("plan", "prompt.md");
    expect([named, code, err]).toEqual([
      "",
      2,
      expect.stringContaining(`the manifest prompt.md ${what}\n`),
    ]);
    execFileSync("sh", ["-c", /(?:mv|cp) .*/.exec(err)?.[0] ?? "false"]);
    expect([s.read("prompt.md"), s.read("../mine.md"), s.read("notes.md")]).toEqual([
      TWO_TASKS,
      "mine\n",
      "notes\n",
    ]);
    expect((await s.say("plan", "prompt.md")).code).toBe(0);
    expect((await s.say("list", "--ids")).out.trim().split("\n")).toHaveLength(1);
  });

  it("a file that a session put behind the manifest's name is neither read nor written", async () => {
    const s = scene({
      english: [
        { act: "write", path: "hello.txt", text: "Hello\n" },
        { act: "run", command: "ln -sf .env prompt.md" },
      ],
      german: [german],
    });
    s.write(".gitignore", ".env\n");
    s.git("add", ".gitignore");
    s.git("commit", "-qm", "ignore");
    s.write(".env", "NAME=of-nobody-else\n");
    const { out } = await s.say("run", "prompt.md", ...AGENT);
    expect(out).toContain("session 1 deleted its copy of prompt.md; the manifest stays as it was");
    expect(s.read(".env")).toBe("NAME=of-nobody-else\n");
    expect(s.read("prompt.md")).toBe(TWO_TASKS.replaceAll("[ ]", "[x]"));
    expect(JSON.stringify(s.state())).not.toContain("of-nobody-else");
  });

  it("an editor that fails adopts nothing; an edit of nothing says so", async () => {
    const s = scene({});
    await s.say("new", "prompt.md");
    expect((await editWith(s, "exit 1")).err).toContain("the editor failed");
    const emptied = await editWith(s, ': > "$1"');
    expect([emptied.code, emptied.err]).toEqual([2, expect.stringContaining("the edited manifest is empty; nothing was adopted")]);
    expect((await editWith(s, 'rm "$1"')).code).toBe(2);
    expect((await editWith(s, "exit 0")).out).toContain("nothing was edited");
    expect((await s.sayIn({ env: { VISUAL: "", EDITOR: "" } }, "edit")).code).toBe(2);
  });

  it("S2-15 a changed command needs its own yes, in any editor and by stint edit, until a person runs it anew", async () => {
    const s = scene({ english: [english], german: [german] });
    const run = s.say("run", "prompt.md", "--sessions", "1", ...AGENT);
    expect((await run).code).toBe(1);
    const other = "s|grep -q Hallo hallo.txt|touch ../proof; grep -q Hallo hallo.txt|";
    await editWith(s, `sed -i '${other}' "$1"`);
    expect((await s.say("resume")).code).toBe(3);
    expect(s.state().approval_items[0]).toMatchObject({ kind: "command", status: "open" });
    expect(s.exists("../proof")).toBe(false);
    // A new run prints every command, but does not answer what is asked.
    expect((await s.say("run", "prompt.md", ...AGENT)).code).toBe(3);
    expect(s.exists("../proof")).toBe(false);
    expect((await s.say("approve", "a1")).code).toBe(0);
    expect((await s.say("resume")).code).toBe(0);
    expect(s.exists("../proof")).toBe(true);
  });

  it("S2-15 a command that is there when a person types run is told first, and allowed by that", async () => {
    const s = scene({ english: [english], german: [german] });
    expect((await s.say("run", "prompt.md", "--sessions", "1", ...AGENT)).code).toBe(1);
    s.write("prompt.md", s.read("prompt.md").replace("grep -q Hallo", "grep -c Hallo"));
    s.git("commit", "-qam", "another check");
    const { code, out } = await s.say("run", "prompt.md", ...AGENT);
    expect([code, out]).toEqual([0, expect.stringContaining("may run: grep -c Hallo hallo.txt")]);
    expect(s.journal()).toContain("commands-consented");
  });
});

describe.concurrent("questions", () => {
  const asks = (n: number): Act => ({
    act: "marker",
    keys: { question: `Which colour, ${n}?` },
  });

  it("S1-23 several of one session are all answered word for word before its task goes on", async () => {
    const text = "question: Which colour?\nQUESTION = Which font?\nquestion: Which paper?\n";
    const s = scene({ english: [[{ act: "marker", text }], [english]], german: [german] });
    expect((await s.say("run", "prompt.md", ...AGENT)).code).toBe(3);
    expect(s.state().questions.map((item) => item.text)).toEqual([
      "Which colour?",
      "Which font?",
      "Which paper?",
    ]);
    const words = 'Blue; "not" `green`\n  and $(nothing) else';
    expect((await s.say("answer", "q1", words)).code).toBe(0);
    expect((await s.say("answer", "q1", words)).out).toContain("nothing changed");
    expect((await s.say("answer", "q1", "Red")).code).toBe(2);
    const long = `the whole of it\n${"line\n".repeat(20_000)}to the end`;
    expect((await s.say("answer", "q3", long)).code).toBe(0);
    expect((await s.say("resume")).code).toBe(3);
    expect(s.state().counters.sessions).toBe(1);
    expect((await s.say("answer", "q2", "Serif")).code).toBe(0);
    expect((await s.say("resume")).code).toBe(0);
    const folder = "agents/stint/projects/prompt/logs/sessions/2";
    const brief = s.read(`${folder}/brief.md`);
    expect(brief).toContain(words);
    expect(brief).toContain("Serif");
    expect(brief).toContain(`The full text is in ${folder}/answers.md`);
    expect(s.read(`${folder}/answers.md`)).toContain(long);
  });

  it("S1-23 five sessions in a row that only ask block the task for a person", async () => {
    const s = scene({ english: [1, 2, 3, 4, 5, 6].map((n) => [asks(n)]), german: [german] });
    let code = (await s.say("run", "prompt.md", ...AGENT)).code;
    for (let n = 1; n < 5; n++) {
      expect(code).toBe(3);
      // oxlint-disable-next-line no-await-in-loop
      expect((await s.say("answer", `q${n}`, "Blue")).code).toBe(0);
      // oxlint-disable-next-line no-await-in-loop
      code = (await s.say("resume")).code;
    }
    expect(s.state().counters.questions).toBe(5);
    expect(s.task("english").status).toBe("blocked");
    expect(s.state().blockers[0]).toMatchObject({ kind: "question-limit" });
    await s.say("answer", "q5", "Blue");
    expect((await s.say("status", "--exit-code")).code).toBe(4);
  });

  it.each([
    ["three days later", 3],
    ["on a clock that is three days behind", -3],
  ])("are answered %s, on another machine's clock", async (_when, days) => {
    const s = scene({ english: [[asks(1)], [english]], german: [german] });
    expect((await s.say("run", "prompt.md", ...AGENT)).code).toBe(3);
    const system = openSystem({
      cwd: s.root,
      env: s.env(),
      scriptedProgram: "",
      acpProgram: "",
      program: "",
      browserProgram: "",
      examples: REPOSITORY,
      skills: REPOSITORY,
    });
    const { host } = system;
    const skewed = {
      ...host,
      nowMs: () => host.nowMs() + days * 24 * 3_600_000,
      self: () => ({ ...host.self(), host: "elsewhere" }),
    };
    const view = await giveAnswer({ ...system, host: skewed }, "answer", { subject: "q1", text: "Blue" });
    expect(view.outcome).toBe("applied");
    const item = s.state().questions[0];
    expect(item).toMatchObject({ status: "answered", answer: "Blue" });
    expect((await s.say("resume")).code).toBe(0);
    expect(s.state().status).toBe("Done");
  });
});

describe.concurrent("a manifest that cannot be adopted while a session is at work", () => {
  it.each([
    [
      "has an error",
      (s: Scenario) => s.write("prompt.md", `${TWO_TASKS}- [ ] german - Again\n`),
      'has errors, and no change was adopted: prompt.md:11: two tasks are named "german"',
    ],
    ["is gone", (s: Scenario) => rmSync(join(s.root, "prompt.md")), "prompt.md is gone"],
    ["is empty", (s: Scenario) => s.write("prompt.md", ""), "prompt.md is empty"],
    [
      "is not text",
      (s: Scenario) => writeFileSync(join(s.root, "prompt.md"), Buffer.from("## Goal\n\xff\n", "latin1")),
      "prompt.md is not valid UTF-8",
    ],
  ])("and %s ends nothing, but the work is not Done by it", async (_, spoil, why) => {
    const s = scene({ english: [...working, english], german: [german] });
    const run = s.start("run", "prompt.md", ...AGENT);
    await run.until("agent: at work");
    spoil(s);
    const spoilt = s.exists("prompt.md") ? readFileSync(join(s.root, "prompt.md"), "latin1") : null;
    letGo(s);
    const { code, out } = await run.ended;
    expect(code).toBe(1);
    expect(out).toContain(why);
    expect(out).toContain("The run continues with the last adopted text.");
    const { status, tasks, pause } = s.state();
    expect([status, ...tasks.map((task) => task.status)]).toEqual(["Paused", "done", "done"]);
    expect(pause).toMatchObject({ kind: "interruption", reason: expect.stringContaining(why) });
    const left = s.exists("prompt.md") ? readFileSync(join(s.root, "prompt.md"), "latin1") : null;
    // Their own words are as they left them; boxes of tasks that are done may be set.
    expect(left?.replaceAll("[x]", "[ ]") ?? null).toBe(spoilt);
    const refused = await s.say("resume", ...AGENT);
    expect([refused.code, refused.err]).toEqual([2, expect.stringContaining(why.split(",")[0] ?? "")]);
    s.write("prompt.md", TWO_TASKS.replaceAll("[ ]", "[x]"));
    const resumed = await s.say("resume", ...AGENT);
    expect([resumed.code, s.state().status]).toEqual([0, "Done"]);
    expect(s.state().counters.sessions).toBe(2);
  });
});
