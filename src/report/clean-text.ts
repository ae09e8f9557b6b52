// What can be removed or was, for people.
import { dataSize, fileCount } from "../core/words/amounts.ts";
import type { CleanView } from "../core/schema/views.ts";
import type { Block } from "./layout.ts";
import type { Paint } from "./paint.ts";
import { visibleLine } from "./visible.ts";

type Item = CleanView["items"][number];

const KINDS = {
  workspace: "workspace",
  litter: "left over",
  "registry-entry": "entry in the list",
} as const satisfies Record<Item["kind"], string>;

export function cleanText(view: CleanView, paint: Paint): Block[] {
  if (view.items.length === 0) return ["Nothing to remove: everything there is needed."];
  return [
    ...view.items.flatMap((item) => itemLines(item, paint)),
    total(view),
    ...view.next.map((command) => ({ commands: `  → ${command}` })),
  ];
}

function itemLines(item: Item, paint: Paint): string[] {
  const size =
    item.bytes === null ? "" : `, ${dataSize(item.bytes)} in ${fileCount(item.files ?? 0)}`;
  const of = `${KINDS[item.kind]} of ${item.project_id}${size}`;
  return [
    `${signOf(item, paint)} ${of}: ${visibleLine(item.reason)}`,
    ...(item.kind === "registry-entry" ? [] : [`    ${paint.dim(visibleLine(item.path))}`]),
    ...item.only_copy_of.map((what) => `    only copy of: ${visibleLine(what)}`),
    ...(item.why === null ? [] : [`    ${visibleLine(item.why)}`]),
  ];
}

function signOf({ outcome }: Item, paint: Paint): string {
  switch (outcome) {
    case "shown":
      return "·";
    case "removed":
      return paint.green("removed");
    case "kept":
      return paint.yellow("kept");
    case "failed":
      return paint.red("failed");
    default:
      return outcome satisfies never;
  }
}

function total({ is_applied, bytes, items }: CleanView): string {
  if (is_applied) return `${dataSize(bytes)} removed.`;
  const isAny = items.some(({ outcome }) => outcome === "shown");
  return isAny ? `Nothing was removed yet. ${dataSize(bytes)} can be:` : "Nothing was removed.";
}
