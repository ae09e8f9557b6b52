// The settings for people: each key, where its value comes from, and the value, which may be long.
import type { ConfigView } from "../core/schema/views.ts";
import type { Block, Cell, Paint } from "./layout.ts";
import { visibleLine } from "./visible.ts";

type Value = ConfigView["values"][number];

export function configText({ repository, manifest, values }: ConfigView, paint: Paint): Block[] {
  const whose = manifest === null ? "" : `, for ${visibleLine(manifest)}`;
  return [
    `Settings of ${visibleLine(repository)}${whose}`,
    { rows: values.map((value) => rowOf(value, paint)), indent: "  " },
  ];
}

/** What somebody set stands out. */
function rowOf(value: Value, paint: Paint): Cell[] {
  const isDefault = value.from === "default";
  return [
    { text: value.key },
    { text: value.from, paint: isDefault ? paint.dim : paint.cyan },
    { text: valueText(value), ...(isDefault && { paint: paint.dim }) },
  ];
}

function valueText({ value, unset }: Value): string {
  if (value === null) return visibleLine(unset ?? "not set");
  if (Array.isArray(value)) return value.length === 0 ? "none" : visibleLine(value.join("; "));
  return visibleLine(String(value));
}
