// What a person sees of a run, from its first line to its last, with the built executable.
import { spawn } from "node:child_process";
import { readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { NewView, RunView, StatusView } from "../../src/core/schema/views.ts";
import { shadowLayout } from "../../src/store/layout.ts";
import { BuiltStint, type Ended, STINT } from "../support/built-stint.ts";
import { git } from "../support/git.ts";
import { withoutSignsOfLife } from "../support/signs-of-life.ts";

let stint: BuiltStint;

beforeEach(() => {
  stint = new BuiltStint();
  git(stint.root, "config", "user.name", "Ada");
  git(stint.root, "config", "user.email", "ada@example.com");
  stint.write("prompt.md", MANIFEST);
});
afterEach(() => stint.close());

const MANIFEST = `## Goal
Say hello in two languages.

## Steps
- [ ] english - Write hello.txt
  - check: \`grep -q Hello hello.txt\`
- [ ] german - Write hallo.txt
  - check: file hallo.txt matches /Hallo/
`;

type Acts = readonly object[];

const ENGLISH = [{ act: "write", path: "hello.txt", text: "Hello\n" }];
const GERMAN = [{ act: "write", path: "hallo.txt", text: "Hallo\n" }];
const GOOD = { english: ENGLISH, german: GERMAN };

function agent(tasks: Record<string, Acts | readonly Acts[]>): string {
  const file = join(stint.path, "script.json");
  writeFileSync(file, JSON.stringify({ manifest: "prompt.md", tasks }));
  return `scripted:${file}`;
}

function run(tasks: Record<string, Acts | readonly Acts[]>, ...words: string[]): Ended {
  return stint.run("run", "prompt.md", "--agent", agent(tasks), ...words);
}

function status(): StatusView {
  return JSON.parse(stint.run("status", "--json").out) as StatusView;
}

/** The last block, with what differs from run to run named. */
function summary({ out }: Ended): string[] {
  const { id } = status().project;
  const last = out.trimEnd().split("\n\n").at(-1) ?? "";
  return last
    .replaceAll(id, "<id>")
    .replaceAll(stint.path, "<path>")
    .replace(/(?<=Commits: )[0-9a-f]{10}( [0-9a-f]{10})*/, "<commits>")
    .replace(/(?<=clone at )[0-9a-f]{10}/, "<commit>")
    .replaceAll(/\b\d+ s\b/g, "<time>")
    .split("\n");
}

const RESUME = "stint resume <id>";
const EVIDENCE = "  Evidence: agents/stint/projects/prompt/artifacts/evidence in <path>/repo";

describe("a run in a pipe", () => {
  it("S3-27 S4-22 S4-23 tells one fact per line, in words, without control characters", () => {
    const said = run({
      ...GOOD,
      english: [{ act: "say", text: "so\u001b[31m red\u0007\nand long" }, ...ENGLISH],
    });
    expect(said.code).toBe(0);
    // oxlint-disable-next-line no-control-regex -- looking for control characters is the purpose
    expect(said.out + said.err).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
    const { id } = status().project;
    const lines = said.out
      .split("\n\n")[0]
      ?.replaceAll(id, "<id>")
      .replaceAll(/[0-9a-f]{40}/g, "<commit>")
      .replace(/at \/\S+;/, "at <path>;")
      .replace(/(?<=clone at )[0-9a-f]{10}/, "<commit>")
      .split("\n");
    expect(withoutSignsOfLife(lines ?? [])).toEqual([
      "started: prompt <id>, 0 of 2 tasks done",
      "notice: works in a copy, at <path>; verified work goes to main",
      "notice: may run: grep -q Hello hello.txt",
      'attempt 1 of task t1 "Write hello.txt" started in session 1',
      "agent: so\\u001b[31m red\\u0007 and long",
      "session 1 made: 1 file changed (limit 8), 1 new file (limit 3), 0 files moved (limit 0)",
      "check passed: `grep -q Hello hello.txt`",
      'done task t1 "Write hello.txt"',
      'committed task t1 "Write hello.txt" as <commit>',
      'attempt 1 of task t2 "Write hallo.txt" started in session 2',
      "session 2 made: 1 file changed (limit 8), 1 new file (limit 3), 0 files moved (limit 0)",
      "check passed: file hallo.txt matches /Hallo/",
      'done task t2 "Write hallo.txt"',
      'committed task t2 "Write hallo.txt" as <commit>',
      "proven in a fresh clone at <commit>: 2 checks passed",
    ]);
  });

  it("says nothing but its document with --json", () => {
    const { code, out, err } = run(GOOD, "--json");
    expect([code, err]).toEqual([0, ""]);
    const view = JSON.parse(out) as RunView;
    expect(view).toMatchObject({ done: ["t1", "t2"], report: null, status: { status: "Done" } });
    expect(view.commits.map(({ task_id }) => task_id)).toEqual(["t1", "t2"]);
    expect(git(stint.root, "rev-parse", "HEAD").trim()).toBe(view.commits[1]?.commit);
  });
});

describe("a run of a project whose creation was cut short", () => {
  /** As kill -9 leaves it between its registration and its first revision. */
  function cutShort(): string {
    const { id } = (JSON.parse(stint.run("new", "prompt.md", "--json").out) as NewView).project;
    const { states, journal } = shadowLayout(join(stint.path, "state", "stint"), id);
    for (const name of readdirSync(states)) rmSync(join(states, name));
    rmSync(journal);
    const folder = join(stint.root, "agents/stint/projects/prompt");
    for (const name of readdirSync(folder)) {
      if (name !== "manifest.md") rmSync(join(folder, name), { recursive: true });
    }
    return id;
  }

  it("S1-21 S3-9 finishes it under its id, and goes on", () => {
    const id = cutShort();
    expect(stint.run("resume", id)).toMatchObject({ code: 5 });
    expect(run(GOOD)).toMatchObject({ code: 0, err: "" });
    expect(status().project.id).toBe(id);
  });

  it("S1-17 S1-18 makes nothing anew where there was more, and it is lost", () => {
    cutShort();
    rmSync(join(stint.root, "agents"), { recursive: true });
    expect(run(GOOD)).toMatchObject({ code: 5, out: "" });
  });
});

describe("the last lines of a run", () => {
  it("that is Done say what was made, what it took, where the evidence is, and what is next", () => {
    expect(summary(run(GOOD))).toEqual([
      "prompt  <id>  Done: every task is done",
      "  ✓  t1  Write hello.txt",
      "  ✓  t2  Write hallo.txt",
      "  Tasks: 2 of 2 done, 2 in this run",
      "  Commits: <commits>",
      "  Work: on main (delivered)",
      "  Proof: Proven in a fresh clone at <commit>: 2 checks passed",
      "  Used: 2 sessions; the run took <time>",
      "  In all: 2 of 16 sessions, <time> of 24 h in sessions, tokens and price unknown",
      EVIDENCE,
      "  Next: stint verify <id>",
    ]);
  });

  it("that is Blocked say by what, and the next command goes on from there", () => {
    const said = run({ english: ENGLISH });
    expect(said.code).toBe(4);
    const lines = summary(said);
    expect(lines[0]).toMatch(/^prompt {2}<id> {2}Blocked: \S/);
    // Said once, above.
    expect(lines.filter((line) => line.startsWith("  Blocked by"))).toEqual([]);
    expect(lines.at(-1)).toBe(`  Next: ${RESUME} --retry`);
    expect(status().last_failure).toMatchObject({ task_id: "t2", attempt: 3 });
    expect(stint.run("status").out).toMatch(/^ {2}Last failure {2}t2, attempt 3, file hallo\.txt/m);
    const again = stint.run("resume", status().project.id, "--agent", agent(GOOD), "--retry");
    expect(again.code).toBe(0);
  });

  it("that waits for a person say what is asked", () => {
    const said = run({ english: [{ act: "marker", keys: { question: "Which hello?" } }] });
    expect(said.code).toBe(3);
    expect(summary(said).slice(-3)).toEqual([
      "  Waits for you: q1: Which hello?",
      '  Next: stint answer q1 "your answer" <id>',
      `  Then: when it is answered: ${RESUME}`,
    ]);
  });

  it("that had its sessions say how to go on, and nothing more was begun", () => {
    const said = run(GOOD, "--sessions", "1");
    expect(said.code).toBe(1);
    const lines = summary(said);
    expect(lines[0]).toBe("prompt  <id>  Paused: 1 session was asked for (--sessions 1)");
    expect(lines.at(-1)).toBe(`  Next: ${RESUME}`);
    expect(status()).toMatchObject({
      status: "Paused",
      pause: { kind: "requested", reason: "1 session was asked for (--sessions 1)" },
      budget: { sessions: { used: 1 } },
    });
    expect(status().tasks.map((task) => task.status)).toEqual(["done", "pending"]);
    const { out } = stint.run("resume", status().project.id, "--agent", agent(GOOD));
    expect(out).toContain("2 of 2 done, 1 in this run");
  });

  it("that reached its end within its sessions is Done, not paused", () => {
    expect(run(GOOD, "--sessions", "2").code).toBe(0);
  });

  it("that stopped after so many sessions begins no command of its own either", () => {
    stint.write(
      "prompt.md",
      `${MANIFEST}- [ ] publish - Publish it\n  - run: \`touch published\`\n`,
    );
    expect(run(GOOD, "--sessions", "2").code).toBe(1);
    expect(status().tasks.map((task) => task.status)).toEqual(["done", "done", "pending"]);
  });

  it("whose budget is used up name the budget, and the next command grants more of it", () => {
    let said = run({}, "--retry");
    while (said.code === 4) said = run({}, "--retry");
    expect(said.code).toBe(1);
    const lines = summary(said);
    expect(lines[0]).toBe("prompt  <id>  Paused: all 16 sessions are used");
    expect(lines.at(-1)).toBe(`  Next: ${RESUME} --grant sessions=10`);
    const { id } = status().project;
    const more = ["--grant", "sessions=10", "--retry"];
    const granted = stint.run("resume", id, "--agent", agent(GOOD), ...more);
    expect(granted.code).toBe(0);
    expect(granted.out).toContain("In all: 18 of 26 sessions");
  });

  it("that was told to stop by a signal say so, and resume does what is left", async () => {
    const waiting = [{ act: "say", text: "waiting" }, { act: "hang" }];
    const words = ["run", "prompt.md", "--agent", agent({ ...GOOD, german: waiting })];
    const child = spawn(process.execPath, [STINT, ...words], { cwd: stint.root, env: stint.env() });
    let out = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      if (!out.includes("agent: waiting") && text.includes("agent: waiting")) child.kill("SIGTERM");
      out += text;
    });
    let err = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => (err += text));
    const code = await new Promise((resolve) => child.on("close", resolve));
    expect([code, err]).toEqual([1, "SIGTERM: ending what runs and pausing …\n"]);
    const lines = summary({ code: 1, out, err });
    expect(lines[0]).toBe("prompt  <id>  Paused: SIGTERM was received");
    expect(lines.at(-1)).toBe(`  Next: ${RESUME}`);
    expect(stint.run("resume", status().project.id, "--agent", agent(GOOD)).code).toBe(0);
  });
});

