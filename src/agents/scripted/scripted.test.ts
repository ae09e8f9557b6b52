import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type BundledProgram, bundleScriptedAgent } from "../../../test/support/scripted-agent.ts";
import { request, sessionFacts } from "../../../test/support/session-fixture.ts";
import { type TemporaryFolder, temporaryFolder } from "../../../test/support/temporary-folder.ts";
import type { Outcome } from "../agent.ts";
import { scriptedAgent } from "./scripted.ts";
import type { Act } from "./scripted-script.ts";
import { summariseEvents } from "../../../test/support/summarise-events.ts";

let bundle: BundledProgram;
let folder: TemporaryFolder;
let root: string;
const started: ChildProcess[] = [];

beforeAll(async () => {
  bundle = await bundleScriptedAgent();
});
afterAll(() => bundle.remove());
beforeEach(() => {
  folder = temporaryFolder();
  root = join(folder.path, "repo");
  mkdirSync(root);
});
afterEach(() => {
  for (const child of started.splice(0)) child.kill("SIGKILL");
  folder.remove();
});

interface Ran {
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly stdout: Buffer;
  readonly stderr: string;
  readonly outcome: Outcome;
}

describe("the scripted agent", () => {
  it("S0-2 works on files, flips its box, commits and leaves a marker", () => {
    git("init", "-q");
    writeFileSync(join(root, "prompt.md"), "# Steps\n- [ ] Add greeting\n- [ ] Other\n");
    const ran = play([
      { act: "write", path: "src/hello.txt", text: "hello" },
      { act: "append", path: "src/hello.txt", text: " world" },
      { act: "write", path: "old.txt", text: "x" },
      { act: "move", from: "old.txt", to: "new/place.txt" },
      { act: "delete", path: "new" },
      { act: "run", command: "test -f src/hello.txt" },
      { act: "flip-box", which: "own" },
      { act: "commit", message: "Add a greeting", paths: ["src", "prompt.md"] },
      { act: "marker", keys: { remaining_steps: true } },
      { act: "say", text: "done" },
    ]);
    expect(ran.outcome).toEqual({ kind: "finished" });
    expect(read("src/hello.txt")).toBe("hello world");
    expect(existsSync(join(root, "new"))).toBe(false);
    expect(read("prompt.md")).toBe("# Steps\n- [x] Add greeting\n- [ ] Other\n");
    expect(git("log", "--format=%s", "--name-only")).toBe(
      "Add a greeting\n\nprompt.md\nsrc/hello.txt\n",
    );
    expect(read(".agent_iteration_done")).toBe("remaining_steps: true\n");
  });

  it("does nothing, successfully, for a task without a script", () => {
    expect(playScript({ tasks: { other: [{ act: "exit", code: 9 }] } }).outcome.kind).toBe(
      "finished",
    );
    expect(start({ ...scripted(), args: [bundle.path] }).exitCode).toBe(0);
  });

  it("skips the rest after an exit that says all is well", () => {
    expect(play([{ act: "exit", code: 0 }, ...writing("late")]).outcome.kind).toBe("finished");
    expect(existsSync(join(root, "a"))).toBe(false);
  });

  it.each([
    [1, "first"],
    [2, "second"],
    [5, "second"],
  ])("attempt %i finds the acts of the %s list", (attempt, text) => {
    const acts = [writing("first"), writing("second")];
    playScript({ tasks: { "*": acts } }, attempt);
    expect(read("a")).toBe(text);
  });

  it("finds its task by id before its name before the star", () => {
    playScript({ tasks: { "*": writing("star"), "add-greeting": writing("name") } });
    expect(read("a")).toBe("name");
    playScript({
      tasks: { "*": writing("star"), "add-greeting": writing("name"), t2: writing("id") },
    });
    expect(read("a")).toBe("id");
  });

  it.each([
    ["other", "- [ ] Add greeting\n- [x] Two\n```\n- [ ] code\n```\n* [ ] Three\n"],
    ["all", "- [x] Add greeting\n- [x] Two\n```\n- [ ] code\n```\n* [x] Three\n"],
  ] as const)("flips boxes that are not its own: %s", (which, expected) => {
    writeFileSync(
      join(root, "prompt.md"),
      "- [ ] Add greeting\n- [ ] Two\n```\n- [ ] code\n```\n* [ ] Three\n",
    );
    play([{ act: "flip-box", which }]);
    expect(read("prompt.md")).toBe(expected);
  });

  it("edits the manifest", () => {
    writeFileSync(join(root, "prompt.md"), "# Goal\nOld.\n");
    play([{ act: "edit-manifest", replace: "Old", with: "$& New" }]);
    expect(read("prompt.md")).toBe("# Goal\n$& New.\n");
  });

  it("stays in the work tree unless it is meant to be hostile", () => {
    const refused = play([{ act: "write", path: "../out.txt", text: "x" }]);
    expect(refused.exitCode).toBe(1);
    expect(refused.stderr).toBe(
      '../out.txt leads out of the work tree; to do that on purpose, add "hostile": true to the act\n',
    );
    play([{ act: "write", path: "../out.txt", text: "x", hostile: true }]);
    expect(read("../out.txt")).toBe("x");
  });

  it("ends with the code it is told, or that of a command that failed", () => {
    expect(play([{ act: "exit", code: 7 }]).outcome).toMatchObject({
      kind: "crashed",
      exitCode: 7,
    });
    expect(play([{ act: "run", command: "exit 3" }]).exitCode).toBe(3);
    expect(play([{ act: "run", command: "exit 3", mayFail: true }]).exitCode).toBe(0);
    expect(play([{ act: "die" }]).outcome).toMatchObject({ kind: "killed" });
  });

  it("prints what no reader expects", () => {
    const ran = play([{ act: "print", bytes: 200_000, invalid: true }]);
    expect(ran.stdout.subarray(0, 200_000).every((byte) => byte === 0xff)).toBe(true);
    expect(ran.outcome).toEqual({ kind: "finished" });
  });

  it("plays the ends of other agents", () => {
    const resetAt = "2030-01-01T00:00:00.000Z";
    const limited = play([
      { act: "emit", event: { kind: "limit", resetAt } },
      {
        act: "emit",
        event: { kind: "result", ok: false, cause: "usage-limit", reason: "used up" },
      },
      { act: "exit", code: 1 },
    ]);
    expect(limited.outcome).toEqual({ kind: "usage-limited", until: resetAt, reason: "used up" });
  });

  it("deletes and forges the state it finds", () => {
    const project = join(root, "agents/stint/projects/prompt");
    mkdirSync(project, { recursive: true });
    writeFileSync(join(project, "state.json"), '{"revision":3,"status":"Running"}');
    play([{ act: "forge-state", fields: { status: "Done" } }]);
    expect(JSON.parse(read("agents/stint/projects/prompt/state.json"))).toEqual({
      revision: 3,
      status: "Done",
    });
    play([{ act: "delete-state" }]);
    expect(existsSync(project)).toBe(false);
  });

  it("fills a file", () => {
    play([{ act: "fill", path: "big", bytes: 1_500_000 }]);
    expect(readFileSync(join(root, "big"))).toHaveLength(1_500_000);
  });

  it("goes on after SIGTERM when it ignores it", async () => {
    const child = launch([{ act: "ignore-sigterm" }, { act: "chatter", everyMs: 1 }]);
    await lineWith(child, "still here, 1");
    child.kill("SIGTERM");
    await lineWith(child, "still here, 20");
    child.kill("SIGKILL");
    expect(await once(child, "exit")).toEqual([null, "SIGKILL"]);
  });

  it("is not gone after its result when it is told to stay", async () => {
    const child = launch([{ act: "hang-after-result" }]);
    await lineWith(child, '"result"');
    expect(child.exitCode).toBeNull();
    child.kill("SIGTERM");
    expect(await once(child, "exit")).toEqual([null, "SIGTERM"]);
  });

  it("kills its parent", () => {
    writeScript([{ act: "kill-parent" }]);
    const { program, args, env } = scripted();
    const parent = spawnSync("sh", ["-c", '"$0" "$@"; exit 0', program, ...args], {
      cwd: root,
      env: { ...process.env, ...env },
    });
    expect(parent.signal).toBe("SIGKILL");
  });

  it("chatters for ever", async () => {
    const child = launch([{ act: "chatter", everyMs: 1 }]);
    await lineWith(child, "still here, 5");
    child.kill("SIGKILL");
    expect(await once(child, "exit")).toEqual([null, "SIGKILL"]);
  });

  it("leaves a child behind that outlives it", () => {
    play([{ act: "background", command: "echo $$ > pid; exec sleep 600" }]);
    const pid = Number(untilWritten("pid"));
    expect(process.kill(pid, 0)).toBe(true);
    process.kill(pid, "SIGKILL");
  });

  it("says every problem of a script by its place", () => {
    const ran = playScript({
      tasks: {
        a: [{ act: "wirte", path: "x" }],
        "*": [[{ act: "write", path: 3, text: "", mode: 1 }], [{ act: "flip-box", which: "mine" }]],
      },
    });
    expect(ran.exitCode).toBe(2);
    const problems = ran.stderr
      .trim()
      .split("\n")
      .map((line) => line.replace(/^.*script\.json: /, ""));
    expect(problems[0]).toMatch(/^tasks\.a\[0\]: there is no act "wirte"; known: write, append, /);
    expect(problems.slice(1)).toEqual([
      'tasks.*[0][0]: "write" has no field "mode"',
      'tasks.*[0][0]: "write" needs path: a text',
      'tasks.*[1][0]: "flip-box" needs which: "own", "other" or "all"',
    ]);
  });

  it("says that there is no script", () => {
    expect(start({ ...scripted(), args: [bundle.path, join(root, "none.json")] })).toMatchObject({
      exitCode: 2,
    });
  });
});

