// A person who goes on in their branch while verified work waits, or rewrites it after work was delivered.
// With the built executable: the work follows the branch, its checks run again, and what only the person can
// decide is asked with both sides named.
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { git } from "../support/git.ts";
import {
  type Act,
  english,
  german,
  KEPT,
  type RunResult,
  Scenario,
  type Script,
  type Setup,
  TWO_TASKS,
} from "../support/scenario.ts";

const scenes: Scenario[] = [];
afterAll(() => {
  for (const made of scenes) made.close();
});

const SCRIPT: Script = { english: [english], german: [german] };
const BOTH = ["hello.txt", "hallo.txt"];
const write = (path: string, text: string): Act => ({ act: "write", path, text });

const THREE_TASKS = `${TWO_TASKS}- [ ] french - Write salut.txt\n  - check: \`grep -q Salut salut.txt\`\n`;
const THREE: Script = { ...SCRIPT, french: [write("salut.txt", "Salut\n")] };

function ends(code: number, status: string, done: readonly string[]) {
  return { ...KEPT, code, status, done };
}

const DONE = ends(0, "Done", ["english", "german"]);

/** The first task is verified and waits: a file of the person's is in its way. */
async function waiting(setup: Setup = {}, script: Script = SCRIPT): Promise<Scenario> {
  const s = new Scenario(setup);
  scenes.push(s);
  s.write("hello.txt", "in the way\n");
  const { out } = await s.play(script, "--sessions", "1");
  expect(out).toContain("the work waits on stint/prompt");
  rmSync(join(s.root, "hello.txt"));
  return s;
}

async function delivered(): Promise<Scenario> {
  const s = new Scenario();
  scenes.push(s);
  await s.play(SCRIPT, "--sessions", "1");
  expect(subjects(s)[0]).toBe("english: Write hello.txt");
  return s;
}

function commits(s: Scenario, path: string, text: string): void {
  s.write(path, text);
  s.git("add", path);
  s.git("commit", "-q", "-m", "mine", "--", path);
}

function subjects(s: Scenario, of = "main"): string[] {
  return s.git("log", "--format=%s", of).trim().split("\n");
}

function openText({ state }: RunResult): string {
  return state.questions.find(({ status }) => status === "open")?.text ?? "nothing is asked";
}

async function answer(s: Scenario, ...words: string[]): Promise<void> {
  const said = await s.say("answer", ...words);
  expect({ code: said.code, err: said.err }).toEqual({ code: 0, err: "" });
}

function recorded(s: Scenario, name: string): string | undefined {
  const task = s.task(name);
  return task.status === "done" ? task.commit : undefined;
}

