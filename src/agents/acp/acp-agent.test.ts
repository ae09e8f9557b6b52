// What only agents over the Agent Client Protocol do: how they are started, and ends that look better than they are.
import { describe, expect, it } from "vitest";
import { request, sessionFacts } from "../../../test/support/session-fixture.ts";
import { summariseEvents } from "../../../test/support/summarise-events.ts";
import { refusal } from "../../../test/support/refusal.ts";
import type { Outcome } from "../agent.ts";
import { chooseAgent } from "../agents.ts";
import { copilot } from "../copilot.ts";
import { kimi } from "../kimi.ts";
import { type AcpJob, JOB_VARIABLE } from "./acp-job.ts";
import { answerPermission, commandOf } from "./acp-permission.ts";

const HERE = { calledFrom: "/home/ada", scriptedProgram: "" };
const any = chooseAgent("acp:./agent.sh --acp 'two words'", HERE);

function jobOf(changes: Parameters<typeof request>[0], agent = any): AcpJob {
  const { env } = agent.buildCommand(request(changes));
  return JSON.parse(env[JOB_VARIABLE] ?? "") as AcpJob;
}

describe("the command", () => {
  it("is the client, with the program and its words behind it", () => {
    const command = any.buildCommand(request({ acpProgram: "/stint/acp-client.cjs" }));
    expect(command.program).toBe(process.execPath);
    expect(command.args).toEqual([
      "/stint/acp-client.cjs",
      "/home/ada/agent.sh",
      "--acp",
      "two words",
    ]);
    expect(any.program?.name).toBe("/home/ada/agent.sh");
    expect(command.endsGently).toBe(true);
  });

  it("refuses destructive commands in the default mode alone", () => {
    const refused = jobOf({}).refused;
    expect(refused).toContainEqual({ start: "git clean" });
    expect(jobOf({ approved: ["git clean -fd"] }).refused).toHaveLength(refused.length - 1);
    expect(jobOf({ permission: "dangerous" }).refused).toEqual([]);
  });

  it("may write where the program does, where Stint knows that", () => {
    expect(chooseAgent("acp:/opt/bin/copilot --acp", HERE).state).toEqual(copilot.state);
    expect(any.state).toBeUndefined();
  });

  it("puts kimi into the mode of the permission", () => {
    expect(jobOf({ permission: "read-only" }, kimi).mode).toBe("plan");
    expect(jobOf({}, kimi).mode).toBe("default");
  });

  it("needs a program", () => {
    expect(refusal(() => chooseAgent("acp:", HERE))).toMatchObject({
      message: "The agent command names no program",
      hint: "Try --agent 'acp:goose acp'",
    });
    expect(refusal(() => chooseAgent("acp:'open", HERE)).hint).toBe(
      "Quote it like this: --agent 'acp:goose acp'",
    );
  });
});

function endOf(updates: readonly object[], end: object, agent = any): Outcome {
  const lines = [...updates.map((update) => ({ type: "update", update })), end];
  const events = lines.flatMap((line) => agent.readLine(JSON.stringify(line)));
  const exitCode = "stopReason" in end && end.stopReason === "end_turn" ? 0 : 1;
  return agent.outcome(sessionFacts({ events: summariseEvents(events), exitCode }));
}

const say = (text: string) => ({
  sessionUpdate: "agent_message_chunk",
  content: { type: "text", text },
});
const CALL = { sessionUpdate: "tool_call", toolCallId: "1", title: "ls", kind: "execute" };
const END = { type: "end", stopReason: "end_turn" };

