// One agent process that is told to do nothing but retry, or asks for what is left of a budget.
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { PATH } from "../../../test/support/children.ts";
import { request } from "../../../test/support/session-fixture.ts";
import { type TemporaryFolder, temporaryFolder } from "../../../test/support/temporary-folder.ts";
import type { Agent, SessionRequest } from "../../agents/agent.ts";
import { CODING_AGENTS } from "../../agents/agents.ts";
import type { RunId } from "../../core/ids.ts";
import { instantFromMs } from "../../core/instant.ts";
import { isolationOf } from "../../process/namespace/isolation.ts";
import { PLAIN_VIEW } from "../../process/namespace/view.ts";
import { NO_WALLS } from "../../process/namespace/walls.ts";
import type { SessionCall } from "../base/run-context.ts";
import { openSecrets } from "../base/secrets.ts";
import { DEFAULT_SESSION_LIMITS, type SessionLimits, sessionStarter } from "./session-process.ts";

const NEVER_MS = 60_000;

let folder: TemporaryFolder;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => folder.remove());

/** One of the agents, with a shell script in place of its program. */
function playing(name: string, script: string): Agent {
  const agent = CODING_AGENTS.find((one) => one.name === name) as Agent;
  return {
    ...agent,
    buildCommand: () => ({ program: "sh", args: ["-c", script], env: {}, stdin: "" }),
  };
}

async function session(
  agent: Agent,
  limits: Partial<SessionLimits>,
  changes: Partial<SessionCall> = {},
  env: Readonly<Record<string, string>> = {},
) {
  const start = sessionStarter({
    runId: "r-0123456789" as RunId,
    isolation: isolationOf("group"),
    view: PLAIN_VIEW,
    at: folder.path,
    env: { PATH, ...env },
    allow: undefined,
    killMs: 5000,
    secrets: openSecrets({}, folder.path),
    walls: NO_WALLS,
    network: "all",
    limits: { ...DEFAULT_SESSION_LIMITS, totalMs: NEVER_MS, idleMs: NEVER_MS, ...limits },
    now: () => instantFromMs(Date.UTC(2026, 0, 1)),
    acpProgram: "",
  });
  return await start({
    agent,
    request: request({ workTree: folder.path }),
    logFolder: folder.path,
    timeoutMs: undefined,
    allowance: { tokens: null, cost_usd: null, wall_ms: NEVER_MS },
    onStarted() {},
    onEvent() {},
    stopReason: () => null,
    takeMarker: () => null,
    ...changes,
  });
}

const json = (value: unknown): string => `echo '${JSON.stringify(value)}'`;
const OFFLINE = json({
  type: "error",
  message: "Reconnecting... waiting for network (no route to host)",
});
const OPENCODE_OFFLINE =
  'timestamp=2026-11-16T21:34:36.298Z level=ERROR run=1 message="stream error" providerID=a small=false error.error="AI_APICallError: Cannot connect to API: no"';

describe("a session that cannot be started", () => {
  it("leaves no clock behind that keeps the run from ending", async () => {
    const clocks = () =>
      process.getActiveResourcesInfo().filter((kind) => kind === "Timeout").length;
    const before = clocks();
    const broken = {
      ...playing("codex", "true"),
      buildCommand: () => ({ program: "./no-such-program", args: [], env: {} }),
    };
    const ended = await session(broken, {}).then(
      ({ outcome }) => outcome.kind,
      () => "rejected",
    );
    expect(ended).not.toBe("finished");
    expect(clocks()).toBe(before);
  });
});

describe("a session that does nothing but retry", () => {
  it("is ended as overloaded, though it goes on printing", async () => {
    const script = `while :; do ${OFFLINE}; sleep 0.02; done`;
    const { outcome, stopped } = await session(playing("codex", script), { retryingMs: 50 });
    expect(outcome).toMatchObject({
      kind: "overloaded",
      reason: "Reconnecting... waiting for network (no route to host)",
    });
    // Nobody wanted the run to stop.
    expect(stopped).toBe(null);
  });

  it("is heard on stderr as well, where its agent says it there", async () => {
    const script = `echo '${OPENCODE_OFFLINE}' >&2; exec sleep 60`;
    const { outcome } = await session(playing("opencode", script), { retryingMs: 50 });
    expect(outcome).toEqual({ kind: "overloaded", reason: "Cannot connect to API: no" });
  });

  it("is not ended for retries that were followed by work", async () => {
    const text = json({ type: "item.completed", item: { type: "agent_message", text: "Hi" } });
    const done = json({ type: "turn.completed", usage: { input_tokens: 1, output_tokens: 1 } });
    const script = `${OFFLINE}; ${text}; sleep 1.3; ${done}`;
    const { outcome } = await session(playing("codex", script), { retryingMs: 1000 });
    expect(outcome).toEqual({ kind: "finished" });
  });

  it("still is what a person stopped, where that came first", async () => {
    const script = `while :; do ${OFFLINE}; sleep 0.02; done`;
    const agent = playing("codex", script);
    const { outcome, stopped } = await session(agent, {}, { stopReason: () => "lunch" });
    expect([outcome.kind, stopped]).toEqual(["killed", "lunch"]);
  });
});

