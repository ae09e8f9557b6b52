// A verb that looks at something is done at once, unless the disk or git is slow. A person who waits for one is told that
// it is still at work; a program is not.
import type { Terminal } from "./terminal.ts";

/** They tell what they do by themselves, or belong to a program. */
const TELLING: ReadonlySet<string> = new Set([
  "run",
  "resume",
  "iterate",
  "watch",
  "shell",
  "demo",
  "mcp",
]);

const PATIENCE_MS = 2000;

/** Calls `act` after so long, unless the returned function is called first. */
export type Later = (ms: number, act: () => void) => () => void;

const byClock: Later = (ms, act) => {
  const timer = setTimeout(act, ms).unref();
  return () => clearTimeout(timer);
};

export async function withPatience<T>(
  verb: string,
  terminal: Terminal,
  act: () => Promise<T>,
  later: Later = byClock,
): Promise<T> {
  if (terminal.errorWidth === undefined || TELLING.has(verb)) return await act();
  const cancel = later(PATIENCE_MS, () => {
    terminal.err(`stint ${verb} is still working; Ctrl-C ends it`);
  });
  try {
    return await act();
  } finally {
    cancel();
  }
}