function writing(text: string): readonly Act[] {
  return [{ act: "write", path: "a", text }];
}

function scripted(attempt = 1) {
  const agent = scriptedAgent({
    program: bundle.path,
    script: "script.json",
    calledFrom: folder.path,
  });
  return agent.buildCommand(request({ attempt, manifestPath: join(root, "prompt.md") }));
}

function play(acts: readonly Act[]): Ran {
  return playScript({ tasks: { "*": acts } });
}

function playScript(script: object, attempt = 1): Ran {
  writeFileSync(join(folder.path, "script.json"), JSON.stringify(script));
  return start(scripted(attempt));
}

function start({ program, args, env, stdin }: ReturnType<typeof scripted>): Ran {
  const ran = spawnSync(program, args, {
    cwd: root,
    env: { ...process.env, ...gitIdentity, ...env },
    input: stdin,
  });
  const agent = scriptedAgent({ program: bundle.path, script: undefined, calledFrom: "/" });
  const lines = ran.stdout.toString("utf8").split("\n");
  const facts = sessionFacts({
    exitCode: ran.status,
    signal: ran.signal,
    events: summariseEvents(lines.flatMap((line) => agent.readLine(line))),
  });
  return {
    exitCode: ran.status,
    signal: ran.signal,
    stdout: ran.stdout,
    stderr: ran.stderr.toString("utf8"),
    outcome: agent.outcome(facts),
  };
}

