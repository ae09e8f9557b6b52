// Sessions that misbehave, in a person's repository, with the built executable: whatever they do,
// nothing false is called done, nothing is lost, nothing is left alive, and the end is explained.
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { STINT } from "../support/built-stint.ts";
import {
  type Act,
  english,
  german,
  KEPT,
  Scenario,
  type Setup,
  TWO_TASKS,
} from "../support/scenario.ts";

const scenes: Scenario[] = [];

function scene(setup?: Setup): Scenario {
  const made = new Scenario(setup);
  scenes.push(made);
  return made;
}

afterAll(() => {
  for (const made of scenes) made.close();
});

/** Every promise kept, and this end. */
function ends(code: number, status: string, done: readonly string[]) {
  return { ...KEPT, code, status, done };
}

function appending(path: string, ...texts: string[]): Act[][] {
  return texts.map((text) => [{ act: "append", path, text }]);
}

const flip: Act = { act: "flip-box", which: "own" };
const marker: Act = { act: "marker", keys: { remaining_steps: true } };
const ONE_ATTEMPT = "attempts_per_task: 1\n";
const BOTH = ["hello.txt", "hallo.txt"];

describe.concurrent("a session that lies", () => {
  it("S3-22 checks its box and leaves a marker without any work: never done, stopped after three", async () => {
    const s = scene();
    const result = await s.play({ english: [flip, marker], "*": [german] });
    expect(s.judge(result)).toEqual(ends(4, "Blocked", []));
    expect(s.task("english").attempts).toBe(3);
    expect(result.out).toContain("3 sessions in a row changed nothing");
  });

  it("commits its checked box: neither the commit nor the box reaches the person", async () => {
    const s = scene({ config: ONE_ATTEMPT });
    const commit: Act = { act: "commit", message: "Done!", paths: ["prompt.md"] };
    const result = await s.play({ english: [flip, commit, marker] });
    expect(s.judge(result)).toEqual(ends(4, "Blocked", []));
    expect(s.git("log", "-1", "--format=%s")).toBe("the second commit\n");
    expect(s.read("prompt.md")).toBe(TWO_TASKS);
  });

  it("S3-21 makes an empty commit and a page of docs: no task is done by that", async () => {
    const s = scene({ manifest: TWO_TASKS.replaceAll(/ {2}- check: .*\n/g, "") });
    const result = await s.play({
      english: [
        { act: "write", path: "docs/plan.md", text: "I will write hello.txt\n" },
        { act: "commit", message: "Write hello.txt", paths: ["docs"] },
        { act: "git", args: ["commit", "-q", "--allow-empty", "-m", "Done"] },
        flip,
        marker,
      ],
    });
    expect(s.judge(result)).toEqual(ends(4, "Blocked", []));
  });

  it("S3-22 crashes with a part of the work, where no check tells that it is complete: the next one finishes it", async () => {
    const s = scene({ manifest: TWO_TASKS.replace(/ {2}- check: .*\n/, "") });
    const half = { act: "write", path: "hello.txt", text: "Hel" } as const;
    const result = await s.play({
      english: [[half, { act: "exit", code: 3 }], [english]],
      german: [german],
    });
    expect(s.judge(result, BOTH)).toEqual(ends(0, "Done", ["english", "german"]));
    expect(result.out).toContain(
      'attempt 1 of task t1 "Write hello.txt" failed: its session crashed (exit 3)',
    );
    expect([s.task("english").attempts, s.read("hello.txt")]).toEqual([2, "Hello\n"]);
  });

  it("S0-13 S0-20 checks the box of another task too: that one stays unchecked and still to be done", async () => {
    const s = scene();
    const result = await s.play({
      english: [english, { act: "flip-box", which: "all" }, marker],
      german: [german],
    });
    expect(s.judge(result, BOTH)).toEqual(ends(0, "Done", ["english", "german"]));
    expect(result.out).toContain("belongs to another task; it stays as it was");
    expect(s.state().counters.sessions).toBe(2);
  });

  it("exits 0 with nothing: no progress is counted", async () => {
    const s = scene();
    const result = await s.play({ "*": [] });
    expect(s.judge(result)).toEqual(ends(4, "Blocked", []));
  });

  it("S3-10 exits 1 after finishing: its checks decide, and the work counts", async () => {
    const s = scene();
    const result = await s.play({
      english: [english, flip, { act: "exit", code: 1 }],
      german: [german],
    });
    expect(s.judge(result, BOTH)).toEqual(ends(0, "Done", ["english", "german"]));
    expect(s.task("english").attempts).toBe(1);
  });
});

