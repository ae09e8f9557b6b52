// The captured sessions of real agents, as facts a test can judge.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import type { Agent, EventSummary, SessionFacts } from "../../src/agents/agent.ts";
import { summariseEvents } from "./summarise-events.ts";
import { sessionFacts } from "./session-fixture.ts";

const FOLDER = new URL("../fixtures/agent-streams/", import.meta.url);

export function capturedCases(agent: string): readonly string[] {
  return readdirSync(new URL(`${agent}/`, FOLDER))
    .filter((file) => file.endsWith(".jsonl"))
    .map((file) => file.replace(".jsonl", ""));
}

export function capturedLines(agent: string, name: string): readonly string[] {
  const text = readFileSync(new URL(`${agent}/${name}.jsonl`, FOLDER), "utf8");
  return text.split("\n").filter((line) => line !== "");
}

/** What it wrote to stderr comes last: which line came between which others was not recorded. */
export function capturedEvents(agent: Agent, name: string): EventSummary {
  const lines = capturedLines(agent.name, name);
  const errors = recordingOf(agent.name, name).stderr.split("\n");
  return summariseEvents([
    ...lines.flatMap((line) => agent.readLine(line)),
    ...errors.flatMap((line) => agent.readErrorLine?.(line) ?? []),
  ]);
}

interface Recording {
  readonly exit: number | null;
  readonly signal: string | null;
  readonly timedOut: boolean;
  /** Ended because it did nothing but try again. */
  readonly retryingOnly?: boolean;
  readonly stderr: string;
}

export function capturedFacts(
  agent: Agent,
  name: string,
  changes: Partial<SessionFacts> = {},
): SessionFacts {
  const { exit, signal, timedOut, retryingOnly, stderr } = recordingOf(agent.name, name);
  return sessionFacts({
    events: capturedEvents(agent, name),
    exitCode: exit,
    signal,
    endedBy: retryingOnly === true ? "retry-limit" : timedOut ? "idle-timeout" : "itself",
    stderrTail: stderr,
    ...changes,
  });
}

function recordingOf(agent: string, name: string): Recording {
  const file = new URL(`${agent}/${name}.meta.json`, FOLDER);
  if (!existsSync(file)) return { exit: 0, signal: null, timedOut: false, stderr: "" };
  return JSON.parse(readFileSync(file, "utf8")) as Recording;
}
