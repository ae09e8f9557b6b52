// `answer`: what a session asked, answered; the next session reads the words as they are.
import type { AnswerView } from "../../core/schema/views.ts";
import { shellWord } from "../../core/words/shell-word.ts";
import { StintError } from "../../core/stint-error.ts";
import { giveAnswer } from "./give-answer.ts";
import { namedQuestion } from "./named-item.ts";
import type { System } from "../system.ts";

export interface AnswerQuestionInput {
  readonly question: string;
  readonly text: string;
  readonly project?: string | undefined;
}

export async function answer(system: System, input: AnswerQuestionInput): Promise<AnswerView> {
  if (input.text.trim() === "") {
    const project = input.project === undefined ? "" : ` ${shellWord(input.project)}`;
    throw new StintError(
      "bad-input",
      "an empty answer answers nothing",
      `Right is, for example: stint answer ${shellWord(input.question)} "Use PostgreSQL 16"${project}`,
    );
  }
  return await giveAnswer(system, {
    project: input.project,
    answer: (state) => ({
      verb: "answer",
      question: namedQuestion(state, input.question).id,
      text: input.text,
    }),
  });
}
