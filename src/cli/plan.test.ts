import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CommandLineBench } from "../../test/support/command-line.ts";
import { git } from "../../test/support/git.ts";
import { planView } from "../core/schema/views.ts";

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
      "\n  Beside each other: at most 2 sessions; 2 waves if all take equally long\n  Wave 1: t1, t2\n  Wave 2: t3\n  Longest path: 2 tasks: t1 → t3\n",
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
    expect(out).toContain("a copy of the last commit and your changes in ");
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
      "`make film`, in a lane of its own",
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
    expect(run.err).toContain('t1 is delegated: There is no agent "codx"');
    expect(run.err).toContain("as: returns: message");
  });
});
