// Tokens and money as agents tell them, with distrust: a damaged number counts as not told, so that
// no sum can become negative, endless or absurd.
import type { Usage } from "./agent.ts";
import { type JsonObject, numberIn } from "../core/json-line.ts";

const MOST_TOKENS = 1e10;
const MOST_USD = 1e5;

function tokensIn(value: unknown): number | undefined {
  const tokens = numberIn(value);
  return tokens !== undefined && Number.isInteger(tokens) && tokens >= 0 && tokens <= MOST_TOKENS
    ? tokens
    : undefined;
}

function usdIn(value: unknown): number | null {
  const usd = numberIn(value);
  return usd !== undefined && usd >= 0 && usd <= MOST_USD ? usd : null;
}

/** Which fields of an object hold what; several are added up. */
export interface UsageFields {
  readonly input: readonly string[];
  readonly output: readonly string[];
  readonly cached: readonly string[];
  readonly costUsd?: string;
}

/** Undefined when none of the fields is there: unknown is not zero. */
export function readUsage(source: JsonObject | undefined, fields: UsageFields): Usage | undefined {
  if (source === undefined) return undefined;
  const sum = (names: readonly string[]) => {
    const found = names
      .map((name) => tokensIn(source[name]))
      .filter((count) => count !== undefined);
    return found.length === 0 ? undefined : found.reduce((total, count) => total + count, 0);
  };
  const [input, output, cached] = [sum(fields.input), sum(fields.output), sum(fields.cached)];
  if (input === undefined && output === undefined) return undefined;
  return {
    input: input ?? 0,
    output: output ?? 0,
    cached: cached ?? 0,
    costUsd: fields.costUsd === undefined ? null : usdIn(source[fields.costUsd]),
  };
}

export function addUsage(before: Usage | null, more: Usage): Usage {
  const { input, output, cached, costUsd } = more;
  if (before === null) return { input, output, cached, costUsd };
  return {
    input: before.input + input,
    output: before.output + output,
    cached: before.cached + cached,
    costUsd:
      before.costUsd === null && costUsd === null ? null : (before.costUsd ?? 0) + (costUsd ?? 0),
  };
}
