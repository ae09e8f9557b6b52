// Requests, routed by the built executable: one iteration with its six stages, also through kill -9; and a workflow
// that waits for a yes.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { LogView, StatusView } from "../../src/core/schema/views.ts";
import { BuiltStint } from "../support/built-stint.ts";
import { git } from "../support/git.ts";

let stint: BuiltStint;

beforeEach(() => {
  stint = new BuiltStint();
  git(stint.root, "config", "user.name", "Ada");
  git(stint.root, "config", "user.email", "ada@example.com");
  stint.write("README.md", "# Shop\n");
  git(stint.root, "add", "-A");
  git(stint.root, "commit", "-q", "-m", "first");
});
afterEach(() => stint.close());

const WORK = [{ act: "run", command: 'echo work >> "$(date +%s%N).txt"; echo y > done.txt' }];

function agent(acts: readonly object[] = WORK): string[] {
  const file = join(stint.path, "script.json");
  writeFileSync(file, JSON.stringify({ tasks: { "*": acts } }));
  return ["--agent", `scripted:${file}`];
}

function flow(...parts: string[]): string {
  return join(stint.path, "home/.udx/dev.kit/state/codex/workflows/repo", ...parts);
}

function stages(project: string): unknown[] {
  const { lines } = JSON.parse(stint.run("log", project, "--json").out) as LogView;
  return lines.filter(({ kind }) => kind === "stage").map(({ data }) => data?.["stage"]);
}

function status(project: string): StatusView {
  return JSON.parse(stint.run("status", project, "--json").out) as StatusView;
}

async function killedWhile(words: readonly string[], line: string): Promise<void> {
  const child = stint.start(...words);
  let out = "";
  await new Promise((resolve) => {
    child.stdout?.on("data", (text: Buffer) => {
      out += text.toString("utf8");
      if (out.includes(line)) child.kill("SIGKILL");
    });
    child.on("close", resolve);
  });
}

