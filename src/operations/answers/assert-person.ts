// Answers are a person's. Whatever a run has started is none, and neither is one without the key.
import { StintError } from "../../core/stint-error.ts";
import type { System } from "../system.ts";

/** @throws refused */
export function assertPerson(system: System, what: string): void {
  const descent = system.descent();
  if (descent !== null) {
    throw new StintError(
      "refused",
      `${what} is a person's to say, and this process was started by a run: ${descent}`,
      "Ask instead: write `question: …` or `approval_required: …` into .agent_iteration_done and end; a person answers from a terminal of their own.",
    );
  }
  system.mailbox.proveKey();
}