describe("a turn that ended as if it were done", () => {
  // As Copilot CLI says it over this protocol.
  const AUTH =
    "Error: Authentication failed with provider at http://127.0.0.1:42223/v1 (HTTP 401).\n  Check your COPILOT_PROVIDER_API_KEY.";
  const LIMIT =
    "Error: Failed to get response from the AI model; retried 5 times (total retry wait time: 56.10 seconds) Last error: 429 The usage limit has been reached";
  const GONE =
    "Error: Could not connect to local model provider at http://127.0.0.1:43139/v1.\n  Check that the service is running and the port is correct.";
  const RETRY = "Info: Request failed due to a transient API error. Retrying...";

  it.each([
    ["a refused key", [say(RETRY), say(RETRY), say(AUTH)], { kind: "auth-failed", reason: AUTH }],
    ["a used-up allowance", [say(LIMIT)], { kind: "usage-limited", until: null, reason: LIMIT }],
    ["a provider that is gone", [say(RETRY), say(GONE)], { kind: "overloaded", reason: GONE }],
    [
      "a limit that is told alone",
      [say("You've hit your usage limit. Try again in 3 hours.")],
      { kind: "usage-limited", until: "2026-11-15T18:00:00.000Z" },
    ],
    [
      "a limit with its reset after a dot",
      [say("You've hit your weekly limit · resets 9pm (UTC)")],
      { kind: "usage-limited", until: "2026-11-15T21:00:00.000Z" },
    ],
    ["a passing rate that is told alone", [say("Rate limit exceeded.")], { kind: "rate-limited" }],
    ["an error without a cause", [say("Error: boom")], { kind: "crashed", reason: "Error: boom" }],
    [
      "an error that is set off",
      [say("⚠️ **Error**: rate limit exceeded")],
      { kind: "rate-limited", reason: "⚠️ **Error**: rate limit exceeded" },
    ],
    [
      "the answer of a provider",
      [say('{"error":{"code":529,"message":"later"}}')],
      { kind: "overloaded", reason: '{"error":{"code":529,"message":"later"}}' },
    ],
    [
      "not a word",
      [],
      { kind: "crashed", reason: "it ended its turn without a word or a tool call" },
    ],
  ])("is %s where nothing else was said or done", (_, updates, outcome) => {
    expect(endOf(updates, END)).toMatchObject(outcome);
  });

  it("is overloaded where kimi says nothing at all", () => {
    expect(endOf([], END, kimi).kind).toBe("overloaded");
  });

  it("is taken for done where a model can have worked", () => {
    const usage = { inputTokens: 10, outputTokens: 5 };
    expect(endOf([CALL, say(AUTH)], END)).toEqual({ kind: "finished" });
    expect(endOf([say(AUTH)], { ...END, usage })).toEqual({ kind: "finished" });
    expect(endOf([say(AUTH)], { ...END, usage: { costUsd: 0.1 } }).kind).toBe("finished");
    expect(endOf([say(AUTH)], { ...END, usage: { costUsd: 0 } }).kind).toBe("auth-failed");
    expect(endOf([say("All done. Error: handling is in place.")], END)).toEqual({
      kind: "finished",
    });
    expect(endOf([say("The rate limit was exceeded, so I stop.")], END).kind).toBe("finished");
    const limit = "You've hit your usage limit.";
    expect(endOf([say(limit)], { ...END, usage }).kind).toBe("finished");
    expect(endOf([CALL, say(limit)], END).kind).toBe("finished");
    expect(endOf([say(`I wrote the text "${limit}"`)], END).kind).toBe("finished");
    expect(endOf([say(`${limit} That is what the page now says.`)], END).kind).toBe("finished");
    expect(endOf([say(`${limit}\nDone.`)], END).kind).toBe("finished");
  });
});