describe("stint iterate", () => {
  it("S2-7 S2-8 S2-24 runs an iteration at once, with six stages in order, also through kill -9", async () => {
    const request = ["iterate", "fix the greeting", "--check", "test -f done.txt"];
    const hanging = agent([{ act: "say", text: "waiting" }, { act: "hang" }]);
    await killedWhile([...request, ...hanging], "agent: waiting");
    expect(stages("fix-the-greeting")).toEqual([1, 2, 3]);
    const { code, out, err } = stint.run(...request, ...agent());
    expect([code, err]).toEqual([0, ""]);
    const { id } = status("fix-the-greeting").project;
    expect(out.trimEnd().split("\n").slice(-2)).toEqual([
      "fix-the-greeting: 1 of 1 task done in 2 sessions",
      `  Next: stint verify ${id}`,
    ]);
    const EACH_SESSION = [3, 4, 5];
    const all = [1, 2, ...EACH_SESSION, ...EACH_SESSION, 6];
    expect(stages(id)).toEqual(all);
    expect(readFileSync(flow("fix-the-greeting/iteration.md"), "utf8")).toContain("- [x] ");
    // The same request finds what is there, and does nothing of it again.
    const again = stint.run(...request, ...agent());
    expect([again.code, again.out]).toEqual([0, expect.stringContaining("1 of 1 task done")]);
    expect(status(id).tasks.map(({ attempts }) => attempts)).toEqual([2]);
    expect(stages(id)).toEqual(all);
    expect(stint.run("verify", id).code).toBe(0);
  });

  it("S2-23 S2-25 makes a workflow of several deliverables, which waits for a yes, also through kill -9", async () => {
    const words = [
      "iterate",
      "add tests, migrate the config and update the docs",
      "--task-id",
      "tidy",
    ];
    await killedWhile([...words, ...agent()], "started:");
    const asked = stint.run(...words, ...agent());
    expect(asked.code).toBe(3);
    const { project } = status("tidy");
    const path = flow("tidy/workflow.md");
    expect(asked.out).toContain(
      [
        `Workflow  ${path}`,
        "  Because: the request spans 3 distinct deliverables",
        "  add-tests           Add tests           child add-tests",
        "  migrate-the-config  Migrate the config  child migrate-the-config",
        "  update-the-docs     Update the docs     child update-the-docs",
      ].join("\n"),
    );
    expect(asked.out).toContain(`stint approve plan ${project.id}`);
    expect(asked.out.trimEnd().split("\n").at(-1)).toContain(`stint resume ${project.id}`);
    expect(status(project.id).tasks.map(({ attempts }) => attempts)).toEqual([0, 0, 0]);
    expect(stages(project.id)).toEqual([1, 6]);
    expect(asked.out).toContain(
      "\ntidy: 0 of 3 tasks done in 0 sessions, Draft: waits for an answer",
    );
    const text = readFileSync(path, "utf8");
    expect(stint.run(...words, ...agent()).code).toBe(3);
    expect(readFileSync(path, "utf8")).toBe(text);
    expect(stint.run("approve", "plan", project.id).code).toBe(0);
    const write = (file: string) => [{ act: "write", path: file, text: "made\n" }];
    const tasks = {
      "add-tests": write("shop.test.js"),
      "migrate-the-config": write("config.js"),
      "update-the-docs": write("docs/guide.md"),
    };
    writeFileSync(join(stint.path, "script.json"), JSON.stringify({ tasks }));
    const script = `scripted:${join(stint.path, "script.json")}`;
    const going = ["resume", project.id, "--agent", script];
    stint.run(...going, "--sessions", "1");
    expect(stages(project.id)).toEqual([1, 6, 2, 3, 4, 5, 6]);
    expect(stint.run(...going)).toMatchObject({ code: 0, err: "" });
    // The step itself is judged once its chunk is done.
    const [second, third] = [
      [5, 3, 4, 5],
      [5, 3, 4, 5],
    ];
    expect(stages(project.id)).toEqual([1, 6, 2, 3, 4, 5, 6, ...second, ...third, 5, 6]);
    expect(readFileSync(path, "utf8")).toBe(
      text.replaceAll("- [ ]", "- [x]").replaceAll("status: planned", "status: done"),
    );
    expect(git(stint.root, "log", "--all", "--name-only", "--format=")).not.toContain("workflow");
  });

  it("S2-16 S2-24 goes on with the unfinished iteration of the review log, and begins another after it", () => {
    const log = (...lines: string[]): void => {
      stint.write("docs/_feedback.md", ["# Review", "", ...lines, ""].join("\n"));
      git(stint.root, "add", "-A");
      git(stint.root, "commit", "-q", "-m", "review");
    };
    log("- DOC-001: Fix the greeting", "- DOC-002: Fix the farewell");
    const work = agent([{ act: "run", command: 'echo 1 > "w$(date +%s%N).js"' }]);
    const words = ["iterate", "iteration", ...work];
    expect(stint.run(...words, "--sessions", "1").code).toBe(1);
    const text = readFileSync(join(stint.root, "docs/_feedback.md"), "utf8");
    expect(text).toContain("- DOC-001: Fix the greeting (`w");
    const [, , ...lines] = text.trimEnd().split("\n");
    log("- DOC-003: Fix the rest", ...lines);
    const path = flow("iteration/iteration.md");
    const again = stint.run(...words);
    expect([again.code, again.err]).toEqual([0, ""]);
    expect(again.out).toContain(
      `continues the unfinished iteration ${path}; other open items in docs/_feedback.md come after it`,
    );
    expect(again.out).toContain("iteration: 2 of 2 tasks done in 2 sessions");
    const next = stint.run(...words);
    expect([next.code, next.err]).toEqual([0, ""]);
    expect(next.out).toContain("iteration-2: 1 of 1 task done in 1 session");
    expect(readFileSync(flow("iteration-2/iteration.md"), "utf8")).toContain("resolves: DOC-003");
    expect(stint.run(...words).out).toContain("nothing is open in docs/_feedback.md");
  });

  it("goes on with a request whose workflows lie below the root", () => {
    const words = ["iterate", "fix the greeting", "--workflow-dir", "flows"];
    const { code, out } = stint.run(...words, "--check", "test -f done.txt", ...agent());
    expect([code, out]).toEqual([0, expect.stringContaining("1 of 1 task done in 1 session")]);
    const path = "flows/fix-the-greeting/iteration.md";
    expect(readFileSync(join(stint.root, path), "utf8")).toContain("- [x] fix-the-greeting");
    expect(status("fix-the-greeting").project.manifest).toBe(path);
    expect(git(stint.root, "log", "--all", "--name-only", "--format=")).not.toContain("flows");
  });
});
