// Whose file is it? Between two sessions of a task a person, another task and Stint's own checks write
// into the same work tree. With the built executable: a commit holds what the task's sessions changed,
// what an unfinished task left is out of the way of others, and nobody else's file ever moves.
import { afterAll, describe, expect, it } from "vitest";
import { type Act, english, german, KEPT, Scenario, type Setup, TWO_TASKS } from "../support/scenario.ts";

const scenes: Scenario[] = [];

function scene(setup?: Setup): Scenario {
  const made = new Scenario(setup);
  scenes.push(made);
  return made;
}

afterAll(() => {
  for (const made of scenes) made.close();
});

const INDEPENDENT = `${TWO_TASKS}  - after: none\n`;
const BOTH = ["hello.txt", "hallo.txt"];
const ask: Act = { act: "marker", keys: { question: "Which greeting?" } };
const write = (path: string, text: string): Act => ({ act: "write", path, text });

function ends(code: number, status: string, done: readonly string[]) {
  return { ...KEPT, code, status, done };
}

function committed(s: Scenario, commit: string): string[] {
  return s.git("show", "--name-only", "--format=", commit).trim().split("\n");
}

describe.concurrent("a file that a person makes between two sessions of a task", () => {
  it("S3-22 is not committed with the task, and no session's work is without it", async () => {
    const s = scene();
    const script = { english: [[write("hello.txt", "Hullo\n")], [english]], german: [german] };
    await s.play(script, "--sessions", "1");
    s.write("notes.txt", "mine, and written meanwhile\n");
    const result = await s.play(script);
    expect(s.judge(result, BOTH)).toEqual(ends(0, "Done", ["english", "german"]));
    expect(committed(s, "HEAD~1")).toEqual(["hello.txt", "prompt.md"]);
    expect(committed(s, "HEAD")).toEqual(["hallo.txt", "prompt.md"]);
    expect(s.read("notes.txt")).toBe("mine, and written meanwhile\n");
  });

  it("S3-6 stays where it is while what the task left is put aside", async () => {
    const s = scene({ manifest: INDEPENDENT });
    const script = { english: [write("half.txt", "half\n")], german: [german] };
    await s.play(script, "--sessions", "1");
    s.write("notes.txt", "mine, and written meanwhile\n");
    const result = await s.play(script);
    expect(s.judge(result, BOTH)).toEqual(ends(4, "Blocked", ["german"]));
    expect(s.exists("half.txt")).toBe(false);
    expect(s.read("notes.txt")).toBe("mine, and written meanwhile\n");
  });

  it("S3-6 is as they made it while what the task made of it is put aside", async () => {
    const s = scene({ manifest: INDEPENDENT });
    const append: Act = { act: "append", path: "notes.txt", text: "by a session\n" };
    const script = { english: [[write("half.txt", "half\n")], [append, ask], [english]], german: [german] };
    await s.play(script, "--sessions", "1");
    s.write("notes.txt", "mine\n");
    await s.play(script);
    expect(s.read("notes.txt")).toBe("mine\n");
    await s.say("answer", "q1", "Hello");
    const result = await s.play(script);
    const touched = [...BOTH, "half.txt", "notes.txt"];
    expect(s.judge(result, touched)).toEqual(ends(0, "Done", ["english", "german"]));
    expect(s.read("notes.txt")).toBe("mine\nby a session\n");
  });

  it("S2-20 is nothing to be asked about, however secret it looks", async () => {
    const s = scene();
    const script = { english: [[write("hello.txt", "Hullo\n")], [english]], german: [german] };
    await s.play(script, "--sessions", "1");
    s.write(".env", "TOKEN=mine\n");
    const result = await s.play(script);
    expect(s.judge(result, BOTH)).toEqual(ends(0, "Done", ["english", "german"]));
    expect(s.git("status", "--porcelain", ".env")).toBe("?? .env\n");
  });
});