describe("an error that the agent answers with", () => {
  it.each([
    [{ code: -32_000, message: "Authentication required" }, "auth-failed"],
    [{ code: -32_603, message: "x", data: { errorKind: "rate_limit" } }, "rate-limited"],
    [
      { code: -32_603, message: "x", data: { codexErrorInfo: "usageLimitExceeded" } },
      "usage-limited",
    ],
    [{ code: 429, message: "slow down" }, "rate-limited"],
    [{ code: -32_603, message: "529 overloaded" }, "overloaded"],
    [{ code: -32_603, message: "x", data: { details: "fetch failed" } }, "overloaded"],
    [{ code: -32_603, message: "x", data: { statusCode: 401 } }, "auth-failed"],
    [{ code: -32_603, message: "Internal error" }, "crashed"],
    // As opencode passes on what two providers say of a wrong key.
    [{ code: -32_603, message: "Internal error: Incorrect API key provided." }, "auth-failed"],
    [{ code: -32_603, message: "Internal error: invalid x-api-key" }, "auth-failed"],
    [
      { code: -32_603, message: "x", data: { codexErrorInfo: { httpConnectionFailed: {} } } },
      "overloaded",
    ],
    [
      {
        code: -32_603,
        message: "x",
        data: { codexErrorInfo: { responseTooManyFailedAttempts: { httpStatusCode: 429 } } },
      },
      "rate-limited",
    ],
    // Not the agent's error but the client's word on it: its text is no provider's.
    [{ message: "it exited with code 9: fetch failed" }, "crashed"],
  ])("%j is %s", (failure, kind) => {
    expect(endOf([], { type: "failure", ...failure }).kind).toBe(kind);
  });

  it("is told with what the agent adds to it", () => {
    const data = { message: "You’ve hit your usage limit.", codexErrorInfo: "usageLimitExceeded" };
    expect(endOf([], { type: "failure", code: -32_603, message: "Internal error", data })).toEqual({
      kind: "usage-limited",
      until: null,
      reason: "Internal error: You’ve hit your usage limit.",
    });
  });

  it("invents no time at which a limit ends", () => {
    const failure = { type: "failure", code: 429, message: "usage limit has been reached" };
    expect(endOf([], failure)).toMatchObject({ kind: "usage-limited", until: null });
  });
});

describe("an agent that left", () => {
  const left = (facts: object, stderrTail: string, ...updates: readonly object[]): Outcome => {
    const message = "it exited with code 1 before a session began";
    const lines = [
      ...updates.map((update) => ({ type: "update", update })),
      { type: "failure", message, hasLeft: true, ...facts },
    ];
    const events = summariseEvents(lines.flatMap((line) => any.readLine(JSON.stringify(line))));
    return any.outcome(sessionFacts({ events, exitCode: 1, stderrTail }));
  };
  const reason = (why: string) => `it exited with code 1 before a session began: ${why}`;

  it.each([
    ["Loading\nError: You are not logged in. Run foo login first.", "auth-failed"],
    ["Error: getaddrinfo ENOTFOUND api.foo.dev", "overloaded"],
    ["Error: Credit balance is too low", "usage-limited"],
    ["Error: 429 Too Many Requests", "rate-limited"],
    ["Error: cannot read its settings", "crashed"],
    ["Error: fetch failed\nError: cannot read its settings", "crashed"],
  ])("after %j is %s, with its last words", (stderr, kind) => {
    const last = stderr.split("\n").at(-1) ?? "";
    expect(left({}, stderr)).toMatchObject({ kind, reason: reason(last) });
  });

  it("may have said why where messages were due", () => {
    expect(left({ printed: "Error: Invalid API key provided" }, "").kind).toBe("auth-failed");
    expect(left({ printed: "Welcome" }, "").kind).toBe("crashed");
  });

  it("has crashed where it had begun to work, whatever it wrote", () => {
    expect(left({}, "Error: fetch failed", CALL)).toMatchObject({
      kind: "crashed",
      reason: reason("Error: fetch failed"),
    });
    expect(left({}, "Error: fetch failed", say("I begin.")).kind).toBe("crashed");
  });
});

