import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CommandLineBench, TWO_TASKS } from "../../test/support/command-line.ts";
import { git } from "../../test/support/git.ts";
import { lintView, planView } from "../core/schema/views.ts";

let bench: CommandLineBench;

beforeEach(() => {
  bench = new CommandLineBench();
  bench.write("prompt.md");
});
afterEach(() => bench.close());

async function planned(...words: string[]) {
  const { out } = await bench.run("plan", "prompt.md", ...words, "--json");
  return planView.parse(JSON.parse(out));
}

describe("without a manifest", () => {
  const NONE = "has no project\n  Create one: stint new <manifest.md>; or name one: stint list";

  it.each(["lint", "plan", "new", "run"])("%s takes prompt.md of this folder", async (verb) => {
    const words = verb === "run" ? ["--agent", "command:false", "--sessions", "1"] : [];
    const { out, err } = await bench.run(verb, ...words);
    expect(err).toBe("");
    expect(out).toContain("prompt");
  });

  it("lint and plan take the manifest of the project, once there is one", async () => {
    bench.write("work/other.md");
    await bench.run("new", "work/other.md");
    expect((await bench.run("lint")).out).toContain("work/other.md");
    expect((await bench.run("plan")).out).toContain("Manifest: work/other.md");
    const { out } = await bench.runWith({ cwd: join(bench.root, "work") }, "lint");
    expect(out).toContain("other.md");
  });

  it("resume does not create a project", async () => {
    const { code, err } = await bench.run("resume");
    expect(code).toBe(2);
    expect(err).toContain("has no project\n  Create it: stint new prompt.md");
  });

  it.each(["lint", "plan", "run"])("%s says what to do where there is none", async (verb) => {
    rmSync(join(bench.root, "prompt.md"));
    const { code, err } = await bench.run(verb);
    expect([code, err]).toEqual([2, `stint: ${bench.root} ${NONE}`]);
  });
});