describe.concurrent("a file that a session only hides, or brings into sight", () => {
  it("S3-22 is not committed when the session empties .gitignore", async () => {
    const s = scene();
    s.write("private.log", "mine, and ignored\n");
    const script = { english: [english, write(".gitignore", "")], german: [german] };
    const result = await s.play(script);
    expect(s.judge(result, [...BOTH, ".gitignore"])).toEqual(
      ends(0, "Done", ["english", "german"]),
    );
    expect(committed(s, "HEAD~1")).toEqual([".gitignore", "hello.txt", "prompt.md"]);
    expect(s.git("status", "--porcelain", "private.log")).toBe("?? private.log\n");
  });

  it("S3-6 stays where it is when what the session left is put aside and put back", async () => {
    const s = scene({ manifest: INDEPENDENT });
    const hide = write(".gitignore", "*.log\nmine.txt\n");
    const script = { english: [[hide, ask], [english]], german: [german] };
    await s.play(script);
    expect(s.read(".gitignore")).toBe("*.log\n");
    await s.say("answer", "q1", "Hello");
    const result = await s.play(script);
    expect(s.judge(result, [...BOTH, ".gitignore"])).toEqual(
      ends(0, "Done", ["english", "german"]),
    );
    expect(s.read("mine.txt")).toBe("not tracked, and mine\n");
    expect(committed(s, "HEAD")).toEqual([".gitignore", "hello.txt", "prompt.md"]);
  });
});

describe.concurrent("a file that is to be changed", () => {
  const changed = INDEPENDENT.replace(
    "  - check: `grep -q Hello hello.txt`\n",
    "  - check: file one.txt changed\n  - check: `grep -q Hello hello.txt`\n",
  );
  const change = write("one.txt", "another one\n");

  it("S3-22 counts as changed also where an earlier attempt changed it", async () => {
    const s = scene({ manifest: changed });
    const result = await s.play({ english: [[change], [english]], german: [german] });
    expect(s.judge(result, [...BOTH, "one.txt"])).toEqual(ends(0, "Done", ["english", "german"]));
    expect(committed(s, "HEAD~1")).toEqual(["hello.txt", "one.txt", "prompt.md"]);
  });

  it("S3-22 does not count where a later attempt changed it back", async () => {
    const s = scene({ manifest: changed });
    const back = write("one.txt", "one\n");
    const result = await s.play({ english: [[change], [english, back], []], german: [german] });
    expect(s.judge(result, [...BOTH, "one.txt"])).toEqual(ends(4, "Blocked", ["german"]));
  });

  it("S3-22 does not count where another task changed it", async () => {
    const s = scene({ manifest: changed });
    const script = { english: [[ask], [english], []], german: [german, change] };
    await s.play(script);
    await s.say("answer", "q1", "Hello");
    const result = await s.play(script);
    expect(s.judge(result, [...BOTH, "one.txt"])).toEqual(ends(4, "Blocked", ["german"]));
  });
});

describe.concurrent("a file that a check makes", () => {
  it("S3-22 is not committed with the task, and it is said", async () => {
    const s = scene({
      manifest: TWO_TASKS.replace("`grep -q Hello hello.txt`", "`tee report.txt < hello.txt`"),
    });
    const result = await s.play({ english: [english], german: [german] });
    expect(s.judge(result, [...BOTH, "report.txt"])).toEqual(ends(0, "Done", ["english", "german"]));
    expect(committed(s, "HEAD~1")).toEqual(["hello.txt", "prompt.md"]);
    expect(result.out).toContain("notice: checks of t1 changed, and not committed: report.txt\n");
  });
});

