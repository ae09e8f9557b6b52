// Gemini generateContent, streaming or not, as Gemini CLI speaks it.
import {
  type Answer,
  asObjects,
  contentText,
  eventStream,
  functionTool,
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

export const geminiGenerate: Protocol = {
  name: "Gemini generateContent",
  serves: (path) => /:(generateContent|streamGenerateContent)$/.test(path),
  read,
  answer,
  refuse,
};

function read(body: JsonObject, path: string): ModelRequest {
  const contents = asObjects(body["contents"]).filter(({ role }) => role === "user");
  const declared = asObjects(body["tools"]).flatMap((group) =>
    asObjects(group["functionDeclarations"]),
  );
  const parts = contents.flatMap((content) => asObjects(content["parts"]));
  return {
    said: contents.map((content) => contentText(content["parts"])).join("\n"),
    tools: declared.map((tool) =>
      functionTool(tool["name"], tool["parametersJsonSchema"] ?? tool["parameters"]),
    ),
    toolResults: parts.filter((part) => part["functionResponse"] !== undefined).length,
    wantsStream: path.endsWith(":streamGenerateContent"),
    model: /models\/([^:]+)/.exec(path)?.[1] ?? "",
  };
}

function answer({ text, call }: Answer, { wantsStream, model }: ModelRequest): Reply {
  const called =
    call === undefined
      ? []
      : [{ functionCall: { id: newId("call"), name: call.tool.name, args: call.input } }];
  const response = {
    candidates: [
      { index: 0, content: { role: "model", parts: [{ text }, ...called] }, finishReason: "STOP" },
    ],
    usageMetadata: {
      promptTokenCount: USED.input,
      candidatesTokenCount: USED.output,
      totalTokenCount: USED.input + USED.output,
    },
    modelVersion: model,
    responseId: newId("response"),
  };
  return wantsStream ? eventStream([sentEvent(response)]) : json(200, response);
}

function refuse(why: Refusal): Reply {
  if (why === "bad-key") {
    return failure(400, "INVALID_ARGUMENT", "API key not valid. Please pass a valid API key.", {
      "@type": "type.googleapis.com/google.rpc.ErrorInfo",
      reason: "API_KEY_INVALID",
      domain: "googleapis.com",
    });
  }
  if (why === "overloaded") {
    return failure(503, "UNAVAILABLE", "The model is overloaded. Please try again later.", {});
  }
  if (why === "wait-long") {
    const retry = { "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "1800s" };
    return failure(429, "RESOURCE_EXHAUSTED", "Too many requests.", retry);
  }
  return failure(429, "RESOURCE_EXHAUSTED", "You exceeded your current quota.", {
    "@type": "type.googleapis.com/google.rpc.QuotaFailure",
    violations: [{ quotaId: "GenerateRequestsPerDayPerProjectPerModel", quotaValue: "100" }],
  });
}

function failure(code: number, status: string, message: string, detail: JsonObject): Reply {
  return json(code, { error: { code, message, status, details: [detail] } });
}
