// A difference for people: what it is about, its lines, what a yes and a no come to.
import type { DiffView } from "../core/schema/views.ts";
import { fact, nextFacts } from "./facts.ts";
import type { Block } from "./layout.ts";
import type { Paint } from "./paint.ts";
import { visibleLine, visibleText } from "./visible.ts";

/** One line stays one: a carriage return inside it would begin another that nobody marked. */
function diffLine(line: string): string {
  return visibleText(line.replace(/\r$/, "").replaceAll("\r", "\\u000d"));
}

export function diffText(view: DiffView, paint: Paint): Block[] {
  const { item } = view;
  const lines = view.diff === "" ? ["nothing differs"] : view.diff.trimEnd().split("\n");
  return [
    paint.bold(visibleLine(view.about)),
    ...lines.map((line) => ({ whole: paintLine(diffLine(line), paint) })),
    ...(item === null
      ? view.new_commands.map((command) => ({ commands: fact("New command", command, paint) }))
      : [
          fact("Digest", item.subject_sha256, paint),
          fact("Yes", item.on_yes, paint),
          fact("No", item.on_no, paint),
          ...(item.expires_at === null
            ? []
            : [fact("Expires", `${item.expires_at}, then it is asked anew`, paint)]),
          ...(item.status === "open" ? [] : [fact("Status", item.status, paint)]),
          ...(item.is_current
            ? []
            : [paint.yellow("  What is there now is not what was asked about.")]),
        ]),
    ...nextFacts(view.next, paint, "Or"),
  ];
}

function paintLine(line: string, paint: Paint): string {
  if (line.startsWith("+")) return paint.green(line);
  if (line.startsWith("-")) return paint.red(line);
  return line.startsWith("@@") ? paint.cyan(line) : line;
}