function launch(acts: readonly Act[]): ChildProcess {
  writeScript(acts);
  const { program, args, env } = scripted();
  const child = spawn(program, args, { cwd: root, env: { ...process.env, ...env } });
  started.push(child);
  return child;
}

function writeScript(acts: readonly Act[]): void {
  writeFileSync(join(folder.path, "script.json"), JSON.stringify({ tasks: { "*": acts } }));
}

async function lineWith(child: ChildProcess, text: string): Promise<void> {
  let seen = "";
  const output = child.stdout?.iterator({ destroyOnReturn: false }) ?? [];
  for await (const chunk of output) {
    seen += String(chunk);
    if (seen.includes(text)) return;
  }
  throw new Error(`${text} was never printed: ${seen}`);
}

function untilWritten(path: string): string {
  for (;;) {
    const text = existsSync(join(root, path)) ? read(path) : "";
    if (text.endsWith("\n")) return text;
  }
}

const gitIdentity = {
  GIT_AUTHOR_NAME: "Ada",
  GIT_AUTHOR_EMAIL: "ada@example.com",
  GIT_COMMITTER_NAME: "Ada",
  GIT_COMMITTER_EMAIL: "ada@example.com",
};

function git(...args: string[]): string {
  return spawnSync("git", args, { cwd: root, encoding: "utf8" }).stdout;
}

function read(path: string): string {
  return readFileSync(join(root, path), "utf8");
}
