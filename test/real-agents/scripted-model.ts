// The model: reads in the brief which task the session is about and does the next act of it. It
// remembers nothing: what was done is what the conversation shows as answered calls.
import { chooseCall } from "./choose-call.ts";
import type { Answer, ModelRequest, Refusal } from "./protocols/protocol.ts";
import { ACTS, HOLD } from "./three-tasks.ts";

/** `hold`: has the CLI run a command that does not end. */
export type Behaviour = "work" | "hold" | Refusal;

const HEADING = /^# Session (\d+) of project (p-\w+): (\S+)$/m;
const TASK = /^Task \S+ \((\w+)\), attempt \d+ of \d+/m;

export interface Brief {
  readonly session: number;
  readonly task: string;
}

export function findBrief(said: string): Brief | undefined {
  const session = HEADING.exec(said)?.[1];
  const task = TASK.exec(said)?.[1];
  return session === undefined || task === undefined
    ? undefined
    : { session: Number(session), task };
}

export function nextAnswer(
  request: ModelRequest,
  behaviour: "work" | "hold",
  workTree: string,
): Answer {
  const brief = findBrief(request.said);
  // Titles and summaries are asked for without tools, and without the brief.
  if (brief === undefined || request.tools.length === 0) return { text: "Greetings" };
  const acts = behaviour === "hold" ? [HOLD] : (ACTS[brief.task] ?? []);
  const act = acts[request.toolResults];
  if (act === undefined) return { text: `The task ${brief.task} is finished.` };
  const call = chooseCall(act, request.tools, workTree);
  if (call === undefined) {
    const offered = request.tools.map(({ name }) => name).join(", ");
    return { text: `No tool can ${act.kind}; offered: ${offered}` };
  }
  return { text: `Next: ${act.kind}.`, call };
}
