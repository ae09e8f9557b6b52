// One answer of a person, from the command to what came of it. It is carried out under the lease: only
// its holder writes.
import { type Answer, judgeAnswer, type Letter } from "../core/answers.ts";
import { newAnswerId, newRunId, type ProjectId } from "../core/ids.ts";
import { instantFromMs } from "../core/instant.ts";
import type { ProjectState } from "../core/schema/project.ts";
import type { AnswerView } from "../core/schema/views.ts";
import { StintError } from "../core/stint-error.ts";
import { carryOutAnswer, type Receipt } from "../engine/carry-out-answer.ts";
import { treeFiles } from "../engine/tree-files.ts";
import { nextSteps } from "../report/next-steps.ts";
import type { Holder } from "../store/store.ts";
import { resolveProject } from "./resolve-project.ts";
import { status } from "./status.ts";
import type { System } from "./system.ts";

export interface AnswerInput {
  readonly project?: string | undefined;
  /** From the state as it was read last, so that the answer is bound to what is asked there. */
  readonly answer: (state: ProjectState) => Answer;
}

export const CHANNEL = "command line";

export async function giveAnswer(system: System, input: AnswerInput): Promise<AnswerView> {
  const id = await resolveProject(system, input.project);
  const { state } = system.store.read(id);
  const letter: Letter = {
    id: newAnswerId((count) => system.host.randomBytes(count)),
    answer: input.answer(state),
    by: system.user,
    channel: CHANNEL,
    at: instantFromMs(system.host.nowMs()),
  };
  // What the state already rules out needs nobody's lease.
  const judged = judgeAnswer(state, letter);
  if (judged.kind === "refused") throw refusal(id, { text: judged.reason, hint: judged.hint });
  if (judged.kind === "given") {
    return await viewOf(system, letter, id, { outcome: "given", text: judged.text });
  }
  const holder = system.store.acquire(id, {
    owner: system.user,
    run_id: newRunId((count) => system.host.randomBytes(count)),
  });
  const receipt = whileHeld(holder, () => carryOut(system, holder, letter));
  if (receipt.outcome === "refused") throw refusal(id, receipt);
  return await viewOf(system, letter, id, receipt);
}

function carryOut(system: System, holder: Holder, letter: Letter): Receipt {
  const { root, manifest, folder: projectFolder } = holder.entry;
  const tree = treeFiles({ root, manifest, projectFolder });
  return carryOutAnswer({ holder, store: system.store, tree }, letter).receipt;
}

/** Gives the lease back whatever happens; what went wrong first is what is told. */
export function whileHeld<T>(holder: Holder, act: () => T): T {
  let result: T;
  try {
    result = act();
  } catch (error) {
    try {
      holder.release();
    } catch (second) {
      if (!(second instanceof StintError)) throw second;
    }
    throw error;
  }
  holder.release();
  return result;
}

function refusal(id: ProjectId, { text, hint }: { text: string; hint: string }): StintError {
  return new StintError("refused", `${id}: ${text}`, hint);
}

async function viewOf(
  system: System,
  letter: Letter,
  id: ProjectId,
  receipt: Exclude<Receipt, { outcome: "refused" }>,
): Promise<AnswerView> {
  const view = await status(system, { project: id });
  return {
    project_id: id,
    answer_id: letter.id,
    outcome: receipt.outcome,
    what: receipt.text,
    by_run: false,
    status: view.status,
    next: nextSteps(view, {}),
  };
}