describe.concurrent("a session that changes the rules", () => {
  it("S2-20 edits the Goal: set aside as a proposal, and while that is open the project is not Done", async () => {
    const s = scene();
    const result = await s.play({
      english: [english, { act: "edit-manifest", replace: "two languages", with: "one language" }],
      german: [german],
    });
    expect(s.judge(result, BOTH)).toEqual(ends(3, "AwaitingApproval", ["english", "german"]));
    expect(s.read("prompt.md")).toContain("two languages");
    expect(result.out).toContain("changes to Goal during session 1 were set aside");
    const kept = `${s.state().slug}/artifacts/proposals/session-1.md`;
    expect(s.read(`agents/stint/projects/${kept}`)).toContain("one language");
  });

  it("S2-20 edits its own check: the frozen one counts, the edit is set aside", async () => {
    const s = scene({ config: ONE_ATTEMPT });
    const result = await s.play({
      english: [{ act: "edit-manifest", replace: "grep -q Hello hello.txt", with: "true" }, flip],
    });
    expect(s.judge(result)).toEqual(ends(3, "Blocked", []));
    expect(s.read("prompt.md")).toBe(TWO_TASKS);
  });

  it("edits the script that its check calls: done, with the label self-judged where it is shown", async () => {
    const s = scene({
      manifest: TWO_TASKS.replace("`grep -q Hello hello.txt`", "`sh check.sh`"),
      files: { "check.sh": "grep -q Hello hello.txt\n" },
    });
    const result = await s.play({
      english: [{ act: "write", path: "check.sh", text: "true\n" }],
      german: [german],
    });
    expect(s.judge(result, ["check.sh", "hallo.txt"])).toEqual(ends(0, "Done", ["english", "german"]));
    expect(s.task("english").labels).toEqual(["self-judged"]);
    expect(result.out).toContain("self-judged");
  });

  it.each([
    ["deletes", "deleted", { act: "delete", path: "prompt.md" }],
    ["empties", "emptied", { act: "write", path: "prompt.md", text: " \n" }],
  ] as const)("%s the manifest: it stays as it was, and nobody is asked", async (_, word, act) => {
    const s = scene();
    const result = await s.play({ english: [english, act], german: [german] });
    expect(s.judge(result, BOTH)).toEqual(ends(0, "Done", ["english", "german"]));
    expect(s.read("prompt.md")).toBe(TWO_TASKS.replaceAll("[ ]", "[x]"));
    expect(result.out).toContain(
      `session 1 ${word} its copy of prompt.md; the manifest stays as it was`,
    );
    expect(s.state().approval_items).toEqual([]);
  });
});

describe.concurrent("a session that attacks the state", () => {
  it.each([
    ["deletes the project folder", { act: "delete-state" }],
    ["forges a Done", { act: "forge-state", fields: { status: "Done", revision: 99 } }],
  ] as const)("S3-9 %s: nothing comes of it, and the work goes on", async (_, act) => {
    const s = scene();
    const result = await s.play({ english: [english, act], german: [german, act] });
    expect(s.judge(result, BOTH)).toEqual(ends(0, "Done", ["english", "german"]));
    const folder = join(s.root, "agents/stint/projects", s.state().slug);
    const copy = JSON.parse(readFileSync(join(folder, "state.json"), "utf8")) as object;
    expect(copy).toMatchObject({ status: "Done", revision: s.state().revision });
    expect((await s.say("verify")).code).toBe(0);
  });

  it("S3-22 forges a Done and does nothing: not done", async () => {
    const s = scene({ config: ONE_ATTEMPT });
    const result = await s.play({
      english: [{ act: "forge-state", fields: { status: "Done", revision: 99 } }, flip, marker],
    });
    expect(s.judge(result)).toEqual(ends(4, "Blocked", []));
  });

  it.each(["auto", "off"])(
    "S3-5 starts a run of the same project inside its session (isolation %s): refused with exit code 6",
    async (isolation) => {
      const s = scene();
      const again = `"${process.execPath}" "${STINT}" run prompt.md --agent scripted; echo $? > "${s.path}/inner.log"`;
      const result = await s.play(
        { english: [{ act: "run", command: again }, english], german: [german] },
        "--isolation",
        isolation,
      );
      expect(s.judge(result, BOTH)).toEqual(ends(0, "Done", ["english", "german"]));
      expect(s.read("../inner.log")).toBe("6\n");
    },
  );

  it("deletes the project folder first and then starts a run: refused all the same", async () => {
    const s = scene();
    const again = `rm -rf agents; "${process.execPath}" "${STINT}" run prompt.md --agent scripted; echo $? > ../inner.log`;
    const result = await s.play({
      english: [{ act: "run", command: again }, english],
      german: [german],
    });
    expect(s.judge(result, BOTH)).toEqual(ends(0, "Done", ["english", "german"]));
    expect(s.read("../inner.log")).toBe("6\n");
  });
});

