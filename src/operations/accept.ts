// `accept`: takes over a change to the manifest that a session proposed, or that nobody explained.
import type { AnswerView } from "../core/schema/views.ts";
import { StintError } from "../core/stint-error.ts";
import { giveAnswer } from "./give-answer.ts";
import { namedApproval } from "./named-item.ts";
import type { System } from "./system.ts";

export interface AcceptInput {
  readonly proposal: string;
  readonly project?: string | undefined;
}

export async function accept(system: System, input: AcceptInput): Promise<AnswerView> {
  return await giveAnswer(system, {
    project: input.project,
    answer(state) {
      const { id, kind, subject_sha256 } = namedApproval(state, input.proposal);
      if (kind === "proposal" || kind === "manifest") {
        return { verb: "approve", item: id, subject_sha256 };
      }
      throw new StintError(
        "bad-input",
        `${id} is no change to the manifest`,
        `Look at it (stint diff ${id} ${state.project_id}), then: stint approve ${id} ${state.project_id}`,
      );
    },
  });
}
