// Messages of the kind that Claude Code and Qwen Code print: a role with a list of content blocks.
import type { AgentEvent } from "./agent.ts";
import { type JsonObject, objectIn, objectsIn, stringIn } from "../core/json-line.ts";
import { readUsage, type UsageFields } from "./read-usage.ts";

export function contentOf(event: JsonObject): readonly JsonObject[] {
  return objectsIn(objectIn(event["message"])?.["content"]);
}

/** What the model said and which tools it called. */
export function readAssistantBlocks(event: JsonObject): readonly AgentEvent[] {
  return contentOf(event).flatMap((block): readonly AgentEvent[] => {
    if (block["type"] === "text") return [{ kind: "text", text: stringIn(block["text"]) ?? "" }];
    if (block["type"] !== "tool_use") return [];
    const tool = stringIn(block["name"]) ?? "";
    return [{ kind: "tool-call", tool, detail: toolDetail(block["input"]) }];
  });
}

export function readToolResults(event: JsonObject): readonly AgentEvent[] {
  return contentOf(event)
    .filter((block) => block["type"] === "tool_result")
    .map((block) => ({
      kind: "tool-result",
      ok: block["is_error"] !== true,
      detail: stringIn(block["content"]) ?? "",
    }));
}

/** What a message used so far, under its id. */
export function readMessageUsage(event: JsonObject, fields: UsageFields): readonly AgentEvent[] {
  const message = objectIn(event["message"]);
  const usage = readUsage(objectIn(message?.["usage"]), fields);
  const id = stringIn(message?.["id"]);
  return usage === undefined || id === undefined ? [] : [{ kind: "usage", message: id, ...usage }];
}

/** The commands that were refused, as a result lists them. */
export function readDenials(event: JsonObject): readonly AgentEvent[] {
  return objectsIn(event["permission_denials"]).map((denial) => ({
    kind: "denied",
    command: toolDetail(denial["tool_input"]) || (stringIn(denial["tool_name"]) ?? ""),
  }));
}

/** The command, path or the like in a tool's input: what a person wants to see of it. */
export function toolDetail(input: unknown): string {
  const fields = objectIn(input) ?? {};
  const known = ["command", "file_path", "filePath", "path", "pattern", "url"];
  return known.map((name) => stringIn(fields[name])).find((text) => text !== undefined) ?? "";
}