describe("a request for permission", () => {
  const OPTIONS = [
    { optionId: "a", kind: "allow_always" },
    { optionId: "o", kind: "allow_once" },
    { optionId: "n", kind: "reject_once" },
  ];
  const job = { permission: "default", refused: [{ start: "git clean" }] } as const;
  const said = (text: string) => [{ type: "content", content: { type: "text", text } }];

  it.each([
    ["in its input", { kind: "execute", rawInput: { command: "cd x && git  clean -fd" } }],
    ["word by word", { kind: "execute", rawInput: { command: ["bash", "-lc", "git clean"] } }],
    ["with its arguments", { kind: "execute", rawInput: { command: "git", args: ["clean"] } }],
    ["one level deeper", { kind: "execute", rawInput: { input: { cmd: "git clean" } } }],
    ["in its title", { kind: "execute", title: "`git clean -fd`" }],
    ["in what it shows", { kind: "execute", content: said('{"command":"git clean"}') }],
    ["without a kind", { title: "Shell: git clean" }],
    ["as its input", { kind: "execute", rawInput: "git clean -fd" }],
    ["in a list", { kind: "execute", rawInput: { commands: [{ command: "git clean" }] } }],
    ["of what calls itself reading", { kind: "read", rawInput: { command: "git clean -fd" } }],
    ["of what calls itself an edit", { kind: "edit", content: said('{"cmd":"git clean"}') }],
  ])("is refused for the command %s", (_, call) => {
    expect(answerPermission(job, call, OPTIONS)).toMatchObject({ isAllowed: false, option: "n" });
  });

  it("is given for reading alone where nothing else is wanted, whatever a command calls itself", () => {
    const readOnly = { permission: "read-only", refused: [] } as const;
    const answer = (call: object) => answerPermission(readOnly, { ...call }, OPTIONS).isAllowed;
    expect(answer({ kind: "read", rawInput: { path: "a.txt" } })).toBe(true);
    expect(answer({ kind: "read", rawInput: { command: "touch a.txt" } })).toBe(false);
    expect(answer({ kind: "from_the_future" })).toBe(false);
    expect(answer({})).toBe(false);
  });

  it("is given for a file that only speaks of such a command", () => {
    const written = { content: "never git clean", code: "git clean" };
    const call = { kind: "edit", title: "notes.md", rawInput: written };
    expect(answerPermission(job, call, OPTIONS)).toMatchObject({ isAllowed: true, option: "o" });
  });

  it("is never given for ever, unless everything is allowed anyway", () => {
    const always = [{ optionId: "a", kind: "allow_always" }];
    const call = { kind: "execute", rawInput: { command: "ls" } };
    const no = { optionId: "n", kind: "reject_once" };
    expect(answerPermission(job, call, [...always, no])).toEqual({
      isAllowed: false,
      option: "n",
      command: "ls",
      instead: "allow_always, reject_once",
    });
    const dangerous = { permission: "dangerous", refused: [] } as const;
    expect(answerPermission(dangerous, call, always)).toMatchObject({ option: "a" });
    expect(answerPermission(job, call, "no options")).toMatchObject({
      isAllowed: false,
      option: undefined,
      instead: "nothing",
    });
  });

  it("names what was asked for", () => {
    expect(commandOf({ title: "Bash", content: said('{"command":"make"}') })).toBe("make");
    expect(commandOf({ title: "Bash" })).toBe("Bash");
    expect(commandOf({})).toBe("");
  });
});

describe("what a turn used", () => {
  const events = (...lines: object[]) =>
    summariseEvents(lines.flatMap((line) => any.readLine(JSON.stringify(line))));

  it("is what it told on the way, until a total replaces it", () => {
    const first = { type: "usage", usage: { inputTokens: 100, outputTokens: 5, costUsd: 0.1 } };
    const then = { type: "usage", usage: { inputTokens: 200, outputTokens: 9, costUsd: 0.2 } };
    expect(events(first, then).usage).toMatchObject({ input: 200, output: 9, costUsd: 0.2 });
    const end = { ...END, usage: { inputTokens: 300, outputTokens: 20 } };
    expect(events(first, then, { ...end, usage: { ...end.usage, costUsd: 0.3 } }).usage).toEqual({
      input: 300,
      output: 20,
      cached: 0,
      costUsd: 0.3,
    });
    expect(events(first, { ...END, usage: null }).usage).toMatchObject({ input: 100 });
  });

  it("is nothing where nothing is told, and no number that none is", () => {
    expect(events(END).usage).toBeNull();
    expect(events({ type: "usage", usage: { costUsd: -1 } }).usage).toBeNull();
    expect(
      events({ type: "usage", usage: { inputTokens: -1, outputTokens: 1e300 } }).usage,
    ).toBeNull();
  });
});

