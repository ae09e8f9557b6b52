// What the scripted model needs of a wire format: what a CLI asks and offers, an answer, a refusal.

export interface OfferedTool {
  readonly name: string;
  /** Of the server that it belongs to, where the wire has it apart from the name. */
  readonly namespace?: string;
  /** `free-form`: takes a text instead of named arguments. */
  readonly kind: "function" | "free-form";
  readonly parameters: Readonly<
    Record<string, { readonly type?: unknown; readonly enum?: unknown }>
  >;
  readonly required: readonly string[];
}

export interface ModelRequest {
  /** Everything that was said as the user, the brief among it. */
  readonly said: string;
  readonly tools: readonly OfferedTool[];
  /** Whether tools of servers are called by two names. */
  readonly hasNamespaces?: boolean;
  /** How many calls have been answered in this conversation. */
  readonly toolResults: number;
  readonly wantsStream: boolean;
  readonly model: string;
}

export interface ToolCall {
  readonly tool: OfferedTool;
  readonly input: Readonly<Record<string, unknown>> | string;
}

export interface Answer {
  readonly text: string;
  readonly call?: ToolCall;
}

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** `wait-long`: too many requests, to be asked again in half an hour. */
export type Refusal = "usage-limit" | "bad-key" | "overloaded" | "wait-long";

export const HALF_AN_HOUR = { "retry-after": "1800" } as const;

export interface Protocol {
  readonly name: string;
  serves(path: string): boolean;
  read(body: JsonObject, path: string): ModelRequest;
  answer(answer: Answer, request: ModelRequest): Reply;
  refuse(why: Refusal): Reply;
}

export type JsonObject = Readonly<Record<string, unknown>>;

/** What every answer is said to have cost. */
export const USED = { input: 1000, output: 50 } as const;

export function asObject(value: unknown): JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as JsonObject)
    : {};
}

export function asObjects(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.map(asObject) : [];
}

export function asText(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** A message's content is a text, or parts of which some are texts. */
export function contentText(content: unknown): string {
  if (typeof content === "string") return content;
  return asObjects(content)
    .map((part) => asText(part["text"]))
    .join("\n");
}

export function functionTool(name: unknown, schema: unknown): OfferedTool {
  const { properties, required } = asObject(schema);
  return {
    name: asText(name),
    kind: "function",
    parameters: asObject(properties) as OfferedTool["parameters"],
    required: Array.isArray(required) ? required.map(asText) : [],
  };
}

export function json(status: number, value: unknown, headers: Reply["headers"] = {}): Reply {
  return {
    status,
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(value),
  };
}

export function eventStream(events: readonly string[]): Reply {
  return {
    status: 200,
    headers: { "content-type": "text/event-stream", "cache-control": "no-cache" },
    body: events.join(""),
  };
}

/** One server-sent event, named after its type where it has one. */
export function sentEvent(data: JsonObject): string {
  const name = typeof data["type"] === "string" ? `event: ${data["type"]}\n` : "";
  return `${name}data: ${JSON.stringify(data)}\n\n`;
}

let made = 0;

export function newId(kind: string): string {
  made += 1;
  return `${kind}_scripted${String(made).padStart(8, "0")}`;
}

export function inAnHour(): number {
  return Math.floor(Date.now() / 1000) + 3600;
}