describe.concurrent("undelivered work", () => {
  it.each<[string, (s: Scenario) => void, string[]]>([
    ["commits", (s) => commits(s, "one.txt", "another one\n"), ["mine", "the second commit"]],
    [
      "amends",
      (s) => void s.git("commit", "-q", "--amend", "-m", "said better"),
      ["said better", "the first commit"],
    ],
  ])("is replayed on the branch of a person who %s", async (_, act, theirs) => {
    const s = await waiting();
    const old = recorded(s, "english");
    act(s);
    const result = await s.play(SCRIPT);
    // What they amended away is theirs to lose.
    expect({ ...s.judge(result, [...BOTH, "one.txt"]), lost: [] }).toEqual(DONE);
    const all = ["german: Write hallo.txt", "english: Write hello.txt", ...theirs];
    expect(subjects(s).slice(0, 4)).toEqual(all);
    expect(recorded(s, "english")).toBe(s.git("rev-parse", "main~1").trim());
    expect(recorded(s, "english")).not.toBe(old);
    expect(result.out).toContain("main moved: 1 commit of verified work replayed on");
    expect(s.journal()).toContain(`"old":"${old}"`);
    const verified = await s.say("verify");
    expect(verified.code).toBe(0);
  });

  it("is counted where it is replayed, and not where the person has picked it", async () => {
    const s = new Scenario({ manifest: THREE_TASKS });
    scenes.push(s);
    s.write("hello.txt", "in the way\n");
    await s.play(THREE, "--sessions", "2");
    rmSync(join(s.root, "hello.txt"));
    s.git("cherry-pick", "stint/prompt~1");
    const result = await s.play(THREE);
    expect([result.code, result.state.status]).toEqual([0, "Done"]);
    expect(result.out).toContain("main moved: 1 commit of verified work replayed on");
    expect(subjects(s).filter((subject) => subject === "english: Write hello.txt")).toHaveLength(1);
  });

  it("follows the branch by stint deliver too", async () => {
    const s = await waiting();
    commits(s, "one.txt", "another one\n");
    const said = await s.say("deliver");
    expect({ code: said.code, err: said.err }).toEqual({ code: 0, err: "" });
    expect(subjects(s).slice(0, 2)).toEqual(["english: Write hello.txt", "mine"]);
    expect(recorded(s, "english")).toBe(s.git("rev-parse", "main").trim());
  });

  it("is no longer done where its check fails on the moved branch", async () => {
    const manifest = TWO_TASKS.replace("hello.txt`", "hello.txt && ! test -e veto.txt`");
    const s = await waiting({ manifest });
    commits(s, "veto.txt", "no\n");
    const result = await s.play(SCRIPT);
    expect(s.task("english")).toMatchObject({ status: "blocked" });
    expect(result.out).toContain("verified, but your branch changed since, and now");
    expect(s.read("prompt.md")).toContain("- [ ] english");
    expect(s.exists("hello.txt")).toBe(false);
    expect(result.code).toBe(4);
    const again = { ...SCRIPT, english: [{ act: "delete", path: "veto.txt" }] };
    const retried = await s.play(again, "--retry");
    expect(s.judge(retried, [...BOTH, "veto.txt"])).toEqual(DONE);
    expect(s.read("hello.txt")).toBe("Hello\n");
  });
});

