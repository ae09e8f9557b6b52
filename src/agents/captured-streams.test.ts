// What real agents printed, and what each end means: a stream in, an outcome out.
import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { sessionFacts } from "../../test/support/session-fixture.ts";
import type { Agent, Outcome, SessionFacts } from "./agent.ts";
import { claude } from "./claude.ts";
import { codex } from "./codex.ts";
import { NO_EVENTS, withEvent } from "./summarise-events.ts";

type Ending = Pick<SessionFacts, "exitCode" | "signal" | "endedBy">;
type Case = readonly [stream: string, ending: Ending, outcome: Partial<Outcome>];

const FOLDER = new URL("../../test/fixtures/agent-streams/", import.meta.url);

const WELL: Ending = { exitCode: 0, signal: null, endedBy: "itself" };
const FAILED: Ending = { exitCode: 1, signal: null, endedBy: "itself" };
const SILENT: Ending = { exitCode: null, signal: "SIGKILL", endedBy: "idle-timeout" };
const FINISHED = { kind: "finished" } as const;

const CLAUDE: readonly Case[] = [
  ["success", WELL, FINISHED],
  ["tool-use", WELL, FINISHED],
  ["edit", WELL, FINISHED],
  ["fail-cmd", WELL, FINISHED],
  ["malformed", WELL, FINISHED],
  ["mcp", WELL, FINISHED],
  ["partial-messages", WELL, FINISHED],
  ["session-resume", WELL, FINISHED],
  ["stream-input-two-messages", WELL, FINISHED],
  ["disconnect-once", WELL, FINISHED],
  ["overloaded-once", WELL, FINISHED],
  ["rate-limit-once", WELL, FINISHED],
  ["output-format-json", WELL, { kind: "crashed", exitCode: 0 }],
  ["success", FAILED, { kind: "crashed", exitCode: 1 }],
  ["success", { exitCode: null, signal: "SIGKILL", endedBy: "grace" }, FINISHED],
  ["auth-fast", FAILED, { kind: "auth-failed", reason: "Invalid API key · Fix external API key" }],
  ["not-logged-in", FAILED, { kind: "auth-failed", reason: "Not logged in · Please run /login" }],
  ["context", FAILED, { kind: "context-exhausted" }],
  ["credit", FAILED, { kind: "usage-limited", until: null, reason: "Credit balance is too low" }],
  [
    "usage-limit-subscription",
    FAILED,
    {
      kind: "usage-limited",
      until: "2026-11-15T09:16:05.000Z" as NonNullable<
        Extract<Outcome, { kind: "usage-limited" }>["until"]
      >,
    },
  ],
  ["usage-limit", FAILED, { kind: "rate-limited" }],
  ["rate-limit-fast", FAILED, { kind: "rate-limited" }],
  ["overloaded-forever", FAILED, { kind: "overloaded" }],
  ["hang-short", FAILED, { kind: "overloaded", reason: "Request timed out" }],
  ["max-turns", FAILED, { kind: "budget-exceeded", reason: "Reached maximum number of turns (3)" }],
  ["max-budget", FAILED, { kind: "budget-exceeded", reason: "Reached maximum budget ($0.01)" }],
  ["sigint-pid", WELL, { kind: "killed" }],
  ["sigterm-group", { exitCode: 143, signal: null, endedBy: "itself" }, { kind: "killed" }],
  ["sigkill-group", { ...SILENT, endedBy: "itself" }, { kind: "killed" }],
  ["hang", SILENT, { kind: "idle" }],
  ["hang-stream", { ...SILENT, endedBy: "total-timeout" }, { kind: "timed-out" }],
];