describe("a plan with options of run", () => {
  it("shows the agents that sessions would be started with", async () => {
    expect((await planned()).agents).toEqual(["claude"]);
    const words = ["--agent", "codex", "--fallback", "gemini"];
    expect((await planned(...words)).agents).toEqual(["codex", "gemini"]);
    expect((await bench.run("plan", "prompt.md", ...words)).out).toContain(
      "\n  Agent: codex, gemini\n",
    );
  });

  it("refuses what run would refuse", async () => {
    for (const words of [
      ["--agent", "nobody"],
      ["--session", "batch:9"],
      ["--parallel", "2", "--session", "batch:2"],
      ["--parallel", "2", "--in-place"],
      ["--parallel", "none"],
      ["--deliver", "elsewhere"],
      ["--workspace", "copy", "--in-place"],
      ["--in-place", "--include-changes"],
    ]) {
      const { code, err } = await bench.run("plan", "prompt.md", ...words);
      expect([code, err]).toEqual([2, expect.stringMatching(/^stint: .*\n {2}/)]);
      expect((await bench.run("run", "prompt.md", ...words)).err).toBe(err);
    }
    // Refused before anything is made, too.
    expect(JSON.parse((await bench.run("list", "--json")).out)).toEqual({
      projects: [],
      damaged: [],
    });
    expect(existsSync(join(bench.root, "agents"))).toBe(false);
  });

  it("shows where sessions would work, and where their work would go", async () => {
    expect(await planned("--in-place")).toMatchObject({
      workspace: { kind: "in-place" },
      delivery: { kind: "in-place" },
    });
    expect(await planned("--workspace", "own-path", "--deliver", "branch")).toMatchObject({
      workspace: { kind: "own-copy", shown_at: "own-path" },
      delivery: { deliver: "branch", kind: "wait" },
    });
    const { least } = (await planned()).sessions;
    expect(least).toBe(2);
    expect((await planned("--session", "batch:2")).sessions.least).toBe(1);
  });

  it("shows the waves of sessions beside each other and the longest path, and neither without", async () => {
    bench.write(
      "prompt.md",
      "# Goal\n\nGo.\n\n# Steps\n\n- [ ] One\n  - after: none\n- [ ] Two\n  - after: none\n- [ ] Three\n  - after: one, two\n",
    );
    const words = ["--parallel", "2"];
    expect((await planned(...words)).parallel).toEqual({
      sessions: 2,
      waves: [["t1", "t2"], ["t3"]],
      longest: ["t1", "t3"],
    });
    expect((await bench.run("plan", "prompt.md", ...words)).out).toContain(
      "\n  In parallel: at most 2 sessions; 2 waves if all take equally long\n  Wave 1: t1, t2\n  Wave 2: t3\n  Longest path: 2 tasks: t1 → t3\n",
    );
    expect((await planned()).parallel).toBeUndefined();
    expect((await bench.run("plan", "prompt.md")).out).not.toContain("Wave");
  });

  it("shows whether anything would be pushed", async () => {
    git(bench.root, "remote", "add", "origin", "https://example.com/x.git");
    expect((await planned("--push", "auto")).delivery.push).not.toBeNull();
    expect((await planned("--no-push")).delivery.push).toBe(
      (await planned("--push", "never")).delivery.push,
    );
  });

  it("knows that uncommitted files are seen where they are included, and ignored ones are not", async () => {
    bench.write(".gitignore", "secret.csv\n");
    bench.write("in.csv", "1");
    bench.write("secret.csv", "2");
    bench.write(
      "prompt.md",
      "## Goal\nSum.\n\n## Steps\n- [ ] sum - Sum it\n  - check: `cat in.csv secret.csv`\n- [ ] two - Again\n",
    );
    expect((await planned()).workspace.unseen).toEqual(["in.csv", "secret.csv"]);
    const { workspace } = await planned("--include-changes");
    expect([workspace.unseen, workspace.includes_changes]).toEqual([["secret.csv"], true]);
    const { out } = await bench.run("plan", "prompt.md", "--include-changes");
    expect(out).toContain("a copy of your changes in ");
  });

  it("says the command that does what was shown", async () => {
    const { project } = await planned();
    const words = ["--agent", "command:./a b", "--in-place", "--deliver", "ask", "--no-push"];
    expect((await planned(...words)).next).toEqual([
      `stint run ${project.id} --agent 'command:./a b' --in-place --deliver ask --push never`,
    ]);
  });

  it("shows what the run before chose, where it would be resumed", async () => {
    const played = ["--agent", "scripted", "--in-place", "--sessions", "1"];
    await bench.run("run", "prompt.md", ...played);
    const { agents, workspace, next, project } = await planned();
    expect([agents, workspace.kind, next]).toEqual([
      ["scripted"],
      "in-place",
      [`stint resume ${project.id}`],
    ]);
  });

  it("calls nothing running that no run works on", async () => {
    bench.write(
      "gate.md",
      TWO_TASKS.replace("- [ ] ", "- [ ] first - ").replace(
        "\n  - check",
        "\n  - approve: before\n  - check",
      ),
    );
    expect((await bench.run("run", "gate.md", "--agent", "command:false")).code).toBe(3);
    await bench.run("approve", "a1");
    const { out } = await bench.run("plan", "gate.md");
    expect(out.split("\n")[0]).toMatch(
      /  Ready to continue: approved by \w+ at \w{3} \d+ \w{3}, \d\d:\d\d$/,
    );
    // As everywhere, a time is told as a person reads a clock.
    const again = await bench.run("approve", "a1");
    expect(again.out).toMatch(/a1 was granted by \w+ at \w{3} \d+ \w{3}, \d\d:\d\d;/);
    const refused = await bench.run("deny", "a1", "--reason", "no");
    expect(refused.err).toMatch(/a1 was granted by \w+ at \w{3} \d+ \w{3}, \d\d:\d\d;/);
  });
});

it("a box that was checked before is shown as marked by a person, with its checks or without", async () => {
  bench.write(
    "prompt.md",
    "# Goal\n\nGo.\n\n# Steps\n\n- [x] One\n- [x] Two\n  - check: file two.txt\n- [ ] Three\n",
  );
  const { out } = await bench.run("plan", "prompt.md");
  const marked = "marked by a person, not verified by Stint";
  expect(out).toContain(`  t1 done  One\n      ${marked}\n`);
  expect(out).toContain(`  t2 done  Two\n      check: file two.txt exists\n      ${marked}\n`);
  expect(out).toContain("  t3 pending  Three\n      no check: weakly verified");
  expect((await planned()).tasks.map((task) => task.marked)).toEqual([true, true, undefined]);
});

