// What a person decides, for people: what came of an answer, what a yes is about, what was brought in.
import type { AnswerView, DeliverView, DiffView } from "../core/schema/views.ts";
import { localTime, withLocalTimes } from "./amounts.ts";
import { type Block, fact, nextFacts, type Paint } from "./layout.ts";
import { READY_TO_CONTINUE, waitsForRun } from "./status/idle.ts";
import { visibleLine, visibleText } from "./visible.ts";
import { counted } from "../core/words/amounts.ts";

export function answerText(view: AnswerView, paint: Paint): Block[] {
  return [
    `${signOf(view, paint)} ${view.project_id}: ${visibleLine(withLocalTimes(view.what))}${whoDid(view)}`,
    ...view.warnings.map((what) => `  ${paint.yellow("!")} ${visibleLine(what)}`),
    ...view.not_covered.map((what) => fact("Still asked", what, paint)),
    ...nextFacts(view.next, paint, view.is_stopping ? "Or" : undefined),
  ];
}

function signOf({ outcome }: AnswerView, paint: Paint): string {
  if (outcome === "applied") return paint.green("✓");
  return outcome === "given" ? paint.dim("=") : paint.yellow("…");
}

function whoDid({ outcome, by_run, is_stopping, status }: AnswerView): string {
  if (outcome === "given") return "; nothing changed";
  if (is_stopping) return "";
  if (outcome === "left") return "";
  if (by_run) return `; the run applied it and is ${status} now`;
  // In the state it is at work; with no run that works on it, it waits for one.
  return waitsForRun(status) ? `; it is ${READY_TO_CONTINUE}` : `; it is ${status} now`;
}

/** One line stays one: a carriage return inside it would begin another that nobody marked. */
function diffLine(line: string): string {
  return visibleText(line.replace(/\r$/, "").replaceAll("\r", "\\u000d"));
}

export function diffText(view: DiffView, paint: Paint): Block[] {
  const { item } = view;
  // What is asked about may be words, or a list of commands.
  const isDifference = /^(?:@@ |diff --git |\+\+\+ )/m.test(view.diff);
  const lines = view.diff === "" ? ["nothing differs"] : view.diff.trimEnd().split("\n");
  return [
    paint.bold(visibleLine(withLocalTimes(view.about))),
    ...lines.map((line) =>
      isDifference ? { whole: paintLine(diffLine(line), paint) } : diffLine(line),
    ),
    ...(item === null
      ? view.new_commands.map((command) => ({ commands: fact("New command", command, paint) }))
      : [
          fact("Digest", item.subject_sha256, paint),
          fact("Yes", item.on_yes, paint),
          fact("No", item.on_no, paint),
          ...(item.expires_at === null
            ? []
            : [fact("Expires", `${localTime(item.expires_at)}, then it is asked again`, paint)]),
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

export function deliverText(view: DeliverView, paint: Paint): Block[] {
  const { push, next } = view;
  return [
    `${deliverSign(view, paint)} ${view.project_id}: ${visibleLine(whatHappened(view))}`,
    ...(push.text === null ? [] : [fact("Push", push.text, paint)]),
    ...nextFacts(next, paint),
  ];
}

function deliverSign({ delivery, push }: DeliverView, paint: Paint): string {
  if (push.kind === "failed") return paint.red("✗");
  const isOpen = delivery === null || delivery.kind === "waiting";
  return isOpen ? paint.yellow("…") : paint.green("✓");
}

function whatHappened({ delivery, commits, files, push }: DeliverView): string {
  if (delivery === null) return "there is no verified work yet";
  switch (delivery.kind) {
    case "in-place":
      return "its work is in your files";
    case "delivered":
      if (commits === 0 && push.kind === "failed") {
        return `${delivery.branch} holds the work, but it is not pushed`;
      }
      return commits === 0
        ? `nothing waits; ${delivery.branch} holds the work`
        : `brought ${counted(commits, "commit")} with ${counted(files, "file")} into ${delivery.branch}`;
    case "waiting":
      return `the work stays on ${delivery.branch}: ${delivery.why}`;
    case "taken-out":
      return delivery.why;
    default:
      return delivery satisfies never;
  }
}
