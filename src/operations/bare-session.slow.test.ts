// An agent without a run, by the command line in process: a real repository, real checks, nothing started for it.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Said } from "../../test/support/command-line.ts";
import { git } from "../../test/support/git.ts";
import { HandBench, TWO_GREETINGS } from "../../test/support/hand-bench.ts";
import { instantFromMs } from "../core/instant.ts";
import { persist } from "../engine/base/persist.ts";

let bench: HandBench;

beforeEach(() => {
  bench = new HandBench();
});
afterEach(() => bench.close());

describe("stint brief without a run", () => {
  it("executes nothing that nobody approved, and names the person's command", async () => {
    bench.write(
      "prompt.md",
      TWO_GREETINGS.replace("grep Hello hello.txt", "touch ran; grep Hello hello.txt"),
    );
    const { code, out } = await bench.run("brief", "prompt.md");
    expect([code, bench.state().status]).toEqual([3, "Draft"]);
    expect(out).toMatch(/^p-\w+ waits for a person: nobody has approved its plan/);
    expect(out).toMatch(
      /stint plan (p-\w+), then: stint approve plan \1\nAfter that: stint brief \1$/,
    );
    expect(existsSync(join(bench.root, "ran"))).toBe(false);
  });

  it("asks about a command that came into the manifest since, and runs it no sooner", async () => {
    await bench.approved();
    bench.write(
      "prompt.md",
      TWO_GREETINGS.replace("grep Hello hello.txt", "touch ran; grep Hello hello.txt"),
    );
    const { code, out } = await bench.run("brief");
    expect([code, bench.state().status]).toEqual([3, "AwaitingApproval"]);
    expect(out).toContain("A person is needed: stint approve a1");
    expect(existsSync(join(bench.root, "ran"))).toBe(false);
  });

  it("hands out the first task, says how it ends, and gives the lease back", async () => {
    const id = await bench.approved();
    const { code, out } = await bench.run("brief");
    expect(code).toBe(0);
    expect(out).toMatch(/^# Session 1 of project p-\w+: t1\n/);
    expect(out).toContain("```\nstint done t1\n```");
    expect(out).not.toContain(".agent_iteration_done");
    expect(bench.state()).toMatchObject({
      status: "Running",
      tasks: [{ status: "in_progress" }, {}],
    });
    bench.hold(id).release();
  });

  it("prints the same again while it is in hand, and changes nothing", async () => {
    await bench.approved();
    const { out } = await bench.run("brief");
    const before = bench.digest();
    expect(await bench.run("brief", "prompt.md")).toEqual({ code: 0, out, err: "" });
    expect(bench.digest()).toBe(before);
  });

  it.each([
    ["a tracked change", () => bench.write("kept.txt", "mine\n")],
    ["a file that git does not know", () => bench.write("other.txt", "mine\n")],
  ])("refuses a checkout with %s, and begins no attempt", async (_, change) => {
    bench.write("kept.txt", "first\n");
    git(bench.root, "add", "kept.txt");
    git(bench.root, "commit", "--quiet", "--message=kept");
    await bench.approved();
    change();
    const { code, err } = await bench.run("brief");
    expect(code).toBe(2);
    expect(err).toMatch(/has changes that are not committed: (?:kept|other)\.txt/);
    expect(bench.state().tasks[0]).toMatchObject({ status: "pending", attempts: 0 });
    git(bench.root, "stash", "--include-untracked", "--quiet");
    expect((await bench.run("brief")).code).toBe(0);
  });

  it("takes the manifest, changed and not committed, and what is ignored, for clean", async () => {
    bench.write(".gitignore", "built\n");
    git(bench.root, "add", ".gitignore");
    git(bench.root, "commit", "--quiet", "--message=ignore");
    await bench.approved();
    bench.write("prompt.md", `${TWO_GREETINGS}\n# Notes\n\nmine\n`);
    bench.write("built", "by a tool\n");
    expect((await bench.run("brief")).code).toBe(0);
  });

  it("leaves a run alone that is at work", async () => {
    const holder = bench.hold(await bench.approved());
    const { code, err } = await bench.run("brief");
    holder.release();
    expect([code, err]).toEqual([6, expect.stringContaining("Leave it alone, or wait for it")]);
  });

  it("does not go on with what a person paused", async () => {
    const id = await bench.approved();
    await bench.run("pause", id, "--reason", "lunch");
    const { code, out } = await bench.run("brief");
    expect([code, out]).toEqual([
      1,
      `${id} is paused: lunch\nA person can continue it: stint resume ${id}`,
    ]);
  });

  it("goes on where only a run was stopped", async () => {
    const holder = bench.hold(await bench.approved());
    const at = instantFromMs(Date.now());
    const pause = { kind: "signal", reason: "SIGINT was received" } as const;
    persist({ holder }, { kind: "paused", at, by: "stint", pause });
    holder.release();
    expect([bench.state().status, (await bench.run("brief")).code]).toEqual(["Paused", 0]);
    expect(bench.state().status).toBe("Running");
  });

  it("is not said inside of a run that started this process", async () => {
    await bench.approved();
    const env = { STINT_RUN_ID: "r-0000000000", STINT_WORK_TREE: bench.root };
    const { code, err } = await bench.runWith({ env }, "brief");
    expect([code, err]).toEqual([6, expect.stringContaining("started this process")]);
  });
});

describe("stint done without a run", () => {
  beforeEach(async () => {
    await bench.approved();
    await bench.run("brief");
  });

  it("commits what its checks verified, and leaves the next task to another session", async () => {
    bench.write("hello.txt", "Hello\n");
    const { code, out } = await bench.run("done", "t1");
    expect([code, bench.subjects()]).toEqual([0, ["english: Write hello.txt", "start"]]);
    expect(out).toMatch(
      /^t1 is done: its checks passed, committed as [0-9a-f]{10}\.\nStop here; start the next session with: stint brief p-\w+$/,
    );
    expect(git(bench.root, "show", "HEAD:prompt.md")).toContain("- [x] english");
    expect(git(bench.root, "status", "--porcelain")).toBe("");
    expect(bench.state()).toMatchObject({
      status: "Running",
      tasks: [{ status: "done" }, { status: "pending" }],
    });
  });

  it("says no where they fail, with what was seen, and the same session goes on", async () => {
    bench.write("hello.txt", "Hi\n");
    const { code, out } = await bench.run("done");
    expect(code).toBe(1);
    expect(out).toBe(
      "t1 is not done: `grep Hello hello.txt` failed, and said last:\nit exited with code 1\nAttempt 2 of 3 has started with the files as they are. Fix the cause, then: stint done t1",
    );
    expect(readFileSync(join(bench.root, "hello.txt"), "utf8")).toBe("Hi\n");
    expect(bench.state().tasks[0]).toMatchObject({ status: "in_progress", attempts: 2 });
    bench.write("hello.txt", "Hello\n");
    expect((await bench.run("done", "english")).code).toBe(0);
  });

  it("blocks the task by the same breakers as a run", async () => {
    const said: Said[] = [];
    for (const text of ["one", "two"]) {
      // A plan is not the work.
      bench.write("plan.md", `${text}\n`);
      // oxlint-disable-next-line no-await-in-loop
      said.push(await bench.run("done"));
    }
    expect(said.map(({ code }) => code)).toEqual([1, 4]);
    expect(said[1]?.out).toMatch(
      /It is blocked: .*\nA person removes the cause and runs: stint retry t1/s,
    );
    expect(bench.state().status).toBe("Blocked");
    expect((await bench.run("brief")).code).toBe(4);
  });

  it("blocks the task where no attempt is left", async () => {
    await bench.run("done");
    bench.write("hello.txt", "Hi\n");
    await bench.run("done");
    rmSync(join(bench.root, "hello.txt"));
    mkdirSync(join(bench.root, "hello.txt"));
    expect(bench.state().tasks[0]).toMatchObject({ status: "in_progress", attempts: 3 });
    const { code, out } = await bench.run("done");
    expect([code, out]).toEqual([4, expect.stringContaining("It is blocked: ")]);
  });

  it("takes a change of the manifest while it is in hand for the session's, and adopts none", async () => {
    bench.write(
      "prompt.md",
      TWO_GREETINGS.replace("- [ ] german", "  - approve: after\n- [ ] german"),
    );
    bench.write("hello.txt", "Hello\n");
    expect((await bench.run("done")).code).toBe(0);
    expect(readFileSync(join(bench.root, "prompt.md"), "utf8")).not.toContain("approve: after");
  });

  it("names the hook that keeps verified work from being committed", async () => {
    const hook = join(bench.root, ".git/hooks/pre-commit");
    writeFileSync(hook, "#!/bin/sh\necho not today; exit 1\n", { mode: 0o755 });
    bench.write("hello.txt", "Hello\n");
    const { code, out } = await bench.run("done");
    expect([code, out]).toEqual([4, expect.stringContaining("A commit hook refused: not today")]);
  });

  it("is refused for another task than the one in hand, and changes nothing", async () => {
    const before = bench.digest();
    const { code, err } = await bench.run("done", "t2");
    expect([code, err]).toEqual([
      2,
      expect.stringContaining("t2 is not the open task: session 1 of "),
    ]);
    expect(err).toContain("is about t1\n  When t1 is finished: stint done t1;");
    expect(bench.digest()).toBe(before);
  });

  it("is refused where nothing is in hand", async () => {
    bench.write("hello.txt", "Hello\n");
    await bench.run("done");
    const { code, err } = await bench.run("done");
    expect([code, err]).toEqual([
      2,
      expect.stringContaining("(Ready to continue) has none\n  Begin one: stint brief p-"),
    ]);
  });

  it("finishes what is in hand also where a person paused the project, and begins nothing after it", async () => {
    await bench.run("pause", "--reason", "lunch");
    bench.write("hello.txt", "Hello\n");
    expect((await bench.run("done")).code).toBe(0);
    expect([bench.state().status, bench.state().tasks[0]?.status]).toEqual(["Paused", "done"]);
  });

  it("comes to Done by verbs alone, and what was done is preserved", async () => {
    bench.write("hello.txt", "Hello\n");
    await bench.run("done");
    await bench.run("brief");
    bench.write("hallo.txt", "Hallo\n");
    const { code, out } = await bench.run("done");
    expect([code, out]).toEqual([
      0,
      expect.stringMatching(/\nEvery task is done: p-\w+ is Done\.$/),
    ]);
    expect((await bench.run("brief")).out).toMatch(/^p-\w+ is Done: every task is done$/);
    expect((await bench.run("verify")).code).toBe(0);
  });
});

describe("an agent without a run and without git", () => {
  it("has its checks run and no commit", async () => {
    await bench.approved();
    rmSync(join(bench.root, ".git"), { recursive: true });
    bench.write("mine.txt", "nobody can tell whose\n");
    expect((await bench.run("brief")).code).toBe(0);
    bench.write("hello.txt", "Hello\n");
    const { code, out } = await bench.run("done");
    expect([code, out]).toEqual([0, expect.stringMatching(/^t1 is done: its checks passed\.\n/)]);
  });
});

describe("what an agent without a run says besides", () => {
  beforeEach(async () => {
    await bench.approved();
    await bench.run("brief");
  });

  it("a note reaches the next brief, and the session goes on", async () => {
    const { code, out } = await bench.run("note", "the tests", "need port 8080");
    expect([code, out]).toEqual([0, expect.stringContaining("Continue with your task.")]);
    bench.write("hello.txt", "Hello\n");
    expect((await bench.run("done")).code).toBe(0);
    expect((await bench.run("brief")).out).toContain("- Session 1: the tests need port 8080");
    expect(readFileSync(join(bench.root, "prompt.md"), "utf8")).toContain("need port 8080");
  });

  it("a proposal waits for a person, and the manifest stays as it is", async () => {
    expect((await bench.run("propose", "french - Write salut.txt")).code).toBe(0);
    bench.write("hello.txt", "Hello\n");
    expect((await bench.run("done")).code).toBe(0);
    expect(readFileSync(join(bench.root, "prompt.md"), "utf8")).not.toContain("salut");
    expect((await bench.run("status")).out).toContain("Waits for you");
  });

  it("a question ends the session, and its answer is in the next brief with the files as they were", async () => {
    bench.write("hello.txt", "Hi\n");
    const { code, out } = await bench.run("ask", "Which colour?");
    expect([code, out]).toEqual([
      0,
      expect.stringMatching(
        /^Asked as q1\. This session is over: stop here\.\nA person is needed: stint answer q1/,
      ),
    ]);
    expect(bench.state()).toMatchObject({
      status: "AwaitingApproval",
      questions: [{ text: "Which colour?" }],
    });
    expect((await bench.run("brief")).code).toBe(3);
    await bench.run("answer", "q1", "red");
    const next = await bench.run("brief");
    expect([next.code, next.out]).toEqual([0, expect.stringContaining("Asked: Which colour?")]);
    expect(readFileSync(join(bench.root, "hello.txt"), "utf8")).toBe("Hi\n");
  });

  it("a reason ends it blocked, unless its checks pass", async () => {
    const { code, out } = await bench.run("block", "no network");
    expect([code, out]).toEqual([
      4,
      expect.stringContaining("It is blocked: the session says that t1 cannot be done: no network"),
    ]);
  });

  it("a task that is given away is waited for, and checked when it is back", async () => {
    const { code, out } = await bench.run("dispatch", "the team", "--returns", "file hello.txt");
    expect([code, out]).toEqual([
      0,
      expect.stringMatching(/^t1 is delegated \(d1\)\. This session is over\./),
    ]);
    expect(bench.state().status).toBe("AwaitingResult");
  });

  it.each([
    ["no text", ["ask", ""], "there is no text"],
    ["control characters", ["note", "a\u0007b"], "it contains control characters"],
    ["ten megabytes", ["block", "x".repeat(10_000_000)], "it is longer than 4000 characters"],
    ["no condition", ["dispatch", "the team", "--returns", "whenever"], "--returns cannot be read"],
    [
      "another project",
      ["note", "x", "--project", "p-0000000000"],
      'there is no project "p-0000000000"',
    ],
    ["a step of nothing", ["propose", ""], "there is no text"],
  ])("%s is refused and changes nothing", async (_, words, why) => {
    const before = bench.digest();
    const { code, err } = await bench.run(...words);
    expect([code, err]).toEqual([2, expect.stringContaining(why)]);
    expect(bench.digest()).toBe(before);
  });

  it("hides a secret of the environment before it is kept", async () => {
    await bench.runWith({ env: { API_TOKEN: "hunter2hunter2" } }, "note", "it is hunter2hunter2");
    const words = join(bench.root, "agents/stint/projects/prompt/logs/sessions/1/words.json");
    expect(readFileSync(words, "utf8")).not.toContain("hunter2");
  });
});

describe("what is a person's, where an agent's shell is recognised", () => {
  const MARKS = [
    "AI_AGENT",
    "CLAUDECODE",
    "CODEX_THREAD_ID",
    "GEMINI_CLI",
    "OPENCODE",
    "QWEN_CODE",
  ];

  it.each(MARKS)("the plan is not approved with %s set", async (mark) => {
    const id = await bench.create();
    const before = bench.digest();
    const { code, err } = await bench.runWith({ env: { [mark]: "1" } }, "approve", "plan", id);
    expect([code, err]).toEqual([2, expect.stringContaining(`was started by an agent: `)]);
    expect(err).toContain(
      `(${mark} is set)\n  Show what waits and stop: a person does this in their own terminal.`,
    );
    expect(bench.digest()).toBe(before);
  });

  it.each([
    ["answer", "q1", "red"],
    ["deny", "a1", "--reason", "no"],
    ["accept", "a1"],
    ["skip", "t1", "--reason", "no"],
    ["retry", "t1"],
    ["reopen", "t1", "--reason", "no"],
    ["abandon", "--reason", "no"],
    ["run", "--agent", "command:true"],
    ["run", "--agent", "command:true", "--approve-plan"],
  ])("stint %s is refused", async (...words) => {
    await bench.create();
    const { revision } = bench.state();
    const { code, err } = await bench.runWith({ env: { CLAUDECODE: "1" } }, ...words);
    expect([code, err]).toEqual([2, expect.stringContaining("Claude Code (CLAUDECODE is set)")]);
    expect([bench.state().status, bench.state().revision]).toEqual(["Draft", revision]);
  });
});