/** What of a repository a delivery never touches: other refs, configuration, hooks, stash, links. */
function repositoryOf(s: Scenario): object {
  const refs = s.git("for-each-ref", "--format=%(refname) %(objectname)").split("\n");
  return {
    refs: refs.filter((line) => !/^refs\/(heads\/(main|stint\/)|notes\/stint |stint\/)/.test(line)),
    config: s.read(".git/config"),
    hooks: readdirSync(join(s.root, ".git/hooks")),
    stash: s.git("stash", "list"),
    unreachable: s.git("fsck", "--no-progress", "--no-dangling", "--no-reflogs"),
  };
}

describe.concurrent("a session that is careless with git", () => {
  const sh = (command: string): Act => ({ act: "run", command: `${command} >/dev/null 2>&1 || true` });

  it.each([
    ["cleans", ["git clean -fdxq"]],
    ["stashes everything and drops it", ["git stash -u -q", "git stash drop -q", "git stash clear"]],
    ["deletes branches and tags", ["git branch -q -D idea main", "git tag -d v1"]],
    ["amends the person's commit", ["git commit -q --amend --allow-empty -m 'Mine now'"]],
    ["switches the branch and back", ["git switch -q -c other", "echo x > g", "git add g", "git commit -qm Garbage", "git switch -q -"]],
    ["throws away what nothing names", ["git reflog expire --expire=now --all", "git gc -q --prune=now"]],
    ["deletes the repository", ["rm -rf .git"]],
    ["begins another", ["rm -rf .git", "git init -q"]],
    ["hides its changes", ["touch hello.txt", "git add -A", "git update-index --skip-worktree hello.txt prompt.md", "git update-index --assume-unchanged one.txt"]],
    ["says that the files are elsewhere", ["git config core.worktree /", "git config core.bare true"]],
    ["pushes over everything", ["git push -q -f --all", "git push -q -f . HEAD:main"]],
    ["stages everything", ["git add -A -f"]],
    ["leaves locks", ["touch .git/index.lock .git/HEAD.lock .git/refs/heads/main.lock"]],
    ["deletes a person's untracked files", ["rm -rf mine.txt drafts"]],
  ])("%s: its work counts, and the person's repository is as it was", async (_, commands) => {
    const s = scene();
    s.git("branch", "idea", "HEAD~1");
    s.git("tag", "v1", s.git("commit-tree", "-m", "held by a tag", "HEAD^{tree}").trim());
    s.write("one.txt", "stashed\n");
    s.git("stash", "push", "-q", "one.txt");
    s.write("one.txt", "one, staged\n");
    s.git("add", "one.txt");
    s.write("two.txt", "two, not staged\n");
    const before = repositoryOf(s);
    const result = await s.play({
      english: [...commands.map(sh), english],
      german: [...commands.map(sh), german],
    });
    expect(s.judge(result, BOTH)).toEqual(ends(0, "Done", ["english", "german"]));
    expect(repositoryOf(s)).toEqual(before);
    expect(s.git("log", "--format=%s")).toBe(
      "german: Write hallo.txt\nenglish: Write hello.txt\nthe second commit\nthe first commit\n",
    );
    expect(s.git("diff", "--name-only", "HEAD~2", "HEAD")).toBe("hallo.txt\nhello.txt\nprompt.md\n");
  });

  it("makes commits of its own: they become one, which says what they said", async () => {
    const s = scene();
    const commit = (message: string): Act => ({ act: "commit", message, paths: ["."] });
    const result = await s.play({
      english: [{ act: "write", path: "a.c", text: "a\n" }, commit("A first step"), english, commit("Say hello")],
      german: [german],
    });
    expect(s.judge(result, BOTH)).toEqual(ends(0, "Done", ["english", "german"]));
    expect(s.git("log", "--format=%s", "-3")).toBe(
      "german: Write hallo.txt\nenglish: Write hello.txt\nthe second commit\n",
    );
    expect(s.git("log", "-1", "--format=%b", "HEAD~1")).toMatch(/A first step[^]*Say hello/);
    expect(s.git("show", "--name-only", "--format=", "HEAD~1")).toBe("a.c\nhello.txt\nprompt.md\n");
  });

  it("resets its branch by one commit: that commit stays, and the diff shows what it undid", async () => {
    const s = scene();
    const reset: Act = { act: "git", args: ["reset", "-q", "--hard", "HEAD~1"] };
    const result = await s.play({ english: [reset, english], german: [german] });
    expect(s.judge(result, [...BOTH, "two.txt"])).toEqual(ends(0, "Done", ["english", "german"]));
    expect(s.git("log", "--format=%s", "main")).toContain("the second commit");
    expect(s.git("show", "--name-status", "--format=", "HEAD~1")).toContain("D\ttwo.txt");
  });

  it("leaves a person's staged change alone: it is still staged, and in no commit", async () => {
    const s = scene();
    s.write("one.txt", "one, staged\n");
    s.git("add", "one.txt");
    const result = await s.play({ english: [english], german: [german] });
    expect(s.judge(result, BOTH)).toEqual(ends(0, "Done", ["english", "german"]));
    expect(s.git("show", "HEAD:one.txt")).toBe("one\n");
  });

  it("changes what a person has changed and staged: the work waits, and theirs is as it was", async () => {
    const s = scene();
    s.write("one.txt", "one, staged\n");
    s.git("add", "one.txt");
    const change: Act = { act: "write", path: "one.txt", text: "overwritten\n" };
    const result = await s.play({ english: [change, english], german: [german] });
    expect(s.judge(result)).toEqual(ends(0, "Done", ["english", "german"]));
    expect(result.out).toMatch(/the work waits on stint\/prompt: .*one\.txt/);
    expect(s.git("show", "stint/prompt:one.txt")).toBe("overwritten\n");
  });

  it("S2-15 leaves a huge file and a key: verified, not committed, a person is asked", async () => {
    const s = scene();
    const result = await s.play({
      english: [
        english,
        { act: "fill", path: "huge.bin", bytes: 6_000_000 },
        { act: "write", path: ".env", text: "PASSWORD=x\n" },
      ],
    });
    expect(s.judge(result)).toEqual(ends(3, "AwaitingApproval", ["english"]));
    expect(result.out).toContain("huge.bin it is new and 5.7 MB large");
    expect(s.git("log", "--format=%s", "--branches")).not.toContain("english");
    const again = await s.play({ german: [german] });
    expect(s.judge(again)).toEqual(ends(3, "AwaitingApproval", ["english"]));
    expect((await s.say("deny", "a1", "--reason", "neither belongs there")).code).toBe(0);
    const denied = await s.play({ german: [german] });
    expect(s.judge(denied)).toEqual(ends(4, "Blocked", []));
    expect(denied.out).toContain("(neither belongs there), and now remove these files: ");
    const remove: Act = { act: "run", command: "rm huge.bin .env" };
    const gone = await s.play({ english: [[], [remove]], german: [german] }, "--retry");
    expect(s.judge(gone, BOTH)).toEqual(ends(0, "Done", ["english", "german"]));
    const brief = s.read("agents/stint/projects/prompt/logs/sessions/2/brief.md");
    expect(brief).toContain("neither belongs there");
    expect(s.git("log", "--name-only", "--format=", "main")).not.toMatch(/huge|env/);
  });

  it("S3-30 is verified, but a hook changes its files as they are committed: not Done", async () => {
    const s = scene();
    s.write(".git/hooks/pre-commit", "#!/bin/sh\nsed -i s/Hello/Hi/ hello.txt; git add hello.txt\n", 0o755);
    const works = { english: [english], german: [german] };
    const result = await s.play(works);
    expect(s.judge(result, BOTH)).toEqual(ends(4, "Blocked", []));
    expect(result.out).toContain("a git hook changed the files");
    expect(result.out).toContain("Next: fix the cause");
    const again = await s.play(works);
    expect(s.judge(again)).toEqual(ends(4, "Blocked", []));
    expect(s.git("log", "-1", "--format=%s", "--branches")).toBe("the second commit\n");
    s.write(".git/hooks/pre-commit", "#!/bin/sh\n", 0o755);
    const mended = await s.play(works, "--retry");
    expect(s.judge(mended, BOTH)).toEqual(ends(0, "Done", ["english", "german"]));
    expect(s.git("show", "HEAD:prompt.md")).toContain("[x] english");
  });

  it.each(["copy", "in-place"])(
    "is verified, but a hook refuses it: the commit that a retry makes has its box (%s)",
    async (workspace) => {
      const s = scene();
      s.write(".git/hooks/pre-commit", "#!/bin/sh\nexit 1\n", 0o755);
      const works = { english: [english], german: [german] };
      const refused = await s.play(works, "--workspace", workspace);
      expect(refused.out).toContain("verified but could not be committed");
      s.write(".git/hooks/pre-commit", "#!/bin/sh\n", 0o755);
      expect(await s.play(works, "--retry")).toMatchObject({ code: 0 });
      const box = s.git("log", "--format=", "--grep=Stint-Task: t1", "-p", "--", "prompt.md");
      expect(box).toMatch(/^\+- \[x\] english/m);
      expect(s.git("status", "--porcelain", "--untracked-files=no")).toBe("");
    },
  );

  it("S2-10 S2-11 changes more files than it may: said and written down, and its work counts", async () => {
    const s = scene();
    const many = ["a", "b", "c", "d"].map((name): Act => ({ act: "write", path: name, text: name }));
    const result = await s.play({ english: [english, ...many], german: [german] });
    expect(s.judge(result, BOTH)).toEqual(ends(0, "Done", ["english", "german"]));
    expect(result.out).toContain("session 1 went beyond its limits: 5 new files, the limit is 3");
    expect(s.journal()).toContain("session 2: 1 file changed (limit 8), 1 new file (limit 3)");
  });

  it("S2-13 changes more files than it may where limits are strict: a person is asked first", async () => {
    const s = scene({ manifest: `---\nlimits: strict\n---\n\n${TWO_TASKS}` });
    const many = ["a", "b", "c"].map((name): Act => ({ act: "write", path: name, text: name }));
    const result = await s.play({ english: [english, ...many, flip] });
    expect(s.judge(result, BOTH)).toEqual(ends(3, "AwaitingApproval", []));
    expect(result.out).toContain("4 new files, the limit is 3");
  });
});

