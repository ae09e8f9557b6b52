// `accept`: takes over a change to the manifest that was set aside after a session, or that nobody
// explained. One that nobody is asked about is made as the person's edit that it is.
import type { ProjectState } from "../core/schema/project.ts";
import type { AnswerView } from "../core/schema/views.ts";
import { StintError } from "../core/stint-error.ts";
import { proposalPath } from "../engine/manifest-answers.ts";
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
      const item = state.approval_items.find(({ about }) => about === input.proposal);
      const edit = item === undefined ? setAside(system, state, input.proposal) : undefined;
      if (edit !== undefined) return edit;
      const { id, kind, subject_sha256 } = item ?? namedApproval(state, input.proposal);
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

/** The change of that name, where it is kept. */
function setAside({ store }: System, { project_id }: ProjectState, name: string) {
  if (!/^session-\d+$/.test(name)) return undefined;
  const read = (part: "base" | "wanted"): string | undefined =>
    store.kept(project_id, proposalPath(name, part))?.toString("utf8");
  const [base, text] = [read("base"), read("wanted")];
  return base === undefined || text === undefined
    ? undefined
    : ({ verb: "edit", base, text } as const);
}
