// OpenAI Responses, as Codex speaks it. Files are written with a patch, given as free text.
import {
  type Answer,
  asObjects,
  asText,
  contentText,
  eventStream,
  functionTool,
  json,
  type JsonObject,
  type ModelRequest,
  newId,
  type OfferedTool,
  type Protocol,
  type Reply,
  sentEvent,
  type ToolCall,
  USED,
} from "./protocol.ts";
import { refuseLikeOpenAi } from "./openai-refusals.ts";

export const openAiResponses: Protocol = {
  name: "OpenAI Responses",
  serves: (path) => path.endsWith("/responses"),
  read,
  answer,
  refuse: refuseLikeOpenAi,
};

function read(body: JsonObject): ModelRequest {
  const input = asObjects(body["input"]);
  return {
    said: input
      .filter(({ role }) => role === "user")
      .map(({ content }) => contentText(content))
      .join("\n"),
    tools: asObjects(body["tools"]).flatMap(offered),
    hasNamespaces: true,
    toolResults: input.filter(isAnswered).length,
    wantsStream: body["stream"] === true,
    model: asText(body["model"]),
  };
}

/** Codex does not wait for a server that is slow to start: until it is there, the same call is made again. */
function isAnswered({ type, output }: JsonObject): boolean {
  return asText(type).endsWith("_call_output") && !asText(output).startsWith("unsupported call: ");
}

function offered(tool: JsonObject): readonly OfferedTool[] {
  if (tool["type"] === "function") return [functionTool(tool["name"], tool["parameters"])];
  if (tool["type"] === "namespace") {
    const namespace = asText(tool["name"]);
    return asObjects(tool["tools"])
      .flatMap(offered)
      .map((each) => ({ ...each, namespace }));
  }
  if (tool["type"] !== "custom") return [];
  return [{ name: asText(tool["name"]), kind: "free-form", parameters: {}, required: [] }];
}

function answer({ text, call }: Answer, { wantsStream, model }: ModelRequest): Reply {
  const message = {
    type: "message",
    id: newId("msg"),
    role: "assistant",
    status: "completed",
    content: [{ type: "output_text", text, annotations: [] }],
  };
  const output = call === undefined ? [message] : [message, callItem(call)];
  const response = {
    id: newId("resp"),
    object: "response",
    created_at: Math.floor(Date.now() / 1000),
    model,
    error: null,
  };
  const completed = { ...response, status: "completed", output, usage: usage() };
  if (!wantsStream) return json(200, completed);
  const events = [
    { type: "response.created", response: { ...response, status: "in_progress", output: [] } },
    ...output.flatMap((item, output_index) => [
      { type: "response.output_item.added", output_index, item },
      { type: "response.output_item.done", output_index, item },
    ]),
    { type: "response.completed", response: completed },
  ];
  return eventStream(
    events.map((event, sequence_number) => sentEvent({ ...event, sequence_number })),
  );
}

function callItem({ tool, input }: ToolCall): JsonObject {
  const { name, namespace } = tool;
  const named = namespace === undefined ? { name } : { name, namespace };
  const call = { call_id: newId("call"), ...named, status: "completed" };
  return tool.kind === "free-form"
    ? { type: "custom_tool_call", id: newId("ctc"), ...call, input }
    : { type: "function_call", id: newId("fc"), ...call, arguments: JSON.stringify(input) };
}

function usage(): JsonObject {
  return {
    input_tokens: USED.input,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: USED.output,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: USED.input + USED.output,
  };
}