describe.concurrent.each(["auto", "off"])("a session as a process, isolation %s", (isolation) => {
  const off = ["--isolation", isolation];

  it("hangs silently: ended after the idle time", async () => {
    const s = scene({ config: `${ONE_ATTEMPT}timeouts: { idle: 1s, kill: 1s }\n` });
    const result = await s.play({ english: [{ act: "hang" }] }, ...off);
    expect(s.judge(result)).toEqual(ends(4, "Blocked", []));
    expect(s.journal()).toContain("session 1 timed out: it was silent for 1s");
  });

  it("chatters for ever: ended after the whole time", async () => {
    const s = scene({ config: `${ONE_ATTEMPT}timeouts: { session: 2s, kill: 1s }\n` });
    const result = await s.play({ english: [{ act: "chatter", everyMs: 50 }] }, ...off);
    expect(s.judge(result)).toEqual(ends(4, "Blocked", []));
    expect(s.journal()).toContain("session 1 timed out: it took longer than 2s");
  });

  it("never exits after its result and ignores SIGTERM: ended, its work counts", async () => {
    const s = scene({ config: "timeouts: { grace: 1s, kill: 1s }\n" });
    const stay: Act[] = [{ act: "ignore-sigterm" }, english, { act: "hang-after-result" }];
    const result = await s.play({ english: stay, german: [german] }, ...off);
    expect(s.judge(result, BOTH)).toEqual(ends(0, "Done", ["english", "german"]));
  });

  it("leaves a background child: ended with the session, its work counts", async () => {
    const s = scene();
    const child: Act = { act: "background", command: "exec sleep 600" };
    const result = await s.play({ english: [child, english], german: [child, german] }, ...off);
    expect(s.judge(result, BOTH)).toEqual(ends(0, "Done", ["english", "german"]));
  });

  it.runIf(isolation === "off")("sends SIGTERM to its run: paused, work remains", async () => {
    const s = scene();
    const script = {
      english: [[{ act: "kill-parent", signal: "SIGTERM" }, { act: "hang" }], [english]],
      german: [german],
    };
    const first = await s.play(script, ...off);
    expect(s.judge(first)).toEqual(ends(1, "Paused", []));
    const result = await s.play(script, ...off);
    expect(s.judge(result, BOTH)).toEqual(ends(0, "Done", ["english", "german"]));
  });

  it("kills itself after its work: the checks decide", async () => {
    const s = scene();
    const result = await s.play({ english: [english, { act: "die" }], german: [german] }, ...off);
    expect(s.judge(result, BOTH)).toEqual(ends(0, "Done", ["english", "german"]));
  });

  it("S3-9 kills its parent: the next run goes on, nothing is counted twice", async () => {
    const s = scene();
    const script = {
      english: [[{ act: "kill-parent" }, { act: "sleep", ms: 50 }], [english]],
      german: [german],
    };
    const first = await s.play(script, ...off);
    // Without a namespace the parent is the run itself.
    expect(first.signal).toBe(isolation === "off" ? "SIGKILL" : null);
    expect(first.state.status === "Done").toBe(first.code === 0);
    const result = first.code === 0 ? first : await s.play(script, ...off);
    expect(s.judge(result, BOTH)).toEqual(ends(0, "Done", ["english", "german"]));
    expect(s.git("log", "--format=%s").split("english:")).toHaveLength(2);
  });

  it("prints 200 MB on one line and bytes that are no text: bounded, and its work counts", async () => {
    const s = scene();
    const result = await s.play(
      {
        english: [
          { act: "print", bytes: 200_000_000 },
          { act: "print", bytes: 100_000, invalid: true },
          english,
        ],
        german: [german],
      },
      ...off,
    );
    expect(s.judge(result, BOTH)).toEqual(ends(0, "Done", ["english", "german"]));
    const folder = join(s.root, "agents/stint/projects", s.state().slug, "logs/sessions/1");
    expect(statSync(join(folder, "events.jsonl")).size).toBeLessThan(51 * 1024 * 1024);
  });

  it("has a check that hangs and one that leaves a process: both are ended, the task is judged", async () => {
    const s = scene({
      config: `${ONE_ATTEMPT}timeouts: { check: 1s, kill: 1s }\n`,
      manifest: TWO_TASKS.replace("`grep -q Hello hello.txt`", "`sleep 600 & grep Hello hello.txt`")
        .replace("`grep -q Hallo hallo.txt`", "`sleep 600`"),
    });
    const result = await s.play({ english: [english], german: [german] }, ...off);
    expect(s.judge(result, BOTH)).toEqual(ends(4, "Blocked", ["english"]));
    expect(s.task("german").last_failure?.excerpt).toContain("it did not end within 1 s");
  });
});