describe("a session that Stint ended for its silence", () => {
  const silent = (...updates: readonly object[]): Outcome => {
    const lines = [
      { type: "session", id: "s" },
      ...updates.map((update) => ({ type: "update", update })),
      { type: "end", stopReason: "cancelled" },
    ];
    const events = summariseEvents(lines.flatMap((line) => any.readLine(JSON.stringify(line))));
    const ended = { exitCode: 143, endedBy: "idle-timeout" } as const;
    return any.outcome(sessionFacts({ events, ...ended }));
  };
  const DONE = { sessionUpdate: "tool_call_update", toolCallId: "1", status: "completed" };

  it("had not begun where no session was opened", () => {
    const events = summariseEvents(any.readLine('{"type":"end","stopReason":"cancelled"}'));
    const ended = (stderrTail: string): Outcome =>
      any.outcome(sessionFacts({ events, exitCode: 143, endedBy: "idle-timeout", stderrTail }));
    const reason =
      "it did not begin a session before its idle limit: does it speak the Agent Client Protocol?";
    expect(ended("")).toMatchObject({ kind: "crashed", reason });
    expect(ended("Error: getaddrinfo ENOTFOUND api.foo.dev").kind).toBe("overloaded");
  });

  it.each([
    ["nothing was ever heard", []],
    ["only its commands were told", [{ sessionUpdate: "available_commands_update" }]],
    ["the model had said something", [say("I begin.")]],
    ["its last tool was done", [CALL, DONE]],
  ])("waited for its model where %s", (_, updates) => {
    expect(silent(...updates)).toMatchObject({ kind: "overloaded" });
  });

  it("hung by itself where a tool was at work", () => {
    expect(silent(CALL)).toEqual({ kind: "idle" });
    expect(silent(CALL, DONE, { ...CALL, toolCallId: "2" })).toEqual({ kind: "idle" });
  });
});

describe("what the model does without a word", () => {
  it.each(["agent_thought_chunk", "plan"])("%s is an answer of its provider", (sessionUpdate) => {
    const line = { type: "update", update: { sessionUpdate } };
    expect(any.readLine(JSON.stringify(line))).toEqual([{ kind: "thinking" }]);
  });
});

describe("a turn that ended after a silence that its model owed an answer", () => {
  const late = (unansweredMs: number, agent = kimi): Outcome =>
    endOf(
      [CALL, { ...CALL, sessionUpdate: "tool_call_update", status: "completed" }],
      {
        ...END,
        unansweredMs,
      },
      agent,
    );

  it("was given up by an agent that is known to end so", () => {
    expect(late(150_400)).toEqual({
      kind: "overloaded",
      reason: "its model did not answer for 150 s, then it ended its turn without a word",
    });
  });

  it("is left to the checks where the model answered sooner, or the agent is not known to", () => {
    expect(late(59_999)).toEqual({ kind: "finished" });
    expect(late(150_400, any)).toEqual({ kind: "finished" });
  });
});

describe("a turn that ended with a tool that never ran", () => {
  const cut = (agent = kimi): Outcome =>
    endOf([say("Next."), CALL, say("Next."), { ...CALL, toolCallId: "2" }], END, agent);

  it("was given up by an agent that is known to end so", () => {
    expect(cut()).toEqual({
      kind: "overloaded",
      reason: "it ended its turn with 2 tool calls that it never finished",
    });
  });

  it("is left to the checks with any other agent, or where every tool came to an end", () => {
    expect(cut(any)).toEqual({ kind: "finished" });
    const failed = { sessionUpdate: "tool_call_update", toolCallId: "1", status: "failed" };
    expect(endOf([CALL, failed, say("It failed.")], END, kimi)).toEqual({ kind: "finished" });
  });
});