describe("delegated work", () => {
  const DELEGATED = `# Goal

Go.

# Steps

- [ ] logo - Draw the logo
  - delegate: the design team
  - returns: file logo.svg
  - check: file logo.svg
- [ ] film - Render the film
  - delegate: \`make film\`
  - check: file film.mp4
`;

  it("is shown with who does it, by what it comes back, and the commands that it takes", async () => {
    bench.write("prompt.md", DELEGATED);
    const { tasks, commands, agents } = await planned();
    expect(tasks.map(({ delegated }) => delegated)).toEqual([
      "the design team; back by file logo.svg",
      "`make film`, in its own lane",
    ]);
    expect(commands.map(({ command }) => command)).toEqual(["make film"]);
    expect(agents).toEqual(["command:sh -c 'make film'"]);
  });

  it("to a name that is no agent's says what to write, before anything is begun", async () => {
    bench.write(
      "prompt.md",
      DELEGATED.replace("the design team", "codx").replace(/.*returns.*\n/, ""),
    );
    const linted = await bench.run("lint", "prompt.md");
    expect(linted.out).toContain(
      'there is no agent "codx" (did you mean codex?); somebody outside needs a returns: [unknown-delegate]',
    );
    const run = await bench.run("run", "prompt.md");
    expect([run.code, run.err]).toEqual([2, expect.stringContaining("no project was created")]);
  });
});

describe("an agent that nobody has", () => {
  const FRONT = "---\nagent: cluade\n---\n";
  const WRONG =
    'prompt.md:2: error: there is no agent "cluade" (did you mean claude?) [unknown-agent]';

  it("in the front matter is an error of lint", async () => {
    bench.write("prompt.md", `${FRONT}${TWO_TASKS}`);
    const { code, out } = await bench.run("lint", "prompt.md");
    expect([code, out]).toEqual([2, expect.stringContaining(WRONG)]);
    expect(out).toContain("\n    found: agent: cluade\n    write: agent: claude\n");
  });

  it.each(["new", "plan", "run"])("is refused by %s before anything is written", async (verb) => {
    bench.write("prompt.md", `${FRONT}${TWO_TASKS}`);
    const before = bench.everything();
    const { code, err } = await bench.run(verb, "prompt.md");
    expect([code, err]).toEqual([2, expect.stringContaining(WRONG)]);
    expect(bench.everything()).toEqual(before);
  });

  it.each([
    ["agent: cluade", "agent"],
    ["agents: [codex, cluade]", "agents"],
  ])("in stint.config.yaml as %s is refused with the file and the key", async (line, key) => {
    bench.write("stint.config.yaml", `${line}\n`);
    const before = bench.everything();
    for (const verb of ["lint", "new", "plan", "run"]) {
      const { code, err } = await bench.run(verb, "prompt.md");
      expect([code, err]).toEqual([
        2,
        expect.stringContaining(
          `stint: stint.config.yaml: ${key}: There is no agent "cluade"; did you mean "claude"?`,
        ),
      ]);
    }
    expect(bench.everything()).toEqual(before);
    // Who names another one does not use it.
    expect((await planned("--agent", "codex")).agents).toEqual(["codex"]);
  });

  it.each(["acp:goose acp", "command:./agent.sh --flag", "scripted:script.json"])(
    "is not %s",
    async (agent) => {
      bench.write("stint.config.yaml", `agent: "${agent}"\n`);
      expect((await bench.run("lint", "prompt.md")).code).toBe(0);
      expect((await planned()).agents).toEqual([agent]);
    },
  );

  it("is refused in a changed manifest, by plan and by edit, and the last text stays in force", async () => {
    const { project, plan } = await planned();
    const wrong = TWO_TASKS.replace("check: file hallo.txt", "agent: cluade");
    const file = bench.write("../wrong.md", wrong);
    const edited = await bench.run("edit", project.id, "--file", file);
    expect([edited.code, edited.err]).toEqual([
      2,
      expect.stringContaining('prompt.md:10: error: there is no agent "cluade"'),
    ]);
    bench.write("prompt.md", wrong);
    const again = await bench.run("plan", "prompt.md");
    expect([again.code, again.err]).toEqual([
      2,
      expect.stringContaining('prompt.md:10: error: there is no agent "cluade"'),
    ]);
    bench.write("prompt.md");
    expect((await planned()).plan.digest).toBe(plan.digest);
  });
});

