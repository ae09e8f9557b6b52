// OpenAI Chat Completions, as most CLIs speak it to a provider of one's own.
import {
  type Answer,
  asObject,
  asObjects,
  asText,
  contentText,
  eventStream,
  functionTool,
  json,
  type JsonObject,
  type ModelRequest,
  newId,
  type Protocol,
  type Reply,
  sentEvent,
  USED,
} from "./protocol.ts";
import { refuseLikeOpenAi } from "./openai-refusals.ts";

export const openAiChat: Protocol = {
  name: "OpenAI Chat Completions",
  serves: (path) => path.endsWith("/chat/completions"),
  read,
  answer,
  refuse: refuseLikeOpenAi,
};

function read(body: JsonObject): ModelRequest {
  const messages = asObjects(body["messages"]);
  return {
    said: messages
      .filter(({ role }) => role === "user")
      .map(({ content }) => contentText(content))
      .join("\n"),
    tools: asObjects(body["tools"]).map((tool) => {
      const { name, parameters } = asObject(tool["function"]);
      return functionTool(name, parameters);
    }),
    toolResults: messages.filter(({ role }) => role === "tool").length,
    wantsStream: body["stream"] === true,
    model: asText(body["model"]),
  };
}

function answer({ text, call }: Answer, { wantsStream, model }: ModelRequest): Reply {
  const head = { id: newId("chatcmpl"), created: Math.floor(Date.now() / 1000), model };
  const finish = call === undefined ? "stop" : "tool_calls";
  const calls =
    call === undefined
      ? []
      : [
          {
            index: 0,
            id: newId("call"),
            type: "function",
            function: { name: call.tool.name, arguments: JSON.stringify(call.input) },
          },
        ];
  const said = { role: "assistant", content: text, ...(call && { tool_calls: calls }) };
  const usage = {
    prompt_tokens: USED.input,
    completion_tokens: USED.output,
    total_tokens: USED.input + USED.output,
  };
  if (!wantsStream) {
    const choices = [{ index: 0, message: said, finish_reason: finish }];
    return json(200, { ...head, object: "chat.completion", choices, usage });
  }
  const chunk = (choices: readonly JsonObject[], more: JsonObject = {}): string =>
    sentEvent({ ...head, object: "chat.completion.chunk", choices, ...more });
  return eventStream([
    chunk([{ index: 0, delta: said, finish_reason: null }]),
    chunk([{ index: 0, delta: {}, finish_reason: finish }]),
    chunk([], { usage }),
    "data: [DONE]\n\n",
  ]);
}
