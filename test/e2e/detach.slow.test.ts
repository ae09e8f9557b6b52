// A run in the background with real terminals: closed, left by Ctrl-C, and the run ended from another one.
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { DetachedView, StatusView } from "../../src/core/schema/views.ts";
import { BuiltStint, STINT } from "../support/built-stint.ts";
import { until } from "../support/children.ts";
import { git } from "../support/git.ts";
import { killQuietly } from "../support/run-scene.ts";

let stint: BuiltStint;
let terminals: ChildProcess[];
let started: number[];

beforeEach(() => {
  stint = new BuiltStint();
  terminals = [];
  started = [];
  stint.write("prompt.md");
  git(stint.root, "config", "user.name", "A");
  git(stint.root, "config", "user.email", "a@example.com");
  git(stint.root, "add", ".");
  git(stint.root, "commit", "-m", "Begin");
  // Each session waits until the gate is open.
  const wait = `while [ ! -e ${gate()} ]; do sleep 0.1; done`;
  const work = "[ ! -e hello.txt ] || touch hallo.txt\ntouch hello.txt";
  writeFileSync(join(stint.path, "agent.sh"), `#!/bin/sh\necho waiting\n${wait}\n${work}\n`, {
    mode: 0o755,
  });
});
afterEach(async () => {
  for (const { pid } of terminals) killQuietly(pid ?? 0);
  for (const pid of started) killQuietly(pid);
  await until("everything has ended", () => started.every((pid) => !isAlive(pid)));
  stint.close();
});

function gate(): string {
  return join(stint.path, "gate");
}

function isAlive(pid: number): boolean {
  try {
    // A zombie has ended.
    return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}

interface OnTerminal {
  readonly child: ChildProcess;
  said(): string;
  code(): number | null;
}

/** A shell command on a terminal of its own. */
function onTerminal(command: string): OnTerminal {
  let said = "";
  const child = spawn("script", ["-qec", command, "/dev/null"], {
    cwd: stint.root,
    env: stint.env({ TERM: "xterm", SHELL: "/bin/sh" }),
  });
  child.stdout.on("data", (text: Buffer) => (said += text.toString("utf8")));
  terminals.push(child);
  return { child, said: () => said, code: () => child.exitCode };
}

function words(...args: string[]): string {
  return [process.execPath, STINT, ...args].map((word) => `'${word}'`).join(" ");
}

const RUN = ["run", "prompt.md", "--detach", "--agent"];

function runAside(): DetachedView {
  const { out, err } = stint.run(...RUN, `command:${stint.path}/agent.sh`, "--json");
  expect(err).toBe("");
  const view = JSON.parse(out) as DetachedView;
  started.push(view.pid);
  return view;
}

function status(): StatusView {
  return JSON.parse(stint.run("status", "--json").out) as StatusView;
}

/** That of util-linux: other systems have one with other options. */
const hasTerminals = spawnSync("script", ["--version"]).status === 0;

describe.skipIf(!hasTerminals)("a run in the background", () => {
  it("survives the terminal that it was started from, and ends Done", async () => {
    const shell = join(stint.path, "shell.pid");
    const run = words(...RUN, `command:${stint.path}/agent.sh`);
    const terminal = onTerminal(`echo $$ > ${shell}; ${run}; sleep 600`);
    await until("it was started", () => terminal.said().includes("runs in the background"));
    const { pid } = status().background ?? { pid: 0 };
    started.push(pid);
    const shellPid = Number(readFileSync(shell, "utf8"));
    terminal.child.kill("SIGKILL");
    await until("the terminal is gone", () => !isAlive(shellPid));
    expect(isAlive(pid)).toBe(true);
    expect(status()).toMatchObject({ background: { pid }, lease: { held: true } });
    writeFileSync(gate(), "");
    const { code, out } = stint.run("watch");
    expect([code, out]).toEqual([0, expect.stringContaining("Done: every task is done")]);
    expect(existsSync(join(stint.root, "hallo.txt"))).toBe(true);
  });

  it("goes on when whoever watches leaves by Ctrl-C, and is stopped from elsewhere", async () => {
    const { pid, log, project_id } = runAside();
    const terminal = onTerminal(`exec ${words("watch")}`);
    await until("the live view is there", () => terminal.said().includes("waiting"));
    expect(terminal.said()).toContain("0 of 2 done");
    terminal.child.stdin?.write("\u0003");
    await until("it was left", () => terminal.code() !== null);
    expect(terminal.code()).toBe(0);
    expect(terminal.said()).toContain(`You no longer watch ${project_id}; its run continues`);
    expect([isAlive(pid), status().background?.log]).toEqual([true, log]);
    const watching = onTerminal(`exec ${words("watch")}`);
    await until("it is watched again", () => watching.said().includes("waiting"));
    expect(stint.run("stop", "--now").code).toBe(0);
    await until("the watching ends with it", () => watching.code() !== null);
    expect([watching.code(), isAlive(pid)]).toEqual([1, false]);
    expect(watching.said()).toContain("Paused");
    expect(status()).toMatchObject({ status: "Paused", background: null });
    expect(readFileSync(log, "utf8")).toContain("Paused: ");
  });

  it("that was killed is told to whoever watches, and is gone on with", async () => {
    const { pid } = runAside();
    const watching = onTerminal(`exec ${words("watch", "--plain")}`);
    await until("it is watched", () => watching.said().includes("agent: waiting"));
    process.kill(pid, "SIGKILL");
    await until("the watching ends", () => watching.code() !== null);
    expect([watching.code(), watching.said()]).toEqual([
      1,
      expect.stringContaining("The run has ended."),
    ]);
    writeFileSync(gate(), "");
    const resumed = stint.run("resume", "--detach", "--json");
    started.push((JSON.parse(resumed.out) as DetachedView).pid);
    const { code, out } = stint.run("watch");
    expect([code, out]).toEqual([0, expect.stringContaining("Done: every task is done")]);
  });
});
