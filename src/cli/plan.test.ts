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
