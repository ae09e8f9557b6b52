// The same failure told twice is recognised: what differs from run to run (times, paths, addresses,
// order of parallel output) is taken out before the output is hashed.
import { createHash } from "node:crypto";
import type { Check } from "../core/schema/task.ts";
import { checkKey } from "./check-text.ts";

/** Replaced in this order: what is more particular goes first. */
const VARYING: readonly (readonly [pattern: RegExp, by: string])[] = [
  // oxlint-disable-next-line no-control-regex -- colours are control characters
  [/\u001B\[[0-?]*[ -/]*[@-~]/g, ""],
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi, "<id>"],
  [/\b\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}:\d{2}(?:[.,]\d+)?(?:Z|[+-]\d{2}:?\d{2})?/g, "<time>"],
  [/\b\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?(?:\s?[AP]M)?\b/gi, "<time>"],
  [/\b\d{4}-\d{2}-\d{2}\b/g, "<time>"],
  [/\b\d+(?:[.,]\d+)?\s?(?:ns|µs|us|ms|s|sec|secs|seconds?|m|min|minutes?|h)\b/g, "<time>"],
  [/\b0x[0-9a-f]+\b/gi, "<address>"],
  [/\b(?:\d{1,3}\.){3}\d{1,3}(?::\d+)?\b/g, "<address>"],
  [/\blocalhost:\d+\b/g, "<address>"],
  [/(?:[A-Za-z]:)?(?:[\\/][\w.@+~-]+){2,}[\\/]?/g, "<path>"],
  [/\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,64}\b/g, "<hash>"],
  [/\bpid[ =:]+\d+\b/gi, "<pid>"],
];

export function failureSignature(check: Check, exitCode: number | null, output: string): string {
  const parts = [checkKey(check), String(exitCode), normalised(output)];
  return createHash("sha256").update(parts.join("\0")).digest("hex");
}

function normalised(output: string): string {
  let text = output.replace(/\r\n?/g, "\n");
  for (const [pattern, by] of VARYING) text = text.replace(pattern, by);
  const lines = text.split("\n").map((line) => line.replace(/\s+/g, " ").trim());
  return [...new Set(lines)]
    .filter((line) => line !== "")
    .toSorted()
    .join("\n");
}
