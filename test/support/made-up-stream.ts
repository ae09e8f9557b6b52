// Streams in the formats of the agents, made up by tests: the lines that each agent prints, and what a run makes of them.
import { describe, expect, it } from "vitest";
import type { AgentEvent, Outcome, SessionFacts } from "../../src/agents/agent.ts";
import { CODING_AGENTS } from "../../src/agents/agents.ts";
import { RetryClock } from "../../src/agents/retry-clock.ts";
import { LineSplitter } from "../../src/process/text/bounded-output.ts";
import { sessionFacts } from "./session-fixture.ts";
import { summariseEvents } from "./summarise-events.ts";

/** What follows this mark was written to stderr. */
export const STDERR = "stderr: ";

export type Line = string | Readonly<Record<string, unknown>>;

export interface Made {
  readonly what: string;
  readonly lines: readonly Line[];
  readonly end?: Partial<SessionFacts>;
  readonly is: Partial<Outcome>;
  /** The last thing that was heard is a retry, though something else ended it. */
  readonly isWaiting?: boolean;
}

export const FAILED = { exitCode: 1 } as const;
export const ENDED_FOR_RETRIES = {
  exitCode: null,
  signal: "SIGTERM",
  endedBy: "retry-limit",
} as const;

export const claude = {
  said: (text: string) => ({ type: "assistant", message: { content: [{ type: "text", text }] } }),
  failed: (error: string, text: string) => ({
    type: "assistant",
    error,
    message: { model: "<synthetic>", content: [{ type: "text", text }] },
  }),
  tool: (content: string, isError = false) => ({
    type: "user",
    message: { content: [{ type: "tool_result", is_error: isError, content }] },
  }),
  retry: (attempt: number, error: string, status: number | null) => ({
    type: "system",
    subtype: "api_retry",
    attempt,
    error,
    error_status: status,
  }),
  good: { type: "result", subtype: "success", is_error: false, result: "Done." },
  bad: (fields: Readonly<Record<string, unknown>>) => ({
    type: "result",
    subtype: "success",
    is_error: true,
    ...fields,
  }),
};

/** A request that Claude Code gave up on, as it prints it: the text twice. */
export const claudeFailed = (
  error: string,
  text: string,
  fields: Readonly<Record<string, unknown>> = {},
): readonly Line[] => [
  claude.failed(error, text),
  claude.bad({ terminal_reason: "api_error", result: text, ...fields }),
];

export const codex = {
  item: (type: string, fields: Readonly<Record<string, unknown>> = {}) => ({
    type: "item.completed",
    item: { type, status: "completed", ...fields },
  }),
  error: (message: string) => ({ type: "error", message }),
  good: { type: "turn.completed", usage: { input_tokens: 10, output_tokens: 5 } },
  bad: (message: string) => ({ type: "turn.failed", error: { message } }),
};

export const gemini = {
  said: (content: string) => ({ type: "message", role: "assistant", content, delta: true }),
  error: (severity: string, message: string) => ({ type: "error", severity, message }),
  tool: (output: string) => ({ type: "tool_result", tool_id: "1", status: "error", output }),
  good: { type: "result", status: "success", stats: {} },
  bad: (message: string) => ({ type: "result", status: "error", error: { type: "x", message } }),
};

export const opencode = {
  start: { type: "step_start", part: {} },
  said: (text: string) => ({ type: "text", part: { text } }),
  stop: { type: "step_finish", part: { reason: "stop", tokens: { input: 10, output: 5 } } },
  tool: (error: string) => ({
    type: "tool_use",
    part: { tool: "bash", state: { status: "error", input: { command: "x" }, error } },
  }),
  error: (data: Readonly<Record<string, unknown>>, name = "APIError") => ({
    type: "error",
    timestamp: 1_794_864_925_312,
    error: { name, data },
  }),
};

export const copilot = {
  said: (content: string) => ({ type: "assistant.message", data: { content } }),
  failure: (data: Readonly<Record<string, unknown>>) => ({ type: "model.call_failure", data }),
  error: (data: Readonly<Record<string, unknown>>) => ({ type: "session.error", data }),
  tool: (message: string) => ({
    type: "tool.execution_complete",
    data: { success: false, error: { message } },
  }),
  result: (exitCode: number) => ({ type: "result", exitCode }),
};

export const qwen = {
  said: claude.said,
  retry: { type: "system", subtype: "retry", data: { attempt: 2, delayMs: 60_000 } },
  good: { type: "result", is_error: false },
  bad: (message: string) => ({ type: "result", is_error: true, error: { message } }),
};

export const cline = {
  event: (event: Readonly<Record<string, unknown>>) => ({ type: "agent_event", event }),
  said: (text: string) => cline.event({ type: "content_end", contentType: "text", text }),
  error: (message: string) =>
    cline.event({ type: "error", recoverable: false, error: { message } }),
  result: (finishReason: string, text = "") => ({ type: "run_result", finishReason, text }),
};

function agentOf(name: string) {
  const agent = CODING_AGENTS.find((known) => known.name === name);
  if (agent === undefined) throw new Error(`there is no agent ${name}`);
  return agent;
}

/** Cut into lines as a run cuts what it reads. */
function eventsOf(name: string, lines: readonly Line[]): readonly AgentEvent[] {
  const agent = agentOf(name);
  return lines.flatMap((line) => {
    const text = typeof line === "string" ? line : JSON.stringify(line);
    const isError = text.startsWith(STDERR);
    const events: AgentEvent[] = [];
    const splitter = new LineSplitter(String, (one) => {
      events.push(...((isError ? agent.readErrorLine?.(one) : agent.readLine(one)) ?? []));
    });
    splitter.push(Buffer.from(isError ? text.slice(STDERR.length) : text));
    splitter.end();
    return events;
  });
}

/** What the end of such a session is judged to be. */
function judged(name: string, { lines, end }: Pick<Made, "lines" | "end">): Outcome {
  const stderr = lines.flatMap((line) =>
    typeof line === "string" && line.startsWith(STDERR) ? [line.slice(STDERR.length)] : [],
  );
  const events = summariseEvents(eventsOf(name, lines));
  return agentOf(name).outcome(sessionFacts({ events, stderrTail: stderr.join("\n"), ...end }));
}

/** Whether the session would be ended once the limit is over. */
export function isOnlyRetrying(name: string, lines: readonly Line[]): boolean {
  let now = 0;
  const clock = new RetryClock(1, () => now);
  for (const event of eventsOf(name, lines)) clock.hear(event);
  now = 1;
  return clock.isOver();
}

/** Every stream of each agent is judged as it says. */
export function areJudgedRight(streams: Readonly<Record<string, readonly Made[]>>): void {
  describe.each(Object.entries(streams))("%s", (name, made) => {
    it.each(made.map((one) => [one.what, one] as const))("%s", (_, one) => {
      expect(judged(name, one)).toMatchObject(one.is);
      const isRetrying = one.isWaiting ?? one.end?.endedBy === "retry-limit";
      expect(isOnlyRetrying(name, one.lines)).toBe(isRetrying);
    });
  });
}
