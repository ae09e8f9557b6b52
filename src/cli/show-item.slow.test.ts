import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { STINT } from "../../test/support/built-stint.ts";
import { CommandLineBench } from "../../test/support/command-line.ts";
import { git } from "../../test/support/git.ts";
import { run } from "../operations/run/run.ts";
import type { ShowView } from "../core/schema/views.ts";
import { columnsOf } from "../report/visible.ts";

const SCRIPT = {
  tasks: {
    english: [
      [
        { act: "say", text: "I write it in French first" },
        { act: "write", path: "hello.txt", text: "Bonjour\nBonsoir\n" },
      ],
      [
        { act: "say", text: "now in English" },
        { act: "write", path: "hello.txt", text: "Hello\n" },
      ],
    ],
    german: [
      [
        { act: "say", text: "cannot reach the API" },
        { act: "exit", code: 3 },
      ],
    ],
  },
};

const MANIFEST = `## Goal
Say hello.

## Steps
- [ ] english - Write hello.txt
  - check: \`grep Hello hello.txt || { echo "no Hello in it"; exit 1; }\`
- [ ] german - Write hallo.txt
  - check: file hallo.txt
`;

let bench: CommandLineBench;

function newBench(): CommandLineBench {
  bench = new CommandLineBench();
  bench.write("prompt.md", MANIFEST);
  bench.write("script.json", JSON.stringify(SCRIPT));
  git(bench.root, "add", "-A");
  git(bench.root, "commit", "-q", "-m", "start");
  return bench;
}

async function seen(...words: string[]): Promise<ShowView> {
  const { out, code, err } = await bench.run("show", ...words, "--json");
  expect([code, err]).toEqual([0, ""]);
  return JSON.parse(out) as ShowView;
}

describe("stint show, of a run that has ended", () => {
  beforeAll(async () => {
    await newBench().run("run", "prompt.md", "--agent", "scripted:script.json");
  });
  afterAll(() => bench.close());

  it("tells a task with its attempts, newest first: ends, changes, checks, evidence, labels", async () => {
    const { task, sessions } = await seen("english");
    expect(task).toMatchObject({
      id: "t1",
      status: "done",
      attempts: 2,
      allowed: 3,
      why: null,
      changed: { kind: "committed", total: 2 },
    });
    expect(task?.changed?.files).toEqual([
      { path: "hello.txt", change: "added", added: 1, removed: 0 },
      { path: "prompt.md", change: "modified", added: 1, removed: 1 },
    ]);
    expect(
      sessions.map(({ session, ended, last_words, changed, checks }) => [
        session,
        ended,
        last_words,
        changed?.files,
        checks.map(({ result, output, evidence }) => [result, output, evidence]),
      ]),
    ).toEqual([
      [
        2,
        "finished",
        "now in English",
        [{ path: "hello.txt", change: "modified", added: 1, removed: 2 }],
        [["passed", "Hello", "artifacts/evidence/t1/2/1-command.json"]],
      ],
      [
        1,
        "finished",
        "I write it in French first",
        [{ path: "hello.txt", change: "added", added: 2, removed: 0 }],
        [["failed", "no Hello in it", "artifacts/evidence/t1/1/1-command.json"]],
      ],
    ]);
  });

  it("tells a person the same in a few lines, with what is next", async () => {
    const { out } = await bench.run("show", "t1");
    const lines = out.split("\n");
    expect(lines[0]).toBe("t1  Write hello.txt  done");
    expect(out).toContain(
      `  Project: prompt in ${bench.root}/agents/stint/projects/prompt\n  Name: english\n  Attempts: 2 of 3\n`,
    );
    expect(out).toMatch(
      /\nAttempt 2 {2}session 2 {2}scripted:script\.json, .*\n {2}Ended: finished/,
    );
    expect(out).toContain(
      '  ✗ `grep Hello hello.txt || { echo "no Hello in it"; exit 1; }`: it exited with code 1\n      no Hello in it\n      agents/stint/projects/prompt/artifacts/evidence/t1/1/1-command.json\n  Brief: agents/stint/projects/prompt/logs/sessions/1/brief.md\n  Log: agents/stint/projects/prompt/logs/sessions/1/events.jsonl\n',
    );
    const below = await bench.runWith({ cwd: bench.path }, "show", "t1", "prompt");
    expect(below.out).toContain("  Brief: repo/agents/stint/projects/prompt/logs/sessions/1/");
    const elsewhere = await bench.runWith({ cwd: bench.stateHome }, "show", "t1", "prompt");
    expect(elsewhere.out).toContain(`  Brief: ${bench.root}/agents/stint/projects/prompt/logs/`);
    expect(lines.at(-1)).toMatch(/^ {2}Next: git -C \S+ show [0-9a-f]{10}$/);
  });

  it("tells a crash with its exit and last words, and why the task is blocked", async () => {
    const { task, sessions, next } = await seen("t2");
    expect(task).toMatchObject({ status: "blocked", attempts: 3, changed: { total: 0 } });
    expect(task?.why).toContain("3");
    expect(sessions).toHaveLength(3);
    expect(sessions[0]).toMatchObject({
      session: 5,
      ended_well: false,
      last_words: "cannot reach the API",
    });
    expect(sessions[0]?.ended).toBe("crashed (exit 3)");
    expect(next).toEqual([expect.stringMatching(/^stint retry t2 p-/)]);
    const { out } = await bench.run("show", "t2");
    expect(out).toContain("  Last words: cannot reach the API\n");
    expect(out).toContain("  Ended: crashed (exit 3)\n");
  });

  it.each([["s1"], ["session-1"], ["session", "1"]])(
    "tells one session, with its brief: stint show %s %s",
    async (...words) => {
      const view = await seen(...words, "prompt.md");
      expect([view.task, view.sessions.map(({ session }) => session)]).toEqual([null, [1]]);
      expect(view.next).toEqual([`stint show t1 ${view.project_id}`]);
      const { out } = await bench.run("show", ...words, "prompt.md");
      expect(out).toContain("Session 1  t1 (attempt 1)  scripted:script.json");
      const brief = join(bench.root, "agents/stint/projects/prompt/logs/sessions/1/brief.md");
      const lines = readFileSync(brief, "utf8").trimEnd().split("\n");
      expect(out).toContain(lines.map((line) => `    ${line}`).join("\n"));
    },
  );
});

