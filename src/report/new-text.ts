// A project that was just created, for people.
import type { NewView } from "../core/schema/views.ts";
import { problemText } from "./lint-text.ts";
import type { Paint } from "./paint.ts";
import { renderTable } from "./table.ts";
import { visibleLine } from "./visible.ts";

const SHOWN = 20;

export function newText(view: NewView, paint: Paint, width: number | undefined): string {
  const { project } = view;
  const tasks = view.tasks
    .slice(0, SHOWN)
    .map((task) => [
      { text: task.done ? "✓" : "·", paint: task.done ? paint.green : paint.dim },
      { text: task.id },
      { text: visibleLine(task.title) },
    ]);
  const hidden = view.tasks.length - tasks.length;
  return [
    ...view.problems.map((problem) => problemText(project.manifest, problem, paint)),
    `Created ${paint.bold(project.slug)} with id ${paint.bold(project.id)}`,
    ...renderTable(tasks, { indent: "  ", width }),
    ...(hidden > 0 ? [paint.dim(`  … ${hidden} more`)] : []),
    `Folder  ${visibleLine(project.folder)}`,
    `Next    ${view.next}`,
  ].join("\n");
}
