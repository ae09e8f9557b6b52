// A run, and an agent without one, on the same project one after the other: the work of each is where the other looks.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { git } from "../support/git.ts";
import { HandBench, TWO_GREETINGS } from "../support/hand-bench.ts";

let bench: HandBench;

beforeEach(() => {
  bench = new HandBench();
});
afterEach(() => bench.close());

describe("a run after an agent without one", () => {
  const WORK = "[ $STINT_TASK = t1 ] && echo Hello > hello.txt || echo Hallo > hallo.txt";
  const AGENT = ["--agent", `command:sh -c '${WORK}'`, "--plain"];

  it("goes on in its copy where the last session ended in order", async () => {
    await bench.approved();
    await bench.run("brief");
    bench.write("hello.txt", "Hello\n");
    await bench.run("done");
    expect((await bench.run("run", ...AGENT)).code).toBe(0);
    expect(bench.subjects()).toEqual(["german: Write hallo.txt", "english: Write hello.txt", "start"]);
    expect((await bench.run("verify")).code).toBe(0);
  });

  it("checks what a session in hand left, in place, before its own begins", async () => {
    await bench.approved();
    await bench.run("brief");
    bench.write("hello.txt", "Hello\n");
    const { code } = await bench.run("run", ...AGENT);
    expect([code, bench.state().tasks.map(({ attempts }) => attempts)]).toEqual([0, [1, 1]]);
    expect(git(bench.root, "status", "--porcelain")).toBe("");
    expect((await bench.run("verify")).code).toBe(0);
  });

  it("takes unfinished work into its copy, and leaves the checkout clean", async () => {
    await bench.approved();
    await bench.run("brief");
    bench.write("hello.txt", "Hi\n");
    await bench.run("ask", "Which colour?");
    await bench.run("answer", "q1", "red");
    expect((await bench.run("run", ...AGENT)).code).toBe(0);
    expect(readFileSync(join(bench.root, "hello.txt"), "utf8")).toBe("Hello\n");
    expect(git(bench.root, "status", "--porcelain")).toBe("");
  });

  it("is not overtaken by a session by hand where its copy has unfinished work", async () => {
    await bench.approved();
    const asks = [
      "--agent",
      "command:sh -c 'echo Hi > hello.txt; echo question: what? > .agent_iteration_done'",
    ];
    await bench.run("run", ...asks, "--plain", "--no-wait");
    await bench.run("answer", "q1", "red");
    const { code, err } = await bench.run("brief");
    expect([code, err]).toEqual([
      2,
      expect.stringMatching(/works in a copy, and t1 has unfinished work there\n.*stint resume/),
    ]);
  });

  it("is followed by a session by hand where its copy has none and its work is delivered", async () => {
    bench.write("prompt.md", `${TWO_GREETINGS}  - approve: before\n`);
    git(bench.root, "commit", "--all", "--quiet", "--message=gate");
    await bench.approved();
    expect((await bench.run("run", ...AGENT)).code).toBe(3);
    await bench.run("approve", "a1");
    expect((await bench.run("brief")).out).toMatch(/^# Session 2 of project p-\w+: t2\n/);
    bench.write("hallo.txt", "Hallo\n");
    expect((await bench.run("done")).code).toBe(0);
    expect(bench.subjects().slice(0, 2)).toEqual(["german: Write hallo.txt", "english: Write hello.txt"]);
    expect((await bench.run("verify")).code).toBe(0);
  });
});
