// Which checks of verified work run once more where it has other files. Neither a person nor a second agent
// is asked again: what a person approved is compared with what is there, and an agent looked at what the task
// made, not at what stands beside it.
import type { Check } from "../core/schema/check.ts";

/** `known` are the files whose state from before the task's sessions is known. */
export function checksAgain(
  checks: readonly Check[],
  known: Readonly<Record<string, unknown>>,
): readonly Check[] {
  return checks.filter((check) => {
    if (check.kind === "review" || check.kind === "agent-review") return false;
    const isCompared = check.kind === "file" && check.expect.is === "changed";
    return !isCompared || known[check.path] !== undefined;
  });
}