describe.concurrent("a tracked file with uncommitted changes", () => {
  const checked = TWO_TASKS.replace("`grep -q Hello hello.txt`", "`date >> two.txt; cat hello.txt`");
  const script = { english: [english], german: [german] };

  it("S3-8 holds up nobody where a check of an earlier run left it so", async () => {
    const s = scene({ manifest: checked });
    await s.play(script, "--sessions", "1");
    const left = s.read("two.txt");
    expect(s.git("status", "--porcelain", "two.txt")).toBe(" M two.txt\n");
    const result = await s.play(script);
    expect(s.judge(result, [...BOTH, "two.txt"])).toEqual(ends(0, "Done", ["english", "german"]));
    expect(s.read("two.txt")).toBe(left);
    expect(committed(s, "HEAD")).toEqual(["hallo.txt", "prompt.md"]);
  });

  it("S3-8 S3-9 is known as an attempt's weeks later, when git has thrown away what nothing names", async () => {
    const s = scene();
    const later = { english: [[write("two.txt", "changed\n")], [english]], german: [german] };
    await s.play(later, "--sessions", "1");
    s.git("reflog", "expire", "--expire=now", "--all");
    s.git("gc", "--quiet", "--prune=now");
    s.write("notes.txt", "mine, and written meanwhile\n");
    const result = await s.play(later);
    expect(s.judge(result, [...BOTH, "two.txt"])).toEqual(ends(0, "Done", ["english", "german"]));
    expect(committed(s, "HEAD~1")).toEqual(["hello.txt", "prompt.md", "two.txt"]);
  });
});

describe.concurrent("what a task left that another one overtook", () => {
  const asking = { english: [[write("half.txt", "half\n"), ask], [english]], german: [german] };

  it("S3-6 is out of the way meanwhile, and there again for its next session", async () => {
    const s = scene({
      manifest: INDEPENDENT.replace("`grep -q Hallo hallo.txt`", "`test ! -e half.txt && cat hallo.txt`"),
    });
    const first = await s.play(asking);
    expect(s.judge(first, BOTH)).toEqual(ends(3, "AwaitingApproval", ["german"]));
    expect(committed(s, "HEAD")).toEqual(["hallo.txt", "prompt.md"]);
    expect(s.exists("half.txt")).toBe(false);
    await s.say("answer", "q1", "Hello");
    const second = await s.play(asking);
    expect(s.judge(second, [...BOTH, "half.txt"])).toEqual(ends(0, "Done", ["english", "german"]));
    expect(second.out).toContain("notice: what t1 left is put back: half.txt\n");
    expect(committed(s, "HEAD")).toEqual(["half.txt", "hello.txt", "prompt.md"]);
  });

  it("S3-6 is named to its next session where the other one changed the same file", async () => {
    const s = scene({ manifest: INDEPENDENT });
    const script = { ...asking, german: [german, write("half.txt", "the other half\n")] };
    await s.play(script);
    await s.say("answer", "q1", "Hello");
    const result = await s.play(script);
    expect(s.judge(result, [...BOTH, "half.txt"])).toEqual(ends(0, "Done", ["english", "german"]));
    expect(s.read("half.txt")).toBe("the other half\n");
    const ref = /kept at (\S+) as t1 left it: half\.txt\n/.exec(result.out)?.[1] ?? "none";
    expect(s.git("show", `${ref}:half.txt`)).toBe("half\n");
    const brief = s.read("agents/stint/projects/prompt/logs/sessions/3/brief.md");
    expect(brief).toContain(`see: git show ${ref}:<path>\n\n\`\`\`\nhalf.txt\n\`\`\`\n`);
    expect(committed(s, "HEAD")).toEqual(["hello.txt", "prompt.md"]);
  });

  it("S3-22 is not what makes it done: it needs a change of its own", async () => {
    const unchecked = INDEPENDENT.replace("  - check: `grep -q Hello hello.txt`\n", "");
    const s = scene({ manifest: unchecked });
    const script = { english: [[ask], []], german: [german] };
    await s.play(script);
    await s.say("answer", "q1", "Hello");
    const result = await s.play(script);
    expect(s.judge(result, BOTH)).toEqual(ends(4, "Blocked", ["german"]));
    expect(result.out).toContain("failed: no change outside docs\n");
  });
});

