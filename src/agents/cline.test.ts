// What no other agent does.
import { describe, expect, it } from "vitest";
import { request, sessionFacts } from "../../test/support/session-fixture.ts";
import { cline } from "./cline.ts";
import { summariseEvents } from "../../test/support/summarise-events.ts";

const told = (event: object) => cline.readLine(JSON.stringify({ type: "agent_event", event }));

describe("cline", () => {
  it("reads its brief from a pipe, and works in the session's own process", () => {
    const { program, args, env, stdin } = cline.buildCommand(request({ model: "m-1" }));
    expect([program, ...args.slice(0, 3)]).toEqual(["sh", "-c", 'cat | cline "$@"', "sh"]);
    expect(args.join(" ")).toContain("--json --auto-approve true --model m-1 Do what this brief");
    expect(env).toMatchObject({ CLINE_SESSION_BACKEND_MODE: "local", CLINE_NO_AUTO_UPDATE: "1" });
    expect(stdin).toBe("Add a greeting.");
  });

  it("plans where it may only read", () => {
    expect(cline.buildCommand(request()).args).not.toContain("--plan");
    expect(cline.buildCommand(request({ permission: "read-only" })).args).toContain("--plan");
  });

  it("names all commands of a call, and fails it when one of them failed", () => {
    const input = { commands: ["false", "echo hi"] };
    const call = { contentType: "tool", toolName: "run_commands", toolCallId: "c-1" };
    expect(told({ type: "content_start", ...call, input })).toEqual([
      { kind: "tool-call", tool: "run_commands", detail: "false; echo hi", id: "c-1" },
    ]);
    const output = [
      { query: "false", error: "Command exited with code 1", success: false },
      { query: "echo hi", result: "hi\n", success: true },
    ];
    expect(told({ type: "content_end", ...call, output })).toEqual([
      { kind: "tool-result", ok: false, detail: "Command exited with code 1\nhi\n", id: "c-1" },
    ]);
  });

  it("tells what it used so far as a sum, and a price only where there is one", () => {
    const usage = { type: "usage", totalInputTokens: 1000, totalOutputTokens: 50 };
    const later = { ...usage, totalInputTokens: 2000, totalOutputTokens: 100 };
    const events = [...told({ ...usage, totalCost: 0 }), ...told({ ...later, totalCost: 0.5 })];
    expect(summariseEvents(events.slice(0, 1)).usage).toMatchObject({ costUsd: null });
    expect(summariseEvents(events).usage).toMatchObject({ input: 2000, output: 100, costUsd: 0.5 });
  });

  it("takes a tool that failed for no error of its own", () => {
    const error = { name: "Error", message: "1 tool call(s) failed: rate limit exceeded" };
    expect(told({ type: "error", error, recoverable: true })).toEqual([]);
    expect(told({ type: "error", error, recoverable: false })).toMatchObject([
      { kind: "error", cause: "rate-limit" },
    ]);
  });

  it.each([
    ["max_iterations", "budget-exceeded"],
    ["mistake_limit", "no-progress"],
    ["aborted", "killed"],
    ["something new", "crashed"],
  ])("ends by %s as %s", (finishReason, kind) => {
    const line = JSON.stringify({ type: "run_result", finishReason, text: "All is well." });
    const events = summariseEvents(cline.readLine(line));
    expect(cline.outcome(sessionFacts({ events, exitCode: 1 })).kind).toBe(kind);
  });

  it("says what to install when the shell before it does not find it", () => {
    const stderrTail = "sh: 1: cline: not found\n";
    expect(cline.outcome(sessionFacts({ exitCode: 127, stderrTail }))).toEqual({
      kind: "crashed",
      exitCode: 127,
      reason: "it could not be started: sh: 1: cline: not found (npm install -g cline)",
    });
  });

  it("says on stderr what ended it before it began", () => {
    const stderrTail = '{"type":"error","message":"Cannot connect to API: refused"}\n';
    expect(cline.outcome(sessionFacts({ exitCode: 1, stderrTail }))).toEqual({
      kind: "overloaded",
      reason: "Cannot connect to API: refused",
    });
  });
});
