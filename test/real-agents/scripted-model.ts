// The model: reads in the brief which task the session is about and does the next act of it. It
// remembers nothing: what was done is what the conversation shows as answered calls.
import { chooseCall } from "./choose-call.ts";
import type { Answer, ModelRequest, Refusal } from "./protocols/protocol.ts";
import { ACTS, HOLD, TELL } from "./three-tasks.ts";

/** `hold`: has the CLI run a command that does not end. `tell`: calls a tool of Stint's server, then works. */
export type Behaviour = Willing | Refusal;
export type Willing = "work" | "hold" | "tell";

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

export function nextAnswer(request: ModelRequest, behaviour: Willing, workTree: string): Answer {
  const brief = findBrief(request.said);
  // Titles and summaries are asked for without tools, and without the brief.
  if (brief === undefined || request.tools.length === 0) return { text: "Greetings" };
  const work = ACTS[brief.task] ?? [];
  const acts = { work, hold: [HOLD], tell: [TELL, ...work] }[behaviour];
  const act = acts[request.toolResults];
  if (act === undefined) return { text: `The task ${brief.task} is finished.` };
  const call = chooseCall(act, request, workTree);
  if (call === undefined) {
    const offered = request.tools.map(({ name }) => name).join(", ");
    return { text: `No tool can ${act.kind}; offered: ${offered}` };
  }
  return { text: `Next: ${act.kind}.`, call };
}
