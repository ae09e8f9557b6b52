// The exact commands by which an open item is looked at and answered.
import type { Approval, Question } from "../schema/items.ts";

export interface AnswerCommands {
  /** Shows what exactly is asked; null where the question says it all. */
  readonly look: string | null;
  readonly yes: string;
  readonly no: string | null;
}

export function approvalCommands(
  item: Pick<Approval, "id" | "kind">,
  project: string,
): AnswerCommands {
  const no = `stint deny ${item.id} ${project} --reason "why not"`;
  switch (item.kind) {
    case "plan":
      return { look: `stint plan ${project}`, yes: `stint approve plan ${project}`, no };
    case "proposal":
      return {
        look: `stint diff ${item.id} ${project}`,
        yes: `stint accept ${item.id} ${project}`,
        no,
      };
    case "task-before":
    case "task-after":
    case "destructive":
    case "limit":
    case "release":
    case "deliver":
    case "push":
    case "settings":
    case "command":
      return {
        look: `stint diff ${item.id} ${project}`,
        yes: `stint approve ${item.id} ${project}`,
        no,
      };
    default:
      return item.kind satisfies never;
  }
}

export function questionCommands(
  { id, choices }: Pick<Question, "id" | "choices">,
  project: string,
): AnswerCommands {
  const words = choices?.[0] ?? '"your answer"';
  return { look: null, yes: `stint answer ${id} ${words} ${project}`, no: null };
}
