// An iteration for people: what a request became and why, what is next.
import type { IterateView } from "../core/schema/views.ts";
import { type Block, fact, nextFacts, type Paint } from "./layout.ts";
import { runText } from "./run-text.ts";
import { reasonText, visibleLine } from "./visible.ts";

export function iterateText(view: IterateView, paint: Paint): Block[] {
  const { run, response } = view;
  return [
    ...(view.kind === "workflow" ? previewLines(view, paint) : []),
    ...(run === null ? [] : ["", ...runText({ ...run, next: [] }, paint), ""]),
    reasonText(response.summary),
    ...nextFacts(response.next.map(reasonText), paint),
  ];
}

function previewLines({ manifest, because, steps }: IterateView, paint: Paint): Block[] {
  return [
    "",
    `${paint.bold("Workflow")}  ${visibleLine(manifest ?? "")}`,
    ...because.map((reason) => fact("Because", visibleLine(reason), paint)),
    {
      rows: steps.map(({ name, title, child }) => [
        { text: visibleLine(name) },
        { text: visibleLine(title) },
        { text: child === null ? "" : `child ${visibleLine(child)}` },
      ]),
      indent: "  ",
    },
  ];
}
