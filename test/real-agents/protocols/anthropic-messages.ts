// Anthropic Messages, as Claude Code speaks it.
import {
  type Answer,
  asObjects,
  asText,
  contentText,
  eventStream,
  functionTool,
  HALF_AN_HOUR,
  inAnHour,
  json,
  type JsonObject,
  type ModelRequest,
  newId,
  type Protocol,
  type Refusal,
  type Reply,
  sentEvent,
  USED,
} from "./protocol.ts";

export const anthropicMessages: Protocol = {
  name: "Anthropic Messages",
  serves: (path) => path.endsWith("/messages"),
  read,
  answer,
  refuse,
};

function read(body: JsonObject): ModelRequest {
  const messages = asObjects(body["messages"]).filter(({ role }) => role === "user");
  const parts = messages.flatMap(({ content }) => asObjects(content));
  return {
    said: messages.map(({ content }) => contentText(content)).join("\n"),
    tools: asObjects(body["tools"]).map((tool) => functionTool(tool["name"], tool["input_schema"])),
    toolResults: parts.filter(({ type }) => type === "tool_result").length,
    wantsStream: body["stream"] === true,
    model: asText(body["model"]),
  };
}

function answer({ text, call }: Answer, { wantsStream, model }: ModelRequest): Reply {
  const usage = {
    input_tokens: USED.input,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
    output_tokens: USED.output,
  };
  const stop = { stop_reason: call === undefined ? "end_turn" : "tool_use", stop_sequence: null };
  const message = { id: newId("msg"), type: "message", role: "assistant", model };
  const use =
    call === undefined
      ? []
      : [{ type: "tool_use", id: newId("toolu"), name: call.tool.name, input: call.input }];
  const content = [{ type: "text", text }, ...use];
  if (!wantsStream) return json(200, { ...message, ...stop, content, usage });
  const unstopped = { stop_reason: null, stop_sequence: null };
  return eventStream([
    sentEvent({
      type: "message_start",
      message: { ...message, ...unstopped, content: [], usage },
    }),
    ...content.flatMap((block, index) => blockEvents(block, index)),
    sentEvent({ type: "message_delta", delta: stop, usage: { output_tokens: USED.output } }),
    sentEvent({ type: "message_stop" }),
  ]);
}

function blockEvents(block: JsonObject, index: number): readonly string[] {
  const isText = block["type"] === "text";
  const empty = isText ? { type: "text", text: "" } : { ...block, input: {} };
  const delta = isText
    ? { type: "text_delta", text: block["text"] }
    : { type: "input_json_delta", partial_json: JSON.stringify(block["input"]) };
  return [
    sentEvent({ type: "content_block_start", index, content_block: empty }),
    sentEvent({ type: "content_block_delta", index, delta }),
    sentEvent({ type: "content_block_stop", index }),
  ];
}

function refuse(why: Refusal): Reply {
  if (why === "bad-key") return json(401, failure("authentication_error", "invalid x-api-key"));
  if (why === "overloaded") return json(529, failure("overloaded_error", "Overloaded"));
  if (why === "wait-long") {
    return json(429, failure("rate_limit_error", "Number of requests exceeded."), HALF_AN_HOUR);
  }
  return json(429, failure("rate_limit_error", "This request would exceed your limit."), {
    "retry-after": "3600",
    "anthropic-ratelimit-unified-status": "rejected",
    "anthropic-ratelimit-unified-reset": String(inAnHour()),
    "anthropic-ratelimit-unified-representative-claim": "five_hour",
    "anthropic-ratelimit-unified-overage-status": "rejected",
  });
}

function failure(type: string, message: string): JsonObject {
  return { type: "error", error: { type, message } };
}