describe.concurrent("a session that says something by its marker", () => {
  it("S0-33 writes a malformed marker after its work: the checks decide", async () => {
    const s = scene();
    const odd: Act = { act: "marker", text: "\u0000\u0001: = : ]] remaining_steps:::" };
    const result = await s.play({ english: [english, odd], german: [german] });
    expect(s.judge(result, BOTH)).toEqual(ends(0, "Done", ["english", "german"]));
  });

  it("asks a question: a person is awaited, the question is shown, no attempt is lost", async () => {
    const s = scene();
    const ask: Act = { act: "marker", keys: { question: "Which greeting, formal or not?" } };
    const result = await s.play({ english: [ask] });
    expect(s.judge(result)).toEqual(ends(3, "AwaitingApproval", []));
    expect(result.out).toContain("Which greeting, formal or not?");
    expect(s.task("english").extra_attempts).toBe(1);
  });

  it("S2-15 asks for an approval: a person is awaited, what for is shown", async () => {
    const s = scene();
    const ask: Act = { act: "marker", keys: { approval_required: "drop the old table" } };
    const result = await s.play({ english: [ask] });
    expect(s.judge(result)).toEqual(ends(3, "AwaitingApproval", []));
    expect(result.out).toContain("drop the old table");
  });

  it("S0-27 S0-31 says that the task cannot be done: blocked with its reason, at once", async () => {
    const s = scene();
    const cannot: Act = { act: "marker", keys: { reason: "there is no such API" } };
    const result = await s.play({ english: [cannot] });
    expect(s.judge(result)).toEqual(ends(4, "Blocked", []));
    expect(s.task("english").attempts).toBe(1);
    expect(result.out).toContain("there is no such API");
  });
});