describe.concurrent("a conflict", () => {
  async function conflict(script: Script = SCRIPT): Promise<Scenario> {
    const s = await waiting({}, script);
    commits(s, "hello.txt", "mine\n");
    const result = await s.play(script);
    expect(s.judge(result, [...BOTH, "hello.txt"])).toEqual({
      ...ends(3, "AwaitingApproval", ["english", "german"]),
    });
    const [mine] = s.git("log", "-1", "--format=%h", "--abbrev=10", "main").trim().split("\n");
    const [work] = s.git("log", "-1", "--format=%h", "--abbrev=10", "stint/prompt~1").split("\n");
    const { id } = s.task("english");
    expect(openText(result)).toContain(
      `verified work and main changed the same: hello.txt, changed by ${id} "Write hello.txt" (${work}) and on main (yours: ${mine} "mine").`,
    );
    expect(s.read("hello.txt")).toBe("mine\n");
    return s;
  }

  it("is asked, and resolved by a session that is told both sides", async () => {
    const script = {
      english: [
        [english],
        [write("hello.txt", "mine\nHello\n")],
      ],
      german: [german],
    };
    const s = await conflict(script);
    const refused = await s.say("answer", "q1", "perhaps");
    expect(refused.err).toContain("q1 takes one of these answers: session, shell, leave");
    await answer(s, "q1", "session");
    const result = await s.play(script);
    expect(s.judge(result, [...BOTH, "hello.txt"])).toEqual(DONE);
    expect(s.read("hello.txt")).toBe("mine\nHello\n");
    const brief = s.read("agents/stint/projects/prompt/logs/sessions/3/brief.md");
    expect(brief).toContain("Asked: verified work and main changed the same: hello.txt");
    expect(brief).toContain("Others have changed these files since.");
    expect(subjects(s).slice(0, 3)).toEqual([
      "english: Write hello.txt",
      "german: Write hallo.txt",
      "mine",
    ]);
  });

  it("is resolved by the person in a shell", async () => {
    const s = await conflict();
    await answer(s, "q1", "shell");
    const blocked = await s.play(SCRIPT);
    expect([blocked.code, s.task("english").status]).toEqual([4, "blocked"]);
    expect(blocked.out).toContain("stint shell");
    const { id } = s.task("english");
    const both = "printf 'mine\\nHello\\n' > hello.txt";
    expect((await s.say("shell", id, "--", "sh", "-c", both)).code).toBe(0);
    const result = await s.play({ ...SCRIPT, english: [] }, "--retry");
    expect(s.judge(result, [...BOTH, "hello.txt"])).toEqual(DONE);
    expect(s.read("hello.txt")).toBe("mine\nHello\n");
  });

  it("is left on its branch, and not asked again until the branch moves", async () => {
    const s = await conflict();
    await answer(s, "q1", "leave");
    const result = await s.play(SCRIPT);
    expect(s.judge(result, [...BOTH, "hello.txt"])).toEqual(DONE);
    expect(result.state.questions).toHaveLength(1);
    expect(result.out).toContain("stint/prompt");
    expect(subjects(s)[0]).toBe("mine");
    expect(s.exists("hallo.txt")).toBe(false);
  });

  it("is over once the person has merged both", async () => {
    const s = await conflict();
    expect(() => s.git("merge", "-q", "stint/prompt")).toThrow("Command failed");
    s.write("hello.txt", "mine and Hello\n");
    s.git("add", "hello.txt");
    s.git("commit", "-q", "--no-edit");
    const result = await s.play(SCRIPT);
    expect(s.judge(result, [...BOTH, "hello.txt"])).toEqual(DONE);
    expect(result.state.questions).toMatchObject([{ status: "withdrawn" }]);
    expect(s.read("hello.txt")).toBe("mine and Hello\n");
  });
});

describe.concurrent("a project that is done, and whose work waits", () => {
  async function doneAndWaiting(): Promise<Scenario> {
    const s = new Scenario();
    scenes.push(s);
    s.write("hello.txt", "mine\n");
    const { code, out } = await s.play(SCRIPT);
    expect([code, s.state().status]).toEqual([0, "Done"]);
    expect(out).toContain("the work waits on stint/prompt");
    return s;
  }

  it("names both sides where the person committed the same, and what they can do", async () => {
    const s = await doneAndWaiting();
    commits(s, "hello.txt", "mine\n");
    const said = await s.say("deliver");
    expect(said.code).toBe(3);
    const { id } = s.task("english");
    expect(said.out).toContain(`main changed the same since: hello.txt, changed by ${id}`);
    expect(said.out).toContain("git merge stint/prompt");
    expect(s.read("hello.txt")).toBe("mine\n");
    // As it says: brought together by hand, it is delivered.
    expect(() => s.git("merge", "-q", "stint/prompt")).toThrow("Command failed");
    s.write("hello.txt", "mine and Hello\n");
    s.git("add", "hello.txt");
    s.git("commit", "-q", "--no-edit");
    const again = await s.say("deliver");
    expect([again.code, s.state().delivery]).toMatchObject([0, { kind: "delivered" }]);
    expect(s.read("hello.txt")).toBe("mine and Hello\n");
  });

  it("is asked about both sides once its task is reopened", async () => {
    const s = await doneAndWaiting();
    commits(s, "hello.txt", "mine\n");
    await s.say("deliver");
    const { id } = s.task("english");
    expect((await s.say("reopen", id, "--reason", "your branch changed")).code).toBe(0);
    const both = { ...SCRIPT, english: [write("hello.txt", "mine\nHello\n")] };
    const result = await s.play(both);
    if (result.code === 3) {
      await answer(s, "q1", "session");
      expect((await s.play(both)).code).toBe(0);
    }
    expect(s.read("hello.txt")).toBe("mine\nHello\n");
    expect(s.state()).toMatchObject({ status: "Done", delivery: { kind: "delivered" } });
  });
});