describe.concurrent("what a person staged, or took back, between two sessions of a task", () => {
  it("S3-22 stays as they staged it while what the task left is put aside", async () => {
    const s = scene({ manifest: INDEPENDENT });
    const script = { english: [write("half.txt", "half\n"), ask], german: [german] };
    s.write("early.txt", "staged before\n");
    s.git("add", "early.txt");
    await s.play(script, "--sessions", "1");
    s.git("rm", "-q", "--cached", "early.txt");
    s.write("one.txt", "half of it staged\n");
    s.git("add", "one.txt", "mine.txt");
    s.write("one.txt", "half of it not\n");
    const before = s.git("diff", "--cached");
    const result = await s.play(script);
    expect(result.out).toContain("notice: what t1 left is kept at ");
    expect(s.exists("half.txt")).toBe(false);
    expect(s.git("diff", "--cached")).toBe(before);
    expect(s.git("status", "--porcelain", "early.txt")).toBe("?? early.txt\n");
    expect(s.read("one.txt")).toBe("half of it not\n");
  });
});

describe.concurrent("what a session stages", () => {
  it("S3-22 does not stay staged in an older version than the one that is committed", async () => {
    const s = scene();
    const addAll: Act = { act: "git", args: ["add", "hello.txt", "one.txt"] };
    const half = [write("hello.txt", "half\n"), write("one.txt", "half\n")];
    const script = { english: [...half, addAll, english, write("one.txt", "1\n")], german: [german] };
    const result = await s.play(script);
    const touched = [...BOTH, "one.txt"];
    expect(s.judge(result, touched)).toEqual(ends(0, "Done", ["english", "german"]));
    expect(s.git("status", "--porcelain", ...touched)).toBe("");
  });

  it("S3-6 of files that were there before does not keep the next run from starting", async () => {
    const s = scene();
    const script = { english: [english, { act: "git", args: ["add", "-A"] }], german: [german] };
    await s.play(script, "--sessions", "1");
    const result = await s.play(script);
    expect(result.state.status).toBe("Done");
    expect(s.git("status", "--porcelain", "mine.txt")).toBe("A  mine.txt\n");
    expect(committed(s, "HEAD")).toEqual(["hallo.txt", "prompt.md"]);
  });
});

describe.concurrent("a lock of a git that was killed with its session and its run", () => {
  it("S3-8 does not keep the next run from settling what the session staged", async () => {
    const s = scene();
    const staged = [write("hello.txt", "half\n"), { act: "git", args: ["add", "hello.txt"] }];
    const locked = { act: "run", command: "touch -d '1 hour ago' .git/index.lock" };
    const script = { english: [[...staged, locked, { act: "kill-parent" }], [english]], german: [german] };
    const killed = await s.play(script, "--isolation", "off");
    expect(killed.signal).toBe("SIGKILL");
    const result = await s.play(script, "--isolation", "off");
    expect(s.judge(result, BOTH)).toEqual(ends(0, "Done", ["english", "german"]));
    expect(s.exists(".git/index.lock")).toBe(false);
  });

  it("S3-8 holds up nothing either where only the session was killed", async () => {
    const s = scene();
    const locked: Act = { act: "run", command: "touch .git/index.lock" };
    const half = [write("hello.txt", "Hullo\n"), { act: "git", args: ["add", "hello.txt"] }];
    const first = [...half, locked, { act: "die" }];
    const result = await s.play({ english: [first, [english]], german: [german] });
    expect(s.judge(result, BOTH)).toEqual(ends(0, "Done", ["english", "german"]));
    expect(s.exists(".git/index.lock")).toBe(false);
  });
});

describe.concurrent("what a task left that a person skipped", () => {
  it("S3-6 is no uncommitted change of the person's: it is put aside, and the rest goes on", async () => {
    const s = scene();
    const script = { english: [write("one.txt", "half\n")], german: [german] };
    await s.play(script);
    await s.say("skip", "english", "--reason", "not needed");
    const result = await s.play(script);
    expect(s.judge(result, BOTH)).toEqual(ends(0, "Done", ["german"]));
    expect(s.read("one.txt")).toBe("one\n");
  });
});

