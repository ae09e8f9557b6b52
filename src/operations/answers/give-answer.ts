// The verbs that answer, all of them: what is typed is complete before anybody's lease is asked for.
import type { AnswerView } from "../../core/schema/views.ts";
import { StintError } from "../../core/stint-error.ts";
import { shellWord } from "../../core/written/commands.ts";
import type { System } from "../system.ts";
import { ANSWER_VERBS, type AnswerVerb, type AnswerVerbName } from "./answer-verbs.ts";
import { sendAnswer } from "./send-answer.ts";

export interface AnswerInput {
  /** An approval, a question, a proposal or a task, as the verb wants it. */
  readonly subject?: string | undefined;
  readonly text?: string | undefined;
  readonly reason?: string | undefined;
  readonly now?: boolean;
  readonly project?: string | undefined;
}

export async function giveAnswer(
  system: System,
  name: AnswerVerbName,
  input: AnswerInput,
): Promise<AnswerView> {
  const verb: AnswerVerb = ANSWER_VERBS[name];
  const { subject = "", text = "", project, now = false } = input;
  const reason = input.reason?.trim() ?? "";
  if (verb.reason === "needed" && reason === "") throw withoutReason(name, input);
  if (verb.text !== undefined && text.trim() === "") throw withoutText(name, input);
  return await sendAnswer(system, {
    project,
    answer: (state) => verb.answer({ system, state, subject, text, reason, now }),
  });
}

/** It is kept for good, and sessions read it. */
function withoutReason(name: AnswerVerbName, { subject, project }: AnswerInput): StintError {
  return new StintError(
    "bad-input",
    `stint ${name} needs a reason: it is kept for good`,
    `Right is, for example: ${typed(name, subject, project)} --reason "the names are wrong"`,
  );
}

function withoutText(name: AnswerVerbName, { subject, project }: AnswerInput): StintError {
  const example = [typed(name, subject), '"Use PostgreSQL 16"', project && shellWord(project)];
  return new StintError(
    "bad-input",
    "an empty answer answers nothing",
    `Right is, for example: ${example.filter(Boolean).join(" ")}`,
  );
}

/** The command as the person began it. */
function typed(...words: readonly (string | undefined)[]): string {
  const given = words.filter((word) => word !== undefined);
  return ["stint", ...given.map(shellWord)].join(" ");
}