describe.concurrent("a task that a person must approve", () => {
  it("before it starts: nothing is started, a person is awaited", async () => {
    const manifest = TWO_TASKS.replace("  - check: `grep -q Hello", "  - approve: before\n$&");
    const s = scene({ manifest });
    const result = await s.play({ english: [english] });
    expect(s.judge(result)).toEqual(ends(3, "AwaitingApproval", []));
    expect(s.state().counters.sessions).toBe(0);
    expect(result.out).toContain("needs your yes before it starts");
  });

  it("after it ended: its checks pass, its box stays open, a person is awaited", async () => {
    const manifest = TWO_TASKS.replace("  - check: `grep -q Hello", "  - approve: after\n$&");
    const s = scene({ manifest });
    const result = await s.play({ english: [english, flip, marker] });
    expect(s.judge(result, BOTH)).toEqual(ends(3, "AwaitingApproval", []));
    expect(s.state().counters.sessions).toBe(1);
  });
});

describe.concurrent("the environment", () => {
  it("of sessions, checks and acts is what the settings allow, where they name it", async () => {
    const told = "`test \"$GREETING.$AWS_REGION.$TOKEN_OF_MINE\" = Hello.eu. -a -e hallo.txt`";
    const manifest = TWO_TASKS.replace("`grep -q Hallo hallo.txt`", told);
    const act = "- [ ] act - Write it down\n  - run: `printenv > ../act.log`\n";
    const s = scene({
      manifest: `${manifest}${act}`,
      config: 'env: { allow: [GREETING, "AWS_*"] }\n',
    });
    const file = join(s.path, "script.json");
    const write = { act: "run", command: "printenv > ../session.log; printenv GREETING > hello.txt" };
    writeFileSync(file, JSON.stringify({ tasks: { english: [write], german: [german] } }));
    const env = { GREETING: "Hello", AWS_REGION: "eu", TOKEN_OF_MINE: "hidden" };
    const result = await s.runWith({ env }, "--agent", `scripted:${file}`);
    expect(result.state.status).toBe("Done");
    for (const log of [s.read("../session.log"), s.read("../act.log")]) {
      expect(log).toMatch(/^GREETING=Hello$/m);
      expect(log).toMatch(/^STINT_RUN_ID=/m);
      expect(log).not.toContain("TOKEN_OF_MINE");
    }
  });
});