describe("stint show", () => {
  beforeEach(() => void newBench());
  afterEach(() => bench.close());

  it("says of a task that was not begun what is known, and of unfinished work where it is", async () => {
    const id = await bench.create();
    expect(await seen("german")).toMatchObject({
      task: { id: "t2", status: "pending", attempts: 0, changed: null, last_failure: null },
      sessions: [],
      next: [],
    });
    await bench.run("run", id, "--agent", "scripted:script.json", "--sessions", "1");
    const { task, next } = await seen("t1");
    expect(task?.changed).toMatchObject({ kind: "unfinished", commit: null, total: 1 });
    expect(next).toEqual([`stint shell t1 ${id} -- git diff HEAD`]);
    const words = [STINT, ...(next[0] ?? "").split(" ").slice(1)];
    const { env } = bench.system();
    expect(
      execFileSync(process.execPath, words, { cwd: bench.root, env, encoding: "utf8" }),
    ).toContain("\n+Bonjour\n");
  });

  it("says of a session what it changed itself, also in parallel, and when the workspace is gone", async () => {
    const tasks = ["aa", "bb"].map((name) => `- [ ] ${name} - Write ${name}.js\n  - after: none\n`);
    bench.write("prompt.md", `## Goal\nTwo files.\n\n## Steps\n${tasks.join("")}`);
    const acts = (name: string): unknown => [{ act: "write", path: `${name}.js`, text: "0;\n" }];
    bench.write("two.json", JSON.stringify({ tasks: { aa: acts("aa"), bb: acts("bb") } }));
    const words = ["--agent", "scripted:two.json", "--parallel", "2"];
    const { err } = await bench.run("run", "prompt.md", ...words);
    expect(err).toBe("");
    const changed = async (item: string): Promise<unknown> =>
      (await seen(item)).sessions.map((session) => session.changed?.files.map(({ path }) => path));
    expect([await changed("aa"), await changed("bb")]).toEqual([[["aa.js"]], [["bb.js"]]]);
    rmSync(join(bench.stateHome, "stint/workspaces"), { recursive: true });
    expect([await changed("aa"), await changed("bb")]).toEqual([[["aa.js"]], [["bb.js"]]]);
  });

  it("says of an attempt that changed nothing that it did, and of an added attempt why it is there", async () => {
    bench.write("nothing.json", JSON.stringify({ tasks: { "*": [] } }));
    const id = await bench.create();
    await bench.run("run", id, "--agent", "scripted:nothing.json");
    await bench.run("retry", "t1", id);
    const { sessions } = await seen("t1");
    expect(sessions.map(({ changed }) => changed?.total)).toEqual(sessions.map(() => 0));
    const { out } = await bench.run("show", "t1");
    expect(out.match(/Changed: .*/g)?.slice(1)).toEqual(sessions.map(() => "Changed: nothing"));
    expect(out).toContain("  Attempts: 3 of 4 (3, and 1 more after interruptions, questions or");
  });

  it("says of work outside with whom it is, and when it is back, that it returned", async () => {
    bench.write(
      "prompt.md",
      "## Goal\nA logo.\n\n## Steps\n- [ ] logo - Draw\n  - delegate: ada\n  - returns: message\n  - check: file logo.svg\n",
    );
    await bench.run("run", "prompt.md", "--no-wait");
    expect((await bench.run("show", "t1")).out).toContain("  Now: out with ada as d1");
    expect((await seen("s1")).sessions).toMatchObject([{ is_out: true, ended_at: null }]);
    await bench.run("dispatch", "return", "d1", "drawn");
    await bench.run("resume", "--no-wait");
    const { out } = await bench.run("show", "t1");
    expect(out).toContain("  Ended: returned (d1): drawn\n");
    expect(out).not.toContain("cut short");
  });

  it("says of checks that were interrupted that they run next, and with what", async () => {
    const check = "test -e hello.txt && sleep 600";
    bench.write("prompt.md", MANIFEST.replace(/grep Hello[^`]*/, check));
    const id = await bench.create();
    const stopping = new AbortController();
    let stop: { kind: "signal"; reason: string } | null = null;
    await run(bench.system(), {
      target: id,
      agent: "scripted:script.json",
      tell(news) {
        if (news.kind !== "checking" || news.when !== "after") return;
        stop = { kind: "signal", reason: "SIGINT was received" };
        stopping.abort();
      },
      stopWanted: () => stop,
      stopping: stopping.signal,
    });
    const { task } = await seen("t1");
    expect(task).toMatchObject({ status: "validating", changed: { kind: "to-check", total: 1 } });
    const { out } = await bench.run("show", "t1");
    expect(out).toContain(
      "its checks were interrupted: the next run runs them again, without a new",
    );
    expect(out).toContain("Changed: 1 file, not committed: kept for its checks, which run next");
  });

  it("says which commit has the work that could not be pushed", async () => {
    const remote = join(bench.path, "remote.git");
    git(bench.root, "init", "-q", "--bare", remote);
    git(bench.root, "remote", "add", "origin", remote);
    git(bench.root, "push", "-q", "-u", "origin", "HEAD");
    writeFileSync(join(remote, "hooks/pre-receive"), "#!/bin/sh\nexit 1\n", { mode: 0o755 });
    await bench.run("run", "prompt.md", "--agent", "scripted:script.json", "--push", "auto");
    const { task, next } = await seen("t1");
    const commit = task?.changed?.commit ?? "none";
    expect(task).toMatchObject({ status: "done", changed: { kind: "committed", total: 2 } });
    expect(next).toEqual([`git -C ${bench.root} show ${commit.slice(0, 10)}`]);
    git(bench.root, "cat-file", "-e", commit);
  });

  it("says what a name is that is neither task nor session, and which sessions there are", async () => {
    const id = await bench.create();
    const errors = await Promise.all(
      [["s7"], ["nope"], ["t1", "prompt.md", "more"], []].map(async (words) => {
        const { code, err } = await bench.run("show", ...words);
        return [code, err.split("\n")[0]];
      }),
    );
    expect(errors).toEqual([
      [2, `stint: ${id} has no session 7: none has started yet`],
      [2, `stint: ${id} has no task nope`],
      [2, 'stint: "more" is one argument too many'],
      [2, "stint: missing required argument 'what'"],
    ]);
    bench.write("asks.json", JSON.stringify({ tasks: { "*": [MARKER] } }));
    await bench.run("run", id, "--agent", "scripted:asks.json");
    const { err } = await bench.run("show", "q1");
    expect(err).toBe(
      `stint: q1 is a question, not a task or a session\n  It is shown by: stint status ${id}`,
    );
  });

  it("reads beside a live run, and changes nothing", async () => {
    const id = await bench.create();
    await bench.run("run", id, "--agent", "scripted:script.json", "--sessions", "1");
    const before = bench.everything();
    const holder = bench.hold(id);
    expect(await seen("t1")).toMatchObject({ task: { id: "t1" }, sessions: [{ session: 1 }] });
    holder.release();
    expect(bench.everything().filter((path) => path.startsWith("repo/"))).toEqual(
      before.filter((path) => path.startsWith("repo/")),
    );
  });

  it("is bounded and fits 80 columns, whatever was said", async () => {
    const long = Array.from({ length: 400 }, (_, line) => `line ${line} ${"x ".repeat(80)}`);
    const say = { act: "say", text: long.join("\n") };
    bench.write("long.json", JSON.stringify({ tasks: { "*": [say] } }));
    await bench.run("run", "prompt.md", "--agent", "scripted:long.json", "--sessions", "2");
    const folder = join(bench.root, "agents/stint/projects/prompt/logs/sessions/1");
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "stderr.log"), long.join("\n"));
    for (const item of ["t1", "s1"]) {
      const { out } = await bench.runWith({ width: 80 }, "show", item);
      const wide = out
        .split("\n")
        .filter((line) => columnsOf(line) > 80 && !/grep Hello|Project:/.test(line));
      expect(wide).toEqual([]);
      expect(out.split("\n").length).toBeLessThan(200);
    }
    const { sessions } = await seen("s1");
    expect(sessions[0]?.stderr.length).toBeLessThan(2100);
    expect(sessions[0]?.last_words?.length).toBeLessThan(2100);
  });
});

const MARKER = { act: "marker", keys: { question: "Which colour?" } };

it("calls a commit nobody's but of the task that made it", async () => {
  newBench();
  try {
    const acts = `## Goal
Ship it.

## Steps
- [ ] write - Write b
  - check: file b
- [ ] tag - Tag it
  - run: \`git tag v1\`
`;
    // Outside of git, so that no box is committed either.
    bench.write(".git/info/exclude", "prompt.md\nscript.json\nagents\n");
    git(bench.root, "rm", "-q", "--cached", "prompt.md", "script.json");
    git(bench.root, "commit", "-q", "-m", "without");
    bench.write("prompt.md", acts);
    const { out } = await bench.run("run", "--agent", "command:sh -c 'echo b >b'");
    const [commit = ""] = git(bench.root, "rev-parse", "HEAD").split("\n");
    expect(out).toContain(`committed task t1 "Write b" as ${commit}`);
    expect(out).not.toContain("committed task t2");
    const { out: journal } = await bench.run("log");
    expect(journal).toContain(
      `recorded task t2 "Tag it" with ${commit}: there was nothing more to commit`,
    );
    expect((await seen("write")).task?.changed).toMatchObject({ kind: "committed", commit });
    const tag = await seen("tag");
    expect([tag.task?.changed, tag.next]).toEqual([null, []]);
  } finally {
    bench.close();
  }
});

it("shows of a task that Stint does itself its command, how it ended, what it printed and its checks", async () => {
  newBench();
  try {
    const acts = `## Goal
Ship it.

## Steps
- [ ] tag - Tag it
  - run: \`sh -c 'echo tagged; touch tag; exit "$(cat code)"'\`
  - check: file tag
- [ ] tell - Tell them
  - webhook: http://127.0.0.1:9/x
- [ ] write - Write b
  - check: file b
`;
    bench.write("prompt.md", acts);
    bench.write("code", "3\n");
    git(bench.root, "add", "-A");
    git(bench.root, "commit", "-q", "-m", "acts");
    expect((await bench.run("run", "--agent", "command:false")).code).toBe(4);
    const what = `sh -c 'echo tagged; touch tag; exit "$(cat code)"'`;
    const record = "artifacts/logistics/t1/result.json";
    const failed = { what, ended: "exit code 3", ended_well: false, output: "tagged", record };
    expect((await seen("tag")).task?.act).toMatchObject(failed);
    const { out } = await bench.run("show", "tag");
    expect(out).toContain(`\n  Stint does: ${what}\n  Result: exit code 3\n    tagged\n`);
    expect(out).not.toContain("Attempts");
    const told = await bench.run("show", "tell");
    expect(told.out).toContain("  Stint does: POST http://127.0.0.1:9/x\n  Result: not done yet");
    expect((await seen("write")).task?.act).toBeNull();
    expect((await bench.run("show", "session")).err).toContain(
      "a session is named by its number\n  For example: stint show session 3, or stint show s3",
    );

    bench.write("code", "0\n");
    git(bench.root, "commit", "-qam", "may be tagged");
    await bench.run("resume", "--retry");
    const done = (await seen("t1")).task;
    // The first try had made the tag.
    const found = { ended: "its checks show that it is done", ended_well: true };
    expect(done).toMatchObject({ status: "done", act: found });
    expect(done?.act?.checks).toMatchObject([{ check: "file tag exists", result: "passed" }]);
  } finally {
    bench.close();
  }
});
