// The journal for people: one line per revision, never cut: whoever reads it looks for what was said.
import type { LogView } from "../core/schema/views.ts";
import type { Block } from "./layout.ts";
import type { Paint } from "./paint.ts";
import type { Cell } from "./table.ts";
import { visibleLine } from "./visible.ts";

export function logText(view: LogView, paint: Paint): Block[] {
  const rows = view.lines.map((line): Cell[] => [
    { text: String(line.revision), paint: paint.dim },
    { text: `${line.at.slice(0, 19).replace("T", " ")}Z`, paint: paint.dim },
    { text: visibleLine(line.kind), paint: paint.cyan },
    { text: visibleLine(line.by) },
    { text: visibleLine(line.summary), whole: "words" },
  ]);
  const hidden = view.total - view.lines.length;
  return [...(hidden > 0 ? [paint.dim(`… ${hidden} earlier lines`)] : []), { rows }];
}