it("what a pull brings into the manifest stays in it, whatever Stint commits later", async () => {
  const s = new Scenario({ manifest: THREE_TASKS });
  scenes.push(s);
  const script = THREE;
  await s.play(script, "--sessions", "1");
  const colleague = join(s.path, "colleague");
  git(s.path, "clone", "-q", s.root, colleague);
  const file = join(colleague, "prompt.md");
  writeFileSync(file, readFileSync(file, "utf8").replace("in two languages", "in many languages"));
  git(colleague, "commit", "-q", "-a", "-m", "a colleague's words");
  s.git("pull", "-q", colleague, "main");
  for (const sessions of [1, 1]) {
    // oxlint-disable-next-line no-await-in-loop
    await s.play(script, "--sessions", String(sessions));
    expect(s.git("show", "main:prompt.md")).toContain("in many languages");
    expect(s.read("prompt.md")).toContain("in many languages");
  }
  const result = await s.play(script);
  expect(result.state.status).toBe("Done");
  expect(s.read("prompt.md")).toContain("in many languages");
  expect(s.read("prompt.md")).not.toContain("[ ]");
});

describe.concurrent("delivered work that a person took out of their branch", () => {
  async function reset(): Promise<Scenario> {
    const s = await delivered();
    s.git("reset", "-q", "--hard", "HEAD~1");
    const result = await s.play(SCRIPT);
    expect([result.code, result.state.status]).toEqual([3, "AwaitingApproval"]);
    expect(openText(result)).toContain("main no longer contains what was delivered to it: ");
    expect(subjects(s)[0]).toBe("the second commit");
    return s;
  }

  it("is asked about, and comes back", async () => {
    const s = await reset();
    await answer(s, "q1", "bring");
    const result = await s.play(SCRIPT);
    expect(s.judge(result, BOTH)).toEqual(DONE);
    expect(subjects(s).slice(0, 2)).toEqual(["german: Write hallo.txt", "english: Write hello.txt"]);
  });

  it("is asked about, and done again from the branch as it is", async () => {
    const s = await reset();
    await answer(s, "q1", "redo");
    const again = { ...SCRIPT, english: [write("hello.txt", "Hello again\n")] };
    const result = await s.play(again);
    expect(s.judge(result, BOTH)).toEqual(DONE);
    expect(subjects(s).slice(0, 2)).toEqual(["english: Write hello.txt", "german: Write hallo.txt"]);
    expect(s.read("hello.txt")).toBe("Hello again\n");
  });

  it("is asked about, and stays out", async () => {
    const s = await reset();
    await answer(s, "q1", "leave");
    const result = await s.play(SCRIPT);
    expect([result.code, result.state.status]).toEqual([0, "Done"]);
    expect(subjects(s)[0]).toBe("the second commit");
    expect(s.exists("hello.txt")).toBe(false);
    expect(subjects(s, "stint/prompt")[0]).toBe("german: Write hallo.txt");
  });
});

