// Any agent over the Agent Client Protocol, by the built executable: to Done, through every bad end, stopped and killed.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ProjectState } from "../../src/core/schema/project.ts";
import type { SessionEnd } from "../../src/core/schema/session-records.ts";
import type { StatusView } from "../../src/core/schema/views.ts";
import { BuiltStint, type Ended, ended } from "../support/built-stint.ts";
import { REPOSITORY } from "../support/generated-files.ts";
import { git } from "../support/git.ts";

const AGENT = join(REPOSITORY, "test/fixtures/programs/acp-agent.mjs");

let stint: BuiltStint;

beforeEach(() => {
  stint = new BuiltStint();
  git(stint.root, "config", "user.name", "Ada");
  git(stint.root, "config", "user.email", "ada@example.com");
  stint.write(
    "prompt.md",
    "## Goal\nSay hello.\n\n## Steps\n- [ ] hello - Write hello.txt\n  - check: `grep -qx hello hello.txt`\n",
  );
});
afterEach(() => stint.close());

function words(behaviour: string, ...more: readonly string[]): string[] {
  const spec = `acp:${process.execPath} ${AGENT} ${behaviour}`;
  return ["run", "prompt.md", "--agent", spec, "--no-wait", ...more];
}

function run(behaviour: string, ...more: readonly string[]): Ended {
  return stint.run(...words(behaviour, ...more));
}

function status(): StatusView {
  return JSON.parse(stint.run("status", "--all", "--json").out) as StatusView;
}

function sessionFile(name: string): string {
  const folder = join(stint.root, status().project.folder, "logs/sessions/1");
  return readFileSync(join(folder, name), "utf8");
}

function outcome(): SessionEnd["outcome"] {
  return (JSON.parse(sessionFile("result.json")) as SessionEnd).outcome;
}

/** Everything of a session that is alive, by the folder that its environment names. */
function alive(): readonly string[] {
  return readdirSync("/proc").filter((pid) => {
    try {
      const environment = readFileSync(`/proc/${pid}/environ`, "latin1");
      return environment.includes("STINT_RUN_ID=") && environment.includes(stint.path);
    } catch {
      return false;
    }
  });
}

async function eventually(isTrue: () => boolean): Promise<void> {
  // oxlint-disable-next-line no-await-in-loop
  while (!isTrue()) await delay(50);
}

function isAtWork(): boolean {
  try {
    return sessionFile("events.jsonl").includes("at work");
  } catch {
    return false;
  }
}

describe.each(["on", "off"])("an agent over ACP, isolation %s", (isolation) => {
  it("takes a manifest to Done, and leaves nothing running", () => {
    const said = run("background", "--isolation", isolation);
    expect(said).toMatchObject({ code: 0, err: "" });
    expect(status().status).toBe("Done");
    expect(sessionFile("events.jsonl")).toContain('"stopReason":"end_turn"');
    expect(alive()).toEqual([]);
  });

  it("is asked to cancel before it gets a signal when the run is stopped", async () => {
    const child = stint.start(...words("holds", "--isolation", isolation));
    const end = ended(child);
    await eventually(isAtWork);
    child.kill("SIGTERM");
    await end;
    // The agent's own answer, which it could not have given after a signal.
    expect(sessionFile("events.jsonl")).toContain(
      '"stopReason":"cancelled","usage":{"inputTokens":7',
    );
    expect(alive()).toEqual([]);
  });

  it("is gone after kill -9 of the run and the next one", async () => {
    const child = stint.start(...words("ignores-cancel", "--isolation", isolation));
    const end = ended(child);
    await eventually(isAtWork);
    child.kill("SIGKILL");
    await end;
    expect(stint.run("resume", "--agent", words("good")[3] ?? "", "--no-wait").code).toBe(0);
    expect(status().status).toBe("Done");
    expect(alive()).toEqual([]);
  });
});

it("waits, and spends no attempt, where the agent's model does not answer and it says nothing", () => {
  stint.write("stint.config.yaml", "timeouts: { idle: 2s }\n");
  const said = run("unanswered");
  expect(said.code).toBe(1);
  expect(outcome()).toMatchObject({ kind: "overloaded" });
  const { status: is, pause, project } = status();
  expect({ is, pause: pause?.kind }).toEqual({ is: "Paused", pause: "provider" });
  const state = readFileSync(join(stint.root, project.folder, "state.json"), "utf8");
  expect((JSON.parse(state) as ProjectState).tasks).toMatchObject([
    { attempts: 1, extra_attempts: 1 },
  ]);
  expect(alive()).toEqual([]);
});

it("spends an attempt where a tool of the agent hangs", () => {
  stint.write("stint.config.yaml", "timeouts: { idle: 2s }\n");
  run("hangs-at-work", "--sessions", "1");
  expect(outcome()).toEqual({ kind: "idle" });
});

it("says how to log in where the agent wants that first", () => {
  const said = run("auth");
  expect(said.code).toBe(4);
  expect(outcome()).toEqual({ kind: "auth-failed", reason: "Authentication required" });
  expect(said.out).toContain(`log in with ${process.execPath} itself`);
});

it("blames the agent, not the task, where it cannot be used like this", () => {
  const said = run("only-always", "--sessions", "1");
  expect(said.out).toContain("the agent cannot be used for t1 as it was started: it asks for");
  expect(said.out).toContain("--permission dangerous");
  expect(said.out).not.toContain("the session says");
  expect(outcome()).toMatchObject({ kind: "blocked", isSetup: true });
});

it("refuses a program that is not there before anything starts", () => {
  const said = stint.run("run", "prompt.md", "--agent", "acp:./nowhere --acp");
  expect(said.code).not.toBe(0);
  expect(said.err).toContain(`check that ${join(stint.root, "nowhere")} exists`);
});
