// What `deliver` brought in, or what is in the way and what to do about it.
import type { DeliverView } from "../core/schema/views.ts";
import { counted } from "./amounts.ts";
import { fact, nextFacts } from "./facts.ts";
import type { Block } from "./layout.ts";
import type { Paint } from "./paint.ts";
import { visibleLine } from "./visible.ts";

export function deliverText(view: DeliverView, paint: Paint): Block[] {
  const { push, next } = view;
  const sign = view.delivery?.kind === "waiting" ? paint.yellow("…") : paint.green("✓");
  return [
    `${sign} ${view.project_id}: ${visibleLine(whatHappened(view))}`,
    ...(push.text === null ? [] : [fact("Push", push.text, paint)]),
    ...nextFacts(next, paint),
  ];
}

function whatHappened({ delivery, commits, files }: DeliverView): string {
  if (delivery === null) return "there is no verified work yet";
  switch (delivery.kind) {
    case "in-place":
      return "its work is in your files";
    case "delivered":
      return commits === 0
        ? `nothing waits; ${delivery.branch} holds the work`
        : `brought ${counted(commits, "commit")} with ${counted(files, "file")} into ${delivery.branch}`;
    case "waiting":
      return `the work stays on ${delivery.branch}: ${delivery.why}`;
    default:
      return delivery satisfies never;
  }
}