describe.concurrent("breakers", () => {
  it("S3-25 two sessions that only plan stop the task", async () => {
    const s = scene();
    const plans = appending("docs/plan.md", "one\n", "two\n", "three\n");
    const result = await s.play({ english: plans });
    expect(s.judge(result)).toEqual(ends(4, "Blocked", []));
    expect(s.task("english").attempts).toBe(2);
    expect(result.out).toContain("2 sessions in a row only planned");
  });

  it("S3-25 documents are progress where they are the task", async () => {
    const s = scene({ manifest: TWO_TASKS.replace("- [ ] german", "  - docs-only\n$&") });
    const words = appending("hello.txt", "H\n", "He\n", "Hello\n");
    const result = await s.play({ english: words, german: [german] });
    expect(s.judge(result, BOTH)).toEqual(ends(0, "Done", ["english", "german"]));
    expect(s.task("english").attempts).toBe(3);
  });

  it("S3-25 a check that turned green is progress, also where only documents changed", async () => {
    const more = "  - check: file a.md\n  - check: file b.md\n  - check: file c.md\n";
    const s = scene({ manifest: TWO_TASKS.replace("- [ ] german", `${more}- [ ] german`) });
    const page = (name: string): Act[] => [{ act: "write", path: `${name}.md`, text: "page\n" }];
    const last = [...page("c"), english];
    const result = await s.play({ english: [page("a"), page("b"), last], german: [german] });
    expect(result.out).not.toContain("only planned");
    expect(result.state.status).toBe("Done");
  });

  it("the same failure three times stops the task, however many attempts are left", async () => {
    const s = scene({ config: "attempts_per_task: 9\n" });
    const result = await s.play({ english: appending("hello.c", "a", "b", "c", "d") });
    expect(s.judge(result, ["hello.txt"])).toEqual(ends(4, "Blocked", []));
    expect(s.task("english").attempts).toBe(3);
    expect(result.out).toContain("the same failure came 3 times in a row");
  });

  it("three attempts are all there are, however each of them fails", async () => {
    const s = scene({
      manifest: TWO_TASKS.replace("`grep -q Hello hello.txt`", "`cat hello.c; false`"),
    });
    const result = await s.play({ english: appending("hello.c", "alpha\n", "beta\n", "gamma\n") });
    expect(s.judge(result, ["hello.txt"])).toEqual(ends(4, "Blocked", []));
    expect(s.task("english").attempts).toBe(3);
    expect(result.out).toContain("used its 3 attempts");
  });

  it("S0-3 a person takes a blocked task out of the manifest and runs again: the rest is done", async () => {
    const s = scene({ config: ONE_ATTEMPT });
    const script = { german: [german] };
    const first = await s.play(script);
    expect(s.judge(first)).toEqual(ends(4, "Blocked", []));
    s.write("prompt.md", TWO_TASKS.replace(/- \[ \] english[^]*?(?=- \[ \] german)/, ""));
    const result = await s.play(script);
    // What the person took out of their file, and did not commit, is theirs to commit.
    const manifest = "not committed";
    expect(s.judge(result, BOTH)).toEqual({ ...ends(0, "Done", ["german"]), manifest });
    expect(s.git("diff", "--", "prompt.md")).not.toMatch(/^\+[^+]/m);
  });

  it("S3-6 a blocked task does not hold up an independent one, and what it left is kept", async () => {
    const s = scene({ config: ONE_ATTEMPT, manifest: `${TWO_TASKS}  - after: none\n` });
    const result = await s.play({
      english: [{ act: "write", path: "half.txt", text: "half\n" }],
      german: [german],
    });
    expect(s.judge(result, BOTH)).toEqual(ends(4, "Blocked", ["german"]));
    expect(s.kept("english", 1, "half.txt")).toBe("half\n");
    expect(s.exists("half.txt")).toBe(false);
    expect(s.git("show", "--name-only", "--format=", "HEAD")).toBe("hallo.txt\nprompt.md\n");
  });
});

