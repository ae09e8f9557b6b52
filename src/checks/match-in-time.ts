// Tests a regular expression against a text within a deadline. Patterns can take exponential time, and
// a guess which ones do is wrong both ways; so each runs in a worker that is ended when time is up.
import { Worker } from "node:worker_threads";

export type Match = "matches" | "no-match" | "too-slow" | "bad-pattern";

export const MATCH_MS = 2000;

/** Kept as text, because a worker needs a file or a text and a bundle has no file for it. */
const PROGRAM = `
  const { parentPort, workerData: { pattern, flags, text } } = require("node:worker_threads");
  try {
    parentPort.postMessage(new RegExp(pattern, flags).test(text) ? "matches" : "no-match");
  } catch {
    parentPort.postMessage("bad-pattern");
  }
`;

export async function matchInTime(
  expression: { readonly pattern: string; readonly flags: string },
  text: string,
  deadlineMs: number = MATCH_MS,
): Promise<Match> {
  const worker = new Worker(PROGRAM, { eval: true, workerData: { ...expression, text }, env: {} });
  let timer: NodeJS.Timeout | undefined;
  try {
    return await new Promise<Match>((resolve, reject) => {
      timer = setTimeout(() => resolve("too-slow"), deadlineMs);
      worker.once("message", (match: Match) => resolve(match));
      worker.once("error", reject);
    });
  } finally {
    clearTimeout(timer);
    await worker.terminate();
  }
}
