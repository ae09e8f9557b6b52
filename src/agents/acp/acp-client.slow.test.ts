// The client with a real agent program on the other side, good and bad; and what Stint makes of each end.
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { REPOSITORY } from "../../../test/support/generated-files.ts";
import { request, sessionFacts } from "../../../test/support/session-fixture.ts";
import { summariseEvents } from "../../../test/support/summarise-events.ts";
import { type TemporaryFolder, temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { parseJsonLine } from "../../core/json-line.ts";
import type { EventSummary, Outcome, SessionRequest } from "../agent.ts";
import { chooseAgent } from "../agents.ts";
import { JOB_VARIABLE } from "./acp-job.ts";

const AGENT = join(REPOSITORY, "test/fixtures/programs/acp-agent.mjs");
const CLIENT = join(REPOSITORY, "dist/acp-client.cjs");

let folder: TemporaryFolder;
const started: ChildProcess[] = [];

beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => {
  for (const child of started.splice(0)) child.kill("SIGKILL");
  folder.remove();
});

interface Talked {
  readonly outcome: Outcome;
  readonly events: EventSummary;
  readonly lines: readonly string[];
  readonly exitCode: number | null;
  readonly err: string;
}

interface Talk {
  readonly request?: Partial<SessionRequest>;
  readonly job?: object;
  /** Sent once the agent has said something. */
  readonly signal?: NodeJS.Signals;
}

function agentOf(spec: string) {
  return chooseAgent(spec, { calledFrom: folder.path, scriptedProgram: "" });
}

async function talk(spec: string, { request: asked, job, signal }: Talk = {}): Promise<Talked> {
  const agent = agentOf(spec);
  const { program, args, env, stdin } = agent.buildCommand(
    request({ acpProgram: CLIENT, brief: "Do the work.", ...asked }),
  );
  const told = { ...JSON.parse(env[JOB_VARIABLE] ?? ""), ...job } as object;
  const child = spawn(program, args, {
    cwd: folder.path,
    env: { PATH: process.env["PATH"], ...env, [JOB_VARIABLE]: JSON.stringify(told) },
  });
  started.push(child);
  const said = { out: "", err: "" };
  child.stdout.on("data", (bytes: Buffer) => {
    said.out += bytes.toString("utf8");
    if (signal !== undefined && said.out.includes("at work") && !child.killed) child.kill(signal);
  });
  child.stderr.on("data", (bytes: Buffer) => (said.err += bytes.toString("utf8")));
  child.stdin.end(stdin);
  const [exitCode, bySignal] = (await once(child, "close")) as [number | null, string | null];
  const lines = said.out.split("\n").filter((line) => line !== "");
  const events = summariseEvents(lines.flatMap((line) => agent.readLine(line)));
  const facts = { events, exitCode, signal: bySignal, stderrTail: said.err };
  return { outcome: agent.outcome(sessionFacts(facts)), events, lines, exitCode, err: said.err };
}

/** Its last word is by what it is found among the processes: other tests start the same program. */
const fixture = async (behaviour: string, how?: Talk): Promise<Talked> =>
  await talk(`acp:${process.execPath} ${AGENT} ${behaviour} ${folder.path}`, how);

function read(name: string): string {
  return readFileSync(join(folder.path, name), "utf8");
}

/** Every process of the fixture program that this test started. */
function alive(): readonly string[] {
  const { stdout } = spawnSync("ps", ["-ww", "-eo", "pid,args"], { encoding: "utf8" });
  return stdout
    .split("\n")
    .filter((line) => line.includes(`${AGENT} `) && line.includes(folder.path));
}

