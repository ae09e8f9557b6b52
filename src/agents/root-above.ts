// A session that starts in a folder below the top may work in all of the work tree; agents that keep to
// the folder they start in are told so.
import type { SessionRequest } from "./agent.ts";

/** The top of the work tree, where the session starts below it. */
export function rootAbove({ root, workTree }: SessionRequest): string | undefined {
  return root === workTree ? undefined : root;
}

/** Two words for the command line, or none. */
export function rootWords(flag: string, request: SessionRequest): readonly string[] {
  const root = rootAbove(request);
  return root === undefined ? [] : [flag, root];
}
