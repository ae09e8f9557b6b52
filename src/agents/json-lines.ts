// A stream of one JSON object a line: what is cut off or damaged is told, and never guessed at.
import type { Agent, AgentEvent } from "./agent.ts";
import { type JsonObject, parseJsonLine } from "../core/json-line.ts";

export function jsonLines(read: (event: JsonObject) => readonly AgentEvent[]): Agent["readLine"] {
  return (line) => {
    if (line.trim() === "") return [];
    const event = parseJsonLine(line);
    return event === undefined ? [{ kind: "unreadable" }] : read(event);
  };
}