describe("a session that is silent in all that counts", () => {
  const chunk = (text: string) =>
    json({
      type: "update",
      update: { sessionUpdate: "agent_message_chunk", content: { type: "text", text } },
    });
  const BEGUN = json({ type: "session", id: "s" });
  const CHATTER = json({ type: "update", update: { sessionUpdate: "usage_update", used: 9021 } });
  const acp = (script: string): Agent => playing("kimi", script);

  it.each([
    ["what was used", CHATTER],
    ["empty pieces of text", chunk("")],
    ["that it tries again, on stderr", "echo retrying 429 >&2"],
  ])("is ended as overloaded, though it goes on telling %s", async (_, line) => {
    const script = `${BEGUN}; while :; do ${line}; sleep 0.05; done`;
    const { outcome } = await session(acp(script), { idleMs: 400 });
    expect(outcome.kind).toBe("overloaded");
  });

  it("names the call that never came back", async () => {
    const call = { type: "command_execution", id: "item_1", command: "npm test" };
    const script = `${json({ type: "item.started", item: call })}; exec sleep 60`;
    expect(await session(playing("codex", script), { idleMs: 400 })).toMatchObject({
      outcome: { kind: "idle" },
      open_call: "npm test",
    });
    const done = json({ type: "item.completed", item: { ...call, status: "completed" } });
    const ended = await session(playing("codex", `${done}; exec sleep 60`), { idleMs: 400 });
    expect(ended).not.toHaveProperty("open_call");
  });

  it("is not ended while it tells of its work", async () => {
    const tool = { sessionUpdate: "tool_call_update", toolCallId: "1", status: "in_progress" };
    const output = json({ type: "update", update: tool });
    const END = json({ type: "end", stopReason: "end_turn" });
    const script = `${BEGUN}; for i in 1 2 3 4 5; do ${chunk("on")}; sleep 0.3; ${output}; sleep 0.3; done; ${END}`;
    const { outcome } = await session(acp(script), { idleMs: 1500 });
    expect(outcome).toEqual({ kind: "finished" });
  });

  it("is not ended while an agent prints that does not tell everything", async () => {
    const script = `for i in 1 2 3 4 5 6 7 8; do echo '{"type":"other"}'; sleep 0.2; done; ${json({ type: "turn.completed", usage: { input_tokens: 1, output_tokens: 1 } })}`;
    const { outcome } = await session(playing("codex", script), { idleMs: 1000 });
    expect(outcome).toEqual({ kind: "finished" });
  });
});

it("a session that misses a credential says which one was not passed on, wherever its agent says it", async () => {
  const message = "Missing environment variable: `OWN_PROVIDER_KEY`.";
  const told = json({ type: "turn.failed", error: { message } });
  for (const script of [`${told}; exit 1`, `echo '${message}' >&2; exit 1`]) {
    const env = { OWN_PROVIDER_KEY: "key-of-the-provider" };
    // oxlint-disable-next-line no-await-in-loop
    const { outcome } = await session(playing("codex", script), {}, {}, env);
    expect(outcome).toMatchObject({
      reason: expect.stringContaining(
        "OWN_PROVIDER_KEY is a credential and not passed on; if it is needed, add it to env.allow",
      ),
    });
  }
});

describe("what is left for a session", () => {
  async function asked(changes: Partial<SessionCall>): Promise<SessionRequest> {
    let seen: SessionRequest | undefined;
    const agent = playing("codex", "exit 0");
    const spy: Agent = {
      ...agent,
      buildCommand: (wanted) => {
        seen = wanted;
        return agent.buildCommand(wanted);
      },
    };
    await session(spy, { totalMs: 3_600_000 }, changes);
    return seen as SessionRequest;
  }

  it("is told to its agent: the money, and a little less than the time", async () => {
    const allowance = { tokens: 5, cost_usd: 1.5, wall_ms: 7_200_000 };
    expect(await asked({ allowance })).toMatchObject({ budgetUsd: 1.5, wallMs: 3_570_000 });
    expect(await asked({ allowance, timeoutMs: 20_000 })).toMatchObject({ wallMs: 15_000 });
  });

  it("is the time of the budget where that ends first, and no money without a budget", async () => {
    const allowance = { tokens: null, cost_usd: null, wall_ms: 600_000 };
    const { budgetUsd, wallMs } = await asked({ allowance });
    expect([budgetUsd, wallMs]).toEqual([undefined, 570_000]);
  });

  it("is the budget's, and not a deadline's, when an agent ends because that time is over", async () => {
    const said = "Run aborted: wall-clock budget of 29s exceeded (--max-wall-time).";
    const script = `echo '${said}' >&2; exit 55`;
    const allowance = { tokens: null, cost_usd: null, wall_ms: 30_000 };
    const budget = await session(playing("qwen", script), {}, { allowance });
    expect(budget.outcome).toEqual({
      kind: "budget-exceeded",
      reason: "the time that was left of the budget is used",
    });
    const own = await session(playing("qwen", script), {}, { timeoutMs: 30_000 });
    expect(own.outcome).toEqual({ kind: "timed-out" });
  });
});