describe("a session over the Agent Client Protocol", () => {
  it("gives the brief as one prompt, and finishes with the turn", async () => {
    const { outcome, events } = await fixture("good");
    expect(outcome).toEqual({ kind: "finished" });
    expect(read("prompt.txt")).toBe("Do the work.");
    expect(read("hello.txt")).toBe("hello\n");
    expect(events).toMatchObject({ toolCalls: 1, openCalls: [], lastText: "Hello.", usage: null });
  });

  it("tells how long the model has owed an answer when its turn ended", async () => {
    const owed = async (behaviour: string): Promise<unknown> =>
      parseJsonLine((await fixture(behaviour)).lines.at(-1) ?? "")?.["unansweredMs"];
    // Its last sign is the result of a tool; it said something; it said nothing at all.
    expect(await owed("good")).toBeGreaterThanOrEqual(0);
    expect(await owed("error-text")).toBe(0);
    expect(await owed("silent")).toBeGreaterThanOrEqual(0);
  });

  it("starts in the work tree, with the servers and the folders of the session", async () => {
    const server = { name: "stint", command: "stint", args: ["mcp"], env: { A: "1" } };
    const asked = { mcp: [server], root: "/work", workTree: "/work/below" };
    expect((await fixture("good", { request: asked })).outcome.kind).toBe("finished");
    expect(JSON.parse(read("opened.json"))).toEqual({
      cwd: folder.path,
      mcpServers: [{ ...server, env: [{ name: "A", value: "1" }] }],
      additionalDirectories: ["/work"],
    });
  });

  it("chooses the model and the mode that are wanted, and no other", async () => {
    const { outcome } = await fixture("good", {
      request: { model: "large" },
      job: { mode: "plan" },
    });
    expect(outcome.kind).toBe("finished");
    expect(read("chosen.txt")).toBe("plan\nlarge\n");
    expect((await fixture("good", { request: { model: "huge" } })).outcome).toEqual({
      kind: "blocked",
      isSetup: true,
      reason: "it has no model huge; it offers small, large",
    });
  });

  it("tells tokens and money where the agent does", async () => {
    const { events } = await fixture("usage");
    expect(events.usage).toEqual({ input: 110, output: 50, cached: 10, costUsd: 0.25 });
  });

  it("tells them as well where no total comes, or beside the protocol", async () => {
    const onTheWay = { input: 200, output: 10, cached: 0, costUsd: 0.5 };
    expect((await fixture("usage-on-the-way")).events.usage).toEqual(onTheWay);
    const beside = { input: 3000, output: 150, cached: 0, costUsd: null };
    expect((await fixture("usage-beside")).events.usage).toEqual(beside);
  });

  it("keeps its own variable from the agent", async () => {
    const { lines } = await talk(`acp:/usr/bin/env`);
    expect(lines.join("\n")).not.toContain(JOB_VARIABLE);
  });
});

describe("permissions", () => {
  const asking = async (permission: SessionRequest["permission"], approved: string[] = []) => {
    const { outcome } = await fixture("asks", { request: { permission, approved } });
    return { outcome, answers: read("answers.txt") };
  };

  it("are given once, and not for what takes away", async () => {
    expect(await asking("default")).toEqual({
      outcome: { kind: "denied", command: "git reset  --hard HEAD~1" },
      answers: "touch asked.txt: once\ngit reset  --hard HEAD~1: no\n",
    });
  });

  it("are given for what a person has approved", async () => {
    const { outcome, answers } = await asking("default", ["git reset --hard HEAD~1"]);
    expect(outcome).toEqual({ kind: "finished" });
    expect(answers).toContain("git reset  --hard HEAD~1: once");
  });

  it("are refused for whatever does more than read", async () => {
    const { answers } = await asking("read-only");
    expect(answers).toBe("touch asked.txt: no\ngit reset  --hard HEAD~1: no\n");
  });

  it("are answered by the rules also where the protocol does not know the words", async () => {
    const { outcome } = await fixture("asks-oddly");
    expect(read("answers.txt")).toBe("touch asked.txt: once\ngit clean -fd: no\n");
    expect(outcome).toEqual({ kind: "denied", command: "git clean -fd" });
  });

  it("end the session with a reason where the agent cannot be told yes for one call", async () => {
    const { outcome } = await fixture("only-always");
    expect(read("answers.txt")).toBe("touch asked.txt: no\n");
    expect(outcome).toEqual({
      kind: "blocked",
      isSetup: true,
      reason:
        "it asks for permission (touch asked.txt) and offers allow_always, reject_once as answers, none of which allows a single call: --permission dangerous allows every call",
    });
  });

  it("are given for everything where a person wants that", async () => {
    const { outcome, answers } = await asking("dangerous");
    expect(outcome).toEqual({ kind: "finished" });
    expect(answers).toBe("touch asked.txt: once\ngit reset  --hard HEAD~1: once\n");
  });
});

describe("asked to end", () => {
  it.each(["SIGTERM", "SIGINT"] as const)("by %s, it cancels the turn first", async (signal) => {
    const { outcome, events, exitCode } = await fixture("holds", { signal });
    expect(existsSync(join(folder.path, "cancelled.txt"))).toBe(true);
    expect(events.result).toMatchObject({ ok: false, cause: "aborted" });
    // What was used until then counts.
    expect(events.usage).toMatchObject({ input: 7, output: 1 });
    expect(exitCode).toBe(signal === "SIGTERM" ? 143 : 130);
    expect(outcome).toEqual({ kind: "killed", reason: "cancelled" });
  });

  it("allows nothing any more", async () => {
    const { exitCode } = await fixture("asks-when-cancelled", { signal: "SIGTERM" });
    expect(read("answers.txt")).toBe("touch asked.txt: cancelled\n");
    expect(exitCode).toBe(143);
  });

  it.each([
    ["total-timeout", "timed-out"],
    // It told of no tool.
    ["idle-timeout", "overloaded"],
  ] as const)("by its %s, it has not ended itself", async (endedBy, kind) => {
    const { events, exitCode } = await fixture("holds", { signal: "SIGTERM" });
    const agent = agentOf("acp:x");
    expect(agent.outcome(sessionFacts({ events, exitCode, endedBy })).kind).toBe(kind);
  });

  it("ends an agent that does not listen", async () => {
    const { outcome } = await fixture("ignores-cancel", { signal: "SIGTERM" });
    expect(outcome.kind).toBe("killed");
    expect(alive().filter((line) => line.includes("ignores-cancel"))).toEqual([]);
  });

  it("takes its agent along once the work is done", async () => {
    const { outcome } = await fixture("stays");
    expect(outcome).toEqual({ kind: "finished" });
    expect(alive().filter((line) => line.includes("stays"))).toEqual([]);
  });
});