describe.concurrent("a batch", () => {
  const three = `${TWO_TASKS}- [ ] french - Write salut.txt\n  - check: \`grep -q Salut salut.txt\`\n`;
  const french: Act = { act: "write", path: "salut.txt", text: "Salut\n" };
  const all: Act = { act: "flip-box", which: "all" };
  const touched = [...BOTH, "salut.txt"];

  it("S2-9 of two takes two tasks in one session and finishes them in one commit", async () => {
    const s = scene({ manifest: three });
    const script = { english: [english, german], french: [french] };
    const result = await s.play(script, "--session", "batch:2");
    const done = ["english", "german", "french"];
    expect(s.judge(result, touched)).toEqual(ends(0, "Done", done));
    expect(s.state().counters.sessions).toBe(2);
    expect(s.git("log", "-1", "--format=%(trailers:key=Stint-Task)", "HEAD~1").trim()).toBe(
      "Stint-Task: t1\nStint-Task: t2",
    );
  });

  it.each([
    ["has no check", ""],
    ["has a check that passed before", "  - check: `test -f one.txt`\n"],
    ["has the same check", "  - check: `grep -q Hello hello.txt`\n"],
  ])("holds no task that %s: what was done for another one is no proof", async (_, check) => {
    const other = `- [ ] british - Say it the British way\n${check}`;
    const s = scene({ manifest: TWO_TASKS.replace("- [ ] german", `${other}- [ ] german`) });
    const script = { english: [english, german, all, marker] };
    const result = await s.play(script, "--session", "batch:3");
    expect(s.judge(result, BOTH)).toEqual(ends(4, "Blocked", ["english"]));
    expect(s.task("british").attempts).toBe(3);
  });

  it("stops at the first failure: that task costs one attempt, later ones none, no box is false", async () => {
    const s = scene({ manifest: three, config: ONE_ATTEMPT });
    const script = { english: [english, french, all, marker] };
    const result = await s.play(script, "--session", "batch:3");
    expect(s.judge(result, touched)).toEqual(ends(4, "Blocked", ["english"]));
    expect(["english", "german", "french"].map((name) => s.task(name).attempts)).toEqual([1, 1, 0]);
  });
});

describe.concurrent("a session that spills", () => {
  it("writes secrets to its output and its marker: none is kept", async () => {
    const s = scene({ config: 'env: { allow: ["*", DEPLOY_TOKEN] }\n' });
    const secret = "hunter2-correct-horse";
    const agent = s.program(
      "spill.sh",
      `#!/bin/sh
echo "token $DEPLOY_TOKEN"; echo "err $DEPLOY_TOKEN" >&2; echo "ghp_0123456789abcdefghijABCDEFGHIJ0123"
printf 'question: is %s right?\\n' "$DEPLOY_TOKEN" > .agent_iteration_done
`,
    );
    const options = { env: { DEPLOY_TOKEN: secret } };
    const result = await s.runWith(options, "--agent", `command:${agent}`);
    expect(s.judge(result)).toEqual(ends(3, "AwaitingApproval", []));
    const folder = join(s.root, "agents");
    const found = filesBelow(folder)
      .concat(filesBelow(join(s.path, "state")))
      .filter((file) => /hunter2|ghp_0123/.test(readFileSync(file, "latin1")));
    expect(found).toEqual([]);
    expect(result.out).not.toContain(secret);
  });

  it("fills the log until the system refuses: the log ends, the session goes on", async () => {
    const s = scene();
    const file = s.program(
      "flood.sh",
      `#!/bin/sh
head -c 3000000 /dev/zero | tr '\\0' 'x'
case "$STINT_TASK_NAME" in english) echo Hello > hello.txt ;; *) echo Hallo > hallo.txt ;; esac
`,
    );
    // Blocks of 512 bytes in most shells: one or two megabytes.
    const options = { limit: "ulimit -f 2048" };
    const result = await s.runWith(options, "--agent", `command:${file}`);
    expect(s.judge(result, BOTH)).toEqual(ends(0, "Done", ["english", "german"]));
  });

  it("works on a task whose title is full of shell: nothing of it is executed", async () => {
    const title = "english - Write $(touch pwned) `touch pwned2`; rm -rf * & \"quoted\" 'single' > x | y \\\\";
    const s = scene({ manifest: TWO_TASKS.replace("english - Write hello.txt", title) });
    const result = await s.play({ t1: [english], german: [german] });
    expect(s.judge(result, BOTH)).toEqual(ends(0, "Done", [s.state().tasks[0]?.name ?? "", "german"]));
    expect(readdirSync(s.root).filter((name) => name.startsWith("pwned"))).toEqual([]);
    expect(s.git("log", "--format=%s")).toContain("$(touch pwned)");
  });
});

function filesBelow(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}
