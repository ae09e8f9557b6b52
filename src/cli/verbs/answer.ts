// What runs for every verb that answers; `edit` shows its outcome in the same way.
import type { AnswerView } from "../../core/schema/views.ts";
import type { AnswerVerb, AnswerVerbName } from "../../operations/answers/answer-verbs.ts";
import { giveAnswer } from "../../operations/answers/give-answer.ts";
import { answerText } from "../../report/decision-text.ts";
import { EXIT } from "../exit-codes.ts";
import { isSet, optionText, type VerbRunner } from "../verb.ts";
import { type ViewVerb, viewVerb } from "../view-verb.ts";

export function answering(name: AnswerVerbName, { subject, text }: AnswerVerb): VerbRunner {
  return answerVerbOf(async (system, call) => {
    const words = [...call.arguments];
    return await giveAnswer(system, name, {
      subject: subject && words.shift(),
      text: text && words.shift(),
      project: words.shift(),
      reason: optionText(call, "reason"),
      now: isSet(call, "now"),
    });
  });
}

export function answerVerbOf(view: ViewVerb<AnswerView>["view"]): VerbRunner {
  return viewVerb({
    view,
    text: answerText,
    exitCode: ({ outcome }) => (outcome === "left" ? EXIT.workRemains : EXIT.done),
  });
}