describe.concurrent("a person's yes", () => {
  const LINES = ["a", "b", "c", "d", "e", "f", "g", "h", "i"];
  const text = (change: Record<string, string>): string =>
    LINES.map((line) => `${change[line] ?? line}\n`).join("");
  const manifest = TWO_TASKS.replace(
    "  - check: `grep -q Hello hello.txt`",
    "  - check: `grep -q Hello lines.txt`\n  - approve: after",
  ).concat("  - approve: before\n");
  const script: Script = { english: [write("lines.txt", text({ a: "Hello" }))], german: [german] };

  /** Approved, committed and waiting, and then the person changes a line. */
  async function approved(line: string): Promise<RunResult & { readonly s: Scenario }> {
    const s = new Scenario({ manifest, files: { "lines.txt": text({}) } });
    scenes.push(s);
    await s.play(script);
    s.write("lines.txt", "not committed\n");
    expect((await s.say("approve", "a1")).code).toBe(0);
    await s.play(script);
    expect(subjects(s, "stint/prompt")).toContain("english: Write hello.txt");
    commits(s, "lines.txt", text({ [line]: "mine" }));
    expect((await s.say("approve", "a2")).code).toBe(0);
    return { s, ...(await s.play(script)) };
  }

  it("survives where the diff of the task is the same", async () => {
    const { s, state, code } = await approved("i");
    expect([code, state.status, state.questions]).toEqual([0, "Done", []]);
    expect(s.read("lines.txt")).toBe(text({ a: "Hello", i: "mine" }));
  });

  it("is asked for again where it is another", async () => {
    const { s, ...result } = await approved("c");
    expect(result.code).toBe(3);
    expect(openText(result)).toContain("which you approved, changes other lines since main moved");
    await answer(s, "q1", "yes");
    expect((await s.play(script)).code).toBe(0);
  });
});

describe.concurrent("a branch that the person", () => {
  it("renamed gets the work under its new name", async () => {
    const s = await delivered();
    s.git("branch", "-m", "better");
    const result = await s.play(SCRIPT);
    expect([result.code, result.state.status]).toEqual([0, "Done"]);
    expect(result.out).toContain("main is called better now: verified work goes there");
    expect(result.out).not.toContain("waits");
    expect(subjects(s, "better").slice(0, 2)).toEqual([
      "german: Write hallo.txt",
      "english: Write hello.txt",
    ]);
    expect([s.read("hallo.txt"), s.git("branch", "--list", "main")]).toEqual(["Hallo\n", ""]);
    // A change in the manifest is the person's there.
    s.write("prompt.md", s.read("prompt.md").replace("in two languages", "in many languages"));
    expect((await s.say("status")).out).not.toContain("the work belongs to main");
  });

  it("renamed while work is done for it gets it all the same", async () => {
    const s = new Scenario();
    scenes.push(s);
    const wait: Act = { act: "run", command: `while [ ! -e ${s.path}/go ]; do sleep 0.05; done` };
    const tasks = { english: [english, wait], german: [german] };
    writeFileSync(join(s.path, "script.json"), JSON.stringify({ manifest: "prompt.md", tasks }));
    const agent = ["--agent", "scripted:../script.json", "--isolation", "off"];
    const run = s.start("run", "prompt.md", ...agent);
    await run.until("attempt 1 of task t1");
    s.git("branch", "-m", "better");
    writeFileSync(join(s.path, "go"), "");
    const { code, out } = await run.ended;
    expect(code).toBe(0);
    expect(out).toContain("main is called better now: verified work goes there");
    expect(out).not.toContain("was deleted");
    expect(s.read("hello.txt") + s.read("hallo.txt")).toBe("Hello\nHallo\n");
    expect(s.state().delivery).toMatchObject({ kind: "delivered", branch: "better" });
  });

  it("deleted is not made again, and what to do is said", async () => {
    const s = await delivered();
    s.git("switch", "-qc", "other", "main~1");
    s.git("branch", "-qD", "main");
    const result = await s.play(SCRIPT);
    expect([result.code, result.state.status]).toEqual([0, "Done"]);
    const { project_id } = result.state;
    const what = "main was deleted since the work began";
    const hint = `Say where it should go instead: stint deliver ${project_id} --into <branch>`;
    expect(result.out).toContain(`the work waits on stint/prompt: ${what}. ${hint}`);
    expect(result.state.delivery).toMatchObject({ kind: "waiting", why: what, hint });
    expect(s.git("branch", "--list", "main")).toBe("");
    expect((await s.say("deliver", "--into", "other")).code).toBe(0);
    expect(subjects(s, "other")[0]).toBe("german: Write hallo.txt");
  });
});
