// What an agent told during its turn, over the Agent Client Protocol: its calls, what it used, and since when its model owes
// an answer.
import { type JsonObject, objectIn, objectsIn, stringIn } from "../../core/json-line.ts";
import { bounded } from "./bounded.ts";

const MOST_CALLS = 256;

export class Heard {
  /** Its latest calls, as far as they were told: a request for permission may name no more than the id. */
  readonly #calls = new Map<string, JsonObject>();
  /** Tokens of its single requests, and money. */
  #used: JsonObject = {};
  /** Since the prompt, or the result of a tool. Undefined while the model need not say anything. */
  #owedSince: number | undefined;

  /** From now on the model owes an answer. */
  prompted(): void {
    this.#owedSince = performance.now();
  }

  get unansweredMs(): number {
    return this.#owedSince === undefined ? 0 : Math.round(performance.now() - this.#owedSince);
  }

  get costUsd(): unknown {
    return this.#used["costUsd"];
  }

  /** @returns what it used so far, if that is news */
  hear(update: JsonObject): JsonObject | null {
    this.#hearCall(update);
    this.#hearAnswer(update);
    return this.#hearUsage(update);
  }

  /** A call as it was told before, with what it is told with now. */
  callAskedFor(asking: JsonObject): JsonObject {
    const before = this.#calls.get(stringIn(asking["toolCallId"]) ?? "") ?? {};
    // What it asks with may be shorter than what it showed before.
    const content = [...objectsIn(before["content"]), ...objectsIn(asking["content"])];
    return { ...before, ...withoutNulls(asking), content };
  }

  #hearCall(update: JsonObject): void {
    const id = stringIn(update["toolCallId"]);
    if (id === undefined) return;
    const known: JsonObject = { ...this.#calls.get(id), ...withoutNulls(update) };
    const { kind, title, rawInput, content } = known;
    this.#calls.delete(id);
    this.#calls.set(id, objectIn(bounded({ kind, title, rawInput, content })) ?? {});
    const [oldest] = this.#calls.keys();
    if (this.#calls.size > MOST_CALLS && oldest !== undefined) this.#calls.delete(oldest);
  }

  #hearAnswer({ sessionUpdate, status, content }: JsonObject): void {
    switch (sessionUpdate) {
      case "agent_message_chunk":
        // An empty piece is no answer.
        if (stringIn(objectIn(content)?.["text"])?.trim() !== "") this.#owedSince = undefined;
        break;
      case "agent_thought_chunk":
      case "plan":
      case "tool_call":
        this.#owedSince = undefined;
        break;
      case "tool_call_update":
        if (status === "completed" || status === "failed") this.prompted();
        break;
      default:
    }
  }

  /** Money is told for the session, tokens for each request: what they come to, for a turn that may tell no total. */
  #hearUsage(update: JsonObject): JsonObject | null {
    const cost = update["sessionUpdate"] === "usage_update" ? usdIn(update["cost"]) : undefined;
    const tokens = objectIn(objectIn(update["_meta"])?.["usage"]);
    if (cost === undefined && tokens === undefined) return null;
    const sums = Object.entries(tokens ?? {}).flatMap(([name, count]) =>
      typeof count === "number" && count >= 0
        ? [[name, count + Number(this.#used[name] ?? 0)]]
        : [],
    );
    this.#used = {
      ...this.#used,
      ...Object.fromEntries(sums),
      ...(cost !== undefined && { costUsd: cost }),
    };
    return this.#used;
  }
}

function usdIn(value: unknown): number | undefined {
  const { amount, currency } = objectIn(value) ?? {};
  return typeof amount === "number" && currency === "USD" ? amount : undefined;
}

function withoutNulls(value: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(value).filter(([, each]) => each !== null && each !== undefined),
  );
}