describe.concurrent("a file that an earlier session of the same task made", () => {
  it("S3-22 may be moved or removed by a later one, unlike a person's", async () => {
    const s = scene();
    const move: Act = { act: "move", from: "half.txt", to: "hello.txt" };
    const again = [move, english, { act: "delete", path: "mine.txt" }];
    const script = { english: [[write("half.txt", "half\n")], again], german: [german] };
    const result = await s.play(script);
    expect(s.judge(result, BOTH)).toEqual(ends(0, "Done", ["english", "german"]));
    expect(result.out).toContain("removed 1 untracked file(s); restored: mine.txt\n");
    expect(s.exists("half.txt")).toBe(false);
    expect(committed(s, "HEAD~1")).toEqual(["hello.txt", "prompt.md"]);
  });
});

describe.concurrent("a file that two unfinished tasks changed", () => {
  it("S3-6 is for each of them as it left it itself", async () => {
    const s = scene({ manifest: INDEPENDENT });
    const copy = (to: string, word: string): Act => ({
      act: "run",
      command: `echo ${word} > ${to}; cat one.txt >> ${to}`,
    });
    const script = {
      english: [[write("one.txt", "english\n"), ask], [copy("hello.txt", "Hello")]],
      german: [[write("one.txt", "german\n"), ask], [copy("hallo.txt", "Hallo")]],
    };
    await s.play(script);
    await s.say("answer", "q1", "Hello");
    const first = await s.play(script);
    expect(s.judge(first, [...BOTH, "one.txt"])).toEqual(ends(3, "AwaitingApproval", ["english"]));
    expect(s.read("hello.txt")).toBe("Hello\nenglish\n");
    expect(committed(s, "HEAD")).toEqual(["hello.txt", "one.txt", "prompt.md"]);
    await s.say("answer", "q2", "Hallo");
    const second = await s.play(script);
    expect(second.out).toContain("as t2 left it: one.txt\n");
    expect(s.read("hallo.txt")).toBe("Hallo\nenglish\n");
  });
});

describe.concurrent("a task that is done and waits for its commit", () => {
  it("S3-22 is committed as it was verified, whatever an unfinished one makes of its files", async () => {
    const third = "- [ ] french - Write salut.txt\n  - check: file salut.txt\n  - after: none\n";
    const s = scene({
      manifest: `${INDEPENDENT}${third}`.replace("hello.txt`\n", "hello.txt`\n  - approve: after\n"),
    });
    const append: Act = { act: "append", path: "both.txt", text: "german\n" };
    const script = {
      english: [english, write("both.txt", "english\n")],
      german: [german, append],
      french: [write("hallo.txt", "broken\n"), ask],
    };
    const first = await s.play(script);
    expect(first.out).toContain("verified, but not committed before a2 is settled: both.txt");
    await s.say("approve", "a2");
    const result = await s.play(script);
    const done = ["english", "german"];
    expect(s.judge(result, [...BOTH, "both.txt"])).toEqual(ends(3, "AwaitingApproval", done));
    expect(s.git("show", "HEAD:hallo.txt")).toBe("Hallo\n");
    expect(s.read("hallo.txt")).toBe("broken\n");
  });
});

describe.concurrent("what another task committed between two sessions of a task", () => {
  it("S3-22 is not its work, also where it had changed the same file and undone that", async () => {
    const unchecked = INDEPENDENT.replace("  - check: `grep -q Hello hello.txt`\n", "");
    const s = scene({ manifest: unchecked, files: { "main.js": "1\n" } });
    const change = (text: string): Act[] => [write("main.js", text), ask];
    const script = {
      english: [change("2\n"), change("1\n"), []],
      german: [[ask], [german, write("main.js", "3\n")]],
    };
    await s.play(script);
    for (const item of ["q1", "q2", "q3"]) {
      // oxlint-disable-next-line no-await-in-loop
      await s.say("answer", item, "yes");
      // oxlint-disable-next-line no-await-in-loop
      await s.play(script);
    }
    expect(s.task("german").status).toBe("done");
    expect(s.task("english").status).toBe("blocked");
    expect(committed(s, "HEAD")).toEqual(["hallo.txt", "main.js", "prompt.md"]);
  });

  it("S3-22 is undone in a commit where a later session of it undoes it", async () => {
    const s = scene({ manifest: INDEPENDENT });
    const undo: Act[] = [{ act: "delete", path: "new.txt" }, write("one.txt", "one\n")];
    const script = {
      english: [[ask], [...undo, english]],
      german: [german, write("new.txt", "new\n"), write("one.txt", "1\n")],
    };
    await s.play(script);
    await s.say("answer", "q1", "Hello");
    const result = await s.play(script);
    expect(s.judge(result, BOTH)).toEqual(ends(0, "Done", ["english", "german"]));
    expect(committed(s, "HEAD")).toEqual(["hello.txt", "new.txt", "one.txt", "prompt.md"]);
    expect(s.git("status", "--porcelain", "new.txt", "one.txt")).toBe("");
  });
});

