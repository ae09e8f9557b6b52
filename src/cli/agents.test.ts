import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CommandLineBench, TWO_TASKS } from "../../test/support/command-line.ts";
import type { AgentsView } from "../core/schema/views.ts";

let bench: CommandLineBench;

beforeEach(() => {
  bench = new CommandLineBench();
  bench.write("prompt.md");
});
afterEach(() => bench.close());

async function seen(name: string): Promise<AgentsView["agents"][number] | undefined> {
  const { code, out } = await bench.run("agents", "--json");
  expect(code).toBe(0);
  return (JSON.parse(out) as AgentsView).agents.find((agent) => agent.name === name);
}

/** Answers like the real program: its version, and as JSON whether somebody is logged in. */
function claudeThat(loginExit: number): string {
  const login = `echo '{ "loggedIn": ${loginExit === 0} }'; exit ${loginExit}`;
  return bench.program(
    "claude",
    `case "$1" in --version) echo "2.1.325 (Claude Code)";; auth) ${login};; *) exit 9;; esac`,
  );
}

describe("stint agents", () => {
  it("tells the program, the version and that somebody is logged in", async () => {
    const program = claudeThat(0);
    expect(await seen("claude")).toMatchObject({
      program,
      version: "2.1.325",
      login: "yes",
      is_default: true,
      next: null,
    });
  });

  it("tells how to log in, where nobody is", async () => {
    claudeThat(1);
    expect(await seen("claude")).toMatchObject({
      login: "no",
      next: "claude /login, or set ANTHROPIC_API_KEY",
    });
    const { out } = await bench.run("agents");
    expect(out).toMatch(/✓ {2}claude \(default\) +Claude Code +2\.1\.325 +not logged in +→ claude/);
  });

  it("does not guess where a program does not answer", async () => {
    bench.program("gemini", "exit 3");
    expect(await seen("gemini")).toMatchObject({ version: null, login: "unknown", next: null });
  });

  it("leaves nothing running that a program started to answer", async () => {
    bench.program("codex", "sleep 600 & echo codex-cli 0.166.0");
    expect(await seen("codex")).toMatchObject({ version: "0.166.0" });
  });
});

describe("a run whose agent is not there", () => {
  it("is refused before anything is begun, with how to get the agent", async () => {
    const { code, err } = await bench.run("run", "prompt.md", "--agent", "command:./missing.sh");
    expect(code).toBe(2);
    const program = `${bench.root}/missing.sh`;
    expect(err).toBe(
      `stint: --agent command cannot be started: the program ${program} does not exist\n  check that ${program} exists and may be executed; or use another agent: stint agents`,
    );
    const { out } = await bench.run("status", "--json");
    expect(JSON.parse(out)).toMatchObject({ status: "Draft", budget: { sessions: { used: 0 } } });
  });

  it("is refused before a session, for a task that came into the plan when all others were done", async () => {
    const agent = bench.program("writes", "echo Hello > hello.txt; echo Hallo > hallo.txt");
    const done = await bench.run("run", "prompt.md", "--agent", `command:${agent}`);
    expect(done.code).toBe(0);
    bench.write(
      "prompt.md",
      `${TWO_TASKS}- [ ] french - Write salut.txt\n  - check: file salut.txt\n`,
    );
    const { out: before } = await bench.run("status", "--json");
    const { code, err } = await bench.run("run", "prompt.md", "--agent", "command:./missing.sh");
    expect(code).toBe(2);
    expect(err).toContain(`cannot be started: the program ${bench.root}/missing.sh does not exist`);
    const { out } = await bench.run("status", "--json");
    const { budget } = JSON.parse(before) as { budget: object };
    expect(JSON.parse(out)).toMatchObject({ budget, tasks: [{}, {}, { status: "pending" }] });
  });

  it("is refused with what is wrong with its permission", async () => {
    const { code, err } = await bench.run("run", "prompt.md", "--permission", "all");
    expect(code).toBe(2);
    expect(err).toBe(
      "stint: --permission all is not a known permission\n  Use default, read-only or dangerous; what each allows: stint agents",
    );
  });
});

describe("stint doctor", () => {
  it("says which agent a run would take, and how isolated", async () => {
    claudeThat(1);
    const { code, out } = await bench.run("doctor");
    expect(code).toBe(0);
    expect(out).toContain("! Claude Code 2.1.325, not logged in; in a session: ");
    expect(out).toMatch(/[✓!] isolation by (?:bwrap|unshare|group): /);
  });

  it("lists settings that cannot be read beside everything else", async () => {
    await bench.create();
    bench.write("stint.config.yaml", "zzzzzz: 1\n");
    const { code, out } = await bench.run("doctor");
    expect(code).toBe(5);
    expect(out).toContain("✗ stint.config.yaml: unknown key zzzzzz");
    expect(out).toContain("revision 1 is whole");
  });
});
