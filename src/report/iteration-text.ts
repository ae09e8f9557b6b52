// An iteration for people: what a request became and why, what is next; and what iterations work by.
import type { ConfigView, IterateView } from "../core/schema/views.ts";
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

export function configText(view: ConfigView, paint: Paint): Block[] {
  return [
    `Settings of ${visibleLine(view.repository)}`,
    {
      rows: view.values.map(({ key, value, from }) => [
        { text: key },
        { text: valueText(value) },
        { text: from, paint: paint.dim },
      ]),
      indent: "  ",
    },
  ];
}

function valueText(value: ConfigView["values"][number]["value"]): string {
  if (value === null) return "not set";
  if (Array.isArray(value)) return value.length === 0 ? "none" : visibleLine(value.join("; "));
  return visibleLine(String(value));
}