describe("a run that is killed", () => {
  it("S1-8 S1-21 S3-8 goes on by its id from another folder and redoes nothing", async () => {
    const waiting = [{ act: "say", text: "waiting" }, { act: "hang" }];
    const words = ["run", "prompt.md", "--agent", agent({ ...GOOD, german: waiting })];
    const child = spawn(process.execPath, [STINT, ...words], { cwd: stint.root, env: stint.env() });
    let out = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      out += text;
      if (out.includes("agent: waiting")) child.kill("SIGKILL");
    });
    await new Promise((resolve) => child.on("close", resolve));
    const { id } = status().project;
    const resumed = stint.runWith({ cwd: stint.path }, "resume", id, "--agent", agent(GOOD));
    expect(resumed.code).toBe(0);
    expect(resumed.out).toContain("Tasks: 2 of 2 done, 1 in this run");
    expect(status().tasks.map(({ attempts }) => attempts)).toEqual([1, 2]);
    expect(stint.run("verify").code).toBe(0);
  });
});

describe("a run that waits for its agent", () => {
  const resetAt = new Date(Date.now() + 3_600_000).toISOString();
  const REFUSED = [
    { act: "emit", event: { kind: "limit", resetAt } },
    { act: "emit", event: { kind: "result", ok: false, cause: "usage-limit", reason: "used up" } },
    { act: "exit", code: 1 },
  ];
  const script = () => agent({ ...GOOD, english: [REFUSED, ENGLISH] });

  async function endedBy(signal: NodeJS.Signals): Promise<Ended> {
    const words = ["run", "prompt.md", "--agent", script()];
    const child = spawn(process.execPath, [STINT, ...words], { cwd: stint.root, env: stint.env() });
    let [out, err] = ["", ""];
    child.stderr.setEncoding("utf8").on("data", (text: string) => (err += text));
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      if (!out.includes("waits until") && text.includes("waits until")) child.kill(signal);
      out += text;
    });
    const code = await new Promise<number | null>((resolve) => child.on("close", resolve));
    return { code, out, err };
  }

  it("and is killed holds nothing; who resumes is told the time, waits, or tries at once", async () => {
    const { out } = await endedBy("SIGKILL");
    expect(out).toMatch(
      /\nwaits until .* \((1 h|5\d min).*\): scripted:.*: used up\. It continues by itself; Ctrl-C leaves, then: stint resume p-\w+\n/,
    );
    expect(status()).toMatchObject({
      status: "Paused",
      pause: { kind: "usage-limit" },
      lease: { held: false },
    });
    const { id } = status().project;
    const told = stint.run("resume", id, "--no-wait");
    expect(told.code).toBe(1);
    expect(told.out).toMatch(/\n {2}Limited until: .*\d\d:\d\d\n {2}Next: stint resume /);
    const done = stint.run("resume", id, "--now");
    expect(done.code).toBe(0);
    expect(status().tasks.map(({ attempts }) => attempts)).toEqual([2, 1]);
    expect(stint.run("verify").code).toBe(0);
  });

  it.each(["SIGINT", "SIGTERM"] as const)("ends at once by %s, paused", async (signal) => {
    const { code, out } = await endedBy(signal);
    expect(code).toBe(1);
    expect(summary({ code, out, err: "" })[0]).toMatch(
      new RegExp(`Paused: ${signal} was received while it waited \\(scripted:`),
    );
    expect(status()).toMatchObject({ status: "Paused", pause: { kind: "usage-limit" } });
  });
});

