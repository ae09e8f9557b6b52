// Work that is not done yet, and people who go on working meanwhile. With the built executable: what a
// session left is kept, out of the way of other tasks, and there again for its next attempt; a commit holds
// what the task's sessions changed and nothing else; what a person has in the checkout stays theirs.
import { execFileSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
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

describe.concurrent("a person who goes on in the checkout between two sessions of a task", () => {
  const script = { english: [[write("hello.txt", "Hullo\n")], [english]], german: [german] };

  it("makes a file: it is in no commit, and stays", async () => {
    const s = scene();
    await s.play(script, "--sessions", "1");
    s.write("notes.txt", "mine, and written meanwhile\n");
    const result = await s.play(script);
    expect(s.judge(result, BOTH)).toEqual(ends(0, "Done", ["english", "german"]));
    expect(committed(s, "HEAD~1")).toEqual(["hello.txt", "prompt.md"]);
    expect(committed(s, "HEAD")).toEqual(["hallo.txt", "prompt.md"]);
    expect(s.read("notes.txt")).toBe("mine, and written meanwhile\n");
  });

  it("makes one that looks secret: nothing is asked", async () => {
    const s = scene();
    await s.play(script, "--sessions", "1");
    s.write(".env", "TOKEN=mine\n");
    const result = await s.play(script);
    expect(s.judge(result, BOTH)).toEqual(ends(0, "Done", ["english", "german"]));
    expect(s.git("status", "--porcelain", ".env")).toBe("?? .env\n");
  });

  it("S3-8 changes and stages tracked files: that refuses nothing, and they stay as they are", async () => {
    const s = scene();
    await s.play(script, "--sessions", "1");
    s.write("one.txt", "half of it staged\n");
    s.git("add", "one.txt", "mine.txt");
    s.write("one.txt", "half of it not\n");
    const before = s.git("status", "--porcelain");
    const result = await s.play(script);
    expect(s.judge(result, [...BOTH, "one.txt", "mine.txt"])).toEqual(
      ends(0, "Done", ["english", "german"]),
    );
    expect(s.git("status", "--porcelain")).toBe(before);
    expect(s.read("one.txt")).toBe("half of it not\n");
    expect(s.git("show", ":one.txt")).toBe("half of it staged\n");
  });

  it("commits: the task goes on from there, and its commit comes after theirs", async () => {
    const s = scene();
    await s.play(script, "--sessions", "1");
    s.write("two.txt", "another two\n");
    s.git("commit", "-q", "-m", "mine", "two.txt");
    const result = await s.play(script);
    expect(s.judge(result, [...BOTH, "two.txt"])).toEqual(ends(0, "Done", ["english", "german"]));
    expect(s.git("log", "--format=%s", "-3")).toBe(
      "german: Write hallo.txt\nenglish: Write hello.txt\nmine\n",
    );
    expect(s.git("show", "HEAD:two.txt")).toBe("another two\n");
  });

  it("throws away what git does not name: the work is kept elsewhere", async () => {
    const s = scene();
    await s.play(script, "--sessions", "1");
    s.git("reflog", "expire", "--expire=now", "--all");
    s.git("gc", "--quiet", "--prune=now");
    expect(s.kept("english", 1, "hello.txt")).toBe("Hullo\n");
    const result = await s.play(script);
    expect(s.judge(result, BOTH)).toEqual(ends(0, "Done", ["english", "german"]));
  });
});

describe.concurrent("work that cannot be delivered", () => {
  const script = { english: [english], german: [german] };

  it("waits while a file of the person's is in its way, and comes with the next run", async () => {
    const s = scene();
    s.write("hello.txt", "mine\n");
    const first = await s.play(script, "--sessions", "1");
    expect(first.out).toContain("the work waits on stint/prompt: ");
    expect(s.read("hello.txt")).toBe("mine\n");
    expect(s.git("log", "-1", "--format=%s", "stint/prompt")).toBe("english: Write hello.txt\n");
    expect(s.git("log", "-1", "--format=%s")).toBe("the second commit\n");
    s.git("clean", "-fq", "hello.txt");
    const result = await s.play(script);
    expect(s.judge(result, BOTH)).toEqual(ends(0, "Done", ["english", "german"]));
    expect(s.read("hello.txt")).toBe("Hello\n");
  });

  it("waits for a lock that somebody left in the person's repository", async () => {
    const s = scene();
    s.write(".git/index.lock", "");
    const first = await s.play(script, "--sessions", "1");
    expect(first.out).toContain("the work waits on stint/prompt: ");
    expect(s.exists(".git/index.lock")).toBe(true);
    expect(s.exists("hello.txt")).toBe(false);
    rmSync(join(s.root, ".git/index.lock"));
    const result = await s.play(script);
    expect(s.judge(result, BOTH)).toEqual(ends(0, "Done", ["english", "german"]));
  });
});

describe.concurrent("a file that a session brings into sight", () => {
  it("is the person's when the session empties .gitignore", async () => {
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
});

describe.concurrent("a file that is to be changed", () => {
  const changed = INDEPENDENT.replace(
    "  - check: `grep -q Hello hello.txt`\n",
    "  - check: file one.txt changed\n  - check: `grep -q Hello hello.txt`\n",
  );
  const change = write("one.txt", "another one\n");

  it("counts as changed also where an earlier attempt changed it", async () => {
    const s = scene({ manifest: changed });
    const result = await s.play({ english: [[change], [english]], german: [german] });
    expect(s.judge(result, [...BOTH, "one.txt"])).toEqual(ends(0, "Done", ["english", "german"]));
    expect(committed(s, "HEAD~1")).toEqual(["hello.txt", "one.txt", "prompt.md"]);
  });

  it("does not count where a later attempt changed it back", async () => {
    const s = scene({ manifest: changed });
    const back = write("one.txt", "one\n");
    const result = await s.play({ english: [[change], [english, back], []], german: [german] });
    expect(s.judge(result, [...BOTH, "one.txt"])).toEqual(ends(4, "Blocked", ["german"]));
  });

  it("does not count where another task changed it", async () => {
    const s = scene({ manifest: changed });
    const script = { english: [[ask], [english], []], german: [german, change] };
    await s.play(script);
    await s.say("answer", "q1", "Hello");
    const result = await s.play(script);
    expect(s.judge(result, [...BOTH, "one.txt"])).toEqual(ends(4, "Blocked", ["german"]));
  });
});

describe.concurrent("a file that a check makes", () => {
  it("is not committed with the task, and it is said", async () => {
    const s = scene({
      manifest: TWO_TASKS.replace("`grep -q Hello hello.txt`", "`tee report.txt < hello.txt`"),
    });
    const result = await s.play({ english: [english], german: [german] });
    expect(s.judge(result, BOTH)).toEqual(ends(0, "Done", ["english", "german"]));
    expect(committed(s, "HEAD~1")).toEqual(["hello.txt", "prompt.md"]);
    expect(s.exists("report.txt")).toBe(false);
    expect(result.out).toContain("notice: the checks of t1 changed these files, and Stint put them back: report.txt\n");
  });
});

describe.concurrent("what a task left that another one overtook", () => {
  const asking = { english: [[write("half.txt", "half\n"), ask], [english]], german: [german] };

  it("is out of the way meanwhile, and there again for its next session", async () => {
    const s = scene({
      manifest: INDEPENDENT.replace("`grep -q Hallo hallo.txt`", "`test ! -e half.txt && cat hallo.txt`"),
    });
    const first = await s.play(asking);
    expect(s.judge(first, BOTH)).toEqual(ends(3, "AwaitingApproval", ["german"]));
    expect(committed(s, "HEAD")).toEqual(["hallo.txt", "prompt.md"]);
    expect(s.kept("english", 1, "half.txt")).toBe("half\n");
    await s.say("answer", "q1", "Hello");
    const second = await s.play(asking);
    expect(s.judge(second, [...BOTH, "half.txt"])).toEqual(ends(0, "Done", ["english", "german"]));
    expect(committed(s, "HEAD")).toEqual(["half.txt", "hello.txt", "prompt.md"]);
  });

  it("is named to its next session where the other one changed the same file", async () => {
    const s = scene({ manifest: INDEPENDENT });
    const folder = join(s.root, "agents/stint/projects/prompt/logs/sessions/3");
    const look = `git show "$(sed -n 's/.*git show \\([0-9a-f]*\\):.*/\\1/p' "${folder}/brief.md"):half.txt" > "${s.path}/seen"`;
    const script = {
      english: [asking.english[0] ?? [], [{ act: "run", command: look }, english]],
      german: [german, write("half.txt", "the other half\n")],
    };
    await s.play(script);
    await s.say("answer", "q1", "Hello");
    const result = await s.play(script);
    expect(s.judge(result, [...BOTH, "half.txt"])).toEqual(ends(0, "Done", ["english", "german"]));
    expect(result.out).toContain("changed by others since: half.txt. t1 continues from their version; its own is kept");
    expect(s.read("half.txt")).toBe("the other half\n");
    expect(s.read("../seen")).toBe("half\n");
    expect(committed(s, "HEAD")).toEqual(["hello.txt", "prompt.md"]);
  });

  it("is not what makes it done: it needs a change of its own", async () => {
    const unchecked = INDEPENDENT.replace("  - check: `grep -q Hello hello.txt`\n", "");
    const s = scene({ manifest: unchecked });
    const script = { english: [[ask], []], german: [german] };
    await s.play(script);
    await s.say("answer", "q1", "Hello");
    const result = await s.play(script);
    expect(s.judge(result, BOTH)).toEqual(ends(4, "Blocked", ["german"]));
    expect(result.out).toContain("failed: no file was changed\n");
  });
});

describe.concurrent("what a task left that a person skipped", () => {
  it("S3-6 is in nobody's way, and the rest goes on", async () => {
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
  it("S0-21 may be moved or removed by a later one: the commit holds what they came to", async () => {
    const s = scene();
    const move: Act = { act: "move", from: "half.txt", to: "hello.txt" };
    const script = { english: [[write("half.txt", "half\n")], [move, english]], german: [german] };
    const result = await s.play(script);
    expect(s.judge(result, BOTH)).toEqual(ends(0, "Done", ["english", "german"]));
    expect(s.exists("half.txt")).toBe(false);
    expect(committed(s, "HEAD~1")).toEqual(["hello.txt", "prompt.md"]);
    expect(s.git("log", "-1", "--format=%(trailers:key=Stint-Task,valueonly)", "HEAD~1").trim()).toBe("t1");
  });
});

describe.concurrent("a file that two unfinished tasks changed", () => {
  it("is for each of them as it left it itself", async () => {
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
    expect(second.out).toContain("changed by others since: one.txt. t2 continues from their version; its own is kept");
    expect(s.read("hallo.txt")).toBe("Hallo\nenglish\n");
  });
});

describe.concurrent("what another task committed between two sessions of a task", () => {
  it("is not its work, also where it had changed the same file and undone that", async () => {
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

  it("is undone in a commit where a later session of it undoes it", async () => {
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

  it("is not what makes a task done that another one in it had begun", async () => {
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

  it("S2-9 counts what it changed for its second task, too, when that has another attempt", async () => {
    const manifest = TWO_TASKS.replace(
      "`grep -q Hallo hallo.txt`",
      "`grep -q Hallo hallo.txt`\n  - check: file one.txt changed",
    );
    const s = scene({ manifest });
    const script = {
      english: [[english, write("one.txt", "uno\n")]],
      german: [german],
    };
    const result = await s.play(script, ...batch);
    expect(s.judge(result, [...BOTH, "one.txt"])).toEqual(ends(0, "Done", ["english", "german"]));
    expect(s.state().counters.sessions).toBe(2);
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
    "  - run: `echo Hello >> hello.txt; test -e ../go`",
  );

  it("leaves nothing in the way of another task, and finds it again when it is retried", async () => {
    const s = scene({
      manifest: manifest.replace("`grep -q Hallo hallo.txt`", "`test ! -e hello.txt && cat hallo.txt`"),
    });
    const first = await s.play({ german: [german] });
    expect(s.judge(first, BOTH)).toEqual(ends(4, "Blocked", ["german"]));
    s.write("../go", "");
    s.write("notes.txt", "mine, and written meanwhile\n");
    const second = await s.play({ german: [german] }, "--retry");
    expect(s.judge(second, BOTH)).toEqual(ends(0, "Done", ["english", "german"]));
    expect(s.read("hello.txt")).toBe("Hello\nHello\n");
    expect(committed(s, "HEAD")).toEqual(["hello.txt", "prompt.md"]);
  });
});

describe.concurrent("what is remembered of a task", () => {
  const script = { english: [[write("hello.txt", "Hullo\n")], [english]], german: [german] };

  it("stops the run where it is damaged, and is whole again by the command that is named", async () => {
    const s = scene();
    await s.play(script, "--sessions", "1");
    const { project_id } = s.state();
    const kept = join(s.path, "state/stint/shadows", project_id, "kept/artifacts/tasks/t1.json");
    writeFileSync(kept, '{"trees": [');
    const stopped = await s.play(script);
    expect(stopped.code).toBe(5);
    expect(stopped.err).toContain(`${kept} is damaged: it is not JSON`);
    const [, mend = ""] = /continue: (mv .+ && cp .+) && stint resume/.exec(stopped.err) ?? [];
    execFileSync("sh", ["-c", mend]);
    const result = await s.play(script);
    expect(s.judge(result, BOTH)).toEqual(ends(0, "Done", ["english", "german"]));
  });
});
