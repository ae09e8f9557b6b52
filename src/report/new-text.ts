// A project that was just created, for people.
import type { NewView } from "../core/schema/views.ts";
import type { Block } from "./layout.ts";
import { problemText } from "./lint-text.ts";
import type { Paint } from "./paint.ts";
import { visibleLine } from "./visible.ts";

const SHOWN = 20;

export function newText(view: NewView, paint: Paint): Block[] {
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
    ...view.problems.flatMap((problem) => problemText(project.manifest, problem, paint)),
    `Created ${paint.bold(project.slug)} with id ${paint.bold(project.id)}`,
    { rows: tasks, indent: "  " },
    ...(hidden > 0 ? [paint.dim(`  … ${hidden} more`)] : []),
    `Folder  ${visibleLine(project.folder)}`,
    { commands: `Next    ${view.next}` },
  ];
}
