// Delegated work, for people: who has what, by what it comes back, and what came of it.
import type { DispatchItemView, DispatchView, ResultsView } from "../core/schema/views.ts";
import { localTime } from "./amounts.ts";
import { type Block, type Cell, fact, nextFacts, type Paint } from "./layout.ts";
import { visibleLine } from "./visible.ts";

export function dispatchText(view: DispatchView, paint: Paint): Block[] {
  const { did, dispatches } = view;
  const out = dispatches.filter(({ status }) => status === "sent");
  const sign =
    did?.outcome === "applied"
      ? paint.green("✓")
      : did?.outcome === "given"
        ? paint.dim("=")
        : paint.yellow("…");
  return [
    ...(did === null ? [] : [`${sign} ${view.project_id}: ${visibleLine(did.what)}`]),
    ...(out.length === 0 ? ["Nothing of this project is delegated now."] : [table(out, paint)]),
    ...(did === null ? [] : nextFacts(view.next, paint)),
  ];
}

function table(items: readonly DispatchItemView[], paint: Paint): Block {
  const header: Cell[] = ["ID", "TASK", "OWNER", "BACK WHEN", "NEXT LOOK", "DEADLINE"].map(
    (text) => ({ text, paint: paint.dim }),
  );
  const rows = items.map((item): Cell[] => [
    { text: item.id },
    { text: item.task_id },
    { text: visibleLine(item.owner) },
    { text: visibleLine(item.returns) },
    { text: item.next_look_at === null ? "" : localTime(item.next_look_at) },
    { text: localTime(item.deadline_at) },
  ]);
  return { rows: [header, ...rows] };
}

export function resultsText(view: ResultsView, paint: Paint): Block[] {
  if (view.results.length === 0) return ["Nothing of this project was delegated."];
  return view.results.flatMap((item) => [
    `${paint.bold(item.id)}  ${item.task_id}  ${visibleLine(item.objective)}: ${statusWord(item, paint)}`,
    fact("Owner", item.owner, paint),
    fact("Back when", item.returns, paint),
    fact("Sent", localTime(item.sent_at), paint),
    ...(item.next_look_at === null
      ? [fact("Closed", item.closed_at === null ? "" : localTime(item.closed_at), paint)]
      : [fact("Next look", `${localTime(item.next_look_at)}; ${givenUp(item)}`, paint)]),
    ...(item.result === null ? [] : [fact("Result", item.result, paint)]),
  ]);
}

function givenUp({ deadline_at }: DispatchItemView): string {
  return `given up at ${localTime(deadline_at)}`;
}

function statusWord({ status }: DispatchItemView, paint: Paint): string {
  const word = status.replace("_", " ");
  if (status === "returned") return paint.green(word);
  return status === "sent" ? paint.cyan("out") : paint.yellow(word);
}