describe("an end that is no success", () => {
  it.each([
    [
      "crashes",
      {
        kind: "crashed",
        exitCode: 9,
        reason: "it exited with code 9 in the middle of its turn",
      },
    ],
    [
      "leaves",
      {
        kind: "crashed",
        exitCode: 0,
        reason: "it exited with code 0 in the middle of its turn",
      },
    ],
    ["no-stop-reason", { kind: "crashed", reason: "it ended its turn without saying why" }],
    ["auth", { kind: "auth-failed", reason: "Authentication required" }],
    ["limit", { kind: "rate-limited", reason: "Internal error" }],
    ["error-as-text", { kind: "rate-limited", reason: "429 too many requests" }],
    [
      "error-as-nothing",
      { kind: "crashed", reason: "it answered with an error that says nothing" },
    ],
    [
      "no-login",
      {
        kind: "auth-failed",
        reason:
          "it exited with code 1 before a session began: Error: You are not logged in. Run fixture login first.",
      },
    ],
    [
      "no-key",
      {
        kind: "auth-failed",
        reason:
          "it exited with code 1 before a session began; it printed: Error: Invalid API key provided",
      },
    ],
    ["error-text", { kind: "rate-limited", reason: "API Error: 429 rate limit exceeded" }],
    ["silent", { kind: "crashed", reason: "it ended its turn without a word or a tool call" }],
    ["endless-line", { kind: "crashed", reason: "it sent a message of more than 16 MiB" }],
    [
      "garbage",
      {
        kind: "crashed",
        reason:
          "it exited with code 3 before a session began; it printed: Welcome to a program that is no agent!",
      },
    ],
    [
      "newer",
      {
        kind: "blocked",
        reason: "it speaks version 9 of the protocol, and Stint speaks version 1",
      },
    ],
    ["stops-max_tokens", { kind: "context-exhausted" }],
    ["stops-max_turn_requests", { kind: "budget-exceeded" }],
    ["stops-refusal", { kind: "crashed", reason: "the agent refused to continue" }],
    ["stops-cancelled", { kind: "killed" }],
    [
      "stops-for-lunch",
      { kind: "crashed", reason: "it stopped for a reason that Stint does not know: for-lunch" },
    ],
  ])("%s", async (behaviour, outcome) => {
    expect((await fixture(behaviour)).outcome).toMatchObject(outcome);
  });

  it("is a program that says nothing, after a while", async () => {
    const { outcome } = await fixture("mute", { job: { answerMs: 200 } });
    expect(outcome).toMatchObject({
      kind: "crashed",
      reason: "it did not answer initialize within 0.2 s: does it speak the Agent Client Protocol?",
    });
  });

  it("is a program that is not there", async () => {
    const { outcome } = await talk("acp:/nowhere/agent --acp");
    expect(outcome).toMatchObject({
      kind: "crashed",
      reason:
        "it could not be started: spawn /nowhere/agent ENOENT (check that /nowhere/agent exists and may be executed)",
    });
  });

  it("is a program that repeats what it hears, or says yes for ever", async () => {
    expect((await talk("acp:cat")).outcome.kind).toBe("crashed");
    const { outcome } = await talk("acp:yes", { job: { answerMs: 500 } });
    expect(outcome).toMatchObject({ kind: "crashed" });
  });
});

describe("what a hostile agent says is data", () => {
  it("is passed on in lines that a reader holds, however long it was", async () => {
    const { outcome, lines } = await fixture("flood");
    expect(outcome).toEqual({ kind: "finished" });
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(256 * 1024 + 1);
    expect(lines.every((line) => parseJsonLine(line) !== undefined)).toBe(true);
  });

  it("is nothing where the protocol does not know it, and nothing is written for it", async () => {
    const { outcome } = await fixture("strange");
    expect(outcome).toEqual({ kind: "finished" });
    expect(existsSync("/tmp/stint-acp-escape")).toBe(false);
  });
});