describe("wrong options of a run", () => {
  it.each([
    [["--sessions", "0"], '"0" is not a number of sessions', "--sessions 1"],
    [["--parallel", "0"], '"0" is not a number of parallel sessions', "--parallel 3"],
    [["--sessions", "many"], '"many" is not a number of sessions', "--sessions 1"],
    [["--report", "html"], 'there is no report called "html"', "--report sessions"],
    [["--max-cost", "-5"], '--max-cost "-5" is not a valid budget', "--max-cost 20"],
    [["--max-tokens", "0"], '--max-tokens "0" is not a valid budget', "--max-tokens 5000000"],
    [["--max-wall", "8"], '--max-wall "8" is not a valid budget', "--max-wall 8h"],
    [["--max-sessions", "NaN"], '--max-sessions "NaN" is not a valid budget', "--max-sessions 20"],
    [
      ["--grant", "beer=1"],
      '"beer=1" is not a list of sessions, hours, tokens, usd with amounts',
      "--grant sessions=10",
    ],
  ])("%j are refused before anything is made", (words, what, right) => {
    const { code, err } = stint.run("run", "prompt.md", ...words);
    expect(code).toBe(2);
    expect(err).toContain(what);
    expect(err).toContain(right);
    expect(stint.run("list", "--ids").out).toBe("");
  });
});