describe("all that a run would do", () => {
  const ALL = `---
setup: [npm ci]
serve: "\`npm run dev\` ready GET http://localhost:$STINT_PORT/"
---
# Goal

Go.

# Steps

- [ ] build - Write the page
  - check: \`npm test\`
- [ ] ship - Publish the package
  - run: \`npm publish\`
- [ ] Move the database
  - approve: before
  - check: \`npm test\`
- [ ] Tell the others about it
  - webhook: https://example.com/hook
- [ ] Look at the page
  - check: review
`;

  beforeEach(() => {
    bench.write("prompt.md", ALL);
    git(bench.root, "add", ".");
    git(bench.root, "commit", "-qm", "first");
    git(bench.root, "remote", "add", "origin", "https://ada:secret@example.com/x.git");
    git(bench.root, "switch", "-qc", "work");
    git(bench.root, "update-ref", "refs/remotes/origin/work", "HEAD");
    git(bench.root, "branch", "-q", "--set-upstream-to", "origin/work");
  });

  it("is told by plan: commits, push, workspace, commands under their task, names and gates", async () => {
    const view = await planned();
    const { id } = view.project;
    expect(view.delivery).toMatchObject({
      deliver: "auto",
      branch: "work",
      pushed_to: {
        remote: "origin",
        branch: "work",
        url: "https://[redacted]@example.com/x.git",
      },
    });
    expect(view.tasks.map(({ act, asked }) => [act, asked])).toEqual([
      [null, []],
      ["npm publish", ["release"]],
      [null, ["before"]],
      ["POST https://example.com/hook", []],
      [null, ["after"]],
    ]);
    expect(view.gates).toEqual({
      ahead: ["t2", "t3"],
      command: `stint approve gates ${id}`,
      later: ["the output of t5, before it is done"],
    });
    const { out } = await bench.run("plan", "prompt.md");
    for (const line of [
      "Setup: npm ci",
      "Serves: npm run dev, until GET http://localhost:$STINT_PORT/ answers",
      "Commits (deliver: auto): verified work goes to work",
      "Push: when it is verified, work is pushed to origin/work (https://[redacted]@example.com/x.git)",
      "t2 pending  ship - Publish the package\n      run: `npm publish`",
      "t3 pending  Move the database\n",
      "t4 pending  Tell the others about it\n      webhook: POST https://example.com/hook",
      "asks you: before it starts, because it is a release step",
      "Asks you: before the starts of t2, t3",
      `Approve all gates now: stint approve gates ${id}`,
      "Cannot be approved ahead: the output of t5, before it is done",
    ]) {
      expect(out).toContain(`  ${line}`);
    }
    expect(out).not.toContain("secret");
  });

  it("is told by lint, before there is a project", async () => {
    const { out } = await bench.run("lint", "prompt.md");
    expect(out.split("\n").slice(-12)).toEqual([
      "prompt.md: 5 tasks, 0 errors, 0 warnings",
      "  Commits (deliver: auto): verified work goes to work",
      "  Push: when it is verified, work is pushed to origin/work (https://[redacted]@example.com/x.git)",
      "  Workspace: a copy of the last commit",
      "  Setup: npm ci",
      "  Serves: npm run dev, until GET http://localhost:$STINT_PORT/ answers",
      "  Stint runs itself: npm publish, as task ship",
      "  Stint runs itself: POST https://example.com/hook, as task tell-the-others-about-it",
      "  Asks you: task ship, before it starts, because it is a release step",
      "  Asks you: task move-the-database, before it starts",
      "  Asks you: task look-at-the-page, about its output, before it is done",
      "  All of it: stint plan prompt.md",
    ]);
    const json = JSON.parse((await bench.run("lint", "prompt.md", "--json")).out) as unknown;
    expect(lintView.parse(json).files[0]?.foretold).toMatchObject({
      delivery: { deliver: "auto", branch: "work", pushed_to: { remote: "origin" } },
      asked: [{ task: "ship", when: "release" }, { when: "before" }, { when: "after" }],
    });
    expect(existsSync(join(bench.root, "agents"))).toBe(false);
  });

  it("in place, too, says where commits go", async () => {
    expect((await planned("--in-place")).delivery).toMatchObject({
      kind: "in-place",
      branch: "work",
      text: "verified work is in your files at once, and each task is a commit on work",
    });
  });

  it("fits 80 columns, but for what is to be copied", async () => {
    for (const verb of ["plan", "lint"]) {
      const { out } = await bench.runWith({ width: 80 }, verb, "prompt.md");
      const wide = out.split("\n").filter((line) => line.length > 80);
      expect(wide.filter((line) => !/https?:/.test(line))).toEqual([]);
    }
  });

  it("has its gates approved ahead, each for what was shown", async () => {
    const { id } = (await planned()).project;
    const { code, out } = await bench.run("approve", "gates");
    expect([code, out]).toEqual([
      0,
      expect.stringMatching(
        new RegExp(
          `^✓ ${id}: \\S+ approved the start of t2, t3 ahead; it is Draft now\\n {2}Still asked: the output of t5, before it is done\\n {2}Next: stint run ${id}`,
        ),
      ),
    ]);
    expect((await planned()).gates).toMatchObject({ ahead: [], command: null });
    expect((await bench.run("approve", "gates")).err).toBe(
      `stint: ${id}: no task asks for a yes before it starts; there is nothing to approve ahead\n  You are asked when it is there: the output of t5, before it is done`,
    );
    bench.write("prompt.md", ALL.replace("Move the database", "Move the whole database"));
    expect((await planned()).gates.ahead).toEqual(["t3"]);
  });
});

