// The command of a verb that answers, as the list of answers says it: its words, its options, its help.
import {
  ANSWER_VERBS,
  type AnswerVerb,
  type AnswerVerbName,
} from "../operations/answers/answer-verbs.ts";
import { PROJECT, type Verb, type VerbOption } from "./verb.ts";

const REASON: VerbOption = { flags: "--reason <text>", description: "why; kept for good" };

export function answerVerb(name: AnswerVerbName): Verb {
  const verb: AnswerVerb = ANSWER_VERBS[name];
  const { subject, text, reason, now, summary, details, examples } = verb;
  return {
    name,
    arguments: [subject && `<${subject[0]}>`, text && "<text>", "[project]"]
      .filter(Boolean)
      .join(" "),
    argumentHelp: {
      ...(subject && { [subject[0]]: subject[1] }),
      ...(text !== undefined && { text }),
      project: PROJECT,
    },
    summary,
    ...(details !== undefined && { details }),
    options: [
      ...(reason === undefined ? [] : [REASON]),
      ...(now === undefined ? [] : [{ flags: "--now", description: now }]),
    ],
    examples,
    load: async () => (await import("./verbs/answer.ts")).answering(name, verb),
  };
}