describe.concurrent("a session with several tasks", () => {
  const batch = ["--session", "batch:2"];

  it("S2-9 that asks leaves nothing to a task that it did not come to", async () => {
    const s = scene({
      manifest: INDEPENDENT.replace("`grep -q Hallo hallo.txt`", "file hallo.txt"),
    });
    const script = {
      english: [[write("hello.txt", "half\n"), write("hallo.txt", "half\n"), ask], [english]],
      german: [german],
    };
    const first = await s.play(script, ...batch);
    expect(s.judge(first, BOTH)).toEqual(ends(3, "AwaitingApproval", ["german"]));
    expect(s.exists("hello.txt")).toBe(false);
    expect(s.git("show", "HEAD:hallo.txt")).toBe("Hallo\n");
    expect(committed(s, "HEAD")).toEqual(["hallo.txt", "prompt.md"]);
  });

  it("S3-22 is not what makes a task done that another one in it had begun", async () => {
    const files = INDEPENDENT.replace("`grep -q Hello hello.txt`", "file hello.txt");
    const s = scene({ manifest: files.replace("hello.txt\n", "hello.txt\n  - approve: before\n") });
    const script = {
      english: [english, german],
      german: [[write("hello.txt", "not by its own session\n"), ask]],
    };
    await s.play(script);
    await s.say("answer", "q1", "Hallo");
    await s.say("approve", "a1");
    const result = await s.play(script, ...batch);
    expect(s.judge(result, BOTH)).toEqual(ends(0, "Done", ["english", "german"]));
    expect(s.git("show", "HEAD:hello.txt")).toBe("Hello\n");
  });

  it("S2-9 finds what each of them left before, and its commit holds it", async () => {
    const s = scene({ manifest: INDEPENDENT.replace("hello.txt`\n", "hello.txt`\n  - approve: before\n") });
    const script = {
      english: [english, german],
      german: [[write("half.txt", "half\n"), ask]],
    };
    await s.play(script);
    await s.say("answer", "q1", "Hallo");
    await s.say("approve", "a1");
    const result = await s.play(script, ...batch);
    expect(s.judge(result, [...BOTH, "half.txt"])).toEqual(ends(0, "Done", ["english", "german"]));
    expect(committed(s, "HEAD")).toEqual(["half.txt", "hallo.txt", "hello.txt", "prompt.md"]);
  });
});

describe.concurrent("an act of the manifest that failed", () => {
  const manifest = INDEPENDENT.replace(
    "  - check: `grep -q Hello hello.txt`",
    "  - run: `echo Hello >> hello.txt; test -e go.log`",
  );

  it("S3-6 leaves nothing in the way of another task, and finds it again when it is retried", async () => {
    const s = scene({
      manifest: manifest.replace("`grep -q Hallo hallo.txt`", "`test ! -e hello.txt && cat hallo.txt`"),
    });
    const first = await s.play({ german: [german] });
    expect(s.judge(first, BOTH)).toEqual(ends(4, "Blocked", ["german"]));
    s.write("go.log", "");
    s.write("notes.txt", "mine, and written meanwhile\n");
    const second = await s.play({ german: [german] }, "--retry");
    expect(s.judge(second, BOTH)).toEqual(ends(0, "Done", ["english", "german"]));
    expect(s.read("hello.txt")).toBe("Hello\nHello\n");
    expect(committed(s, "HEAD")).toEqual(["hello.txt", "prompt.md"]);
  });
});