describe("what a run would not do", () => {
  const body = "## Goal\nx\n\n## Steps\n- [ ] a\n  - check: `test -f a`\n";

  it("is an error of lint: settings that contradict each other", async () => {
    const settings = 'serve: { run: "sleep 1", ready: "http://localhost:$STINT_PORT/" }';
    bench.write("prompt.md", `---\nnetwork: loopback\n${settings}\n---\n${body}`);
    const linted = await bench.run("lint", "prompt.md");
    expect(linted.code).toBe(2);
    expect(linted.out).toContain(
      "prompt.md:2: error: serve: and network: loopback do not work together",
    );
    expect((await bench.run("plan", "prompt.md")).err).toContain("do not work together");
    bench.write("prompt.md", `---\nparallel: 2\nsession: batch:3\n---\n${body}`);
    expect((await bench.run("lint", "prompt.md")).out).toContain("[contradicting-settings]");
  });

  it("is told before: a task in the checkout, while the work before it waits", async () => {
    const act = "- [ ] install - Install it\n  - run: `true`\n  - in: checkout\n";
    bench.write("prompt.md", `---\ndeliver: branch\n---\n${body}${act}`);
    const { out } = await bench.run("lint", "prompt.md");
    expect(out).toContain("prompt.md:12: warning: this task runs in the checkout");
    const words = "task install runs in the checkout and cannot start before that";
    expect(out).toContain(words);
    expect((await planned()).delivery.text).toContain(words);
    bench.write("prompt.md", `---\ndeliver: checkout\n---\n${body}${act}`);
    expect((await bench.run("lint", "prompt.md")).out).not.toContain("cannot start");
    expect((await planned()).delivery.text).not.toContain("cannot start");
  });

  it("is shown by lint, too: a command that work is delegated to", async () => {
    const film = "- [ ] film - Make the film\n  - delegate: `make film`\n  - returns: exit\n";
    bench.write("prompt.md", `${body}${film}`);
    expect((await bench.run("lint", "prompt.md")).out).toContain(
      "Stint runs itself: `make film`, in its own lane, as task film",
    );
  });
});
