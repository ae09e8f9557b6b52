// `approve`: a person's yes to exactly what an item shows, or to the plan as it stands.
import type { AnswerView } from "../../core/schema/views.ts";
import { giveAnswer } from "./give-answer.ts";
import { namedApproval } from "./named-item.ts";
import type { System } from "../system.ts";

export interface ApproveInput {
  /** An approval, or "plan". */
  readonly item: string;
  readonly project?: string | undefined;
}

export async function approve(system: System, input: ApproveInput): Promise<AnswerView> {
  return await giveAnswer(system, {
    project: input.project,
    answer(state) {
      if (input.item === "plan") return { verb: "approve-plan", digest: state.manifest.digest };
      const { id, subject_sha256 } = namedApproval(state, input.item);
      return { verb: "approve", item: id, subject_sha256 };
    },
  });
}
