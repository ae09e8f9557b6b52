// What is wrong with how a task is delegated, seen over all of its keys: who does it, how it comes back, and when.
// Each problem says what to write.
import { delegatedTo, isJudged } from "../core/delegation.ts";
import { durationText } from "../core/written/times.ts";
import type { TaskKey } from "./manifest-document.ts";
import type { KeyValues } from "./plan.ts";
import { errorAt, type Problem } from "./problem.ts";
import { inBackticks, readsAsCommand } from "./unquoted-command.ts";

const TERMS = ["returns", "look", "deadline"] as const;

/** @param lines the first line of every key that the task has */
export function delegationProblems(
  values: KeyValues,
  lines: ReadonlyMap<TaskKey, number>,
): readonly Problem[] {
  const line = lines.get("delegate");
  if (line === undefined) {
    return TERMS.flatMap((key) => {
      const at = lines.get(key);
      return at === undefined ? [] : [withoutOwner(key, at)];
    });
  }
  // What could not be read is said already.
  if (values.delegate === undefined) return [];
  const found = `delegate: ${values.delegate}`;
  const { returns, lookMs, deadlineMs } = values;
  const isUnreadable = lines.has("returns") && returns === undefined;
  const delegated = delegatedTo(values);
  const problems: Problem[] = [];
  if (delegated === null && !isUnreadable) {
    problems.push(
      errorAt(line, "delegate-without-returns", {
        message:
          "Stint cannot know when work outside is finished; add returns: with a condition, or name an agent or a command in backticks",
        example: readsAsCommand(values.delegate)
          ? `- delegate: ${inBackticks(values.delegate)}`
          : `- ${found}\n- returns: message`,
        found: returns === undefined ? found : `${found}, returns: exit`,
      }),
    );
  }
  if (delegated?.by === "outside" && !isJudged(values)) {
    problems.push(
      errorAt(line, "delegate-without-check", {
        message:
          "a message that it is done proves nothing: give the task a check, or review it yourself",
        example: `- ${found}\n- check: \`npm test\``,
        sample: true,
        found,
      }),
    );
  }
  const act = (["run", "webhook", "child"] as const).find((key) => values[key] !== undefined);
  if (act !== undefined) {
    problems.push(
      errorAt(line, "delegate-and-act", {
        message: `a task has delegate: or ${act}:, not both`,
        example: `- ${found}`,
        found: `${found}, and ${act}:`,
      }),
    );
  }
  if (lookMs !== undefined && deadlineMs !== undefined && deadlineMs < lookMs) {
    problems.push(
      errorAt(lines.get("deadline") ?? line, "deadline-before-look", {
        message: "the deadline is earlier than the first look",
        example: `- look: ${durationText(deadlineMs)}\n- deadline: ${durationText(lookMs)}`,
        found: `look: ${durationText(lookMs)}, deadline: ${durationText(deadlineMs)}`,
      }),
    );
  }
  return problems;
}

function withoutOwner(key: (typeof TERMS)[number], line: number): Problem {
  return errorAt(line, `${key}-without-delegate`, {
    message: `${key}: belongs to delegated work; say who does it`,
    example: "- delegate: the design team\n- returns: file design/logo.svg",
    sample: true,
    found: `${key}:, and no delegate:`,
  });
}
