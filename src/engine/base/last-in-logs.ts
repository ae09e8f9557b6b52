// The last words of a session whose end nobody saw, as its logs have them. The session could have written there, too.
import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { join } from "node:path";
import type { Agent } from "../../agents/agent.ts";
import { NO_EVENTS, withEvent } from "../../agents/event-summary.ts";
import type { SessionEnd } from "../../core/schema/session-records.ts";
import { projectLayout } from "../../store/layout.ts";
import { readStart } from "./kept-record.ts";
import type { RunContext } from "./run-context.ts";

const LOG_TAIL_BYTES = 64 * 1024;
/** Of what it wrote where programs complain. */
const STDERR_TAIL_BYTES = 2000;

export function lastInLogs(
  context: RunContext,
  session: number,
): Pick<SessionEnd, "last_text" | "last_stderr"> {
  const start = readStart(context, session);
  const agent = start === undefined ? undefined : context.agents.named(start.agent);
  const { logs } = projectLayout(context.holder.entry);
  const folder = join(logs, "sessions", String(session));
  const said = tailOf(join(folder, "events.jsonl"), LOG_TAIL_BYTES);
  const text = said === "" || agent === undefined ? null : lastTextIn(agent, said);
  const complained = tailOf(join(folder, "stderr.log"), STDERR_TAIL_BYTES).trim();
  const redacted = (words: string): string => context.checks.redact(words);
  return {
    last_text: text === null ? null : redacted(text),
    ...(complained !== "" && { last_stderr: redacted(complained) }),
  };
}

function lastTextIn(agent: Agent, log: string): string | null {
  let events = NO_EVENTS;
  for (const line of log.split("\n")) {
    for (const event of agent.readLine(line)) events = withEvent(events, event);
  }
  return events.lastText;
}

/** Whole lines from the end of a file; nothing where it cannot be read, or is a pipe that never ends. */
function tailOf(path: string, most: number): string {
  let fd: number;
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch {
    return "";
  }
  try {
    const { size } = fstatSync(fd);
    const bytes = Buffer.alloc(Math.min(size, most));
    const got = readSync(fd, bytes, 0, bytes.length, size - bytes.length);
    const text = bytes.toString("utf8", 0, got);
    return size > bytes.length ? text.slice(text.indexOf("\n") + 1) : text;
  } catch {
    return "";
  } finally {
    closeSync(fd);
  }
}