const CODEX: readonly Case[] = [
  ["success", WELL, FINISHED],
  ["success-unknown-model", WELL, FINISHED],
  ["tool-use", WELL, FINISHED],
  ["edit", WELL, FINISHED],
  ["fail-cmd", WELL, FINISHED],
  ["malformed", WELL, FINISHED],
  ["mcp", WELL, FINISHED],
  ["session-resume", WELL, FINISHED],
  ["disconnect-once", WELL, FINISHED],
  ["overloaded-once", WELL, FINISHED],
  ["rate-limit-once", WELL, FINISHED],
  ["stream-error", WELL, FINISHED],
  ["success", FAILED, { kind: "crashed", exitCode: 1 }],
  ["auth", FAILED, { kind: "auth-failed" }],
  [
    "no-api-key",
    FAILED,
    { kind: "auth-failed", reason: "Missing environment variable: `RIG_API_KEY`." },
  ],
  ["usage-limit", FAILED, { kind: "usage-limited", until: null }],
  ["rate-limit-forever", FAILED, { kind: "rate-limited" }],
  ["rate-limit-long", SILENT, { kind: "rate-limited" }],
  ["overloaded-forever", FAILED, { kind: "overloaded" }],
  ["sigint-pid", FAILED, { kind: "crashed", exitCode: 1 }],
  ["sigkill-group", { ...SILENT, endedBy: "itself" }, { kind: "killed" }],
  ["sigterm-group", { exitCode: null, signal: "SIGTERM", endedBy: "itself" }, { kind: "killed" }],
  ["hang", SILENT, { kind: "idle" }],
  ["hang-stream", SILENT, { kind: "idle" }],
];

describe.each([
  ["claude", claude, CLAUDE],
  ["codex", codex, CODEX],
] as const)("the captured sessions of %s", (name, agent, cases) => {
  it.each(cases)("%s, ended by %o, means %o", (stream, ending, outcome) => {
    const facts = sessionFacts({ ...ending, events: summaryOf(agent, `${name}/${stream}`) });
    expect(agent.outcome(facts)).toMatchObject(outcome);
  });

  it("are all judged", () => {
    const captured = readdirSync(new URL(`${name}/`, FOLDER)).map((file) =>
      file.replace(".jsonl", ""),
    );
    expect(new Set(cases.map(([stream]) => stream))).toEqual(new Set(captured));
  });

  it("leave an end that is missing for a crash, wherever the stream was cut", () => {
    const lines = linesOf(`${name}/tool-use`);
    for (let end = 0; end < lines.length - 1; end++) {
      const events = lines.slice(0, end).flatMap((line) => agent.readLine(line));
      expect(agent.outcome(sessionFacts({ events: fold(events) })).kind).toBe("crashed");
    }
  });
});

describe("what a session used", () => {
  it("adds up over a conversation of Claude without counting twice", () => {
    expect(summaryOf(claude, "claude/stream-input-two-messages").usage).toEqual({
      input: 2000,
      output: 100,
      cached: 0,
      costUsd: 0.0075,
    });
    expect(summaryOf(claude, "claude/session-resume").usage?.costUsd).toBe(0.00375);
  });

  it("has tokens but no price for Codex", () => {
    expect(summaryOf(codex, "codex/success").usage).toEqual({
      input: 1000,
      output: 50,
      cached: 0,
      costUsd: null,
    });
  });

  it("counts tools, retries and unreadable lines", () => {
    expect(summaryOf(claude, "claude/tool-use")).toMatchObject({ toolCalls: 2, unreadable: 0 });
    expect(summaryOf(codex, "codex/tool-use")).toMatchObject({ toolCalls: 2, unreadable: 0 });
    expect(summaryOf(codex, "codex/rate-limit-forever").retries).toBe(5);
    expect(summaryOf(claude, "claude/output-format-json").unreadable).toBe(1);
  });
});

describe("a refused command", () => {
  it("S3-19 is named, though the session itself went well", () => {
    const denials = [{ tool_name: "Bash", tool_input: { command: "curl x | sh" } }];
    const line = JSON.stringify({ type: "result", is_error: false, permission_denials: denials });
    expect(claude.outcome(sessionFacts({ events: fold(claude.readLine(line)) }))).toEqual({
      kind: "denied",
      command: "curl x | sh",
    });
  });
});

function summaryOf(agent: Agent, stream: string) {
  return fold(linesOf(stream).flatMap((line) => agent.readLine(line)));
}

function fold(events: ReturnType<Agent["readLine"]>) {
  return events.reduce(withEvent, NO_EVENTS);
}

function linesOf(stream: string): string[] {
  const text = readFileSync(new URL(`${stream}.jsonl`, FOLDER), "utf8");
  return text.split("\n").filter((line) => line !== "");
}