describe("resume by the id alone", () => {
  const id = (): string => status().project.id;
  const resume = (...words: string[]): Ended =>
    stint.runWith({ cwd: stint.path }, "resume", id(), ...words);

  it("goes on with the agent and the session policy that the run was begun with, from any folder", () => {
    const both = (...names: string[]) =>
      names.map((name) => ({ act: "write", path: `${name}.txt`, text: "done\n" }));
    agent({ one: both("one", "two"), three: both("three", "four") });
    const tasks = ["one", "two", "three", "four"].map(
      (name) => `- [ ] ${name} - Write ${name}.txt\n  - check: file ${name}.txt\n`,
    );
    stint.write("prompt.md", `## Goal\nWrite.\n\n## Steps\n${tasks.join("")}`);
    const words = ["--agent", "scripted:../script.json", "--session", "batch:2"];
    expect(stint.run("run", "prompt.md", ...words, "--sessions", "1").code).toBe(1);
    expect(resume()).toMatchObject({ code: 0 });
    expect(status()).toMatchObject({ status: "Done", budget: { sessions: { used: 2 } } });
  });

  it("takes every option of run that makes sense, and a wrong one is neither taken nor remembered", () => {
    expect(run(GOOD, "--sessions", "1").code).toBe(1);
    expect(resume("--session", "batch:9")).toMatchObject({ code: 2 });
    expect(resume("--agent", "nobody")).toMatchObject({ code: 2 });
    const words = ["--session", "one-task", "--isolation", "off"];
    expect(resume(...words)).toMatchObject({ code: 0 });
  });
});
