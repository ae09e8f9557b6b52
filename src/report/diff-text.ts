// A difference for people: what it is about, its lines, what a yes and a no come to.
import type { DiffView } from "../core/schema/views.ts";
import type { Paint } from "./paint.ts";
import { visibleLine, visibleText } from "./visible.ts";

/** One line stays one: a carriage return inside it would begin another that nobody marked. */
function diffLine(line: string): string {
  return visibleText(line.replace(/\r$/, "").replaceAll("\r", "\\u000d"));
}

export function diffText(view: DiffView, paint: Paint): string {
  const { item } = view;
  const lines = view.diff === "" ? ["nothing differs"] : view.diff.trimEnd().split("\n");
  return [
    paint.bold(visibleLine(view.about)),
    ...lines.map((line) => paintLine(diffLine(line), paint)),
    ...(item === null
      ? view.new_commands.map((command) => `  ${paint.dim("New command:")} ${visibleLine(command)}`)
      : [
          `  ${paint.dim("Digest:")} ${item.subject_sha256}`,
          `  ${paint.dim("Yes:")} ${visibleLine(item.on_yes)}`,
          `  ${paint.dim("No:")} ${visibleLine(item.on_no)}`,
          ...(item.expires_at === null
            ? []
            : [`  ${paint.dim("Expires:")} ${item.expires_at}, then it is asked anew`]),
          ...(item.status === "open" ? [] : [`  ${paint.dim("Status:")} ${item.status}`]),
          ...(item.is_current
            ? []
            : [paint.yellow("  What is there now is not what was asked about.")]),
        ]),
    ...view.next.map(
      (step, index) => `  ${paint.dim(`${index === 0 ? "Next" : "Or"}:`)} ${visibleLine(step)}`,
    ),
  ].join("\n");
}

function paintLine(line: string, paint: Paint): string {
  if (line.startsWith("+")) return paint.green(line);
  if (line.startsWith("-")) return paint.red(line);
  return line.startsWith("@@") ? paint.cyan(line) : line;
}
